#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that is replaced by another build while it is recorded: each build has its own samples and no others, as many as
# perf script prints of its process.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"
"$PATHFDO" doctor >"$T/doctor" 2>/dev/null || true
grep -q '^clock *works' "$T/doctor" || skip "clock does not work here: $(grep '^clock' "$T/doctor")"

cd "$T"
cat >prog.c <<'END'
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static unsigned long NAME(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum = sum * 3 + (sum ^ i);
	return sum;
}

int main(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < 100; i++)
		sum += NAME(1500000 + sum % 2);
	fprintf(stderr, "%d %lu\n", getpid(), sum);
	return 0;
}
END
$CC -O1 -g -DNAME=first prog.c -o first
$CC -O1 -g -DNAME=second prog.c -o second
"$PATHFDO" record --source=clock -F 1000 -o p.data -- \
	sh -c 'cp first prog && ./prog 2>first.pid && cp second new && mv new prog && ./prog 2>second.pid' 2>said || fail "$(cat said)"

# samples BUILD: those of its process in its own code.
samples() {
	perf script -i p.data -F pid,ip,dso 2>/dev/null |
		awk -v pid="$(cut -d' ' -f1 "$1.pid")" '$1 == pid && $NF ~ /\/prog\)$/ { n++ } END { print n + 0 }'
}
for build in first second; do
	"$PATHFDO" convert --json -b $build p.data -o $build.pfdo >$build.json 2>said || fail "$build: $(cat said)"
	wanted=$(samples $build)
	check_within "samples of $build, in ours" "$wanted" 50 5000
	check_eq "samples of $build" "$(jq '[.binaries[] | select(.used) | .branches] | add' $build.json)" "$wanted"
	check_eq "functions of $build" "$("$PATHFDO" show --text $build.pfdo | awk '$1 == "function" && $2 != "main" { print $2 }')" $build
done
