/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a perf.data file: header, events, table of features; and closing it.
 *
 * Hard case: sizes differ from one perf to the next.  The header may lack the feature bits, which then read as zero;
 * what is unknown is passed over. */
#include "perfdata/perf-reader.h"
#include "perfdata/perf-script.h"
#include "support/filekind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CURE "here goes what `pathfdo record` or `perf record` wrote"

static int check_magic(const struct pf_perf_file *file, const uint8_t *bytes, struct pf_error *error)
{
	const char *path = file->input.path;

	if (memcmp(bytes, PF_PERF_MAGIC, 8) == 0)
		return PF_OK;
	if (memcmp(bytes, PF_PERF_MAGIC_SWAPPED, 8) == 0)
		return pf_fail(error, PF_EFORMAT,
			       "%s: was recorded on a big-endian machine; pathfdo reads little-endian perf.data only",
			       path);
	if (memcmp(bytes, PF_PERF_MAGIC_V1, 8) == 0)
		return pf_fail(
		    error, PF_EUNSUPPORTED,
		    "%s: is in the first version of perf.data (perf before Linux 3.6); record it with a newer perf",
		    path);
	return pf_filekind_refuse(path, bytes, sizeof PF_PERF_MAGIC - 1, "a perf.data file", CURE, error);
}

/* AVAILABLE bytes are less than the smallest header. */
static int refuse_short(const struct pf_perf_file *file, const uint8_t *bytes, size_t available, struct pf_error *error)
{
	if (available >= 8 && memcmp(bytes, PF_PERF_MAGIC, 8) == 0)
		return pf_fail(error, PF_ETRUNCATED,
			       "%s: ends at offset %zu, inside its header: it was cut short; copy or record it again",
			       file->input.path, available);
	return pf_filekind_refuse(file->input.path, bytes, available, "a perf.data file", CURE, error);
}

static int check_data(const struct pf_perf_file *file, struct pf_error *error)
{
	if (file->data.size == 0)
		return pf_fail(
		    error, PF_ETRUNCATED,
		    "%s: the recording was not finished (its header has a data size of 0); record it again and "
		    "let perf end by itself or by SIGINT",
		    file->input.path);
	if (!pf_perf_fits(file, file->data))
		return pf_fail(error, PF_ETRUNCATED,
			       "%s: the data section should end at offset %" PRIu64 " + %" PRIu64
			       ", but the file ends at %" PRIu64 ": it was cut short; copy or record it again",
			       file->input.path, file->data.offset, file->data.size, file->input.size);
	return PF_OK;
}

static int read_header(struct pf_perf_file *file, struct pf_error *error)
{
	size_t available = file->input.size < PF_PERF_HEADER_SIZE ? file->input.size : PF_PERF_HEADER_SIZE;
	const uint8_t *bytes;
	struct pf_cursor c;
	uint64_t size;
	int status;

	status = pf_input_get(&file->input, 0, available, &bytes, error);
	if (status == PF_OK && available < 16)
		return refuse_short(file, bytes, available, error);
	if (status == PF_OK)
		status = check_magic(file, bytes, error);
	if (status < 0)
		return status;
	c = pf_cursor_over(bytes + 8, available - 8, 8);
	size = pf_cursor_u64(&c);
	if (size == PF_PERF_PIPE_HEADER_SIZE) {
		file->pipe = true;
		file->data = (struct pf_perf_section) { size, file->input.size - size };
		return PF_OK;
	}
	if (size < PF_PERF_MIN_HEADER_SIZE || size > file->input.size)
		return pf_fail(error, size < PF_PERF_MIN_HEADER_SIZE ? PF_EFORMAT : PF_ETRUNCATED,
			       "%s: the header's size at offset 8 is %" PRIu64 ", in a file of %" PRIu64
			       " bytes: the file is damaged",
			       file->input.path, size, file->input.size);
	file->attr_size = pf_cursor_u64(&c);
	file->attrs_section = pf_perf_get_section(&c);
	file->data = pf_perf_get_section(&c);
	pf_perf_get_section(&c); /* event types, of no use since Linux 2.6.39 */
	for (int i = 0; i < PF_PERF_FEATURE_WORDS && size >= PF_PERF_HEADER_SIZE; i++)
		file->feature_bits[i] = pf_cursor_u64(&c);
	return check_data(file, error);
}

static int read_attrs(struct pf_perf_file *file, struct pf_error *error)
{
	return file->pipe ? pf_perf_read_pipe(file, error) : pf_perf_read_attrs(file, error);
}

static int read_feature_table(struct pf_perf_file *file, struct pf_error *error)
{
	uint64_t at = file->data.offset + file->data.size;
	size_t count = 0;
	struct pf_cursor c;
	uint8_t *bytes;
	int status;

	if (file->pipe)
		return PF_OK; /* they are known */
	for (int i = 0; i < PF_PERF_FEATURE_WORDS; i++)
		count += (size_t)__builtin_popcountll(file->feature_bits[i]);
	status = pf_input_load(&file->input, at, count * PF_PERF_SECTION_SIZE, "the table of features", &bytes, error);
	if (status < 0)
		return status;
	c = pf_cursor_over(bytes, count * PF_PERF_SECTION_SIZE, at);
	for (unsigned feature = 0; feature < PF_PERF_FEATURE_BITS; feature++)
		if (pf_perf_has(file, feature))
			file->features[feature] = pf_perf_get_section(&c);
	free(bytes);
	return PF_OK;
}

/* What `cat` has put behind a recording would be passed over, as what is behind the features is. */
static int check_end(struct pf_perf_file *file, struct pf_error *error)
{
	uint64_t end = file->data.offset + file->data.size;
	const uint8_t *bytes;
	int status;

	for (int i = 0; i < PF_PERF_FEATURE_WORDS; i++)
		end += (uint64_t)__builtin_popcountll(file->feature_bits[i]) * PF_PERF_SECTION_SIZE;
	for (unsigned feature = 0; feature < PF_PERF_FEATURE_BITS; feature++) {
		const struct pf_perf_section *s = &file->features[feature];

		end = s->size > 0 && s->offset + s->size > end ? s->offset + s->size : end;
	}
	if (file->pipe || end > file->input.size || file->input.size - end < 8)
		return PF_OK;
	status = pf_input_get(&file->input, end, 8, &bytes, error);
	if (status < 0 || memcmp(bytes, PF_PERF_MAGIC, 8) != 0)
		return status;
	return pf_fail(error, PF_EFORMAT,
		       "%s: another recording begins at offset %" PRIu64
		       ", behind the first: keep each in a file of its own, and name them all",
		       file->input.path, end);
}

int pf_perf_open(const char *path, struct pf_perf_file **file, struct pf_error *error)
{
	static int (*const steps[])(struct pf_perf_file *, struct pf_error *) = {
		read_header, read_attrs, pf_perf_read_ids, read_feature_table, pf_perf_read_features, check_end,
	};
	struct pf_perf_file *opened = calloc(1, sizeof *opened);
	int status;
	size_t count = sizeof steps / sizeof *steps;

	*file = NULL;
	if (!opened)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	status = pf_perf_open_input(opened, path, error);
	if (status < 0) {
		free(opened);
		return status;
	}
	if (pf_script_is_text(opened)) {
		opened->aggregated = pf_aggregates_begin(opened);
		status = opened->aggregated ? pf_aggregates_read(&opened->aggregates, opened, error)
					    : pf_script_open(opened, error);
		count = 0;
	}
	for (size_t i = 0; status == PF_OK && i < count; i++)
		status = steps[i](opened, error);
	if (status < 0) {
		pf_perf_close(opened);
		return status;
	}
	opened->next = opened->data.offset;
	*file = opened;
	return PF_OK;
}

void pf_perf_close(struct pf_perf_file *file)
{
	if (!file)
		return;
	for (uint32_t i = 0; file->attrs && i < file->attr_count; i++)
		free(file->attrs[i].name);
	free(file->attrs);
	free(file->ids);
	free(file->build_ids);
	free(file->build_id_bytes);
	pf_buffer_fini(&file->pipe_build_ids);
	pf_vectors_free(file->vectors);
	pf_inflate_fini(&file->inflate);
	free(file->branches);
	free(file->script.path);
	pf_aggregates_fini(&file->aggregates);
	free(file->folder);
	pf_input_close(&file->input);
	free(file);
}

const struct pf_aggregates *pf_perf_aggregates(const struct pf_perf_file *file)
{
	return file->aggregated ? &file->aggregates : NULL;
}

const struct pf_build_id *pf_perf_build_ids(const struct pf_perf_file *file, size_t *count)
{
	*count = file->build_id_count;
	return file->build_ids;
}
