/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exact-paths BINARY OUTPUT [LENGTH-SKIP]... <STREAM: the exact path profile of a run, from every block that it
 * executed.
 *
 * STREAM is that of Valgrind's tool `blocks` (testsuite/tools/valgrind).  For each LENGTH-SKIP there is another profile
 * OUTPUT.LENGTH-SKIP, of vectors of LENGTH branches with some SKIP branches between them (at random, from none to twice
 * as many), as a recorder would give who took all places in the run alike: with a SKIP of 0 all of the run, cut into
 * vectors.  Each pair of blocks that follow each other is looked up once.  The hard cases are instructions that
 * Valgrind runs in several turns (rep movs), which come back to themselves and are one execution, and blocks that it
 * ends for their length. */
#include "analysis/pathfile.h"
#include "support/outfile.h"
#include "testsuite/tools/block-stream.h"

struct pair {
	uint32_t from, to;
	struct pf_walk_move move;
	bool known, jumps;
};

/* Vectors of the run. */
struct cut {
	const char *name;
	uint64_t length, skip;
	uint64_t left; /* branches until it goes over from skipping to a vector, or back */
	uint64_t vectors;
	bool takes;
	struct pf_path_profile profile;
};

static struct pair *pairs;
static size_t pair_count, pair_capacity;
static struct pf_path_profile profile;
static struct cut *cuts;
static size_t cut_count;

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "exact-paths: out of memory\n");
		exit(1);
	}
	return memory;
}

static void check(int status, const struct pf_error *error)
{
	if (status < 0) {
		fprintf(stderr, "exact-paths: %s\n", error ? error->text : "out of memory");
		exit(1);
	}
}

static void resolve(struct pair *p)
{
	const struct block *from = &blocks.at[p->from], *to = &blocks.at[p->to];
	const uint64_t addresses[3] = { from->address, from->last, to->address };
	const bool inside[2] = { from->inside, to->inside };

	/* Each walk numbers the functions that it comes to. */
	for (size_t i = 0; i < cut_count; i++)
		check(pf_walk_resolve(&cuts[i].profile.walk, addresses, inside, kind_of(from, to), &p->move), NULL);
	check(pf_walk_resolve(&profile.walk, addresses, inside, kind_of(from, to), &p->move), NULL);
	if (turns(from, to)) {
		p->move.range.kind = PF_EDGE_FALL;
		p->move.range.through = false;
	}
	p->known = true;
	p->jumps = kind_of(from, to) != PF_EDGE_FALL;
}

static uint64_t random_below(uint64_t limit)
{
	static uint64_t state = 0x9e3779b97f4a7c15u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return limit ? state % limit : 0;
}

/* Begins a vector, or what is skipped behind it. */
static void turn(struct cut *c)
{
	if (c->takes)
		check(pf_walk_end(&c->profile.walk, PF_WEIGHT_ONE), NULL);
	c->takes = !c->takes;
	c->left = c->takes ? c->length : random_below(2 * c->skip + 1);
	c->vectors += c->takes;
	if (c->left == 0)
		turn(c);
}

static void take(struct cut *c, const struct pair *p)
{
	if (c->takes)
		check(pf_walk_move(&c->profile.walk, &p->move, PF_WEIGHT_ONE), NULL);
	if (p->jumps && --c->left == 0)
		turn(c);
}

static struct pair *find_pair(uint32_t from, uint32_t to)
{
	size_t at;

	if (2 * pair_count >= pair_capacity) {
		struct pair *old = pairs;
		size_t capacity = pair_capacity;

		pair_capacity = capacity ? 2 * capacity : 4096;
		pairs = must(calloc(pair_capacity, sizeof *pairs));
		pair_count = 0;
		for (size_t i = 0; i < capacity; i++) {
			if (old[i].known)
				*find_pair(old[i].from, old[i].to) = old[i];
		}
		free(old);
	}
	at = ((from * UINT64_C(0x9e3779b97f4a7c15)) ^ (to * UINT64_C(0xc2b2ae3d27d4eb4f))) >> 20 & (pair_capacity - 1);
	while (pairs[at].known && (pairs[at].from != from || pairs[at].to != to))
		at = (at + 1) & (pair_capacity - 1);
	if (!pairs[at].known) {
		pairs[at].from = from;
		pairs[at].to = to;
		pair_count++;
	}
	return &pairs[at];
}

static void read_stream(void)
{
	uint32_t before = UINT32_MAX, word;

	while ((word = next_block()) != UINT32_MAX) {
		struct pair *p;

		if (before != UINT32_MAX) {
			p = find_pair(before, word);
			if (!p->known)
				resolve(p);
			check(pf_walk_move(&profile.walk, &p->move, PF_WEIGHT_ONE), NULL);
			for (size_t i = 0; i < cut_count; i++)
				take(&cuts[i], p);
		}
		before = word;
	}
	check(pf_walk_end(&profile.walk, PF_WEIGHT_ONE), NULL);
	for (size_t i = 0; i < cut_count; i++) {
		if (cuts[i].takes)
			check(pf_walk_end(&cuts[i].profile.walk, PF_WEIGHT_ONE), NULL);
	}
}

static void parse_cut(struct cut *c, const char *text, struct pf_subject *subject)
{
	char *end;

	c->name = text;
	c->length = strtoull(text, &end, 10);
	c->skip = *end == '-' ? strtoull(end + 1, &end, 10) : 0;
	if (*end || c->length == 0) {
		fprintf(stderr, "exact-paths: %s: write LENGTH-SKIP, numbers of branches\n", text);
		exit(2);
	}
	check(pf_path_profile_init(&c->profile, subject), NULL);
	turn(c);
	if (c->skip > 0)
		turn(c);
}

static void write_profile(struct pf_path_profile *p, const char *path, enum pf_path_credit credit)
{
	struct pf_buffer out = { 0 };
	struct pf_error error;

	check(pf_path_profile_credit(p, credit), NULL);
	pf_pathfile_put(&out, p);
	check(out.failed ? PF_ENOMEM : PF_OK, NULL);
	check(pf_outfile_write(path, out.data, out.size, &error), &error);
	pf_buffer_fini(&out);
}

static void write_cut(struct cut *c, const char *output)
{
	char path[4096];

	snprintf(path, sizeof path, "%s.%s", output, c->name);
	fprintf(stderr, "exact-paths: %s: %llu vectors\n", c->name, (unsigned long long)c->vectors);
	write_profile(&c->profile, path, PF_CREDIT_LIKELY);
	pf_path_profile_fini(&c->profile);
}

int main(int argc, char **argv)
{
	struct pf_subject subject;
	struct pf_error error;

	if (argc < 3) {
		fprintf(stderr, "usage: exact-paths BINARY OUTPUT [LENGTH-SKIP]... <STREAM\n");
		return 2;
	}
	check(pf_subject_open(&subject, argv[1], NULL, NULL, &error), &error);
	check(pf_path_profile_init(&profile, &subject), NULL);
	cut_count = (size_t)argc - 3;
	cuts = must(calloc(cut_count + 1, sizeof *cuts));
	for (size_t i = 0; i < cut_count; i++)
		parse_cut(&cuts[i], argv[i + 3], &subject);
	read_stream();
	fprintf(stderr, "exact-paths: %zu paths seen whole, %zu parts, %llu transfers not in the flow graph\n",
		profile.wholes.count, profile.partials.count, (unsigned long long)profile.walk.statistics.strays);
	write_profile(&profile, argv[2], PF_CREDIT_NONE);
	pf_path_profile_fini(&profile);
	for (size_t i = 0; i < cut_count; i++)
		write_cut(&cuts[i], argv[2]);
	free(cuts);
	pf_subject_close(&subject);
	free(pairs);
	pf_array_fini(&blocks);
	return 0;
}
