#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A main that fills a table and then works.  The filling takes no time, and no sample of many shows it; what follows it
# is neither cold for that nor compiled for size, with and without -flto.  Callgrind tells where the time goes.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >work.c <<'EOF'
#include <stdio.h>
static int table[256];
int main(int argc, char **argv)
{
	unsigned char bytes[1000];
	long sum = 1;
	int rounds = 300 * argc;

	for (int i = 0; i < 256; i++)
		table[i] = i * 77;
	for (int i = 0; i < 1000; i++)
		if (i % 3)
			bytes[i] = i * 7;
		else
			bytes[i] = table[i & 255];
	for (int i = 0; i < rounds; i++) {
		bytes[i % 1000]++;
		for (int k = 0; k < 1000; k++)
			sum = table[(sum ^ bytes[k]) & 255] ^ (sum >> 3);
	}
	printf("%s %ld\n", argv[1] ? argv[1] : "sum", sum);
	return 0;
}
EOF
# 400 looks: the lines of the setup are in the binary and none of them was seen.
cat >work.txt <<'EOF'
pathfdo-profile 1
unit executions
agreement looks 400 square 0

function main work.c:3 head 0 total 1200000
  4 count 0
  6 count 0
  7 count 0
  8 count 0
  9 count 0
  10 count 0
  11 count 0
  12 count 0
  13 count 400
  14 count 400
  15 count 400000
  16 count 400000
  18 count 0
  19 count 0
EOF
"$PATHFDO" show --from-text work.txt -o work.pfdo

# share NAME: in percent, what of the instructions in main ran in the cold section.
share() {
	valgrind -q --tool=callgrind --callgrind-out-file=calls --compress-strings=no "./$1" >"$1.out" ||
		fail "$1 fails under callgrind"
	awk '/^fn=/ { cold = /^fn=main\.cold/; main = /^fn=main/ } /^calls=/ { getline; next }
	     main && /^[0-9+*-]/ { all += $2; if (cold) away += $2 }
	     END { if (!all) exit 1; printf "%.1f\n", 100 * away / all }' calls || fail "callgrind knows nothing of main"
}

$CC -O2 -g work.c -o plain
check_eq "cold without a profile" "$(share plain)" 0.0
for flags in -O2 -O3 "-O2 -flto"; do
	# shellcheck disable=SC2086 # options are words
	$CC $flags -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=work.pfdo work.c -o made || fail "no $flags"
	check_within "percent of main that ran in the cold section with $flags" "$(share made)" 0 1
	cmp -s plain.out made.out || fail "other output with $flags"
	# shellcheck disable=SC2086
	$CC $flags -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=work.pfdo -fcompare-debug -c work.c ||
		fail "the code depends on -g with $flags"
done

# The link needs no plugin.
$CC -O2 -g -flto -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=work.pfdo -c work.c
$CC -O2 -g -flto work.o -o made
check_within "percent of main that ran in the cold section, linked without the plugin" "$(share made)" 0 1

# A setup whose length is known only where it is inlined: its test is folded there, and the way past it is gone, which is
# the only one that is not declared to never run.  In the assembly is told where the hot statement is.
cat >called.c <<'EOF'
#include <stdio.h>
static int table[256];
static long work(int entries, int length, unsigned char *bytes, int rounds)
{
	long sum = 1;

	for (int i = 0; i < entries; i++)
		table[i] = i * 77;
	for (int i = 0; i < length; i++)
		if (i % 3)
			bytes[i] = i * 7;
		else
			bytes[i] = table[i & 255];
	for (int i = 0; i < rounds; i++) {
		bytes[i % length]++;
		for (int k = 0; k < length; k++)
			sum = table[(sum ^ bytes[k]) & 255] ^ (sum >> 3);
	}
	return sum;
}
int main(int argc, char **argv)
{
	unsigned char bytes[1000];

	printf("%s %ld\n", argv[1] ? argv[1] : "sum", work(256, 1000, bytes, 300 * argc));
	return 0;
}
EOF
cat >called.txt <<'EOF'
pathfdo-profile 1
unit executions
agreement looks 400 square 0

function main called.c:21 head 0 total 1200000
  1 count 0
  4 count 0
  6 count 0
  inline @1 work called.c:3 at 4 entries 0
    2 count 0
    4 count 0
    5 count 0
    6 count 0
    7 count 0
    8 count 0
    10 count 0
    11 count 400
    12 count 400
    13 count 400000
    14 count 400000
EOF
"$PATHFDO" show --from-text called.txt -o called.pfdo

# hot FLAG...: how much of line 17 is in the cold section, and how much elsewhere.
hot() {
	$CC -g "$@" -S called.c -o called.s || fail "no $*"
	awk '$1 == ".section" || $1 == ".text" { cold = /\.text\.unlikely/ } $1 == ".loc" && $3 == 17 { n[cold]++ }
	     END { print n[1] + 0, n[0] ? "some" : "none" }' called.s
}
for level in -O2 -O3; do
	check_eq "without a profile" "$(hot $level)" "0 some"
	check_eq "with one, $level" "$(hot $level -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=called.pfdo)" "0 some"
done

# The same of a program in which the work was a function of its own, and of the two that lead to it nothing was seen.
sed -i 's/return 0;$/return argc > 9;/; s/work(256, 1000, bytes, 300 \* argc)/start(bytes, argc)/
	s/^int main/static long start(unsigned char *bytes, int n)\n{\n\treturn work(256, 1000, bytes, 300 * n);\n}\n&/' called.c
{
	printf 'pathfdo-profile 1\nunit executions\nagreement looks 400 square 0\n\nfunction work called.c:3 head 0 total 1200000\n'
	sed -n 's/^    \([0-9]\)/  \1/p' called.txt
} >apart.txt
"$PATHFDO" show --from-text apart.txt -o called.pfdo
check_eq "without a profile" "$(hot -O2)" "0 some"
check_eq "what only functions call that were not seen" \
	"$(hot -O2 -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=called.pfdo)" "0 some"
