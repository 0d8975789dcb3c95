# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# For tests of the plugin's counts against gcov's, after lib.sh.

# compiler_of SOURCE: $CC or $CXX.
compiler_of() {
	case $1 in
	*.c) echo "$CC" ;;
	*) echo "$CXX" ;;
	esac
}

# counted SOURCE ARGUMENT: what the program counts by itself, in gcda; what it prints in counted.out.
counted() {
	local compiler
	compiler=$(compiler_of "$1")
	"$compiler" -O2 -g -fprofile-generate="$T/gcda" -c "$1"
	"$compiler" -fprofile-generate "${1%.*}.o" -o counted
	./counted "$2" >counted.out
}

# exact SOURCE ARGUMENT [FLAG...]: the same, and in whole.pfdo its profile by exact counts of the same run, compiled with
# the FLAGs.
exact() {
	[ -x "$B/tools/callgrind-vectors" ] || skip "run make tools"
	counted "$1" "$2"
	"$(compiler_of "$1")" -O2 -g "${@:3}" "$1" -o plain
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no \
		--compress-pos=no --callgrind-out-file=calls ./plain "$2" >plain.out || fail "the program fails"
	cmp counted.out plain.out
	"$B/tools/callgrind-vectors" calls data && "$PATHFDO" convert -b plain data -o whole.pfdo >convert.log 2>&1 ||
		fail "no profile: $(cat convert.log)"
}

# judged PROFILE SOURCE FUNCTION ERROR: the ERROR (block_error, branch_error) of SOURCE's FUNCTION, by its linkage name.
judged() {
	rm -f report
	"$(compiler_of "$2")" -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$1" \
		-fplugin-arg-pathfdo-truth="$T/gcda" -fplugin-arg-pathfdo-report="$T/report" -c "$2" 2>messages ||
		fail "not compiled: $(cat messages)"
	sed -n "s/^{\"truth\":\"$3\".*\"$4\":\([0-9.]*\).*/\1/p" report
}

# truth NAME FUNCTION ERROR: the ERROR of FUNCTION in NAME.c, by a recording of the program with the argument 200000,
# against what it counts by itself with 2000.
truth() {
	counted "$1.c" 2000
	$CC -O2 -g "$1.c" -o plain
	"$PATHFDO" record -F 1000 -o "$1.data" -- ./plain 200000 >plain.out 2>recorded || fail "not recorded: $(cat recorded)"
	"$PATHFDO" convert -b plain "$1.data" -o "$1.pfdo" >converted 2>&1 || fail "not converted: $(cat converted)"
	judged "$1.pfdo" "$1.c" "$2" "$3"
}
