/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that exports names which a recorder might use: a decoder's, memory and string functions with vector
 * registers, getenv, getauxval, pthread and system calls, and pf_ names.  None of them may be called by anybody but the
 * program. Hard because the dynamic linker gives the executable's definition to every library that asks by name. */
/* build: -rdynamic -fno-builtin -fno-tree-loop-distribute-patterns */
#include "nasty.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

static volatile int ours, foreign;
static volatile double vectors[4];

/* Where a call comes from: all of the program's own come with OURS raised. */
static void called(void)
{
	for (int i = 0; i < 4; i++)
		vectors[i] = vectors[i] * 1.5 + i;
	if (!ours)
		foreign++;
}

#define NONE(name)                                                                                                     \
	long own_##name(void) __asm__(#name);                                                                          \
	long own_##name(void)                                                                                          \
	{                                                                                                              \
		called();                                                                                              \
		return 0x7777777777777777;                                                                             \
	}
NONE(ZydisDecoderInit)
NONE(ZydisDecoderEnableMode)
NONE(ZydisDecoderDecodeInstruction)
NONE(ZydisDecoderDecodeFull)
NONE(ZydisDecoderDecodeOperands)
NONE(ZydisCalcAbsoluteAddress)
NONE(pf_engine)
NONE(pf_agent_burst)
NONE(pf_agent_signal)
NONE(pf_agent_slots)
NONE(pf_agent_take)
NONE(pf_agent_set_errno)
NONE(pf_agent_guard)
NONE(pf_agent_translate)
NONE(getauxval)
NONE(getrlimit)
NONE(pthread_key_create)
NONE(pthread_setspecific)
NONE(pthread_atfork)
NONE(__register_atfork)
NONE(timer_create)
NONE(timer_settime)
NONE(timer_delete)
NONE(sched_yield)
NONE(open)
NONE(openat)
NONE(mkstemp)
NONE(ftruncate)
NONE(close)
NONE(read)
NONE(readlink)
NONE(strtoull)
NONE(__errno_location_)

void *memcpy(void *to, const void *from, size_t size)
{
	called();
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	called();
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = (char)byte;
	return to;
}

int memcmp(const void *one, const void *other, size_t size)
{
	called();
	for (size_t i = 0; i < size; i++)
		if (((const unsigned char *)one)[i] != ((const unsigned char *)other)[i])
			return ((const unsigned char *)one)[i] - ((const unsigned char *)other)[i];
	return 0;
}

size_t strlen(const char *text)
{
	size_t length = 0;
	called();
	while (((const volatile char *)text)[length])
		length++;
	return length;
}

char *getenv(const char *name)
{
	called();
	return NULL;
}

static void *thread(void *argument)
{
	busy(20);
	return argument;
}

static void handler(int signal)
{
}

int main(void)
{
	char one[100], other[100];
	int before = foreign;
	struct sigaction action = { .sa_handler = handler };
	pthread_t id;
	int status;
	busy(200);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
	pid_t pid = fork();
	if (pid == 0) {
		busy(20);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ours = 1;
	memset(one, 3, 100);
	memcpy(other, one, 100);
	CHECK(memcmp(one, other, 100) == 0);
	ours = 0;
	printf("called by others: %d before main, %d after\n", before, foreign - before);
	return 0;
}
