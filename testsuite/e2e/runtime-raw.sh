#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `record --source=soft --raw` writes is true: objdump, which knows nothing of the recorder, finds a branch at every
# source address, with that destination where it is a direct one; and no branch that is always taken lies between an entry
# and the next.  Threads and children are there.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"

cd "$T"
"$PATHFDO" doctor >doctor 2>/dev/null || true
grep -q '^soft *works' doctor || skip "soft does not work here: $(grep '^soft' doctor)"
command -v python3 >/dev/null || skip "there is no python3"

cat >work.c <<'SOURCE'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int collatz(unsigned long n)
{
	int steps = 0;

	while (n != 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

__attribute__((noinline)) static unsigned long sum(unsigned long from, unsigned long to)
{
	unsigned long total = 0;

	for (unsigned long i = from; i < to; i++)
		total += (unsigned long)collatz(i);
	return total;
}

static void *thread(void *unused)
{
	(void)unused;
	return (void *)sum(1, 400000);
}

int main(void)
{
	pthread_t t;
	unsigned long own;

	if (fork() == 0)
		_exit(sum(1, 400000) == 0);
	if (pthread_create(&t, NULL, thread, NULL) != 0)
		return 1;
	own = sum(1, 400000);
	pthread_join(t, NULL);
	return wait(NULL) < 0 || own == 0;
}
SOURCE
# -no-pie: addresses are those of the file.
$CC -O2 -g -no-pie -o work work.c -lpthread
"$PATHFDO" record --source=soft --raw -F 400 --max-overhead=50 -o raw.data ./work 2>err || fail "$(cat err)"
perf script -i raw.data -F comm,pid,tid,ip,brstack 2>/dev/null >stacks
check_within "stacks" "$(wc -l <stacks)" 50 1000000
objdump -d --no-show-raw-insn work >code
python3 - <<'CHECK' || fail "the recording is not true"
import re, sys

code, order = {}, []
for line in open("code"):
    m = re.match(r"\s*([0-9a-f]+):\t(?:(?:notrack|bnd|rep|repz) )*(\S+)\s*([0-9a-f]+)?(?: <|$)?", line)
    if m:
        code[int(m[1], 16)] = (m[2], int(m[3], 16) if m[3] else None)
        order.append(int(m[1], 16))
after = dict(zip(order, order[1:]))
checked = wrong = ranges = 0
threads, processes, kinds = set(), set(), set()
for line in open("stacks"):
    words = line.split()
    pid, tid = words[1].split("/")
    processes.add(pid)
    threads.add(tid)
    entries = [tuple(int(a, 16) for a in w.split("/")[:2]) for w in words if w.startswith("0x")]
    if not 1 <= len(entries) <= 127:
        sys.exit("a stack with %d entries" % len(entries))
    entries.reverse()  # oldest first
    for source, to in entries:
        if source not in code:
            continue
        name, target = code[source]
        checked += 1
        kinds.add(name)
        if not re.match(r"j|call|ret|bnd", name) or (target is not None and target != to):
            wrong += 1
            print("%x to %x is '%s %s'" % (source, to, name, target and "%x" % target))
    for (_, to), (source, _) in zip(entries, entries[1:]):
        if to not in code or source not in code:
            continue
        ranges += 1
        at = to
        while at != source:
            if at not in after or at > source or re.match(r"jmp|call|ret", code[at][0]):
                wrong += 1
                print("no straight way from %x to %x" % (to, source))
                break
            at = after[at]
print("%d branches, %d ranges, %d wrong, %s" % (checked, ranges, wrong, sorted(kinds)))
if wrong or checked < 5000 or ranges < 5000:
    sys.exit("too few or wrong")
if len(processes) != 2 or len(threads) != 3:
    sys.exit("processes %s, threads %s" % (processes, threads))
CHECK
# The thread is known by the program's name too, which perf takes over from the record of its start.
check_eq "names" "$(awk '{ print $1 }' stacks | sort -u)" work
