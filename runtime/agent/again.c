/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See again.h. */
#include "runtime/agent/again.h"

#define MOST_TIMES 8 /* for a process that is several programs in turn, each of them cleaned */
#define DIGITS 16

static const char *read_number(const char *at, int digits, uint64_t *number)
{
	*number = 0;
	for (int i = 0; at && i < digits; i++) {
		unsigned digit = (unsigned char)at[i] - '0';

		if (digit > 9)
			digit = (unsigned char)at[i] - 'a' + 10u;
		if (digit >= 16 || (at[i] >= ':' && at[i] < 'a'))
			return NULL;
		*number = *number << 4 | digit;
	}
	return at ? at + digits : NULL;
}

static char *write_number(char *to, int digits, uint64_t number)
{
	for (int i = 0; i < digits; i++)
		to[i] = "0123456789abcdef"[number >> 4 * (digits - 1 - i) & 15];
	return to + digits;
}

struct pf_again pf_again_read(const char *value)
{
	struct pf_again last = { { 0, 0 }, 0, 0 };
	uint64_t pid, times;

	value = read_number(value, DIGITS, &last.command.program);
	value = read_number(value, DIGITS, &last.command.whole);
	value = read_number(value, DIGITS / 2, &pid);
	value = read_number(value, DIGITS / 2, &times);
	if (!value || *value)
		return (struct pf_again) { { 0, 0 }, 0, 0 };
	last.pid = (uint32_t)pid;
	last.times = (uint32_t)times;
	return last;
}

void pf_again_write(const struct pf_again *last, char entry[PF_AGAIN_SIZE])
{
	char *end = entry + sizeof PF_AGAIN_NAME;

	__builtin_memcpy(entry, PF_AGAIN_NAME "=", sizeof PF_AGAIN_NAME);
	end = write_number(end, DIGITS, last->command.program);
	end = write_number(end, DIGITS, last->command.whole);
	end = write_number(end, DIGITS / 2, last->pid);
	end = write_number(end, DIGITS / 2, last->times);
	*end = 0;
}

bool pf_again_may(struct pf_again *last, const struct pf_command *command, uint32_t pid)
{
	bool here = last->times && last->pid == pid;
	bool same = last->times && command->program && command->program == last->command.program;

	if ((same && (here || command->whole == last->command.whole)) || (here && last->times >= MOST_TIMES))
		return false;
	*last = (struct pf_again) { *command, pid, here ? last->times + 1 : 1 };
	return true;
}
