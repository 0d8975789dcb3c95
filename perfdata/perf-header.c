/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The features that a written perf.data file has, in the order of their numbers as the format wants it.  Hard case: the
 * table in front of them names offsets in the file, so it is filled in after they are laid out. */
#include "perfdata/perf-writer.h"
#include "support/version.h"

#include <sys/utsname.h>
#include <unistd.h>

static void put_hostname(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	struct utsname name;

	(void)writer;
	pf_perf_put_string(b, uname(&name) == 0 ? name.nodename : "");
}

static void put_release(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	struct utsname name;

	(void)writer;
	pf_perf_put_string(b, uname(&name) == 0 ? name.release : "");
}

static void put_version(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	(void)writer;
	pf_perf_put_string(b, "pathfdo " PF_VERSION);
}

static void put_arch(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	struct utsname name;

	(void)writer;
	pf_perf_put_string(b, uname(&name) == 0 ? name.machine : "");
}

static void put_cpus(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	(void)writer;
	pf_buffer_u32(b, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	pf_buffer_u32(b, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static void put_command(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	uint32_t count = 0;

	while (writer->command[count])
		count++;
	pf_buffer_u32(b, count);
	for (uint32_t i = 0; i < count; i++)
		pf_perf_put_string(b, writer->command[i]);
}

static void put_event(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	pf_buffer_u32(b, 1);
	pf_buffer_u32(b, PF_WRITER_ATTR_SIZE);
	pf_buffer_bytes(b, &writer->attr, PF_WRITER_ATTR_SIZE);
	pf_buffer_u32(b, 0); /* ids */
	pf_perf_put_string(b, writer->event);
}

static void put_build_ids(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	pf_buffer_bytes(b, writer->build_ids.data, writer->build_ids.size);
}

static void put_vectors(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	pf_buffer_bytes(b, writer->vectors.data, writer->vectors.size);
}

/* The bit alone says that there are branch stacks. */
static void put_nothing(struct pf_perf_writer *writer, struct pf_buffer *b)
{
	(void)writer;
	(void)b;
}

static const struct {
	enum pf_perf_feature feature;
	void (*put)(struct pf_perf_writer *, struct pf_buffer *);
} features[] = {
	{ PF_FEATURE_BUILD_ID, put_build_ids },
	{ PF_FEATURE_HOSTNAME, put_hostname },
	{ PF_FEATURE_OSRELEASE, put_release },
	{ PF_FEATURE_VERSION, put_version },
	{ PF_FEATURE_ARCH, put_arch },
	{ PF_FEATURE_NRCPUS, put_cpus },
	{ PF_FEATURE_CMDLINE, put_command },
	{ PF_FEATURE_EVENT_DESC, put_event },
	{ PF_FEATURE_BRANCH_STACK, put_nothing },
	{ PF_FEATURE_VECTORS, put_vectors },
};

static bool is_wanted(const struct pf_perf_writer *writer, enum pf_perf_feature feature)
{
	switch (feature) {
	case PF_FEATURE_BUILD_ID:
		return writer->build_ids.size;
	case PF_FEATURE_CMDLINE:
		return writer->command[0];
	case PF_FEATURE_BRANCH_STACK:
		return writer->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
	case PF_FEATURE_VECTORS:
		return writer->vectors.size;
	default:
		return true;
	}
}

void pf_perf_put_features(struct pf_perf_writer *writer, uint64_t at, struct pf_buffer *b, uint64_t bits[4])
{
	size_t slot = b->size;
	size_t count = 0;

	for (size_t i = 0; i < sizeof features / sizeof *features; i++)
		count += is_wanted(writer, features[i].feature);
	pf_buffer_bytes(b, NULL, count * PF_PERF_SECTION_SIZE);
	for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
		size_t start;

		if (!is_wanted(writer, features[i].feature))
			continue;
		pf_buffer_align(b, 8);
		start = b->size;
		features[i].put(writer, b);
		pf_buffer_patch_u64(b, slot, at + start);
		pf_buffer_patch_u64(b, slot + 8, b->size - start);
		slot += PF_PERF_SECTION_SIZE;
		bits[features[i].feature / 64] |= 1ull << (features[i].feature % 64);
	}
}
