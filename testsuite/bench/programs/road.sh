# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086
# The demo's stand-in where no Debian source can be fetched: a small C++ program of the project's own tests.
package= version= language=c++
EXE=road

build() {
	$CXX $CXXFLAGS -c "$TOP/testsuite/programs/road-shapes.cc" && $CXX $CXXFLAGS -o $EXE road-shapes.o
}

data() {
	:
}

workload() {
	case $1 in
	train) x 70000 && x 90000 ;;
	ref) x 130011 ;;
	small) x 200 ;;
	esac
}
