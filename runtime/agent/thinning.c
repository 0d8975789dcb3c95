/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading a library costs a process a quarter of a millisecond, which is a quarter of what `expr` takes in all; so in a
 * script of many short commands most go without the recorder, and the others count for them.  Who executes a command
 * decides, by what was seen of it before, in two tables on the control page that all processes share: one of commands
 * with all of their arguments, one of programs.  A command was brief if it ended by exit with fewer than two ticks of
 * its timer, without threads, children or an exec.  After 8 such ends of it, one of 2 goes with the recorder, after 16
 * one of 4, after 32 one of 8, drawn by lot, and its bursts count 2-, 4- or 8-fold, so that counts are unbiased.  For
 * arguments that are new, it takes 32 different lists of them that were all brief.
 *
 * The hard case is the command that was always brief and is not today, as what it does is lost with 7 of 8: `make` with
 * nothing to do, and then with all.  So one run that is not brief ends the thinning of the command, and of new
 * arguments to its program, for good; a file that has changed is another program; and while what the starts cost is
 * within the budget, as it is where anything long runs beside them, none is left out at all.
 *
 * Nothing here is trusted but for the weights.  Entries are of one word each, so that nobody sees half of one; when two
 * processes change one at a time, one of two observations is lost. */
#include "runtime/agent/thinning.h"

#include "runtime/agent/sys.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#define WAYS 4u
#define LASTS 255u /* in place of a count */
#define ENOUGH_RUNS 8u
#define ENOUGH_LISTS 32u
#define MOST_SHIFT 3u
#define LOADING_NS 200000u /* of CPU time, to load the library: only its order of magnitude matters */
#define FREE_STARTS 32u

_Static_assert(1u << MOST_SHIFT == PF_WIRE_MOST_WEIGHT, "the weights that a reader takes");
_Static_assert(sizeof(struct pf_wire_known) == sizeof(uint64_t), "an entry is one word");

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 31) * 0x9e3779b97f4a7c15ull;
	return value ^ value >> 29;
}

/* The zero at the end counts, too: "a b" is not "ab". */
static uint64_t add_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
	while (*text++);
	return hash;
}

struct pf_command pf_thinning_name(const char *path, char *const arguments[])
{
	struct pf_command command = { 0, 0 };
	struct stat st;

	if (!arguments || !arguments[0] || PF_SYS4(SYS_newfstatat, AT_FDCWD, path, &st, 0) != 0)
		return command;
	command.program = mix(st.st_dev) + mix(st.st_ino) * 3 + mix((uint64_t)st.st_size) * 5 +
			  mix((uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec) * 7;
	command.program = mix(add_text(command.program, arguments[0])) | 1;
	command.whole = command.program;
	for (int i = 1; arguments[i]; i++)
		command.whole = add_text(command.whole, arguments[i]);
	command.whole = mix(command.whole) | 1;
	return command;
}

static struct pf_wire_known load(const struct pf_wire_known *entry)
{
	uint64_t word = __atomic_load_n(&entry->word, __ATOMIC_RELAXED);

	return (struct pf_wire_known) { .word = word };
}

static void store(struct pf_wire_known *entry, struct pf_wire_known value)
{
	__atomic_store_n(&entry->word, value.word, __ATOMIC_RELAXED);
}

static uint32_t tag_of(uint64_t name)
{
	return (uint32_t)(name >> 32) | 1;
}

/* The entry of NAME in a table of COUNT, or the one in its set of which least is known, as a new one of its own. */
static struct pf_wire_known *find(struct pf_wire_known *table, uint32_t count, uint64_t name)
{
	struct pf_wire_known *set = table + (uint32_t)name / 2 % (count / WAYS) * WAYS, *least = set;

	for (uint32_t i = 0; i < WAYS; i++) {
		struct pf_wire_known seen = load(&set[i]);

		if (seen.tag == tag_of(name))
			return &set[i];
		if (seen.brief < load(least).brief)
			least = &set[i];
	}
	store(least, (struct pf_wire_known) { .tag = tag_of(name) });
	return least;
}

static struct pf_wire_known *find_program(struct pf_control *control, const struct pf_command *command)
{
	return find(control->programs, PF_WIRE_PROGRAMS, command->program);
}

static struct pf_wire_known *find_whole(struct pf_control *control, const struct pf_command *command)
{
	return find(control->commands, PF_WIRE_COMMANDS, command->whole);
}

/* By how much BRIEF runs allow to thin, where ENOUGH are the least: a power of two. */
static uint32_t shift_for(uint32_t brief, uint32_t enough)
{
	uint32_t shift = 0;

	if (brief == LASTS)
		return 0;
	while (shift < MOST_SHIFT && brief >= enough << shift)
		shift++;
	return shift;
}

/* Have the starts cost more than the recorder may? */
static bool is_dear(const struct pf_control *control)
{
	uint64_t cpu_us = __atomic_load_n(&control->cpu_ns, __ATOMIC_RELAXED) / 1000;
	uint64_t starts = __atomic_load_n(&control->starts, __ATOMIC_RELAXED);
	uint64_t cost = __atomic_load_n(&control->start_ns, __ATOMIC_RELAXED) + starts * LOADING_NS;

	return cost > cpu_us * control->overhead_ppm / 1000 + (uint64_t)FREE_STARTS * LOADING_NS;
}

/* One of 1 << SHIFT that follow each other, at a place in their row that nobody can foresee. */
static bool is_drawn(const struct pf_control *control, struct pf_wire_known *entry, uint32_t shift)
{
	struct pf_wire_known seen = load(entry);
	uint32_t turn = seen.turn++, row = turn >> shift;

	store(entry, seen);
	return ((mix(mix(control->seed + seen.tag) + row) >> 32 ^ turn) & ((1u << shift) - 1)) == 0;
}

uint32_t pf_thinning_decide(struct pf_control *control, const struct pf_command *command)
{
	struct pf_wire_known *whole, *program, seen, known;
	uint32_t shift, by_program;

	if (!command->program)
		return 1;
	whole = find_whole(control, command);
	program = find_program(control, command);
	seen = load(whole);
	known = load(program);
	shift = shift_for(seen.brief, known.brief == LASTS ? ENOUGH_LISTS : ENOUGH_RUNS);
	by_program = seen.brief == LASTS ? 0 : shift_for(known.brief, ENOUGH_LISTS);
	if (!is_dear(control))
		shift = by_program = 0;
	if (by_program > shift)
		shift = by_program;
	if (shift && !is_drawn(control, by_program == shift ? program : whole, shift)) {
		__atomic_fetch_add(&control->thinned, 1, __ATOMIC_RELAXED);
		return 0;
	}
	seen = load(whole);
	seen.shift = (uint8_t)shift;
	store(whole, seen);
	return 1u << shift;
}

uint32_t pf_thinning_begin(struct pf_control *control, const struct pf_command *command)
{
	struct pf_wire_known *whole, seen;
	uint32_t shift;

	if (!command->program)
		return 1;
	whole = find_whole(control, command);
	seen = load(whole);
	shift = seen.shift;
	/* It is this run's only: others may be executed by who decides nothing. */
	seen.shift = 0;
	store(whole, seen);
	return shift <= MOST_SHIFT ? 1u << shift : 1;
}

/* Another brief run; true if it was the first. */
static bool count_brief(struct pf_wire_known *entry)
{
	struct pf_wire_known seen = load(entry);
	bool first = seen.brief == 0;

	if (seen.brief < LASTS - 1)
		seen.brief++;
	store(entry, seen);
	return first;
}

void pf_thinning_was_brief(struct pf_control *control, const struct pf_command *command)
{
	if (command->program && count_brief(find_whole(control, command)))
		count_brief(find_program(control, command));
}

static void mark_lasting(struct pf_wire_known *entry)
{
	struct pf_wire_known seen = load(entry);

	seen.brief = LASTS;
	seen.shift = 0;
	store(entry, seen);
}

void pf_thinning_lasts(struct pf_control *control, const struct pf_command *command)
{
	if (!command->program)
		return;
	mark_lasting(find_whole(control, command));
	mark_lasting(find_program(control, command));
}
