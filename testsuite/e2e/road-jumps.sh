#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# timeout: 120
# The whole road for setjmp, signal handlers on their own stack, function pointers and a switch.
set -eu
. "$(dirname "$0")/lib.sh"

road "$CC" "" 2000000 20000 testsuite/programs/road-jumps.c
check_fewer 1
