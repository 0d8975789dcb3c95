#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# doc/services.md as far as one machine can: its units pass systemd's checker; the command of the unit, with the rights that
# the unit gives, records a process of another user; processes in other mount and process namespaces are recorded
# from the host and from a container beside them, and named by their build-id.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can make namespaces and act for other users"
command -v setpriv >/dev/null && unshare --pid --mount --fork true 2>/dev/null || skip "no namespaces can be made here"
cd "$T"
RECORD=$B/pathfdo-record

# section TITLE: the indented lines of a section of the page.
section() {
	awk -v title="## $1" '/^## / { inside = $0 == title } inside && (sub(/^    /, "") || $0 == "")' "$TOP/doc/services.md"
}

mkdir units
section "systemd: one recorder for each service" | sed '/./,$!d' >units/pathfdo-record@.service
mkdir units/nginx.service.d
section "systemd: with the service" >units/nginx.service.d/pathfdo.conf
printf '[Service]\nExecStart=/bin/true\n' >units/nginx.service
mkdir units/other.service.d
section "systemd: from the start of the service" >units/other.service.d/pathfdo.conf
cp units/nginx.service units/other.service
grep -q ^ExecStart=/usr/bin/pathfdo-record units/pathfdo-record@.service || fail "the unit is not in doc/services.md"
if command -v systemd-analyze >/dev/null; then
	sed -i "s|/usr/bin/pathfdo-record|$RECORD|; s|/usr/sbin/nginx|/bin/true|" units/*.service units/*/*.conf
	cp units/pathfdo-record@.service units/pathfdo-record@nginx.service
	for unit in pathfdo-record@nginx nginx other; do
		SYSTEMD_UNIT_PATH=$PWD/units: systemd-analyze verify --man=no "$unit.service" >verify 2>&1 ||
			fail "$unit: $(cat verify)"
		! grep -F "$PWD" verify || fail "$unit: systemd-analyze says $(grep -F "$PWD" verify)"
	done
	sed 's|^ExecStart=|ExecStart=/no/such/file |' units/nginx.service >units/wrong.service
	! SYSTEMD_UNIT_PATH=$PWD/units: systemd-analyze verify --man=no wrong.service 2>/dev/null || fail "the checker finds nothing"
else
	echo "without systemd-analyze, which is not installed"
fi

cat >served.c <<'SOURCE'
#include <unistd.h>
static volatile unsigned value = 1;
__attribute__((noipa)) unsigned heat(unsigned x)
{
	for (int i = 0; i < 1000; i++)
		x = x & 1 ? x * 3 + 1 : x >> 1 | x << 31;
	return x;
}
int main(void)
{
	for (alarm(300);;)
		value = heat(value);
}
SOURCE
$CC -O2 -g -o served served.c
chmod 755 served
id=$(readelf -n served | sed -n 's/.*Build ID: *\([0-9a-f]\{12\}\).*/\1/p')

# hot RECORDING: it is of served, and heat is its hottest function.
hot() {
	"$PATHFDO" convert -b "${2:-./served}" "$1" -o hot.pfdo 2>said || fail "$1: $(cat said)"
	check_eq "the hottest function of $1" "$("$PATHFDO" show --text hot.pfdo | awk '/^function/ {
		sum = $0
		sub(/.* total /, "", sum)
		if (sum + 0 > most) { most = sum + 0; name = $2 }
	} END { print name }')" heat
}

# attached WHAT COMMAND...: records; on a busy machine a second may pass in which the process has none of it.
attached() {
	local what=$1 try
	shift
	for try in $(seq 20); do
		! "$@" 2>said || return 0
		grep -q 'nothing was recorded' said || fail "$what: $(cat said)"
	done
	fail "$what, after $try times: $(cat said)"
}

# Before that it removes what earlier starts have left, and nothing else.
mkdir past
touch -d '8 days ago' past/app-1.data past/app.pfdo
touch -d '6 days ago' past/app-2.data
(cd past && set -f && $(sed -n "s|^ExecStartPre=||p" ../units/pathfdo-record@.service | sed "s|/var/lib/pathfdo|.|"))
check_eq "what a start leaves of the past" "$(ls past | tr '\n' ' ')" "app-2.data app.pfdo "

# The unit's command, with its capabilities, on a process of another user.
setpriv --reuid=65534 --regid=65534 --clear-groups ./served &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$T"' EXIT
once 10 grep -q '^Uid:.65534' /proc/$server/status || fail "it does not start"
caps=$(sed -n 's/^CapabilityBoundingSet=//p' units/pathfdo-record@.service | sed 's/CAP_/,+/g; s/ //g' | tr '[:upper:]' '[:lower:]')
command=$(sed -n "s|^ExecStart=[^ ]* ||p" units/pathfdo-record@.service |
	sed "s|--cgroup=[^ ]*|-p $server|; s|--every=[0-9]* --for=[0-9]*|--every=2 --for=1 --duration=3|; s|/var/lib/pathfdo|$T/state|; s|%%|%|g")
mkdir state
# shellcheck disable=SC2086 # options are words
attached "the unit's command" setpriv --bounding-set="-all$caps" --inh-caps=-all --no-new-privs "$RECORD" $command --source=soft \
	-F 250 --max-overhead=50
check_within "recordings of the unit" "$(ls "state/served-$id-$(hostname)"-*.data | wc -l)" 1 60
hot "$(ls state/*.data | head -n 1)"
# Without CAP_DAC_OVERRIDE it is told what is missing.
if setpriv --bounding-set=-all,+sys_ptrace --inh-caps=-all "$RECORD" --source=soft -p $server --duration=1 -o none.data 2>said; then
	fail "memory of another user's process without the right to it"
fi
grep -q 'CAP_SYS_PTRACE and CAP_DAC_OVERRIDE' said || fail "a missing capability: $(cat said)"
kill $server

# A container: namespaces of its own, and a root in which neither the recorder nor this folder is.
mkdir root
cat >container <<'SCRIPT'
mount -t tmpfs tmpfs root
mkdir -p root/usr root/proc root/srv root/tmp
mount --bind /usr root/usr
for folder in bin lib lib64; do
	if [ -L "/$folder" ]; then
		cp -P "/$folder" root/
	else
		mkdir "root/$folder" && mount --bind "/$folder" "root/$folder"
	fi
done
cp served root/srv/app
mount -t proc proc root/proc
cd root
pivot_root . .
umount -l .
exec /srv/app
SCRIPT
unshare --pid --mount --net --ipc --uts --fork --kill-child sh -eu container &
outer=$!
# It waits out a SIGTERM, and kills what is in it when it dies.
trap 'kill -KILL $outer 2>/dev/null; rm -rf "$T"' EXIT
inner() {
	server=$(ps -o pid= -C app --ppid $outer 2>/dev/null | tail -n 1) &&
		server=$(pgrep -P $outer | head -n 1) && [ "$(cat "/proc/$server/comm")" = app ]
}
once 10 inner || fail "the container does not start"
attached "from the host" "$RECORD" --source=soft -F 250 --max-overhead=50 -p "$server" --duration=1 -o '%e-%b.data'
[ -e "app-$id.data" ] || fail "the recording's name: $(echo *.data)"
hot "app-$id.data" /srv/app=./served
if samples_by_clock; then
	attached "by the clock" "$RECORD" --source=clock -p "$server" --duration=1 -o clock.data
	check_eq "the build-id in a recording by the clock" "$(perf buildid-list -i clock.data |
		sed -n 's|^\([0-9a-f]\{12\}\).* /srv/app$|\1|p')" "$id"
	hot clock.data /srv/app=./served
fi

# Beside it: the same process numbers, another root; the name is found, and the recording is outside of both.
attached "from beside" nsenter --target "$server" --pid unshare --mount --fork sh -euc '
	mount -t proc proc /proc
	"$0" --source=soft -F 250 --max-overhead=50 --name=app --duration=1 -o beside.data' "$RECORD"
hot beside.data /srv/app=./served
