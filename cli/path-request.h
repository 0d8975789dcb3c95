/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `pathfdo paths` is asked for. */
#ifndef PF_CLI_PATH_REQUEST_H
#define PF_CLI_PATH_REQUEST_H

#include "analysis/pathprofile.h"
#include "cli/vector-options.h"

#include <stdbool.h>
#include <stdint.h>

#define PF_PATH_FOLDERS 16

extern const char pf_path_usage[];

struct pf_path_request {
	struct pf_vector_options common;
	enum pf_path_credit credit;
	double threshold; /* a share; 0 where nothing is said */
	uint32_t top, links;
	bool exact;
	const char *output, *html;
	const char *folders[PF_PATH_FOLDERS + 2]; /* of sources, the last one "." */
	int folder_count;
};

/* Reads the options into R, which has the defaults; optind is then the first file.  False, and said, if they cannot be.
 */
bool pf_path_request_parse(int argc, char **argv, struct pf_path_request *r);

#endif
