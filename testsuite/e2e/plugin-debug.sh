#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The code does not depend on -g: -fcompare-debug compiles twice and compares, with exact profiles of a program full of
# macros, whose blocks differ by discriminator alone, and of one of the C++ library's containers and strings.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
cd "$T"
cat >macros.c <<'END'
#include <stdio.h>
static unsigned char data[4096];
static int at, live; static unsigned buffer;
#define NEED(n, v) do { while (live < (n)) { buffer = buffer << 8 | data[at++ & 4095]; live += 8; if (at == 4096) at = 0; } v = buffer >> (live - (n)) & ((1 << (n)) - 1); live -= n; } while (0)
#define PICK(a, b, c) ((a) < (b) ? (c) : (b) < (c) ? (a) : (b))
static int decode(int rounds)
{
	int s = 0, v, w;
	for (int i = 0; i < rounds; i++) {
		NEED(3, v); if (v == 7) { NEED(5, w); s += PICK(v, w, i); } else if (v > 4) continue; else { NEED(1, w); if (w) break; }
		NEED(2, v); switch (v) { case 0: s++; break; case 1: NEED(4, w); s ^= w; break; case 2: s += PICK(s, i, v); break; default: s--; }
	}
	return s;
}
int main(void)
{
	long s = 0;
	for (int i = 0; i < 4096; i++)
		data[i] = (unsigned char)(i * 2654435761u >> 13);
	for (int i = 0; i < 3000; i++)
		s += decode(i & 31);
	printf("%ld\n", s);
	return 0;
}
END
cat >words.cc <<'END'
#include <cstdio>
#include <map>
#include <string>
#include <vector>
struct word {
	std::string text;
	int seen;
	word(const std::string &t) : text(t), seen(t.empty() ? 0 : t[0]) {}
	bool operator<(const word &o) const { return seen != o.seen ? seen < o.seen : text < o.text; }
};
static int score(const word &w) { return w.seen > 'm' ? w.seen - 'a' : 'z' - w.seen; }
int main()
{
	std::map<std::string, int> table;
	std::vector<word> all;
	for (int i = 0; i < 300; i++) {
		std::string t(1 + i % 5, char('a' + i * 7 % 26));
		table[t] += i;
		all.push_back(word(t));
	}
	int s = 0;
	for (const word &w : all)
		s += score(w) + table[w.text] + (w < all[3]);
	std::printf("%d\n", s);
	return 0;
}
END
for source in macros.c words.cc; do
	name=${source%.*} compiler=$CC
	[ "$source" = macros.c ] || compiler=$CXX
	$compiler -O2 -g "$source" -o "$name"
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no --compress-pos=no \
		--callgrind-out-file="$name.calls" "./$name" >"$name.out"
	"$B/tools/callgrind-vectors" "$name.calls" "$name.data"
	"$PATHFDO" convert -q -b "$name" "$name.data" -o "$name.pfdo" 2>convert.log || fail "$name: $(cat convert.log)"
	for flags in -O2 -O3 "-O2 -fplugin-arg-pathfdo-no-replay"; do
		rm -f report
		# shellcheck disable=SC2086 # words
		$compiler -g -fcompare-debug -fplugin="$PLUGIN" $flags -fplugin-arg-pathfdo-profile="$T/$name.pfdo" \
			-fplugin-arg-pathfdo-report="$T/report" "$source" -o with 2>messages || fail "$source $flags: $(cat messages)"
		check_eq "what is said of $source with $flags" "$(cat messages)" ""
		grep -q '"function":"main".*"found":"matched"' report || fail "$source: $(cat report)"
		check_eq "output of $source with $flags" "$(./with)" "$(cat "$name.out")"
	done
	# The evidence is the same as well: blocks are found by discriminator without -g as with it.
	for g in -g -g0; do
		rm -f report$g
		$compiler -O2 $g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$name.pfdo" -fplugin-arg-pathfdo-report="$T/report$g" \
			-c "$source"
	done
	cmp report-g report-g0 || fail "$source: $(diff report-g report-g0 | head -n 2)"
done
