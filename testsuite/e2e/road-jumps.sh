#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole road for setjmp, signal handlers on their own stack, function pointers and a switch.
set -eu
. "$(dirname "$0")/lib.sh"

road "$CC" "" 2000000 20000 testsuite/programs/road-jumps.c
# Half of the work is a switch by table and calls through pointers, which counts change little: -fprofile-use itself saves
# 1%, less than register allocation moves either way.  What counts here is the output, which road compares; the instructions
# say that wrong counts behind setjmp (blocks that longjmp enters) do not go on to spoil the loop.
check_fewer -5
