/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The check of a block's source by translated code, by itself: what it compares, what it leaves to C, and that the
 * program's registers, flags and stack are the same on both ways; also where the source is not there at all. */
#include "runtime/agent/emit.h"
#include "testsuite/unit/suite.h"

#include <asm/prctl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define KEPT 192u  /* where what is kept of the block lies */
#define INDEX 4711u
#define GOAL 17u   /* number of the exit that is all of the block's code */
#define PAGE 4096u
#define LONGEST 80u
#define STACK_WORDS 64
#define ALL_FLAGS 0xcd5u /* carry, parity, adjust, zero, sign, direction, overflow */

static struct pf_run *run;
static uint8_t *way;    /* the program's, to the check */
static uint8_t *source; /* two pages, and one that is not there */
static uint64_t stack[STACK_WORDS];

static void *memory(size_t size, int protection)
{
	void *place = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(place, MAP_FAILED);
	return place;
}

/* What the recorder's handler does for a fault there. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)info;
	if (gregs[REG_RIP] != (greg_t)pf_run_check_load)
		_exit(128 + signal);
	gregs[REG_RIP] = (greg_t)pf_run_check_differs;
}

/* The program's way to the check, and a block that does nothing. */
static void set_up(void)
{
	uint8_t *code = memory(PAGE, PROT_READ | PROT_WRITE | PROT_EXEC), *at = code + PAGE / 2;
	stack_t alternate = { .ss_sp = memory(16 * PAGE, PROT_READ | PROT_WRITE), .ss_size = 16 * PAGE };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct pf_kept *kept;

	run = memory(sizeof *run, PROT_READ | PROT_WRITE);
	source = memory(3 * PAGE, PROT_READ | PROT_WRITE);
	munmap(source + 2 * PAGE, PAGE);
	for (uint32_t i = 0; i < 2 * PAGE; i++)
		source[i] = (uint8_t)(i * 37 + i / 256);
	run->exit_entry = (void *)pf_run_exit;
	run->check_entry = (void *)pf_run_check;
	kept = (struct pf_kept *)(void *)(run->kept + KEPT);
	kept->index = INDEX;
	kept->code = at;
	emit_spill_rcx(&at);
	emit_leave(&at, GOAL);
	at = way = code;
	emit_spill_rcx(&at);
	emit_check(&at, KEPT);
	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	ck_assert_int_eq(syscall(SYS_arch_prctl, ARCH_SET_GS, run), 0);
}

static void tear_down(void)
{
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
}

/* Keeps the SIZE bytes at PLACE. */
static void keep(const uint8_t *place, uint32_t size)
{
	struct pf_kept *kept = (struct pf_kept *)(void *)(run->kept + KEPT);

	kept->source = (uint64_t)place & ~7ull;
	kept->size = (uint32_t)((((uint64_t)place + size + 7) & ~7ull) - kept->source);
	memcpy(kept->words, (const void *)kept->source, kept->size);
}

static uint64_t pattern(uint64_t i)
{
	return (i + 1) * 0x9e3779b97f4a7c15u;
}

/* Goes to the block with FLAGS; the exit by which that ended.  Nothing of the program's is another than before. */
static uint32_t go(uint64_t flags)
{
	run->is_checked[INDEX] = 0;
	run->checked_count = 0;
	for (uint64_t i = 0; i < STACK_WORDS; i++)
		stack[i] = pattern(i);
	for (uint64_t i = 0; i < 16; i++)
		run->regs[i] = pattern(100 + i);
	run->regs[PF_RSP] = (uint64_t)&stack[STACK_WORDS / 2];
	run->flags = flags;
	run->resume = way;
	pf_run_enter(run);
	for (uint64_t i = 0; i < 16; i++)
		ck_assert_uint_eq(run->regs[i], i == PF_RSP ? (uint64_t)&stack[STACK_WORDS / 2] : pattern(100 + i));
	for (uint64_t i = 0; i < STACK_WORDS; i++)
		ck_assert_uint_eq(stack[i], pattern(i));
	ck_assert_uint_eq(run->flags & ALL_FLAGS, flags & ALL_FLAGS);
	return (uint32_t)run->exit;
}

static void goes_on(void)
{
	ck_assert_uint_eq(go(0x202), GOAL);
	ck_assert_uint_eq(go(0x202 | ALL_FLAGS), GOAL);
	ck_assert_uint_eq(run->is_checked[INDEX], 1);
	ck_assert_uint_eq(run->checked_count, 1);
	ck_assert_uint_eq(run->checked[0], INDEX);
}

static void is_left_to_c(void)
{
	ck_assert_uint_eq(go(0x202), PF_EXIT_CHECK | INDEX);
	ck_assert_uint_eq(go(0x202 | ALL_FLAGS), PF_EXIT_CHECK | INDEX);
	ck_assert_uint_eq(run->is_checked[INDEX], 0);
	ck_assert_uint_eq(run->checked_count, 0);
}

START_TEST(equal_bytes_go_on_and_each_other_byte_is_found)
{
	for (uint32_t size = 1; size <= LONGEST; size++) {
		for (uint32_t head = 0; head < 8; head++) {
			uint8_t *block = source + 256 + head;

			keep(block, size);
			goes_on();
			for (uint32_t i = 0; i < size; i++) {
				block[i] ^= (uint8_t)(1 << (i + head) % 8);
				is_left_to_c();
				block[i] ^= (uint8_t)(1 << (i + head) % 8);
			}
			goes_on();
		}
	}
}
END_TEST

/* In another word than the block's, and so that the differences of two bytes add up to nothing. */
START_TEST(no_other_difference_hides_one_and_no_other_word_matters)
{
	uint8_t *block = source + 256;

	keep(block, 32);
	block[-1] ^= 1;
	block[32] ^= 1;
	goes_on();
	block[3]++;
	block[11]--;
	is_left_to_c();
	block[11]++;
	block[4]--;
	is_left_to_c();
}
END_TEST

/* All of the sizes at the end of memory that is there, and the only byte of a block at its start. */
START_TEST(no_more_is_read_than_the_pages_that_the_block_is_on)
{
	for (uint32_t size = 1; size <= LONGEST; size++) {
		keep(source + 2 * PAGE - size, size);
		goes_on();
	}
	keep(source + PAGE, 1);
	munmap(source, PAGE);
	goes_on();
}
END_TEST

/* The first page, the last, all; also without the right to read. */
START_TEST(a_source_that_is_gone_is_left_to_c)
{
	keep(source + PAGE - 20, 40);
	goes_on();
	ck_assert_int_eq(mprotect(source, PAGE, PROT_NONE), 0);
	is_left_to_c();
	ck_assert_int_eq(mprotect(source, PAGE, PROT_READ), 0);
	goes_on();
	munmap(source + PAGE, PAGE);
	is_left_to_c();
	munmap(source, PAGE);
	is_left_to_c();
}
END_TEST

START_TEST(all_can_be_left_to_c)
{
	keep(source, 24);
	run->check_entry = (void *)pf_run_check_in_c;
	is_left_to_c();
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("agent-check");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, equal_bytes_go_on_and_each_other_byte_is_found);
	tcase_add_test(cases, no_other_difference_hides_one_and_no_other_word_matters);
	tcase_add_test(cases, no_more_is_read_than_the_pages_that_the_block_is_on);
	tcase_add_test(cases, a_source_that_is_gone_is_left_to_c);
	tcase_add_test(cases, all_can_be_left_to_c);
	return run_case("agent-check", cases);
}
