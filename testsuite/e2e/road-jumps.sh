#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole road for setjmp, signal handlers on their own stack, function pointers and a switch.
set -eu
. "$(dirname "$0")/lib.sh"

road "$CC" "" 2000000 20000 testsuite/programs/road-jumps.c
# Half of the work is a switch by table and calls through pointers, which counts change little: -fprofile-use saves 1% with
# GCC 12 and costs 6% with 13 and 14.  What counts here is the output, which road compares; the instructions say that wrong
# counts behind setjmp (blocks that longjmp enters) do not go on to spoil the loop: no more than with those of gcov.
(
	cd "$T"
	$CC -O2 -g -w -fprofile-generate -fprofile-update=single -c "$TOP/testsuite/programs/road-jumps.c" -o exact.o
	$CC -fprofile-generate exact.o -o counted
	./counted 2000000 >/dev/null
	$CC -O2 -g -w -fprofile-use -c "$TOP/testsuite/programs/road-jumps.c" -o exact.o
	$CC exact.o -o exact
) || fail "-fprofile-use does not work here"
exact=$(callgrind "$T/measured.exact" "$T/exact" 20000)
BASE_INSTRUCTIONS=$((exact > BASE_INSTRUCTIONS ? exact : BASE_INSTRUCTIONS))
check_fewer -8
