# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# MiniSat's core, the ancestor of most SAT solvers.  Trained on small formulas, measured on larger ones.
package=minisat2 version=1:2.2.1-5 language=c++ stands_for="search (as 548.exchange2)"
EXE=solver

build() {
	compile -std=gnu++98 -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -DNDEBUG -I. -- minisat/core/Main.cc \
		minisat/core/Solver.cc minisat/utils/Options.cc minisat/utils/System.cc && link -lz
}

data() {
	"$GENERATE" sat 34 235 430 >train1
	"$GENERATE" parity 38 31 >train2
	"$GENERATE" sat 131 240 430 >ref1
	"$GENERATE" sat 134 250 430 >ref2
	"$GENERATE" parity 135 30 >ref3
	"$GENERATE" parity 137 31 >ref4
	"$GENERATE" sat 9 180 426 >small1
	"$GENERATE" parity 33 24 >small2
}

# A solver's status is its answer: 10 satisfiable, 20 not.
solve() {
	local status=0
	x -verb=0 "$1" model >/dev/null || status=$?
	[ $status = 10 ] || [ $status = 20 ] && cat model
}

workload() {
	local formula
	for formula in "$D/$1"*; do
		solve "$formula" || return 1
	done
}
