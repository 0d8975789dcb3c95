#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A recording that cannot be put in its place is not lost.  What can be known before is said before the program runs; what
# goes wrong while it runs leaves a whole recording by another name, or the recorder's folder, and both are named.
set -eu
. "$(dirname "$0")/lib.sh"
fake agent
mkdir "$T/spare" "$T/here"
export PATHFDO_RECORDER=$T/agent.so TMPDIR=$T/spare
cd "$T/here"

# What the file systems of a test cannot be made to do: files without a name, new ones and writes fail, each where the
# variable says.
cat >"$T/broken.c" <<'SOURCE'
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static int fails(const char *what, const char *path, int error)
{
	const char *where = getenv(what);
	int bad = where && strstr(path, where) != NULL;
	if (bad)
		errno = error;
	return bad;
}
int open(const char *path, int flags, ...)
{
	va_list more;
	va_start(more, flags);
	return (flags & O_TMPFILE) == O_TMPFILE && fails("NO_TMPFILE", path, EOPNOTSUPP)
		   ? -1
		   : (int)syscall(SYS_open, path, flags, va_arg(more, int));
}
int mkostemp(char *name, int flags)
{
	return fails("NO_FILE", name, EROFS) ? -1 : mkostemps(name, 0, flags);
}
ssize_t write(int fd, const void *bytes, size_t size)
{
	char link[64], path[4096] = "";
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof path - 1) > 0 && fails("NO_WRITE", path, ENOSPC))
		return -1;
	return syscall(SYS_write, fd, bytes, size);
}
SOURCE
$CC -D_GNU_SOURCE -w -shared -fPIC -o "$T/broken.so" "$T/broken.c"

# records WANT ARGUMENT...: the exit status; what is said is in said.
records() {
	local want=$1 got=0
	rm -f ran
	LD_PRELOAD=$T/broken.so "$PATHFDO" record "${@:2}" 2>said || got=$?
	check_eq "status of 'record ${*:2}', which says '$(cat said)'" "$got" "$want"
}

# told RE: it was said, before the program ran.
told() {
	grep -qE -e "$1" said || fail "'$(cat said)' has no /$1/"
	[ ! -e ran ] || fail "the program ran, and then: $(cat said)"
	check_eq "what is left of a recording that did not begin" "$(find "$TMPDIR" . -name '*pathfdo*')" ""
}

# saved RE REASON: a whole recording is kept by a name like that, and why.
saved() {
	local name
	name=$(sed -n 's/^pathfdo record: the recording is whole, and is kept as \(.*\); move it .*/\1/p' said)
	[[ $name =~ ^$1$ ]] || fail "'$(cat said)' names no file like $1"
	grep -qE "^pathfdo record: (.*: )?$2\$" said || fail "'$(cat said)' does not say why: $2"
	# The header is written last.
	check_eq "the first bytes of $name" "$(head -c 8 "$name")" PERFILE2
	[ "${more-}" ] || "$B/tools/bursts" "$name" | grep -q . || fail "$name holds no bursts"
	rm "$name"
}

script='touch ran; true'
# Before: the other name is a folder, the name is one, the other name is too long.
echo precious >perf.data
mkdir -p perf.data.old/x
records 1 --source=soft sh -c "$script"
told '^pathfdo record: perf.data.old: is a folder, and the file perf.data would be kept by this name; .*give another name$'
records 1 --source=clock sh -c "$script"
told '^pathfdo record: perf.data.old: is a folder'
records 1 --source=soft --all sh -c "$script"
told '^pathfdo record: perf.data.old: is a folder'
records 1 --source=soft -o perf.data.old sh -c "$script"
told '^pathfdo record: perf.data.old: is a folder; name a file$'
long=$(printf '%0253d' 0)
echo precious >"$long"
records 1 --source=soft -o "$long" sh -c "$script"
told 'cannot be kept as 0*.old: File name too long; give another name$'
rmdir perf.data.old/x perf.data.old
records 0 -q --source=soft sh -c "$script"
check_eq "the file that was there" "$(cat perf.data.old)" precious

# Meanwhile: the other name becomes a folder, the folder goes.
# Where the file system has files without a name, and where it has not.
for kind in none: none:--raw none:--all : :--raw; do
	more=${kind#*:}
	export NO_TMPFILE=${kind%:*} PATHFDO_RECORDER=$T/agent.so
	[ "$more" != --all ] || PATHFDO_RECORDER=$B/libpathfdo-recorder.so
	rm -rf busy.data*
	echo precious >busy.data
	# shellcheck disable=SC2086 # an option or none
	records 1 --source=soft $more -o busy.data sh -c 'mkdir -p busy.data.old/x'
	saved '\.pathfdo\..*' 'cannot be renamed to busy.data.old, to be kept: (Is a directory|Directory not empty)'
	check_eq "the file that was there" "$(cat busy.data)" precious
	mkdir gone
	# shellcheck disable=SC2086
	records 1 --source=soft $more -o gone/a.data sh -c 'rm -r gone'
	saved "$T/spare/a\.data\..*" 'gone/a.data: cannot write: No such file or directory'
	check_eq "what is left in $TMPDIR" "$(ls "$TMPDIR")" ""
done
unset NO_TMPFILE
more=
PATHFDO_RECORDER=$T/agent.so
# The program's own status comes first, and who may read what others' folders hold is the user.
mkdir gone
records 7 --source=soft -o gone/a.data sh -c 'rm -r gone; exit 7'
check_eq "mode of a recording in another folder" "$(stat -c %a "$TMPDIR"/a.data.*)" 600
saved "$T/spare/a\.data\..*" 'cannot write: No such file or directory'
mkdir gone
records 139 --source=soft -o gone/a.data sh -c 'rm -r gone; kill -SEGV $$'
grep -q 'signal 11 .*the recording is kept' said || fail "it is kept: $(cat said)"
saved "$T/spare/a\.data\..*" 'cannot write: No such file or directory'

# A disk that becomes full: what is written goes on elsewhere, and where that is none either, in the next place.
mkdir full
NO_WRITE=/here/full/ records 1 --source=soft -o full/a.data sh -c "$script"
saved "$T/spare/a\.data\..*" 'full/a.data: cannot write: No space left on device'
NO_WRITE=/here/full/ NO_FILE=/spare/a.data records 1 --source=soft -o full/a.data sh -c "$script"
saved "/tmp/a\.data\..*" 'cannot write: No space left on device'
check_eq "what is left on the full disk" "$(ls -A full)" ""
if samples_by_clock; then
	NO_WRITE=/here/full/ records 1 -q --source=clock -F 10000 -o full/a.data sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
	name=$(sed -n 's/.*and is kept as \(.*\); move it .*/\1/p' said)
	"$PATHFDO" convert -b "$(readlink -f "$(command -v sh)")" "$name" -o /dev/null 2>convert.said >&2 || true
	grep -q 'read [0-9]* plain samples' convert.said || fail "a recording by clock is damaged: $(cat said convert.said)"
	rm "$name"
else
	echo "no samples by clock here: that part is left out"
fi

# Nowhere: every place is named, and the recorder's folder stays, also for a later recorder.
mkdir gone
NO_FILE=/a.data. records 1 --source=soft -o gone/a.data sh -c 'rm -r gone'
grep -qE "gone/a.data: cannot write: No such .*; nor can it be saved: $T/spare: Read-only file system, /tmp: Read-only .*, \.: Read-only" \
	said || fail "not all places are named: $(cat said)"
folder=$(sed -n 's/.*what was recorded is kept in \(.*\); `pathfdo record --collect=\(.*\) -o FILE` writes.*/\1/p' said)
[[ $folder == "$T"/spare/pathfdo-kept.* ]] || fail "the folder is not kept: $(cat said)"
touch -d '1 hour ago' "$folder"
records 0 -q --source=soft sh -c "$script"
records 0 -q --collect="$folder" -o collected.data
"$B/tools/bursts" collected.data | grep -q . || fail "the folder that was kept holds no recording"
NO_WRITE=/here/full/ NO_FILE=/a.data. records 1 --collect="$folder" -o full/a.data
[ -d "$folder" ] || fail "a collection that fails takes the folder with it"
rm -r "$folder"
# A whole run is counted beside the program: nothing of it is in the folder.
mkdir gone
PATHFDO_RECORDER=$B/libpathfdo-recorder.so NO_FILE=/a.data. records 1 --source=soft --all -o gone/a.data sh -c 'rm -r gone'
grep -q 'nor can it be saved' said && ! grep -q 'is kept' said || fail "a whole run cannot be kept: $(cat said)"
# What goes well leaves nothing.
check_eq "what is left in $TMPDIR" "$(ls -A "$TMPDIR")" ""
check_eq "what is left beside" "$(ls -A full)" ""

# Real ones, where they can be made.
if mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
	trap 'umount "$T/here/small"; rm -rf "$T"' EXIT
	records 1 --source=soft -o small/a.data sh -c 'cat /dev/zero >small/fill 2>/dev/null'
	saved "$T/spare/a\.data\..*" 'small/a.data: cannot write: No space left on device'
	rm small/fill
	mount -o remount,ro small
	records 1 --source=soft -o small/a.data sh -c "$script"
	told 'small/a.data: cannot create a file there: Read-only file system$'
	umount small
	trap 'rm -rf "$T"' EXIT
else
	echo "nothing can be mounted here: real disks are left out"
fi
# A folder that is closed meanwhile, which root does not mind.
nobody=
if [ "$(id -u)" = 0 ]; then
	! command -v setpriv >/dev/null || nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
	chmod 755 "$T" . "$T/agent.so" && chmod 777 "$T/spare" && cp "$PATHFDO" "$T/pathfdo" && PATHFDO=$T/pathfdo
fi
if [ "$(id -u)" != 0 ] || [ "$nobody" ]; then
	mkdir -m 777 open && $nobody mkdir open/shut
	got=0
	$nobody "$PATHFDO" record --source=soft -o open/shut/a.data sh -c 'chmod 555 open/shut' 2>said || got=$?
	check_eq "status of a recording to a folder that is closed meanwhile: $(cat said)" $got 1
	chmod 755 open/shut
	saved "(open/shut/\.pathfdo|$T/spare/a\.data)\..*" 'open/shut/a.data: cannot write: Permission denied'
	chmod 555 open/shut
	$nobody "$PATHFDO" record --source=soft -o open/shut/a.data sh -c 'touch open/ran' 2>said && fail "written to a closed folder"
	told '^pathfdo record: open/shut/a.data: cannot create a file there: Permission denied$'
else
	echo "there is no setpriv: closed folders are left out"
fi
if [ "$nobody" ]; then
	mkdir -m 1777 sticky
	echo precious >sticky/a.data
	$nobody "$PATHFDO" record --source=soft -o sticky/a.data sh -c 'touch open/ran' 2>said && fail "another's file was replaced"
	told "^pathfdo record: sticky/a.data: is another user's, .*; give another name\$"
	$nobody touch sticky/b.data && echo precious >sticky/b.data.old
	$nobody "$PATHFDO" record --source=soft -o sticky/b.data sh -c 'touch open/ran' 2>said && fail "another's file was replaced"
	told "^pathfdo record: sticky/b.data.old: is another user's"
	check_eq "what is left there" "$(ls -A sticky | tr '\n' ' ')" "a.data b.data b.data.old "
	records 0 -q --source=soft -o sticky/b.data sh -c true
else
	echo "only root can be two users: files of others are left out"
fi
[ ! -e open/ran ] || fail "the program ran where nothing could be recorded"
