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
script -qec "env -u PATHFDO_PAGER PAGER='$T/interrupted' TERM=xterm '$PATHFDO' show p.pfdo" /dev/null </dev/null >shown || got=$?
check_eq "status of what a pager outlived" $got 0
tr -d '\r' <shown | diff want - >diff || fail "what an interrupted pager shows: $(cat diff)"
