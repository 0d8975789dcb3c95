#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a program loads, stores and hands to functions, from `record --values` to `pathfdo values`: shares, strides and fixed
# bits that are counted by hand; in threads, in children, in C++, in a whole run; and nothing of it where nobody asked.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >words.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
#define AWAY __attribute__((noinline, noclone))
static unsigned table[1024];
_Thread_local unsigned char bytes[4096];
struct pair { double d; int n; };
AWAY long mixed(long a, const unsigned *p, double d, short s)
{
	return a + p[a & 7] + (long)d + s;
}
AWAY long whole(struct pair p, long a)
{
	return a + p.n;
}
AWAY unsigned walk(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += table[i]; /* walk */
	__asm__ volatile("" ::: "memory"); /* each call counts */
	return sum;
}
AWAY void fill(unsigned n, unsigned v)
{
	for (unsigned i = 0; i < n; i++)
		bytes[i * 7 & 4095] = v; /* fill */
	__asm__ volatile("" ::: "memory");
}
static void *work(void *turns)
{
	unsigned n = (unsigned)(long)turns, sum = 0;
	struct pair p = { 1, 2 };
	for (unsigned i = 0; i < n; i++) {
		sum += walk(20);
		fill(8, i & 3 ? 65 : 90); /* calls */
		sum += mixed(i % 10 ? 5 : 6, table, 2.5, -7); /* mixed */
		sum += whole(p, 3);
	}
	return (void *)(long)sum;
}
int main(int argc, char **argv)
{
	long turns = atol(argv[1]);
	pthread_t thread;
	void *sum;
	for (unsigned i = 0; i < 1024; i++)
		table[i] = 1000 + i * 3;
	if (argc > 2 && fork() == 0)
		_exit((long)work((void *)turns) & 1);
	pthread_create(&thread, NULL, work, (void *)turns);
	pthread_join(thread, &sum);
	if (argc > 2)
		wait(NULL);
	printf("%lu\n", (unsigned long)sum);
	return 0;
}
END
# recorded OPTION...: records, converts and lists as JSON, in w.json.
recorded() {
	"$PATHFDO" record -q -o w.data "$@" >said 2>log || fail "the recording ends with $?: $(cat log)"
	"$PATHFDO" convert -b ./words w.data -o w.pfdo >account 2>&1 || fail "convert: $(cat account)"
	"$PATHFDO" values --json w.pfdo >w.json
}
cat >judge.py <<'END'
import json, sys
rows = json.load(open("w.json"))["values"]
lines = [l.rstrip("\n") for l in open("words.c")]
at = {w: 1 + next(i for i, l in enumerate(lines) if l.endswith("/* %s */" % w)) for w in ("walk", "fill", "calls", "mixed")}

def row(where, kind):
    [r] = [r for r in rows if r["line"] == at[where] and r["kind"] == kind]
    return r

def share(r, value):
    return sum(v["count"] for v in r["values"] if v["value"] == value) / r["sightings"]

def near(what, got, want, off):
    assert abs(got - want) <= off, (what, got, want)

# 20 numbers, each 3 more than the last; none is the one before, and of each turn the first two are not foretold.
walk = row("walk", "load")
assert walk["sightings"] > 1000 and walk["same"] == 0, walk
near("by stride", walk["strided"] / walk["tried"], 18 / 20, .03)
# 1000 to 1057 (0x3e8 to 0x421): of 32 bits 6 and the highest of these change, and 0x200, 0x100, 0x80; 0x10 and below all do.
want = 0xffffffff
for v in range(1000, 1060, 3):
    want &= ~(v ^ 1000)
assert int(walk["fixed"], 0) == want, (walk["fixed"], hex(want))
# Three turns of four store 65, one 90; of the 8 stores of a turn 7 are as the one before, and the first often is.
fill = row("fill", "store")
near("65", share(fill, 65), .75, .08)
near("90", share(fill, 90), .25, .08)
near("as before", fill["same"] / fill["tried"], 1 - .5 / 8, .03)
assert int(fill["fixed"], 0) == 0xff & ~(65 ^ 90), fill
# Arguments by number; a double is in none of these registers, and behind a structure nothing is known.
assert share(row("calls", "argument1"), 8) == 1
near("argument 65", share(row("calls", "argument2"), 65), .75, .08)
near("argument 5", share(row("mixed", "argument1"), 5), .9, .06)
assert share(row("mixed", "argument3"), -7) == 1 and int(row("mixed", "argument3")["fixed"], 0) == 0xffff
assert not [r for r in rows if r["kind"] == "argument4" and r["line"] == at["mixed"]]
assert not [r for r in rows if r["kind"].startswith("argument") and r["line"] == at["mixed"] + 1], "of a structure"
assert not [r for r in rows if r["kind"] == "argument3" and r["line"] == at["calls"]]
END
for way in "-O1 -fno-ipa-cp" "-O2 -fno-tree-vectorize -fno-ipa-cp -fcf-protection=full"; do
	# shellcheck disable=SC2086 # words
	$CC -g $way words.c -o words -lpthread
	recorded --values -F 2000 --max-overhead=50 ./words 20000000
	check_eq "the output of $way" "$(cat said)" "$(./words 20000000)"
	python3 judge.py || fail "other values with $way: $("$PATHFDO" values w.pfdo)"
done
recorded --values -F 2000 --max-overhead=50 ./words 20000000 fork
python3 judge.py || fail "other values with children: $("$PATHFDO" values w.pfdo)"
recorded --values --all ./words 30000
python3 judge.py || fail "other values in a whole run: $("$PATHFDO" values w.pfdo)"

# They stay in the text form, and two recordings add up.
"$PATHFDO" show --text w.pfdo >w.txt
"$PATHFDO" show --from-text w.txt -o back.pfdo
cmp w.pfdo back.pfdo || fail "the text has not all of it"
for kind in load store argument argument2; do
	"$PATHFDO" values --kind=$kind w.pfdo >$kind.txt
	grep -q "$kind" $kind.txt || fail "--kind=$kind has none: $(cat $kind.txt)"
done
grep -q '; as the one before 0.0%, by stride 9[0-9.]*%; fixed bits 0x' load.txt || fail "the line of a load: $(cat load.txt)"
refused 2 'load, store or argument' values --kind=load-next w.pfdo
refused 2 'go with --source=soft' record --values --source=clock ./words 1

# Nobody asked: no loads, stores and arguments.
recorded -F 2000 --max-overhead=50 ./words 20000000
check_eq "values without --values" "$(jq '.values | length' w.json)" 0

# In C++ the first argument of a member is its object, and what returns a structure has a hidden one.
cat >words.cc <<'END'
#include <cstdio>
#include <cstdlib>
struct big { long a[8]; };
struct box {
	long base;
	__attribute__((noinline, noclone)) long add(int n) { return base += n; }
	__attribute__((noinline, noclone)) big copies(int n) { return { { base, n } }; }
};
int main(int argc, char **argv)
{
	box b = { 0 };
	long sum = 0;
	for (long i = 0; i < atol(argv[1]); i++) {
		sum += b.add(11); // add
		sum += b.copies(12).a[1]; // copies
	}
	printf("%ld\n", sum);
}
END
$CXX -O1 -g words.cc -o words
recorded --values -F 2000 --max-overhead=50 ./words 20000000
add=$(grep -n '// add' words.cc | cut -d : -f 1)
check_eq "what a member gets" "$(jq -c "[.values[] | select(.line == $add and .kind == \"argument2\") | .values[].value]" w.json)" "[11]"
check_eq "arguments of members" "$(jq -c "[.values[] | select(.line == $add) | .kind | select(startswith(\"argument\"))] | sort" w.json)" \
	'["argument1","argument2"]'
check_eq "arguments behind a hidden one" "$(jq -c "[.values[] | select(.line == $add + 1) | .kind | select(startswith(\"argument\"))]" w.json)" '[]'
