# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# For tests that compare with what gcov counted: its dump, in $GCOV_DUMP, and what reads it.
command -v jq >/dev/null || skip "jq is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"
GCOV_DUMP=$($CC -print-prog-name=gcov-dump)
[ "$GCOV_DUMP" != gcov-dump ] || GCOV_DUMP=gcov-dump-$($CC -dumpversion | cut -d. -f1)
command -v "$GCOV_DUMP" >/dev/null || skip "there is no $GCOV_DUMP"
export GCOV_DUMP
