#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# timeout: 300
# What the plugin does grows with what it is given, and not with its square: instructions of its own code, counted by callgrind, for
# so much and for twice that.  Twice as much may take up to three times as many, since much is sorted; by its square it
# would be four.  Of a switch the flow is solved by a simplex, which is bounded by no such law; there it is small beside the
# compiler.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
cd "$T"

# A switch of $1 cases, each of which runs.
cases() {
	echo '__attribute__((noinline)) int step(int x)'
	echo '{'
	echo '	switch (x) {'
	seq "$1" | awk '{ printf "\tcase %d:\n\t\treturn x * %d;\n", $1, ($1 * 7919) % 10007 }'
	printf '\t}\n\treturn 0;\n}\n'
	echo "int main(int argc, char **argv) { int s = 0; for (int i = 1; i <= $1; i++) s += step(i); return s == argc && !argv; }"
}

# $1 functions that call each other and one that they share, none of which runs.
crowd() {
	echo 'static int shared(int x) { return x ^ 5; }'
	seq "$1" | awk '{ printf "static int f%d(int);\n", $1 }'
	seq "$1" | awk -v n="$1" '{
		printf "static int f%d(int x)\n{\n\tif (x == %d)\n\t\treturn 1;\n", $1, $1
		printf "\treturn f%d(shared(x)) + shared(x + 1) + f%d(shared(x + 2));\n}\n", $1 % n + 1, ($1 + 1) % n + 1 }'
	echo 'int (*const entry)(int) = f1;'
	echo 'int main(int argc, char **argv) { int s = 0; for (int i = 0; i < 1000; i++) s = s * 5 + (argc ^ i); return s == argc && !argv; }'
}

# A function with $1 calls that the profiled binary has inlined.
instances() {
	seq "$1" | awk '{ printf "static int g%d(int x)\n{\n\treturn (x ^ %d) * %d;\n}\n", $1, $1, ($1 * 7919) % 10007 }'
	echo '__attribute__((noinline)) int host(int x)'
	echo '{'
	seq "$1" | awk '{ printf "\tx += g%d(x);\n", $1 }'
	printf '\treturn x;\n}\n'
	echo 'int main(int argc, char **argv) { int s = 0; for (int i = 0; i < 10; i++) s += host(i); return s == argc && !argv; }'
}

# cost KIND N: instructions of the plugin, and of all.
cost() {
	$1 "$2" >code.c
	$CC -O2 -g code.c -o code
	exact "$T/code"
	"$PATHFDO" convert -q -b code code.data -o code.pfdo
	$CC -O1 -S -o code.s -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/code.pfdo" -fplugin-arg-pathfdo-no-warn=all code.c \
		-wrapper valgrind,-q,--tool=callgrind,--callgrind-out-file="$T/calls" 2>said || fail "$1 $2 does not compile: $(cat said)"
	awk '
		/^c?ob=/ {
			id = $1
			sub(/^c?ob=/, "", id)
			if (NF > 1) known[id] = $2
			if (/^ob=/) ours = known[id] ~ /\/pathfdo(-[0-9]+)?\.so$/
		}
		/^calls=/ { getline; next }
		/^[0-9+*-]/ { all += $NF; sum += ours ? $NF : 0 }
		END { printf "%d %d\n", sum, all }' calls
}

# grows KIND N: N and twice that.
grows() {
	local once twice
	once=$(cost "$1" "$2")
	twice=$(cost "$1" $((2 * $2)))
	once=${once% *} twice=${twice% *}
	[ "$once" -gt 100000 ] || fail "$1: the plugin did nothing: $once instructions"
	echo "$1: $once instructions of the plugin for $2, $twice for twice as much"
	check_within "hundredths of the instructions of $1, for twice as much" $((100 * twice / once)) 150 300
}
grows crowd 60
grows instances 200
share=$(cost cases 600)
echo "cases: $share instructions of the plugin, and of all"
[ "${share% *}" -gt 100000 ] || fail "cases: the plugin did nothing"
check_within "percent of the instructions of a large switch" $((100 * ${share% *} / ${share#* })) 0 12
