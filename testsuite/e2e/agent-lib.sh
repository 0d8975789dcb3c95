# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the recorder's tests: builds what they need, and runs a command with and without the recorder.

SO=$B/libpathfdo-recorder.so
[ -e "$SO" ] || skip "$SO is not built"
AGENT_CFLAGS="-I. -D_GNU_SOURCE -O2 -g -std=c11 -fPIC -fvisibility=hidden -mgeneral-regs-only -fno-stack-protector
	-fno-tree-loop-distribute-patterns -ffreestanding -fcf-protection=none"
for tool in wiredump control; do
	[ -x "$B/tools/$tool" ] || skip "$B/tools/$tool is not built"
done

build_program() { # NAME: testsuite/programs/agent-NAME.c
	if [ -e "testsuite/programs/agent-$1.cc" ]; then
		${CXX:-g++} -O2 -g -w "testsuite/programs/agent-$1.cc" -o "$T/$1" -lpthread
	else
		${CC:-gcc} -D_GNU_SOURCE -O2 -g -w "testsuite/programs/agent-$1.c" -o "$T/$1" -lpthread -lm
	fi
}

plain() { # NAME COMMAND...: the reference
	local name=$1
	shift
	"$@" >"$T/$name.ref" 2>"$T/$name.referr" && echo 0 >"$T/$name.rc" || echo $? >"$T/$name.rc"
}

# NAME LIBRARY HZ BRANCHES OVERHEAD COMMAND...: the same under the recorder; leaves the checker's report in $T/NAME.dump
# and fails unless output, errors and exit status are the same and the recording is consistent.  LIMIT: bytes of vectors.
recorded() {
	local name=$1 library=$2 hz=$3 branches=$4 overhead=$5 rc=0
	shift 5
	rm -rf "$T/$name.pf"
	mkdir "$T/$name.pf"
	"$B/tools/control" -F $hz -n $branches -p $overhead ${LIMIT:+-l "$LIMIT"} "$T/$name.pf"
	PATHFDO_DIR=$T/$name.pf timeout 120 env LD_PRELOAD="$library" "$@" >"$T/$name.out" 2>"$T/$name.err" || rc=$?
	[ $rc = "$(cat "$T/$name.rc")" ] || fail "$name at $hz x $branches: exit status $rc, not $(cat "$T/$name.rc")"
	cmp "$T/$name.ref" "$T/$name.out" || fail "$name at $hz x $branches: another output"
	cmp "$T/$name.referr" "$T/$name.err" || fail "$name at $hz x $branches: another standard error"
	"$B/tools/wiredump" "$T/$name.pf" >"$T/$name.dump" 2>&1 ||
		fail "$name at $hz x $branches: $(cat "$T/$name.dump")"
	rm -rf "$T/$name.pf"
}

bursts() { # NAME
	awk '/^total bursts/ { n += $3 } END { print n + 0 }' "$T/$1.dump"
}
