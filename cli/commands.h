/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands, one file each.  Each gets its own argv (argv[0] is "pathfdo COMMAND") and returns the exit
 * status: 0, 1 for a failure that it has printed, 2 for wrong usage.  Whether standard output took everything is
 * checked by main. */
#ifndef PF_CLI_COMMANDS_H
#define PF_CLI_COMMANDS_H

#define PF_EXIT_FAILURE 1
#define PF_EXIT_USAGE 2

/* Runs COMMAND under NAME ("pathfdo record"), with which getopt begins its messages; returns its status. */
int pf_cli_run(const char *name, int (*command)(int argc, char **argv), int argc, char **argv);

/* The status of a program whose command ended with STATUS: what was printed may not have arrived, which is said. */
int pf_cli_finish(int status);

int pf_cmd_annotate(int argc, char **argv);
int pf_cmd_cflags(int argc, char **argv);
int pf_cmd_compare(int argc, char **argv);
int pf_cmd_context(int argc, char **argv);
int pf_cmd_convert(int argc, char **argv);
int pf_cmd_coverage(int argc, char **argv);
int pf_cmd_diff(int argc, char **argv);
int pf_cmd_doctor(int argc, char **argv);
int pf_cmd_engine(int argc, char **argv);
int pf_cmd_export(int argc, char **argv);
int pf_cmd_hotspots(int argc, char **argv);
int pf_cmd_merge(int argc, char **argv);
int pf_cmd_paths(int argc, char **argv);
int pf_cmd_record(int argc, char **argv);
int pf_cmd_report(int argc, char **argv);
int pf_cmd_show(int argc, char **argv);
int pf_cmd_values(int argc, char **argv);

#endif
