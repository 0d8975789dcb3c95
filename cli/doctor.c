/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/commands.h"

int pf_cmd_doctor(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return PF_EXIT_FAILURE;
}
