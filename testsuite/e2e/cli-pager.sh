#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# On a terminal, what is shown goes through the pager that was asked for, and arrives also where there is none.  An interrupt
# is the pager's.
set -eu
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || skip "script (util-linux) is not installed"
cd "$T"
printf 'pathfdo-profile 1\nunit executions\nfunction f a.c:1 head 4\n  1 count 4\n' >p.txt
"$PATHFDO" show --from-text p.txt -o p.pfdo
"$PATHFDO" show p.pfdo >want

# A PATH without less, and one with a less that says that it is one.
mkdir bare full
for tool in sh cat; do ln -s "$(command -v $tool)" bare/ && ln -s "$(command -v $tool)" full/; done
printf '#!/bin/sh\necho "by less"\nexec cat\n' >full/less
chmod +x full/less

# shown WANTED VARIABLE=VALUE...: what a terminal shows.
shown() {
	local wanted=$1
	shift
	script -qec "env -u PATHFDO_PAGER -u PAGER -u TERM $* '$PATHFDO' show p.pfdo" /dev/null </dev/null | tr -d '\r' |
		grep -v 'absent-pager.*not found' >got
	diff <(printf %s "$wanted" && cat want) got >diff || fail "with $*: $(cat diff)"
}
shown "" PATH="$T/bare" TERM=xterm
shown "by less
" PATH="$T/full" TERM=xterm
shown "" PATH="$T/full"
shown "" PATH="$T/full" TERM=dumb
shown "by less
" PATH="$T/full" TERM=dumb PAGER=less
shown "" PATH="$T/full" PAGER=
shown "" PATH="$T/full" PAGER=less PATHFDO_PAGER=cat
shown "" PATH="$T/full" PATHFDO_PAGER=absent-pager

# What a terminal does at Ctrl-C: all of the foreground gets the signal, and a pager goes on.
printf '#!/bin/sh\ntrap "" INT\nsleep 0.5\nkill -INT 0\nsleep 0.5\nexec cat\n' >interrupted
chmod +x interrupted
got=0
script -qec "exec env -u PATHFDO_PAGER PAGER='$T/interrupted' TERM=xterm '$PATHFDO' show p.pfdo" /dev/null </dev/null >shown || got=$?
check_eq "status of what a pager outlived" $got 0
tr -d '\r' <shown | diff want - >diff || fail "what an interrupted pager shows: $(cat diff)"

# Who quits the pager has the prompt again: of the thousands of instances of a template that are left, none is looked up.
awk 'BEGIN {
	print "pathfdo-profile 1\nunit executions"
	for (i = 0; i < 30000; i++) {
		printf "function f%d f%d.cc:1 head 1\n  0 count 1\n", i, i % 3000
		for (k = 1; k <= 10; k++) {
			type = sprintf("T%05d", (i + k) % 5000)
			printf "  inline _ZNSt6vectorI6%sSaIS0_EE9push_backERKS0_ vector.h:10 at %d\n    1 count 1\n", type, k
		}
	}
}' | "$PATHFDO" show --from-text - -o large.pfdo
printf '#!/bin/sh\nexec head -n 2\n' >quit
chmod +x quit
got=0
script -qec "env -u PATHFDO_PAGER PAGER='$T/quit' TERM=xterm timeout 60 '$PATHFDO' annotate large.pfdo push_back" /dev/null </dev/null \
	>shown || got=$?
check_eq "status after the pager was quit" $got 0
check_eq "what it shows" "$(grep -c 'push_back' shown)" 1
