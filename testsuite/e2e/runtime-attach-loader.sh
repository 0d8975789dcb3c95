#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A running program that ld.so was told to run is attached to, by its number and by its own name, and goes by that name in
# the recording, whatever its environment is; what ld.so runs next is looked at as any program is.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"
cat >app.c <<'END'
#include <stdlib.h>
#include <unistd.h>
__attribute__((noipa)) unsigned heat(unsigned x)
{
	for (int i = 0; i < 1000; i++)
		x = x & 1 ? x * 3 + 1 : x >> 1 | x << 31;
	return x;
}
int main(int argc, char **argv)
{
	char byte;

	alarm(600);
	unsetenv("TAKEN");
	if (argc > 1 && read(0, &byte, 1) == 1)
		execv(argv[1], argv + 1);
	for (unsigned x = 1; argc == 1; x = heat(x))
		continue;
	return 1;
}
END
name=bundled$$
$CC -O2 -g -o $name app.c
loader=$(readelf -p .interp $name | sed -n 's|.*\] *\(/.*\)|\1|p')
[ -x "$loader" ] || skip "the loader was not found: '$loader'"
mkfifo in
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$T"' EXIT

is_run() {
	grep -q "$T/$name\$" "/proc/$1/maps" && [ "$(readlink -f "$loader")" = "$(readlink "/proc/$1/exe")" ]
}
# hot WHAT: its file is what was recorded, and heat what is hot in there.
hot() {
	"$PATHFDO" convert $name.data -o p.pfdo >converted 2>&1 || fail "$1: $(cat converted) $(cat err)"
	check_within "$1: share of the program" "$(sed -n "s|^ *$T/$name: \([0-9.]*\)% of all.*|\1|p" converted)" 90 100
	check_eq "$1: the hottest function" "$("$PATHFDO" show p.pfdo | awk '$1 ~ /%$/ { print $4; exit }')" heat
	rm $name.data
}

TAKEN=1 "$loader" --argv0 other ./$name &
pid=$!
once 60 is_run $pid || fail "it does not start"
traces $pid >before
"$PATHFDO" record --source=soft -p $pid --duration=2 -o %e.data 2>err || fail "by its number: $(cat err)"
hot "by its number"
"$PATHFDO" record --source=soft --name=$name --duration=2 -o %e.data 2>err || fail "by its name: $(cat err)"
hot "by its name"
traces $pid >after
cmp -s before after || fail "it is not left as it was: $(diff before after)"
kill $pid
wait $pid || true

# Executed while it is recorded: by a program that waits for it, from ld.so to ld.so.
"$loader" ./$name "$loader" ./$name <in &
pid=$!
exec 7>in
once 60 is_run $pid || fail "it does not start"
"$PATHFDO" record --source=soft -p $pid --duration=5 -o %e.data 2>err 7>&- &
recorder=$!
sleep 1
echo -n x >&7
wait $recorder || fail "what executes it: $(cat err)"
hot "what executes it"
exec 7>&-
kill $pid
wait $pid || true
