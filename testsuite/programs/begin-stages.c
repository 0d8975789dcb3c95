/* SPDX-License-Identifier: GPL-3.0-or-later */
/* begin-stages KIND ROUNDS TURNS: four stages of equally many turns, over and over, in each of which a new page is
 * touched in one of 128 turns by lot: by the count of page faults bursts begin in each turn alike.  What is counted
 * must be the same in each stage.  In front of each round is, by KIND: `none` nothing, `call` a system call, `fault` an
 * instruction that is illegal, behind which a handler goes on.  `paces`: nothing, and the stages are not equally fast:
 * one waits for memory, one has next to nothing between two branches, one much, one has a division.  `halves`: the
 * first two of these alone. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGES 4096ul
#define PAGE 4096ul
#define CHAIN (1ul << 22) /* of 8 bytes: more than caches hold */

static volatile unsigned sum;
static unsigned dice = 1;
static char *memory;
static unsigned long page;
static uint64_t *chain, at;
static int waits, works, divides;

__attribute__((noinline)) static void touch(void)
{
	if (page == PAGES) {
		madvise(memory, PAGES * PAGE, MADV_DONTNEED);
		page = 0;
	}
	memory[PAGE * page++] = 1;
}

#define STAGE(n, between)                                                                                              \
	__attribute__((noinline)) static void stage##n(int turns)                                                      \
	{                                                                                                              \
		for (int i = 0; i < turns; i++) {                                                                      \
			dice = dice * 1103515245u + 12345u;                                                            \
			between;                                                                                       \
			sum += n;                                                                                      \
			if ((dice >> 16) % 128 == 0)                                                                   \
				touch();                                                                               \
		}                                                                                                      \
	}

/* The same code in all kinds: how long it takes is what the numbers are. */
STAGE(1, at = chain[at & (uint64_t)waits])
STAGE(2, sum ^= dice)
STAGE(3, __asm__ volatile(".rept 30\n imul %0, %0\n .endr" : "+r"(works)))
STAGE(4, divides = (int)(0x7fffffff00000000 / (divides | 1)))

static void go_on(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

/* One cycle through all of the chain, in no order that a processor could foresee. */
static void make_chain(void)
{
	for (uint64_t i = 0; i < CHAIN; i++)
		chain[i] = (i * 6364136223846793005ull + 1442695040888963407ull) % CHAIN;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = go_on, .sa_flags = SA_SIGINFO };
	const char *kind = argc > 1 ? argv[1] : "none";
	long rounds = argc > 2 ? atol(argv[2]) : 1;
	int turns = argc > 3 ? atoi(argv[3]) : 200;

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	chain = malloc(CHAIN * sizeof *chain);
	if (memory == MAP_FAILED || !chain || sigaction(SIGILL, &action, NULL) != 0)
		return 1;
	madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE); /* one fault a page */
	make_chain();
	int halves = strcmp(kind, "halves") == 0;
	waits = halves || strcmp(kind, "paces") == 0 ? CHAIN - 1 : 0;
	works = divides = 3;
	for (long i = 0; i < rounds; i++) {
		if (strcmp(kind, "call") == 0)
			sum += (unsigned)getppid();
		else if (strcmp(kind, "fault") == 0)
			__asm__ volatile("ud2");
		stage1(turns);
		stage2(turns);
		if (halves)
			continue;
		stage3(turns);
		stage4(turns);
	}
	return 0;
}
