/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the recording's file in a folder, as `pathfdo record` would, but without a heartbeat, so that a test can
 * preload the recorder library by itself: PATHFDO_DIR=FOLDER LD_PRELOAD=libpathfdo-recorder.so PROGRAM. Usage: control
 * [-F HZ] [-n BRANCHES] [-p PPM] [-l LIMIT] [-s SEED] FOLDER, or control -e FOLDER: the recording ends. */
#include "runtime/keeper.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int end(const char *folder)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/" PF_WIRE_FILE, folder);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 1;
	pf_keeper_end(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct pf_keeper_settings settings = {
		.frequency = 100, .branches = 1024, .budget_ppm = 10000, .limit = 32u << 20, .for_all = geteuid() == 0
	};
	struct pf_error error;
	int option, ends = 0;

	while ((option = getopt(argc, argv, "F:n:p:l:s:e")) != -1) {
		uint64_t value = optarg ? strtoull(optarg, NULL, 10) : 0;

		switch (option) {
		case 'F':
			settings.frequency = (uint32_t)value;
			break;
		case 'n':
			settings.branches = (uint32_t)value;
			break;
		case 'p':
			settings.budget_ppm = (uint32_t)value;
			break;
		case 'l':
			settings.limit = value;
			break;
		case 's':
			settings.seed = value;
			break;
		case 'e':
			ends = 1;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc)
		return 2;
	if (ends)
		return end(argv[optind]);
	if (pf_keeper_make(argv[optind], &settings, &error) >= 0)
		return 0;
	fprintf(stderr, "control: %s\n", error.text);
	return 1;
}
