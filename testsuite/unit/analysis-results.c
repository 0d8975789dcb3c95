/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gains, verdicts, fractions, means and failures of small comparisons, against values worked out by hand. */
#include "analysis/beyond.h"
#include "testsuite/unit/analysis-helpers.h"

#define RESAMPLES 2000

#define NINE "10,10,10,10,10,10,10,10,10"
#define BASE VARIANT("base", REFERENCE(NINE, NINE, "1000"))
/* Nine ratios 1.21 .. 1.29, middle 1.25: 10 / 8 and its neighbours. */
#define QUARTER "8,8.2645,8.1967,8.1301,8.0645,7.9365,7.8740,7.8125,7.7519"

static struct pf_gain gain_of(const struct computed *computed, size_t program, int variant, int measure)
{
	return computed->results.programs[program].variants[variant].gain[measure];
}

START_TEST(a_gain_is_the_median_of_the_pairs)
{
	struct computed c;
	struct pf_gain gain;

	compute(&c, FILE_HEAD PROGRAM("p", "C", BASE "," VARIANT("instr", REFERENCE(QUARTER, NINE, "800"))) FILE_END,
		RESAMPLES);
	gain = gain_of(&c, 0, PF_VARIANT_INSTR, PF_MEASURE_TIME);
	ck_near(gain.ratio.value, 1.25, 1e-9);
	ck_assert(gain.ratio.bounded);
	ck_near(gain.ratio.low, 1.22, 2e-3); /* the 2nd and the 8th */
	ck_near(gain.ratio.high, 1.28, 2e-3);
	ck_assert_int_eq(gain.verdict, PF_VERDICT_FASTER);
	ck_near(gain.noise, -1, 0);
	gain = gain_of(&c, 0, PF_VARIANT_INSTR, PF_MEASURE_INSTRUCTIONS);
	ck_near(gain.ratio.value, 1.25, 1e-12);
	ck_assert(!gain.ratio.bounded);
	ck_assert_int_eq(gain.verdict, PF_VERDICT_FASTER);
	release(&c);
}
END_TEST

/* References count the same, however long: sqrt(4 * 1) = 2. */
START_TEST(several_references_make_a_geometric_mean)
{
	struct computed c;

	compute(&c,
		FILE_HEAD PROGRAM(
		    "p", "C",
		    VARIANT("base", REFERENCE("", "", "100") "," REFERENCE("", "", "900")) "," VARIANT(
			"instr", REFERENCE("1,1,1", "4,4,4", "50") "," REFERENCE("50,50", "50,50", "200"))) FILE_END,
		RESAMPLES);
	ck_near(gain_of(&c, 0, PF_VARIANT_INSTR, PF_MEASURE_TIME).ratio.value, 2, 1e-12);
	ck_assert_uint_eq(gain_of(&c, 0, PF_VARIANT_INSTR, PF_MEASURE_TIME).pairs, 2);
	ck_near(gain_of(&c, 0, PF_VARIANT_INSTR, PF_MEASURE_INSTRUCTIONS).ratio.value, 3, 1e-12);
	release(&c);
}
END_TEST

#define NOISY_PROGRAM(noise, seconds)                                                                                  \
	FILE_HEAD "{'name':'p','noise':[" noise "],'variants':[" BASE                                                  \
		  "," VARIANT("soft", REFERENCE(seconds, NINE, "null")) "]}" FILE_END
#define TWO_PERCENT "[10,10.2],[10.2,10],[10,10.2],[10.2,10]"
#define FASTER_BY_ONE "9.9,9.9,9.9,9.9,9.9,9.9,9.9,9.9,9.9"

/* All pairs say +1.01%, but base against itself is 2% off in every pair: nothing is shown. */
START_TEST(a_gain_within_the_noise_is_none)
{
	struct computed c;
	struct pf_gain gain;

	compute(&c, NOISY_PROGRAM(TWO_PERCENT, FASTER_BY_ONE), RESAMPLES);
	gain = gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_TIME);
	ck_assert(gain.ratio.low > 1);
	ck_near(gain.noise, 0.02, 1e-6);
	ck_assert_int_eq(gain.verdict, PF_VERDICT_NOISE);
	release(&c);
	compute(&c, NOISY_PROGRAM("[10,10.02],[10.02,10],[10,10]", FASTER_BY_ONE), RESAMPLES);
	gain = gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_TIME);
	ck_near(gain.noise, 0.002, 1e-6);
	ck_assert_int_eq(gain.verdict, PF_VERDICT_FASTER);
	release(&c);
}
END_TEST

START_TEST(an_interval_that_holds_1_is_noise)
{
	struct computed c;

	compute(&c, NOISY_PROGRAM("[10,10]", "9,9.5,11,9,10.5,9,10.5,9,10.5"), RESAMPLES);
	ck_assert_int_eq(gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_TIME).verdict, PF_VERDICT_NOISE);
	release(&c);
}
END_TEST

START_TEST(one_pair_is_judged_by_the_noise_or_not_at_all)
{
	struct computed c;

	compute(&c, FILE_HEAD PROGRAM("p", "C", BASE "," VARIANT("soft", REFERENCE("8", "10", "null"))) FILE_END,
		RESAMPLES);
	ck_near(gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_TIME).ratio.value, 1.25, 1e-12);
	ck_assert(!gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_TIME).ratio.bounded);
	ck_assert_int_eq(gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_TIME).verdict, PF_VERDICT_UNJUDGED);
	release(&c);
	compute(&c,
		FILE_HEAD "{'name':'p','noise':[[10,10.1]],'variants':[" BASE
			  "," VARIANT("soft", REFERENCE("8", "10", "null")) "]}" FILE_END,
		RESAMPLES);
	ck_assert_int_eq(gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_TIME).verdict, PF_VERDICT_FASTER);
	release(&c);
}
END_TEST

/* instr +25%, soft +20%: 80% by time.  Instructions 1000 to 800 and to 900: 1 / 9 of 1 / 4 is 44.4%. */
START_TEST(fractions)
{
	struct computed c;
	const struct pf_variant_result *soft;

	compute(&c,
		FILE_HEAD PROGRAM("p", "C",
				  BASE "," VARIANT("instr", REFERENCE("8,8,8", "10,10,10", "800")) "," VARIANT(
				      "soft", REFERENCE("8.3333333333,8.3333333333,8.3333333333", "10,10,10", "900")))
		    FILE_END,
		RESAMPLES);
	soft = &c.results.programs[0].variants[PF_VARIANT_SOFT];
	ck_near(soft->fraction[PF_MEASURE_TIME].value, 0.8, 1e-9);
	ck_near(soft->fraction[PF_MEASURE_TIME].low, 0.8, 1e-9);
	ck_near(soft->fraction[PF_MEASURE_INSTRUCTIONS].value, 4. / 9, 1e-12);
	release(&c);
}
END_TEST

/* Both variants ran in the same rounds, whose noise they share: the fraction is exact though the gains are not. */
START_TEST(a_fraction_keeps_what_rounds_have_in_common)
{
	struct computed c;
	const struct pf_variant_result *variants;

	compute(&c,
		FILE_HEAD PROGRAM(
		    "p", "C",
		    BASE "," VARIANT("instr", REFERENCE("10,10,10,10,10", "12,13,14,15,16", "null")) "," VARIANT(
			"soft", REFERENCE("10,10,10,10,10", "11,11.5,12,12.5,13", "null"))) FILE_END,
		RESAMPLES);
	variants = c.results.programs[0].variants;
	ck_assert(variants[PF_VARIANT_INSTR].gain[PF_MEASURE_TIME].ratio.high >
		  variants[PF_VARIANT_INSTR].gain[PF_MEASURE_TIME].ratio.low + 0.3);
	ck_near(variants[PF_VARIANT_SOFT].fraction[PF_MEASURE_TIME].value, 0.5, 1e-9);
	ck_near(variants[PF_VARIANT_SOFT].fraction[PF_MEASURE_TIME].low, 0.5, 1e-9);
	ck_near(variants[PF_VARIANT_SOFT].fraction[PF_MEASURE_TIME].high, 0.5, 1e-9);
	release(&c);
}
END_TEST

START_TEST(there_is_no_fraction_of_nothing)
{
	struct computed c;

	/* instr: nothing by time, 0.05% by instructions, which is less than counts. */
	compute(&c,
		FILE_HEAD PROGRAM(
		    "p", "C",
		    VARIANT("base", REFERENCE("10,10", "10,10", "100000")) "," VARIANT(
			"instr", REFERENCE("10,10", "10,10",
					   "99950")) "," VARIANT("soft", REFERENCE("9,9", "10,10", "90000"))) FILE_END,
		RESAMPLES);
	for (int m = PF_MEASURE_TIME; m < PF_MEASURES; m++) {
		ck_assert(!c.results.programs[0].variants[PF_VARIANT_SOFT].fraction[m].known);
		ck_assert_int_eq(gain_of(&c, 0, PF_VARIANT_INSTR, m).verdict, PF_VERDICT_NOISE);
		ck_assert_int_eq(gain_of(&c, 0, PF_VARIANT_SOFT, m).verdict, PF_VERDICT_FASTER);
	}
	release(&c);
}
END_TEST

#define TIMED(name, seconds) VARIANT(name, REFERENCE(seconds "," seconds, "10,10", "null"))
#define FOUR_PROGRAMS                                                                                                  \
	FILE_HEAD PROGRAM("a", "C", BASE "," TIMED("instr", "8") "," TIMED("soft", "8")) "," PROGRAM(                  \
	    "b", "C",                                                                                                  \
	    BASE "," TIMED("instr", "5") "," TIMED(                                                                    \
		"soft",                                                                                                \
		"8")) "," PROGRAM("c", "C++",                                                                          \
				  BASE "," TIMED("instr", "9.8") "," TIMED(                                            \
				      "soft",                                                                          \
				      "10")) "," PROGRAM("d", "C++",                                                   \
							 BASE "," TIMED("instr",                                       \
									"8") ",{'name':'soft','error':'It crashed.'}") \
	    FILE_END

START_TEST(means_by_group)
{
	struct computed c;
	const struct pf_mean(*means)[PF_VARIANTS];

	compute(&c, FOUR_PROGRAMS, RESAMPLES);
	means = c.results.means[PF_MEASURE_TIME];
	ck_assert_uint_eq(means[PF_GROUP_ALL][PF_VARIANT_INSTR].programs, 4);
	ck_near(means[PF_GROUP_ALL][PF_VARIANT_INSTR].ratio.value, pow(1.25 * 2 * (10 / 9.8) * 1.25, 0.25), 1e-12);
	ck_assert_uint_eq(means[PF_GROUP_ALL][PF_VARIANT_SOFT].programs, 3);
	ck_near(means[PF_GROUP_ALL][PF_VARIANT_SOFT].ratio.value, pow(1.25 * 1.25, 1 / 3.), 1e-12);
	ck_near(means[PF_GROUP_C][PF_VARIANT_INSTR].ratio.value, sqrt(2.5), 1e-12);
	ck_near(means[PF_GROUP_C][PF_VARIANT_SOFT].fraction.value, 0.25 / (sqrt(2.5) - 1), 1e-12);
	/* Of C++, d has no soft: c alone counts, where instr gains 10 / 9.8 - 1 and soft nothing. */
	ck_assert_uint_eq(means[PF_GROUP_CXX][PF_VARIANT_SOFT].fraction_programs, 1);
	ck_near(means[PF_GROUP_CXX][PF_VARIANT_SOFT].fraction.value, 0, 1e-12);
	ck_assert_uint_eq(means[PF_GROUP_FORTRAN][PF_VARIANT_INSTR].programs, 0);
	ck_assert_int_eq(means[PF_GROUP_FORTRAN][PF_VARIANT_INSTR].verdict, PF_VERDICT_NONE);
	/* c gains 2%, less than what counts as headroom. */
	ck_assert_uint_eq(means[PF_GROUP_HEADROOM][PF_VARIANT_INSTR].programs, 3);
	ck_near(means[PF_GROUP_HEADROOM][PF_VARIANT_SOFT].ratio.value, 1.25, 1e-12);
	/* Equal pairs: no noise at all, but another choice of programs would give another mean. */
	ck_near(means[PF_GROUP_C][PF_VARIANT_INSTR].ratio.low, sqrt(2.5), 1e-12);
	ck_near(means[PF_GROUP_C][PF_VARIANT_INSTR].spread.low, 1.25, 1e-12);
	ck_near(means[PF_GROUP_C][PF_VARIANT_INSTR].spread.high, 2, 1e-12);
	release(&c);
}
END_TEST

START_TEST(losses_come_worst_first)
{
	struct computed c;

	compute(&c, FOUR_PROGRAMS, RESAMPLES);
	ck_assert_uint_eq(c.results.loss_count[PF_MEASURE_TIME], 2);
	ck_assert_uint_eq(c.results.losses[PF_MEASURE_TIME][0].program, 1);
	ck_near(c.results.losses[PF_MEASURE_TIME][0].ratio.value, 0.625, 1e-12);
	ck_assert_int_eq(c.results.losses[PF_MEASURE_TIME][0].verdict, PF_VERDICT_SLOWER);
	ck_assert_uint_eq(c.results.losses[PF_MEASURE_TIME][1].program, 2);
	ck_near(c.results.losses[PF_MEASURE_TIME][1].ratio.value, 0.98, 1e-12);
	ck_assert_uint_eq(c.results.loss_count[PF_MEASURE_INSTRUCTIONS], 0);
	release(&c);
}
END_TEST

#define LOSES(name, seconds) PROGRAM(name, "C", BASE "," TIMED("instr", "5") "," TIMED("soft", seconds))

START_TEST(only_the_three_worst_are_kept)
{
	static const size_t order[] = { 3, 1, 4 };
	struct computed c;

	compute(&c,
		FILE_HEAD LOSES("a", "5.1") "," LOSES("b", "8") "," LOSES("c", "5.2") "," LOSES("d", "9") "," LOSES(
		    "e", "6") "," LOSES("f", "5.5") FILE_END,
		RESAMPLES);
	ck_assert_uint_eq(c.results.loss_count[PF_MEASURE_TIME], 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(c.results.losses[PF_MEASURE_TIME][i].program, order[i]);
	release(&c);
}
END_TEST

static void check_failure(const struct computed *c, size_t at, size_t program, int variant, const char *text)
{
	ck_assert_uint_lt(at, c->results.failure_count);
	ck_assert_uint_eq(c->results.failures[at].program, program);
	ck_assert_int_eq(c->results.failures[at].variant, variant);
	ck_assert_msg(strstr(c->results.failures[at].text, text) != NULL, "%s", c->results.failures[at].text);
}

START_TEST(what_failed_counts_nowhere_and_is_named)
{
	struct computed c;

	compute(
	    &c,
	    FILE_HEAD
	    "{'name':'gone','error':'It cannot be fetched.'},"
	    "{'name':'bad','variants':[{'name':'base','error':'It ignores CFLAGS.'}," TIMED("instr", "1") "]}," PROGRAM(
		"zero", "C",
		BASE "," TIMED(
		    "instr",
		    "0")) "," PROGRAM("half", "C",
				      VARIANT("base", REFERENCE("", "", "10") "," REFERENCE("", "", "10")) "," VARIANT(
					  "instr", REFERENCE("5", "10", "5") "," REFERENCE("", "", "null"))) FILE_END,
	    RESAMPLES);
	ck_assert_uint_eq(c.results.failure_count, 5);
	check_failure(&c, 0, 0, -1, "It cannot be fetched.");
	check_failure(&c, 1, 1, PF_VARIANT_BASE, "It ignores CFLAGS.");
	check_failure(&c, 2, 2, PF_VARIANT_INSTR, "no measurable time");
	check_failure(&c, 3, 3, PF_VARIANT_INSTR, "timed");
	check_failure(&c, 4, 3, PF_VARIANT_INSTR, "counted");
	for (int m = 0; m < PF_MEASURES; m++) {
		ck_assert_uint_eq(c.results.means[m][PF_GROUP_ALL][PF_VARIANT_INSTR].programs, 0);
		for (size_t at = 0; at < 4; at++)
			ck_assert(!gain_of(&c, at, PF_VARIANT_INSTR, m).ratio.known);
	}
	release(&c);
}
END_TEST

/* 3.3 / 3 and 3.03 / 3. */
START_TEST(overheads_and_their_mean)
{
	struct computed c;
	const char *text = FILE_HEAD "{'name':'a','variants':[" BASE ",{'name':'instr','references':[" REFERENCE(
	    "1", "1",
	    "null") "],'collection':{'seconds':[3.3,3.3,3.3],'plain_seconds':[3,3,3]}}]},"
		    "{'name':'b','variants':[" BASE ",{'name':'instr','references':[" REFERENCE(
			"1", "1",
			"null") "],'collection':{'seconds':[3.03,3.03,3.03],'plain_seconds':[3,3,3]}}]}" FILE_END;

	compute(&c, text, RESAMPLES);
	ck_near(c.results.programs[0].variants[PF_VARIANT_INSTR].overhead.value, 1.1, 1e-12);
	ck_near(c.results.programs[1].variants[PF_VARIANT_INSTR].overhead.low, 1.01, 1e-12);
	ck_assert_uint_eq(c.results.overheads[PF_VARIANT_INSTR].programs, 2);
	ck_near(c.results.overheads[PF_VARIANT_INSTR].ratio.value, sqrt(1.1 * 1.01), 1e-12);
	release(&c);
}
END_TEST

/* soft's 500 of 1,000 instructions are a ratio of 2; flags' 800 one of 1.25, and O3's 1,100 are worse than base. */
START_TEST(the_best_without_a_profile_is_what_a_profile_is_measured_by)
{
	static const char *const plain[] = { VARIANT("flags", REFERENCE("", "", "800")) ",",
					     VARIANT("O3", REFERENCE("", "", "1100")) ",", "" };
	static const int best[] = { PF_VARIANT_FLAGS, PF_VARIANT_BASE, -1 };
	static const double ratio[] = { 1.6, 2, 0 };
	static const char *const verdict[] = {
		("soft is 100.0% better by instructions than base, 60.0% better by instructions than flags, the best "
		 "without a profile; that is 200% of what instr gains over base."),
		("soft is 100.0% better by instructions than base, which is the best without a profile; that is "
		 "200% of what instr gains over base."),
		"soft is 100.0% better by instructions than base; that is 200% of what instr gains over base.",
	};

	for (size_t i = 0; i < 3; i++) {
		struct pf_estimate beyond;
		struct computed c;
		char text[2000], *says;

		snprintf(text, sizeof text, "%s%s%s", FILE_HEAD "{'name':'p','variants':[", plain[i],
			 VARIANT("base", REFERENCE("", "", "1000")) "," VARIANT(
			     "instr",
			     REFERENCE("", "", "666.66666666666")) "," VARIANT("soft",
									       REFERENCE("", "", "500")) "]}" FILE_END);
		compute(&c, text, 50);
		ck_assert_int_eq(pf_beyond_best(&c.results, 0, PF_MEASURE_INSTRUCTIONS), best[i]);
		beyond = pf_beyond_ratio(&c.results, 0, PF_MEASURE_INSTRUCTIONS, PF_VARIANT_SOFT);
		ck_assert_int_eq(beyond.known, best[i] >= 0);
		ck_near(beyond.value, ratio[i], 1e-9);
		ck_near(pf_beyond_least(&c.results).gain, 100, 1e-9);
		says = pf_beyond_verdict(&c.results);
		ck_assert_str_eq(says, verdict[i]);
		free(says);
		release(&c);
	}
}
END_TEST

#define RECORDING(seconds, instructions) "{'references':[" REFERENCE(seconds, "10,10", instructions) "]}"

/* Runs of 8 and 5 seconds against base's 10 are ratios of 1.25 and 2; 800 and 500 of 1,000 instructions the same. */
START_TEST(recordings_have_a_lowest_and_a_highest)
{
	static const char *const
	    last[] = { "500", "null" },
	    *const format = FILE_HEAD "{'name':'a','variants':[" VARIANT(
		"base",
		REFERENCE("10,10", "10,10",
			  "1000")) ","
				   "{'name':'soft','references':[" REFERENCE(
				       "6.5,6.5", "10,10",
				       "650") "],'recordings':[" RECORDING("8,8",
									   "800") "," RECORDING("5,5",
												"%s") "]}]}" FILE_END;

	for (size_t i = 0; i < 2; i++) {
		const struct pf_gain *time, *counted;
		struct computed c;
		char text[2000];

		snprintf(text, sizeof text, format, last[i]);
		compute(&c, text, 50);
		time = &c.results.programs[0].variants[PF_VARIANT_SOFT].gain[PF_MEASURE_TIME];
		counted = &c.results.programs[0].variants[PF_VARIANT_SOFT].gain[PF_MEASURE_INSTRUCTIONS];
		ck_assert_uint_eq(time->recordings, 2);
		ck_near(time->lowest, 1.25, 1e-12);
		ck_near(time->highest, 2, 1e-12);
		/* One that was not counted leaves no spread. */
		ck_assert_uint_eq(counted->recordings, i == 0 ? 2 : 0);
		ck_near(counted->lowest, i == 0 ? 1.25 : 0, 1e-12);
		ck_near(counted->highest, i == 0 ? 2 : 0, 1e-12);
		release(&c);
	}
}
END_TEST

/* 1,000,000 cycles against 800,000 are a ratio of 1.25; by time it is 2, and by instructions 1. */
START_TEST(cycles_are_the_first_figure_where_they_were_counted)
{
	static const char counted[] = FILE_HEAD
	    "{'name':'p','noise':[[1,2],[2,1]],'noise_cycles':[[100,101],[101,100],[100,100]],'variants':["
	    "{'name':'base','references':[{'seconds':[],'base_seconds':[],'instructions':1000}]},"
	    "{'name':'soft','references':[{'seconds':[5,5,5],'base_seconds':[10,10,10],'instructions':1000,'counters':{"
	    "'cycles':[800000,800000,400000],'base_cycles':[1000000,1000000,500000],"
	    "'branch_misses':[0,0,0],'base_branch_misses':[0,7,0]}}]}]}" FILE_END;
	const struct pf_compared_reference *reference;
	struct pf_gain gain;
	struct computed c;
	char *says;

	compute(&c, counted, 50);
	gain = gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_CYCLES);
	ck_near(gain.ratio.value, 1.25, 1e-12);
	ck_assert_uint_eq(gain.pairs, 3);
	ck_assert_int_eq(gain.verdict, PF_VERDICT_FASTER);
	ck_near(gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_TIME).ratio.value, 2, 1e-12);
	ck_near(c.results.programs[0].noise[PF_MEASURE_CYCLES].high, 1.01, 1e-12);
	ck_near(c.results.programs[0].noise[PF_MEASURE_TIME].high, 2, 1e-12);
	ck_assert_int_eq(pf_beyond_measure(&c.results), PF_MEASURE_CYCLES);
	ck_near(pf_beyond_least(&c.results).gain, 25, 1e-9);
	says = pf_beyond_verdict(&c.results);
	ck_assert_str_eq(says, "soft is 25.0% faster by cycles than base.");
	free(says);
	reference = &c.comparison.programs[0].variants[PF_VARIANT_SOFT].references[0];
	ck_assert_uint_eq(reference->counted[PF_COUNTER_BRANCH_MISSES].count, 3);
	ck_near(reference->counted[PF_COUNTER_BRANCH_MISSES].base[1], 7, 0);
	ck_assert_uint_eq(reference->counted[PF_COUNTER_ICACHE_MISSES].count, 0);
	ck_assert_uint_eq(c.results.failure_count, 0);
	release(&c);
}
END_TEST

/* One program gains 25% by time, one 100% by instructions, of which alone it has figures; the third has none. */
START_TEST(the_least_gain_is_of_every_program)
{
#define TWO                                                                                                            \
	PROGRAM("a", "C", BASE "," TIMED("soft", "8"))                                                                 \
	"," PROGRAM("b", "C",                                                                                          \
		    VARIANT("base", REFERENCE("", "", "1000")) "," VARIANT("clock", REFERENCE("", "", "500")))
	static const char *const text[] = { FILE_HEAD TWO FILE_END,
					    FILE_HEAD TWO "," PROGRAM("none", "C", BASE) FILE_END };

	for (size_t i = 0; i < 2; i++) {
		struct pf_foremost least;
		struct computed c;

		compute(&c, text[i], 50);
		least = pf_beyond_least(&c.results);
		ck_assert_str_eq(least.program, i == 0 ? "a" : "none");
		if (i == 0)
			ck_near(least.gain, 25, 1e-9);
		else
			ck_assert(isnan(least.gain));
		release(&c);
	}
}
END_TEST

/* A workload whose cycles were not counted leaves none of the variant's to count; its times stay. */
START_TEST(cycles_of_some_workloads_are_none)
{
	struct computed c;

	compute(&c,
		FILE_HEAD "{'name':'p','variants':[{'name':'soft','references':["
			  "{'seconds':[5],'base_seconds':[10],'counters':{'cycles':[8],'base_cycles':[10]}},"
			  "{'seconds':[5],'base_seconds':[10]}]}]}" FILE_END,
		50);
	ck_assert(!gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_CYCLES).ratio.known);
	ck_near(gain_of(&c, 0, PF_VARIANT_SOFT, PF_MEASURE_TIME).ratio.value, 2, 1e-12);
	check_failure(&c, 0, 0, PF_VARIANT_SOFT, "cycles of some");
	release(&c);
}
END_TEST

START_TEST(later_files_replace_programs_of_the_same_name)
{
	json_t *first = json_of(FILE_HEAD PROGRAM("a", "C", BASE "," TIMED("instr", "5")) "," PROGRAM(
	    "b", "C", BASE "," TIMED("instr", "5")) FILE_END);
	json_t *second = json_of(FILE_HEAD PROGRAM("c", "C", BASE "," TIMED("instr", "5")) "," PROGRAM(
	    "a", "C++", BASE "," TIMED("instr", "8")) FILE_END);
	struct pf_compare_source sources[] = { { "one", first }, { "two", second } };
	struct pf_comparison comparison;
	struct pf_error error;

	ck_assert_int_eq(pf_comparison_read(&comparison, sources, 2, &error), PF_OK);
	ck_assert_uint_eq(comparison.program_count, 3);
	ck_assert_str_eq(comparison.programs[0].name, "a");
	ck_assert_str_eq(comparison.programs[0].language, "C++");
	ck_assert_uint_eq(comparison.programs[0].source, 1);
	ck_near(comparison.programs[0].variants[PF_VARIANT_INSTR].references[0].seconds.own[0], 8, 0);
	ck_assert_str_eq(comparison.programs[2].name, "c");
	pf_comparison_fini(&comparison);
	json_decref(first);
	json_decref(second);
}
END_TEST

/* Adds pairs of COUNT runs that take 10 s, and 10 s / GAIN, with noise of 1%. */
static void add_noisy(struct pf_buffer *out, uint64_t *state, size_t count, double gain, bool as_pairs)
{
	for (int side = 0; side < 2 && !as_pairs; side++) {
		pf_buffer_printf(out, side ? "],'base_seconds':[" : "'seconds':[");
		for (size_t i = 0; i < count; i++)
			pf_buffer_printf(out, "%s%.6f", i ? "," : "",
					 (side ? 10 : 10 / gain) *
					     (1 + 0.01 * ((double)pf_statistics_draw(state, 1000) / 500 - 1)));
	}
	for (size_t i = 0; i < count && as_pairs; i++)
		pf_buffer_printf(out, "%s[%.6f,%.6f]", i ? "," : "",
				 10 * (1 + 0.01 * ((double)pf_statistics_draw(state, 1000) / 500 - 1)),
				 10 * (1 + 0.01 * ((double)pf_statistics_draw(state, 1000) / 500 - 1)));
}

/* A hundred programs that gain nothing, or GAIN; how many are judged to differ. */
static size_t judged_different(double gain, uint64_t seed)
{
	struct pf_buffer text = { 0 };
	struct computed c;
	size_t different = 0;

	pf_buffer_printf(&text, FILE_HEAD);
	for (size_t i = 0; i < 100; i++) {
		pf_buffer_printf(&text, "%s{'name':'p%zu','noise':[", i ? "," : "", i);
		add_noisy(&text, &seed, 9, 1, true);
		pf_buffer_printf(&text, "],'variants':[{'name':'soft','references':[{");
		add_noisy(&text, &seed, 9, gain, false);
		pf_buffer_printf(&text, "]}]}]}");
	}
	pf_buffer_printf(&text, FILE_END);
	pf_buffer_u8(&text, 0);
	ck_assert(!text.failed);
	compute(&c, (const char *)text.data, 500);
	for (size_t i = 0; i < 100; i++) {
		enum pf_verdict verdict = gain_of(&c, i, PF_VARIANT_SOFT, PF_MEASURE_TIME).verdict;

		different += verdict == PF_VERDICT_FASTER || verdict == PF_VERDICT_SLOWER;
	}
	release(&c);
	pf_buffer_fini(&text);
	return different;
}

/* At most 5 of 100 by the interval, fewer since the noise must be exceeded too; and a true 3% is not missed. */
START_TEST(verdicts_are_rarely_wrong)
{
	ck_assert_uint_le(judged_different(1, 77), 8);
	ck_assert_uint_ge(judged_different(1.03, 78), 97);
}
END_TEST

int main(void)
{
	return RUN_SUITE(
	    "analysis-results", a_gain_is_the_median_of_the_pairs, several_references_make_a_geometric_mean,
	    a_gain_within_the_noise_is_none, an_interval_that_holds_1_is_noise,
	    one_pair_is_judged_by_the_noise_or_not_at_all, fractions, a_fraction_keeps_what_rounds_have_in_common,
	    there_is_no_fraction_of_nothing, means_by_group, losses_come_worst_first, only_the_three_worst_are_kept,
	    what_failed_counts_nowhere_and_is_named, overheads_and_their_mean, recordings_have_a_lowest_and_a_highest,
	    cycles_are_the_first_figure_where_they_were_counted, cycles_of_some_workloads_are_none,
	    the_best_without_a_profile_is_what_a_profile_is_measured_by, the_least_gain_is_of_every_program,
	    later_files_replace_programs_of_the_same_name, verdicts_are_rarely_wrong);
}
