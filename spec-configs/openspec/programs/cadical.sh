# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# A SAT solver, 25,000 lines of C++.  Trained on small formulas, measured on larger ones with other seeds.
package=cadical version=1.5.3-2 language=c++ stands_for="search (as 548.exchange2)"
build_seconds=60
EXE=cadical

build() {
	compile -DNDEBUG -DNBUILD -DVERSION='"1.5.3"' -- $(ls src/*.cpp | grep -v -e mobical -e ipasir) && link
}

data() {
	"$GENERATE" sat 11 215 426 >train1
	"$GENERATE" sat 12 200 426 >train2
	"$GENERATE" sat 21 230 440 >train3
	"$GENERATE" parity 12 32 >train4
	"$GENERATE" sat 101 250 440 >ref1
	"$GENERATE" sat 103 260 440 >ref2
	"$GENERATE" parity 97 40 >ref3
	"$GENERATE" sat 5 150 426 >small1
	"$GENERATE" parity 6 18 >small2
}

# A solver's status is its answer: 10 satisfiable, 20 not.
solve() {
	local status=0
	x -q --seed=1 "$1" || status=$?
	[ $status = 10 ] || [ $status = 20 ]
}

workload() {
	local formula
	for formula in "$D/$1"*; do
		solve "$formula" || return 1
	done
}
