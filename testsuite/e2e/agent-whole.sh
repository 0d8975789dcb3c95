#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --all has every branch: the counts of all instructions and jumps of a program are callgrind's, without a
# difference, for a program of its own and for two of the system's; what the programs print is the same.  With threads and
# children, each has its own.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
command -v valgrind >/dev/null || skip "valgrind is not installed"
[ -x "$B/tools/overlap" ] || fail "$B/tools/overlap is not built: make tools"

# exact NAME PROGRAM COMMAND...: all of PROGRAM that COMMAND runs.  With few jumps there is nothing to compare.
exact() {
	local name=$1 program=$2 got
	shift 2
	"$@" >plain 2>plain.err || fail "$name does not run"
	"$PATHFDO" record --all -q -o "$name.data" -- "$@" >out 2>err || fail "$name: the recording ends with $?: $(cat err)"
	cmp -s plain out || fail "$name prints something else"
	cmp -s plain.err err || fail "$name says something else: $(tail -n 1 err)"
	# A call through the table of lazy links is to be counted where it is.
	valgrind -q --tool=callgrind --trace-children=yes --skip-plt=no --dump-instr=yes --collect-jumps=yes \
		--callgrind-out-file="$name.cg.%p" "$@" >out 2>&1
	mapfile -t counted < <(grep -l "[/ ]${program##*/}\$" "$name".cg.*)
	got=$("$B/tools/overlap" -e "$program" "$name.data" -- "${counted[@]}") || fail "$name cannot be compared"
	echo "$name: $got"
	[[ $got =~ ^instructions\ ([0-9]+)\ executed\ ([0-9]+)\ differ\ 0\ by\ 0\ jumps\ ([0-9]+)\ taken\ ([0-9]+)\ differ\ 0\ by\ 0$ ]] ||
		fail "$name: $got"
	((BASH_REMATCH[1] >= LEAST && BASH_REMATCH[3] >= LEAST / 10)) || fail "$name has too little to be compared: $got"
}

cat >threads.c <<'END'
#include <pthread.h>
#include <stdio.h>

static void *work(void *turns)
{
	unsigned long sum = 1;

	for (long i = 0; i < (long)turns; i++)
		sum = sum % 3 ? sum * 7 + 1 : sum / 3;
	return (void *)sum;
}

int main(void)
{
	pthread_t threads[4];
	void *sum;

	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)(100000 * (i + 1)));
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &sum);
		printf("%lu\n", (unsigned long)sum);
	}
	return 0;
}
END
$CC -O1 -g -w threads.c -o threads -lpthread
$CC -O2 -g -w "$TOP/testsuite/programs/hotspots-phases.c" -o phases
$CC -O2 -g -w "$TOP/testsuite/programs/agent-sort.c" -o sorting
head -c 200000 "$PATHFDO" >data
LEAST=30
exact phases "$T/phases" "$T/phases" 20000 60000
exact sorting "$T/sorting" "$T/sorting" 1
exact threads "$T/threads" "$T/threads"
exact children "$T/phases" sh -c "'$T/phases' 1000 3000; '$T/phases' 2000 1000 | cat"
# A program that asks what the processor can do goes another way under valgrind, which is another processor.
for program in /usr/bin/gzip /usr/bin/bzip2; do
	[ ! -x $program ] || objdump -d $program | grep -q cpuid || exact "${program##*/}" $program $program -c data
done
"$PATHFDO" record --all -o p.data -- "$T/phases" 1000 3000 2>log >out || fail "a recording with its summary ends with $?"
grep -q "it ran on unseen 0 times" log || fail "it does not tell what it could not see: $(cat log)"
refused 2 "goes with -o and --limit only" record --all --raw true
