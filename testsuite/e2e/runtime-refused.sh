#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that would not start with a preloaded library are not started with one; where most of the time went to
# processes without vectors, and what the recorder costs a script, is said.
set -eu
. "$(dirname "$0")/lib.sh"

fake agent
export PATHFDO_RECORDER=$T/agent.so
cd "$T"
cat >spin.c <<'SOURCE'
#include <time.h>
int main(void)
{
	while (clock() < 1.5 * CLOCKS_PER_SEC)
		continue;
	return 0;
}
SOURCE
$CC -O1 -o spin spin.c
echo 'int main(void) { return 0; }' >short.c
$CC -O1 -o musl short.c -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1
printf '#!%s\n' "$T/musl" >script
chmod +x script
refused() { # WORD PROGRAM
	local got=0
	"$PATHFDO" record --source=soft "./$2" 2>err || got=$?
	check_eq "exit status for $2" $got 1
	grep -q "$1.*--source=clock" err || fail "$2: $(cat err)"
}
refused musl musl
refused musl script
if $CC -O1 -fsanitize=address -o sanitized short.c 2>/dev/null; then
	refused sanitizer sanitized
	# Linked statically its run-time library is the first anyway.
	$CC -O1 -fsanitize=address -static-libasan -o inside short.c
	"$PATHFDO" record --source=soft ./inside 2>err || fail "a static run-time library: $(cat err)"
fi

# The stand-in says 0.1 s of CPU time for each process that has its library.
says='% of the CPU time was used by threads that gave no vectors'
"$PATHFDO" record --source=soft env -i ./spin 2>err
grep -qF "$says" err || fail "it is not said that the time went elsewhere: $(cat err)"
grep -qE "^pathfdo record: (8[0-9]|9[0-9])% of" err || fail "at least 1.4 of 1.5 to 1.7 seconds: $(cat err)"
"$PATHFDO" record --source=soft true 2>err
if grep -qF "$says" err; then fail "said of a short program"; fi
# Nothing at all of the time: a higher rate would be no cure.
if $CC -O1 -static -o spin-static spin.c; then
	FAKE_AGENT=bursts=0 "$PATHFDO" record --source=soft sh -c './spin-static; :' 2>err && fail "a static program: $(cat err)"
	grep -qE 'most of the 1[0-9]{3} ms of CPU time were used by what the recorder library was not loaded into' err ||
		fail "a static program in a script: $(cat err)"
fi

# Each process of the stand-in costs 0.31% of the 0.1 s that it says; from ten on the loading of the library is added.  One
# that takes 20 ms to load costs 20%, or less by what a process takes before its constructors run.
cost() { # IMAGES
	"$PATHFDO" record --source=soft sh -c "n=1; while [ \$n -lt $1 ]; do /bin/true; n=\$((n + 1)); done" 2>&1 |
		sed -n 's/.*recorder cost \([0-9.]*\)%.*/\1/p'
}
fake agent -DLOAD_MS=20
check_eq "cost of nine processes" "$(cost 9)" 0.31
check_within "cost of 30 processes and of their loading, in percent" "$(cost 30)" 8 25
