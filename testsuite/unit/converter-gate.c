/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an account must be like for a profile to be written. */
#include "converter/gate.h"
#include "testsuite/unit/suite.h"

static int check(uint64_t branches, uint64_t mapped, struct pf_error *error)
{
	struct pf_module_account account = { .path = "/bin/unit", .branches = branches, .mapped = mapped };
	struct pf_gate_input input = { .read = branches };

	return pf_gate_check(&account, 1, &input, error);
}

START_TEST(no_more_than_there_is)
{
	struct pf_error error = { 0 };

	ck_assert_int_eq(check(1000, 1000, &error), PF_OK);
	ck_assert_int_eq(check(1000, 1001, &error), PF_EINTERNAL);
	ck_assert_ptr_nonnull(strstr(error.text, "internal"));
	ck_assert_ptr_nonnull(strstr(error.text, "/bin/unit"));
}
END_TEST

START_TEST(next_to_nothing)
{
	struct pf_error error = { 0 };

	ck_assert_int_eq(check(1000, 50, &error), PF_OK);
	ck_assert_int_eq(check(1000, 49, &error), PF_ENODEBUG);
	ck_assert_int_eq(check(1000, 0, &error), PF_ENODEBUG);
}
END_TEST

/* 3 of 40,000 branches are chance, unless it is those that were asked for. */
START_TEST(few_of_many)
{
	struct pf_module_account accounts[] = {
		{ .path = "/lib/other", .branches = 39997, .state = PF_MODULE_NOT_ASKED, .reason = "not named" },
		{ .path = "/bin/unit", .branches = 3, .mapped = 3 },
	};
	struct pf_gate_input input = { .read = 40000 };
	struct pf_error error = { 0 };

	ck_assert_int_eq(pf_gate_check(accounts, 2, &input, &error), PF_ENODEBUG);
	ck_assert_ptr_nonnull(strstr(error.text, "39997 are in /lib/other (not named)"));
	input.worst_count = 39998;
	ck_assert_int_eq(pf_gate_check(accounts, 2, &input, &error), PF_EEMPTY);
	input.worst_count = 0;
	input.asked = true;
	ck_assert_int_eq(pf_gate_check(accounts, 2, &input, &error), PF_OK);
	accounts[1].mapped = 0;
	ck_assert_int_eq(pf_gate_check(accounts, 2, &input, &error), PF_ENODEBUG);
}
END_TEST

/* Samples COUNT at one place, or as many branches. */
static int recorded(uint64_t count, bool branches, struct pf_error *error)
{
	struct pf_traffic traffic = { 0 };
	struct pf_traffic_edge edge = { .start = 10, .from = 20, .to = 30 };
	struct pf_gate_input input = { 0 };
	uint32_t module = pf_traffic_module(&traffic, "/bin/unit", NULL, 0);
	int status;

	if (branches)
		pf_traffic_count(&traffic, pf_traffic_edge(&traffic, &edge), count * PF_WEIGHT_ONE);
	else
		ck_assert_int_eq(pf_traffic_samples(&traffic, module, 20, 0, count, NULL), PF_OK);
	status = pf_gate_recorded(&traffic, &input, error);
	pf_traffic_fini(&traffic);
	return status;
}

/* A product of a sum of them has to fit into 64 bits: of samples with 16 times as much. */
START_TEST(no_more_than_can_be_added_up)
{
	struct pf_error error = { 0 };

	ck_assert_int_eq(recorded((uint64_t)1 << 54, true, &error), PF_OK);
	ck_assert_int_eq(recorded(((uint64_t)1 << 54) + 1, true, &error), PF_ELIMIT);
	ck_assert_int_eq(recorded((uint64_t)1 << 50, false, &error), PF_OK);
	ck_assert_int_eq(recorded(((uint64_t)1 << 50) + 1, false, &error), PF_ELIMIT);
	ck_assert_int_eq(recorded(UINT64_MAX, false, &error), PF_ELIMIT);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-gate", no_more_than_there_is, next_to_nothing, few_of_many,
			 no_more_than_can_be_added_up);
}
