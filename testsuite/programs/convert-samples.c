/* SPDX-License-Identifier: GPL-3.0-or-later */
/* convert-samples FILE NAME OFFSET COUNT [NAME OFFSET COUNT]...: a recording of COUNT plain samples at OFFSET of the
 * file NAME, for each; of the NAME "kernel" in the kernel, of "nowhere" where nothing is mapped.  With the word "id" or
 * "guest" for OFFSET, and 40 digits for COUNT: NAME has this build-id in the table, there in a guest. */
#include "perfdata/perfdata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pf_error error;
static struct pf_perf_writer *writer;

static void must(int status)
{
	if (status < 0) {
		fprintf(stderr, "convert-samples: %s\n", error.text);
		exit(1);
	}
}

static void put(uint64_t place, char **words)
{
	struct pf_event map = { .kind = PF_EVENT_MMAP,
				.pid = 7,
				.tid = 7,
				.address = place,
				.length = 1u << 30,
				.protection = 5,
				.filename = words[0] };
	struct pf_event sample = {
		.kind = PF_EVENT_SAMPLE, .pid = 7, .tid = 7, .ip = place + strtoull(words[1], NULL, 0)
	};

	if (strcmp(words[0], "kernel") == 0)
		sample.ip = 0xffffffff81000000u;
	else if (strcmp(words[0], "nowhere") != 0)
		must(pf_perf_write(writer, &map, &error));
	for (unsigned long i = strtoul(words[2], NULL, 0); i > 0; i--)
		must(pf_perf_write(writer, &sample, &error));
}

static void put_id(char **words)
{
	struct pf_build_id id = { .path = words[0], .size = 20 };
	char digits[3] = "";

	if (strcmp(words[1], "guest") == 0)
		id.misc = PERF_RECORD_MISC_GUEST_USER;
	for (size_t i = 0; i < 20 && strlen(words[2]) == 40; i++) {
		memcpy(digits, words[2] + 2 * i, 2);
		id.id[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	must(pf_perf_add_build_id(writer, &id, &error));
}

int main(int argc, char **argv)
{
	static char *command[] = { "samples", NULL };
	struct pf_perf_writer_options options = { .event = "cpu-clock",
						  .attr_type = PERF_TYPE_SOFTWARE,
						  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
						  .period = 1,
						  .command = command };

	if (argc < 5)
		return 2;
	must(pf_perf_create(argv[1], &options, &writer, &error));
	for (int i = 2; i + 2 < argc; i += 3) {
		if (strcmp(argv[i + 1], "id") == 0 || strcmp(argv[i + 1], "guest") == 0)
			put_id(&argv[i]);
		else
			put((uint64_t)i << 32, &argv[i]);
	}
	must(pf_perf_commit(writer, &error));
	return 0;
}
