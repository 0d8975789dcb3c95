/* SPDX-License-Identifier: GPL-3.0-or-later */
/* .pfdo files: what is written is read again, by the whole reader and by name; the same profile gives the same bytes;
 * every truncation and every flipped byte is an error or harmless, never a crash nor another profile. */
#include "profile/pfdo.h"
#include "testsuite/unit/profile-random.h"
#include "testsuite/unit/suite.h"

#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/profile-pfdo.XXXXXX";

struct bytes {
	unsigned char *data;
	size_t size;
};

static struct bytes load(const char *from)
{
	FILE *file = fopen(from, "rb");
	struct bytes bytes = { 0 };

	ck_assert_ptr_nonnull(file);
	fseek(file, 0, SEEK_END);
	bytes.size = (size_t)ftell(file);
	rewind(file);
	bytes.data = malloc(bytes.size + 1);
	ck_assert_uint_eq(fread(bytes.data, 1, bytes.size, file), bytes.size);
	fclose(file);
	return bytes;
}

static void store(const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	fclose(file);
}

static struct bytes write_profile(struct pf_profile *profile)
{
	struct pf_error error = { 0 };

	ck_assert_msg(pf_pfdo_write(profile, path, &error) == PF_OK, "%s", error.text);
	return load(path);
}

static void check_places(const struct pf_place *a, const struct pf_place *b)
{
	ck_assert_int_eq(pf_place_compare(a, b), 0);
}

static void check_records(const struct pf_record *a, const struct pf_record *b)
{
	check_places(&a->place, &b->place);
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(a->max, b->max);
	ck_assert_uint_eq(a->instructions, b->instructions);
	ck_assert_uint_eq(a->target_count, b->target_count);
	ck_assert_uint_eq(a->outcome_count, b->outcome_count);
	for (uint32_t t = 0; t < a->target_count; t++) {
		ck_assert_str_eq(a->targets[t].name, b->targets[t].name);
		ck_assert_uint_eq(a->targets[t].count, b->targets[t].count);
	}
	for (uint32_t o = 0; o < a->outcome_count; o++) {
		check_places(&a->outcomes[o].to, &b->outcomes[o].to);
		ck_assert_int_eq(a->outcomes[o].taken, b->outcomes[o].taken);
		ck_assert_uint_eq(a->outcomes[o].count, b->outcomes[o].count);
	}
	ck_assert_uint_eq(a->value_count, b->value_count);
	for (uint32_t v = 0; v < a->value_count; v++) {
		ck_assert_int_eq(a->values[v].kind, b->values[v].kind);
		ck_assert_int_eq(a->values[v].part, b->values[v].part);
		ck_assert_int_eq(a->values[v].value, b->values[v].value);
		ck_assert_uint_eq(a->values[v].count, b->values[v].count);
	}
}

static void check_nodes(const struct pf_node *a, const struct pf_node *b)
{
	ck_assert_uint_eq(a->parent, b->parent);
	ck_assert_int_eq(pf_position_compare(&a->site, &b->site), 0);
	ck_assert_str_eq(a->name, b->name);
	ck_assert_str_eq(a->file, b->file);
	ck_assert_uint_eq(a->line, b->line);
	ck_assert_uint_eq(a->entries, b->entries);
}

static void check_functions(const struct pf_function *a, const struct pf_function *b)
{
	ck_assert_str_eq(a->name, b->name);
	ck_assert_str_eq(a->file, b->file);
	ck_assert_uint_eq(a->line, b->line);
	ck_assert_uint_eq(a->head, b->head);
	ck_assert_uint_eq(a->total, b->total);
	ck_assert_uint_eq(a->dropped_paths, b->dropped_paths);
	ck_assert_uint_eq(a->dropped_path_count, b->dropped_path_count);
	ck_assert_uint_eq(a->node_count, b->node_count);
	ck_assert_uint_eq(a->record_count, b->record_count);
	ck_assert_uint_eq(a->path_count, b->path_count);
	for (uint32_t n = 0; n < a->node_count; n++)
		check_nodes(&a->nodes[n], &b->nodes[n]);
	for (uint32_t r = 0; r < a->record_count; r++)
		check_records(&a->records[r], &b->records[r]);
	for (uint32_t p = 0; p < a->path_count; p++) {
		ck_assert_uint_eq(a->paths[p].count, b->paths[p].count);
		ck_assert_uint_eq(a->paths[p].place_count, b->paths[p].place_count);
		for (uint32_t i = 0; i < a->paths[p].place_count; i++)
			check_places(&a->paths[p].places[i], &b->paths[p].places[i]);
	}
}

START_TEST(whole_file_comes_back)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct pf_profile *profile = random_profile(seed, 40, 12), *again = NULL;
		struct bytes bytes = write_profile(profile), bytes_again;
		struct pf_error error = { 0 };

		ck_assert_msg(pf_pfdo_read(path, &again, &error) == PF_OK, "%s", error.text);
		ck_assert_int_eq(again->unit, PF_UNIT_EXECUTIONS);
		ck_assert_uint_eq(again->function_count, profile->function_count);
		ck_assert_uint_lt(again->function_count, 40);
		for (uint32_t f = 0; f < again->function_count; f++)
			check_functions(&profile->functions[f], &again->functions[f]);
		ck_assert_uint_eq(again->provenance_count, 2);
		ck_assert_str_eq(again->provenances[1].binary, profile->provenances[1].binary);
		ck_assert_uint_gt(again->compiled_count, 0);
		ck_assert_uint_eq(again->compiled_count, profile->compiled_count);
		for (uint32_t c = 0; c < again->compiled_count; c++)
			ck_assert_str_eq(again->compiled[c], profile->compiled[c]);
		bytes_again = write_profile(again);
		ck_assert_uint_eq(bytes.size, bytes_again.size);
		ck_assert_mem_eq(bytes.data, bytes_again.data, bytes.size);
		free(bytes.data);
		free(bytes_again.data);
		pf_profile_free(again);
		pf_profile_free(profile);
	}
}
END_TEST

START_TEST(functions_are_found_by_name)
{
	struct pf_profile *profile = random_profile(7, 3000, 900), *found_in = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	struct bytes bytes = write_profile(profile);
	struct pf_error error = { 0 };
	struct pf_pfdo *file;
	uint32_t first, found, seen = 0;

	ck_assert_msg(pf_pfdo_open(path, &file, &error) == PF_OK, "%s", error.text);
	ck_assert_uint_eq(pf_pfdo_summary(file)->function_count, profile->function_count);
	for (uint32_t f = 0; f < profile->function_count; f += found) {
		ck_assert_msg(pf_pfdo_find(file, profile->functions[f].name, found_in, &first, &found, &error) == PF_OK,
			      "%s", error.text);
		ck_assert_uint_eq(first, seen);
		ck_assert_uint_gt(found, 0);
		for (uint32_t i = 0; i < found; i++)
			check_functions(&profile->functions[f + i], &found_in->functions[first + i]);
		seen += found;
	}
	ck_assert_uint_eq(seen, profile->function_count);
	ck_assert_int_eq(pf_pfdo_find(file, "not there", found_in, &first, &found, &error), PF_OK);
	ck_assert_uint_eq(found, 0);
	pf_pfdo_close(file);
	pf_profile_free(found_in);
	pf_profile_free(profile);
	free(bytes.data);
}
END_TEST

/* The hosts of one callee, expected by a plain search. */
struct hosts {
	const struct pf_profile *profile;
	const char *callee, *last;
	uint32_t count;
};

static bool has_inlined(const struct pf_profile *profile, const char *host, const char *callee)
{
	for (uint32_t f = 0; f < profile->function_count; f++) {
		const struct pf_function *function = &profile->functions[f];

		for (uint32_t n = 1; n < function->node_count && strcmp(function->name, host) == 0; n++) {
			if (strcmp(function->nodes[n].name, callee) == 0)
				return true;
		}
	}
	return false;
}

static int visit_host(const char *host, void *closure)
{
	struct hosts *hosts = closure;

	ck_assert(has_inlined(hosts->profile, host, hosts->callee));
	if (hosts->last)
		ck_assert_int_lt(strcmp(hosts->last, host), 0);
	hosts->last = host;
	hosts->count++;
	return 0;
}

static int stop_at_once(const char *host, void *closure)
{
	(void)host;
	++*(int *)closure;
	return 42;
}

START_TEST(hosts_of_inlined_functions)
{
	struct pf_profile *profile = random_profile(3, 60, 20);
	struct bytes bytes = write_profile(profile);
	struct pf_error error = { 0 };
	struct pf_pfdo *file;
	int visits = 0;

	ck_assert_int_eq(pf_pfdo_open(path, &file, &error), PF_OK);
	for (int i = 0; i < 3; i++) {
		char callee[32];
		struct hosts hosts = { .profile = profile, .callee = callee };
		uint32_t wanted = 0;

		snprintf(callee, sizeof callee, "inline%d", i);
		for (uint32_t f = 0; f < profile->function_count; f++) {
			const char *name = profile->functions[f].name;

			if (!f || strcmp(name, profile->functions[f - 1].name) != 0)
				wanted += has_inlined(profile, name, callee);
		}
		ck_assert_int_eq(pf_pfdo_hosts(file, callee, visit_host, &hosts), 0);
		ck_assert_uint_gt(wanted, 1);
		ck_assert_uint_eq(hosts.count, wanted);
	}
	ck_assert_int_eq(pf_pfdo_hosts(file, "inline0", stop_at_once, &visits), 42);
	ck_assert_int_eq(visits, 1);
	ck_assert_int_eq(pf_pfdo_hosts(file, "function0", stop_at_once, &visits), 0);
	ck_assert_int_eq(visits, 1);
	pf_pfdo_close(file);
	pf_profile_free(profile);
	free(bytes.data);
}
END_TEST

START_TEST(an_empty_profile_is_a_profile)
{
	struct pf_profile *profile = pf_profile_alloc(PF_UNIT_SAMPLES), *again;
	struct bytes bytes = write_profile(profile);
	struct pf_error error = { 0 };

	ck_assert_msg(pf_pfdo_read(path, &again, &error) == PF_OK, "%s", error.text);
	ck_assert_int_eq(again->unit, PF_UNIT_SAMPLES);
	ck_assert_uint_eq(again->function_count, 0);
	pf_profile_free(again);
	pf_profile_free(profile);
	free(bytes.data);
}
END_TEST

START_TEST(every_truncation_is_an_error)
{
	struct pf_profile *profile = random_profile(5, 6, 4), *again;
	struct bytes bytes = write_profile(profile);

	for (size_t size = 0; size < bytes.size; size++) {
		struct pf_error error = { 0 };

		store(bytes.data, size);
		ck_assert_int_eq(pf_pfdo_read(path, &again, &error), size < 8 && size ? PF_EFORMAT : PF_ETRUNCATED);
		ck_assert_ptr_nonnull(strstr(error.text, path));
	}
	pf_profile_free(profile);
	free(bytes.data);
}
END_TEST

/* What the summary does not show: two positions exchange their counts.  */
START_TEST(the_hash_is_of_all_counts)
{
	uint32_t hashes[4];

	for (int i = 0; i < 4; i++) {
		struct pf_profile *profile = random_profile(1, 6, 4);
		struct pf_function *function = &profile->functions[0];
		struct pf_error error = { 0 };
		struct pf_pfdo *file;
		uint64_t count = function->records[0].count;

		ck_assert_uint_ge(function->record_count, 2);
		if (i == 1) {
			function->records[0].count = function->records[1].count;
			function->records[1].count = count;
			ck_assert_uint_ne(count, function->records[0].count);
		}
		if (i == 2)
			function->paths[0].count++;
		free(write_profile(profile).data);
		ck_assert_int_eq(pf_pfdo_open(path, &file, &error), PF_OK);
		hashes[i] = pf_pfdo_hash(file);
		pf_pfdo_close(file);
		pf_profile_free(profile);
	}
	ck_assert_uint_eq(hashes[0], hashes[3]);
	ck_assert_uint_ne(hashes[0], hashes[1]);
	ck_assert_uint_ne(hashes[0], hashes[2]);
	ck_assert_uint_ne(hashes[1], hashes[2]);
}
END_TEST

/* Padding between chunks is all that no checksum covers. */
START_TEST(every_flipped_byte_is_found_or_is_padding)
{
	struct pf_profile *profile = random_profile(6, 6, 4), *again;
	struct bytes bytes = write_profile(profile), bytes_again;
	size_t harmless = 0;

	for (size_t at = 0; at < bytes.size; at++) {
		struct pf_error error = { 0 };

		bytes.data[at] ^= 0x41;
		store(bytes.data, bytes.size);
		bytes.data[at] ^= 0x41;
		if (pf_pfdo_read(path, &again, &error) == PF_OK) {
			harmless++;
			bytes_again = write_profile(again);
			ck_assert_mem_eq(bytes.data, bytes_again.data, bytes.size);
			free(bytes_again.data);
			pf_profile_free(again);
		} else {
			ck_assert_ptr_null(again);
			ck_assert_ptr_nonnull(strstr(error.text, path));
		}
	}
	/* Up to three bytes before an array of checksums and seven behind a chunk; and the minor version is covered. */
	ck_assert_uint_lt(harmless, 9 * 10);
	pf_profile_free(profile);
	free(bytes.data);
}
END_TEST

START_TEST(writing_fails_whole)
{
	struct pf_profile *profile = random_profile(1, 3, 3);
	struct pf_error error = { 0 };

	ck_assert_int_eq(pf_pfdo_write(profile, "/nonexistent/folder/app.pfdo", &error), PF_EIO);
	ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent/folder/app.pfdo"));
	pf_profile_free(profile);
}
END_TEST

int main(void)
{
	int fd = mkstemp(path), status;

	if (fd < 0)
		return 1;
	close(fd);
	status = RUN_SUITE("profile-pfdo", whole_file_comes_back, functions_are_found_by_name,
			   hosts_of_inlined_functions, an_empty_profile_is_a_profile, every_truncation_is_an_error,
			   the_hash_is_of_all_counts, every_flipped_byte_is_found_or_is_padding, writing_fails_whole);
	unlink(path);
	return status;
}
