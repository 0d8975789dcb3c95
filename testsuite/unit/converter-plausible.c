/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What code of a few instructions can have done, and what not. */
#include "converter/plausible.h"
#include "converter/traffic.h"
#include "testsuite/unit/suite.h"

#define NOP 0x1000
#define JE 0x1001
#define JMP 0x1003
#define INSIDE 0x1004
#define CALL 0x1005
#define RET 0x100a
#define OUTSIDE 0x2000

/* nop; je RET; jmp RET; call RET; ret */
static const uint8_t code[] = { 0x90, 0x74, 0x07, 0xeb, 0x05, 0xe8, 0, 0, 0, 0, 0xc3 };
static struct pf_elf_segment segment = {
	.address = 0x1000, .offset = 0x1000, .file_size = sizeof code, .executable = true
};
static uint8_t file[0x1000 + sizeof code];
static struct pf_traffic traffic;
static struct pf_program_module module;
static struct pf_program program = { .traffic = &traffic, .modules = &module };
static bool impossible[64];
static struct pf_error error;

static void begin(void)
{
	memcpy(file + 0x1000, code, sizeof code);
	module = (struct pf_program_module) { .binary.elf = { .path = "unit", .bytes = file, .size = sizeof file } };
	module.binary.elf.segments.at = &segment;
	module.binary.elf.segments.count = 1;
	memset(impossible, 0, sizeof impossible);
	pf_traffic_module(&traffic, "unit", NULL, 0);
}

static uint32_t add(uint64_t start, uint64_t from, uint8_t kind, uint64_t count)
{
	struct pf_traffic_edge edge = { .start = start, .from = from, .to = RET, .kind = kind };
	uint32_t index = pf_traffic_edge(&traffic, &edge);

	pf_traffic_count(&traffic, index, count * PF_WEIGHT_ONE);
	return index;
}

static int check(void)
{
	ck_assert_int_eq(pf_plausible_branches(&program, impossible, &error), PF_OK);
	return pf_plausible_check(&module, &error);
}

START_TEST(each_edge)
{
	static const struct {
		uint64_t start, from;
		uint8_t kind;
		bool impossible;
	} edges[] = {
		{ NOP, JE, 0, false },     { NOP, JMP, 0, false },
		{ JE, JE, 0, false },      { CALL, RET, 0, false },
		{ RET, RET, 0, false },    { NOP, NOP, PF_EDGE_FALL, false },
		{ NOP, CALL, 0, true },    { NOP, RET, 0, true },
		{ JMP, RET, 0, true },     { NOP, NOP, 0, true },
		{ NOP, INSIDE, 0, true },  { NOP, CALL, PF_EDGE_FALL, true },
		{ NOP, OUTSIDE, 0, true }, { OUTSIDE, OUTSIDE, PF_EDGE_COND, true },
	};
	const size_t count = sizeof edges / sizeof edges[0];

	begin();
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(add(edges[i].start, edges[i].from, edges[i].kind, 1), i);
	ck_assert_int_eq(check(), PF_EMISMATCH);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(impossible[i] == edges[i].impossible, "edge %zu", i);
	pf_traffic_fini(&traffic);
}
END_TEST

START_TEST(shares)
{
	begin();
	add(NOP, JE, 0, 970);
	add(NOP, NOP, 0, 30);
	ck_assert_int_eq(check(), PF_OK); /* 3% */
	ck_assert_uint_eq(module.plausibility.at_none, 30 * PF_WEIGHT_ONE);
	add(NOP, NOP, 0, 2);
	module.plausibility = (struct pf_plausibility) { 0 };
	ck_assert_int_eq(check(), PF_EMISMATCH);
	ck_assert_ptr_nonnull(strstr(error.text, "3.2% of the branches recorded in it are at no branch"));
	ck_assert_ptr_nonnull(strstr(error.text, "no build-id was recorded"));
	pf_traffic_fini(&traffic);

	begin();
	add(NOP, JE, 0, 90);
	add(NOP, RET, 0, 10);
	ck_assert_int_eq(check(), PF_EMISMATCH);
	ck_assert_ptr_nonnull(strstr(error.text, "10.0% ran over an unconditional jump"));
	pf_traffic_fini(&traffic);

	begin(); /* two odd ones prove nothing */
	add(NOP, JE, 0, 8);
	add(NOP, NOP, 0, 2);
	ck_assert_int_eq(check(), PF_OK);
	pf_traffic_fini(&traffic);
}
END_TEST

/* The kernel interrupts any instruction. */
START_TEST(to_no_file)
{
	struct pf_traffic_edge edge = { .start = NOP, .from = NOP, .to_module = PF_NO_MODULE };

	begin();
	pf_traffic_count(&traffic, pf_traffic_edge(&traffic, &edge), 100 * PF_WEIGHT_ONE);
	ck_assert_int_eq(check(), PF_OK);
	ck_assert(!impossible[0]);
	pf_traffic_fini(&traffic);
}
END_TEST

START_TEST(samples)
{
	struct pf_traffic_sample at[] = { { .offset = NOP, .weight = 90 * PF_WEIGHT_ONE },
					  { .offset = INSIDE, .weight = 3 * PF_WEIGHT_ONE },
					  { .offset = RET, .weight = 10 * PF_WEIGHT_ONE } };
	struct pf_extent extent = { .start = NOP, .end = RET + 1 };

	begin();
	module.samples.at = at;
	module.samples.count = 3;
	module.extents.at = &extent;
	module.extents.count = 1;
	ck_assert_int_eq(pf_plausible_samples(&module, &error), PF_OK); /* 2.9% */
	at[1].weight = 7 * PF_WEIGHT_ONE;
	ck_assert_int_eq(pf_plausible_samples(&module, &error), PF_EMISMATCH);
	ck_assert_ptr_nonnull(strstr(error.text, "6.5% of the samples"));
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-plausible", each_edge, shares, to_no_file, samples);
}
