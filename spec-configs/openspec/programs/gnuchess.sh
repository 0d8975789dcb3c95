# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# The engine of GNU Chess, with a driver of ours: fixed depth, no clock.  Trained and measured on different positions.
package=gnuchess version=6.2.7-1+deb12u1 language=c++ stands_for="458.sjeng, 531.deepsjeng"
EXE=chess

build() {
	cp "$WORK/gnuchess.cc" src/engine/driver.cpp && echo '#define PKGDATADIR "."' >configmake.h || return 1
	compile -DNDEBUG -I. -Isrc/engine -Isrc -- $(ls src/engine/*.cpp | grep -v -e /main -e /protocol) && link -lpthread
}

data() {
	cat >train <<-'END'
		r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3
		r2q1rk1/ppp2ppp/2npbn2/2b1p3/4P3/2PP1N2/PPBN1PPP/R1BQ1RK1 w - - 4 9
		8/2p2pk1/1p1p2p1/p2Pn3/P1P1P2p/1P3r1P/6K1/3RB3 w - - 0 36
		r2qkb1r/pp1b1ppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R b KQkq - 1 8
		rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5
	END
	cat >ref <<-'END'
		rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6
		2rq1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 2 11
		r3r1k1/pp1q1pp1/2p2n1p/3p4/3P1B2/2NQ1P2/PPP3PP/4R1K1 b - - 1 18
		4rrk1/1p3pbp/p1pp2p1/2n1p3/P1P1P1n1/1PN1B1NP/3Q1PP1/R4RK1 w - - 0 20
		8/5pk1/4p1p1/1p1pP2p/1P1P3P/r4PP1/2R3K1/8 b - - 3 41
		r1b2rk1/pp2bppp/1qn1pn2/3p4/3P1B2/2NB1N2/PP2QPPP/R4RK1 w - - 4 12
		3r2k1/2q2pp1/p1b1p2p/1p2P3/2pNP1Q1/P1P4P/1P3RP1/6K1 b - - 5 29
	END
	head -n 2 ref >small
}

workload() {
	case $1 in
	train) x 10 "$D/train" ;;
	ref) x 10 "$D/ref" ;;
	small) x 6 "$D/small" ;;
	esac
}
