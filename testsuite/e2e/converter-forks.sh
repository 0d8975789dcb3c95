#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that forks, works in the child as well, and then executes another program, both at fixed addresses: what the child
# did before is the first program's.  Samples by program are those of perf script.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/perf-lib.sh"
cd "$T"

cat >first.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned v;
__attribute__((noinline)) void in_parent(void) { for (unsigned i = 0; i < 50000000; i++) v = v * 3 + i; }
__attribute__((noinline)) void in_child(void) { for (unsigned i = 0; i < 50000000; i++) v = v * 5 ^ i; }
int main(void)
{
	in_parent();
	if (fork() == 0) {
		in_child();
		execl("./second", "second", (char *)0);
		_exit(1);
	}
	wait(0);
	return 0;
}
END
cat >second.c <<'END'
static volatile unsigned v;
__attribute__((noinline)) void zero(void) { for (unsigned i = 0; i < 10000000; i++) v = v * 3 + i; }
__attribute__((noinline)) void other(void) { for (unsigned i = 0; i < 50000000; i++) v = v * 3 / (i + 1); }
int main(void)
{
	zero();
	other();
	return 0;
}
END
for name in first second; do
	"$CC" -O2 -g -no-pie -fno-unroll-loops $name.c -o $name
done
perf_clock p.data ./first
"$PATHFDO" convert --json -b first -b second p.data -o p.pfdo >p.json 2>said || fail "convert: $(cat said)"
! grep -q warning said || fail "$(cat said)"
"$PATHFDO" show --text p.pfdo >p.txt
for name in in_parent in_child zero other; do
	grep -q "^function $name " p.txt || fail "$name has no samples"
done

# What is not compiled here (_start, the way to fork) has no source to be mapped to.
perf script -i p.data -F ip,sym,dso 2>/dev/null | grep -E ' (in_parent|in_child|zero|other|main) ' >samples
python3 - <<'END' || fail "samples by program are not those of perf script"
import json, os
ours = {os.path.basename(b["path"]): b["mapped"] for b in json.load(open("p.json"))["binaries"]}
for name in ("first", "second"):
    perf = sum(line.rstrip().endswith("/" + name + ")") for line in open("samples"))
    print(name, ours[name], perf)
    assert ours[name] == perf > 50
END

# And of perf script's text, which has the forks if it is asked for them.
perf script --show-mmap-events --show-task-events -F pid,time,event,ip -i p.data >p.text 2>/dev/null
"$PATHFDO" convert -q -b first -b second p.text -o text.pfdo || fail "of text"
"$PATHFDO" show --text text.pfdo | grep -v '^from' >text.txt
check_eq "functions and counts of text" "$(grep -v '^from' p.txt | md5sum)" "$(md5sum <text.txt)"
