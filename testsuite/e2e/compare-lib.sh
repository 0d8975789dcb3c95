# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Sourced by the tests of `pathfdo compare`, after lib.sh: a small project in $T/src, whose build command is $BUILD.
#   compare STATUS ARG...      compares it in $T/work, two rounds, into $T/out.json; it must end with STATUS
#   found KEY...               prints what $T/out.json has there (jsonget), below its one program
#   variant NAME KEY...        the same below the variant NAME; nothing if there is no such thing
#   says RE WHAT               WHAT must match
[ -x "$B/tools/jsonget" ] || skip "there is no $B/tools/jsonget: make tools"
mkdir "$T/src"
cp "$TOP/testsuite/programs/compare-work.c" "$T/src/main.c"
# Each build leaves a line in $T/builds.
BUILD="echo \"\$CFLAGS\" >>$T/builds; \$CC \$CFLAGS -c main.c && \$CC \$CFLAGS \$LDFLAGS -o prog main.o"
export BUILD

compare() {
	local want=$1 got=0
	shift
	rm -f "$T/out.json"
	"$PATHFDO" compare --source="$T/src" --work="$T/work" --json="$T/out.json" --program=prog --pairs=2 "$@" \
		>"$T/table" 2>"$T/progress" || got=$?
	[ "$got" = "$want" ] || fail "compare $* ended with $got, not $want: $(tail -n 3 "$T/progress")"
}

found() {
	"$B/tools/jsonget" "$T/out.json" programs 0 "$@"
}

variant() {
	local name=$1 i
	shift
	for ((i = 0; i < $(found variants length); i++)); do
		if [ "$(found variants $i name)" = "$name" ]; then
			found variants $i "$@" || true
		fi
	done
}

says() {
	echo "$2" | grep -qE -e "$1" || fail "got '$2', want /$1/"
}
