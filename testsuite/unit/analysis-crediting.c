/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What parts of paths are credited with: the thesis's example, to the figure, and a stream of paths of known shares
 * that is cut into windows. */
#include "analysis/path-accuracy.h"
#include "analysis/pathprofile.h"
#include "testsuite/unit/flow-random.h"
#include "testsuite/unit/suite.h"

#include <math.h>

/* A subject of one function with a graph by hand; block i has one instruction. */
struct sample {
	struct pf_subject subject;
	struct pf_subject_function function;
	struct pf_code_block blocks[16];
	struct pf_path_profile profile;
};

static void open_sample(struct sample *s, uint32_t blocks, const uint32_t (*edges)[2], size_t count)
{
	*s = (struct sample) { 0 };
	s->function.machine.graph = pf_graph_alloc(blocks + 2, blocks, blocks + 1);
	s->function.machine.blocks = s->blocks;
	s->function.machine.block_count = blocks;
	s->function.read = true;
	for (size_t i = 0; i < count; i++)
		pf_graph_add_edge(s->function.machine.graph, edges[i][0], edges[i][1]);
	ck_assert_int_eq(pf_graph_finish(s->function.machine.graph), 0);
	s->subject.functions.at = &s->function;
	s->subject.functions.count = 1;
	ck_assert_int_eq(pf_path_profile_init(&s->profile, &s->subject), PF_OK);
	ck_assert_ptr_nonnull(pf_walk_numbers(&s->profile.walk, 0));
}

static void close_sample(struct sample *s)
{
	pf_path_profile_fini(&s->profile);
	pf_graph_free(s->function.machine.graph);
}

/* Hands a part of the blocks AT, COUNT of them, to the profile, WEIGHT times. */
static void take(struct sample *s, const uint32_t *at, size_t count, bool head, bool tail, uint64_t weight)
{
	uint32_t edges[16];
	struct pf_walk_path path = { .start = at[0], .edges = edges, .head = head, .tail = tail };

	for (size_t i = 0; i + 1 < count; i++) {
		edges[i] = pf_codegraph_edge(&s->function.machine, at[i], at[i + 1]);
		ck_assert_uint_ne(edges[i], UINT32_MAX);
	}
	path.count = (uint32_t)count - 1;
	path.seen = tail ? (uint32_t)count - 1 : (uint32_t)count;
	path.weight = weight * PF_WEIGHT_ONE;
	ck_assert_int_eq(s->profile.walk.take(s->profile.walk.context, &path), PF_OK);
}

/* What the path with these blocks has. */
static double flow_of(const struct sample *s, const uint32_t *at, size_t count)
{
	uint32_t edges[16];
	uint64_t number;

	for (size_t i = 0; i + 1 < count; i++)
		edges[i] = pf_codegraph_edge(&s->function.machine, at[i], at[i + 1]);
	number = pf_pathnumber_of(&s->profile.walk.numbers[0], at[0], edges, count - 1);
	for (size_t i = 0; i < s->profile.flows.count; i++) {
		if (s->profile.flows.at[i].number == number)
			return s->profile.flows.at[i].weight;
	}
	return 0;
}

/* Shye 2005, Figure 3.5 and Table 3.1: the region from A by F to O. */
enum { A, F, G, H, I, J, K, L, M, N, O, BLOCKS, ENTRY = BLOCKS, EXIT };

static const uint32_t region[][2] = { { ENTRY, A }, { A, F }, { F, G }, { F, H }, { G, I },
				      { H, I },     { I, J }, { I, K }, { J, L }, { K, L },
				      { L, M },     { L, N }, { M, O }, { N, O }, { O, EXIT } };

START_TEST(table_of_the_thesis)
{
	static const uint32_t ijlmo[] = { I, J, L, M, O }, afgij[] = { ENTRY, A, F, G, I, J }, lmo[] = { L, M, O };
	static const uint32_t paths[][10] = {
		{ ENTRY, A, F, G, I, J, L, M, O, EXIT }, { ENTRY, A, F, H, I, J, L, M, O, EXIT },
		{ ENTRY, A, F, G, I, J, L, N, O, EXIT }, { ENTRY, A, F, G, I, K, L, M, O, EXIT },
		{ ENTRY, A, F, H, I, K, L, M, O, EXIT }, { ENTRY, A, F, H, I, K, L, N, O, EXIT }
	};
	static const double want[] = { 250, 100, 150, 50, 50, 0 };
	struct sample s;

	open_sample(&s, BLOCKS, region, sizeof region / sizeof region[0]);
	ck_assert_uint_eq(s.profile.walk.numbers[0].count, 8);
	take(&s, ijlmo, 5, false, false, 100);
	take(&s, afgij, 6, true, false, 300);
	take(&s, lmo, 3, false, false, 200);
	ck_assert_int_eq(pf_path_profile_credit(&s.profile, PF_CREDIT_EQUAL), PF_OK);
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_double_eq_tol(flow_of(&s, paths[i], 10), want[i], 1e-9);
	ck_assert_double_eq_tol(s.profile.total, 600, 1e-9);
	close_sample(&s);
}
END_TEST

/* G and J go together, and H and K: by edges alone each pair is as likely as any. */
static const uint32_t kinds[][10] = { { ENTRY, A, F, G, I, J, L, M, O, EXIT },
				      { ENTRY, A, F, H, I, K, L, M, O, EXIT },
				      { ENTRY, A, F, G, I, J, L, N, O, EXIT } };
static const uint32_t shares[] = { 45, 45, 10 };

/* A program that runs these paths in random order, of which windows of LENGTH blocks are seen. */
static void cut_windows(struct sample *s, uint32_t length, uint32_t windows)
{
	struct flow_random r = flow_seed(7);

	for (uint32_t w = 0; w < windows; w++) {
		uint32_t skip = flow_below(&r, 9), left = length;

		while (left > 0) {
			uint32_t draw = flow_below(&r, 100);
			const uint32_t *path = kinds[draw < shares[0] ? 0 : draw < shares[0] + shares[1] ? 1 : 2];
			uint32_t end = skip + left < 9 ? skip + left : 9;

			take(s, path + skip, end - skip + (end == 9), skip == 0, end == 9, 1);
			left -= end - skip;
			skip = 0;
		}
	}
}

static double distance(struct sample *s)
{
	double sum = 0;

	for (size_t i = 0; i < 3; i++)
		sum += fabs(flow_of(s, kinds[i], 10) / s->profile.total - shares[i] / 100.0);
	return sum;
}

/* Windows shorter than a path: none is seen whole but by chance of its start. */
START_TEST(windows)
{
	static const uint32_t lengths[] = { 4, 7, 12, 40 };

	for (size_t i = 0; i < 4; i++) {
		struct sample likely, equal;

		open_sample(&likely, BLOCKS, region, sizeof region / sizeof region[0]);
		open_sample(&equal, BLOCKS, region, sizeof region / sizeof region[0]);
		cut_windows(&likely, lengths[i], 40000 / lengths[i]);
		cut_windows(&equal, lengths[i], 40000 / lengths[i]);
		ck_assert_int_eq(pf_path_profile_credit(&likely.profile, PF_CREDIT_LIKELY), PF_OK);
		ck_assert_int_eq(pf_path_profile_credit(&equal.profile, PF_CREDIT_EQUAL), PF_OK);
		/* Every block that was seen is a ninth of a path. */
		ck_assert_double_eq_tol(likely.profile.total, 40000 / lengths[i] * lengths[i] / 9.0, 1e-6);
		ck_assert_double_lt(distance(&likely), 0.05);
		ck_assert_double_lt(distance(&likely), distance(&equal));
		close_sample(&likely);
		close_sample(&equal);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-crediting", table_of_the_thesis, windows);
}
