/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo-record`: `pathfdo record` as a program of its own, for hosts that only record.  It needs zlib and the C
 * library, and its recorder library beside it or in ../lib/pathfdo; what it writes is converted elsewhere. */
#include "cli/commands.h"
#include "support/version.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int status = 0;

	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		printf("pathfdo-record %s\n", PF_VERSION);
	else
		status = pf_cli_run("pathfdo record", pf_cmd_record, argc, argv);
	return pf_cli_finish(status);
}
