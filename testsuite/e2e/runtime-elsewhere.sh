#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What starts in a mount namespace or a root folder in which the recorder's library, or its folder, is not there runs as
# without the recorder, prints nothing but its own, and is told to be left out; what starts beside it is recorded.
set -eu
. "$(dirname "$0")/lib.sh"
unshare -rm true 2>/dev/null || skip "namespaces of a user's cannot be made here"
cd "$T"
cat >work.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 100000000; i++)
		sum += i & 3 ? i : 1;
	fprintf(stderr, "%s\n", argv[argc - 1]);
	return argc;
}
END
$CC -O1 -g work.c -o work
mkdir library folder root
cp "$B/libpathfdo-recorder.so" library
chmod 755 library folder
export PATHFDO_RECORDER=$T/library/libpathfdo-recorder.so TMPDIR=$T/folder
cat >enters.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	return argc != 3 || chroot(argv[1]) != 0 || chdir("/") != 0 || system(argv[2]) == -1;
}
END
$CC -O1 -g enters.c -o enters
# A root folder with a shell, a dynamic program, and what they need.
ldd work /bin/sh | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p' | while read -r file; do
	mkdir -p "root${file%/*}"
	cp "$file" "root$file"
done
mkdir -p root/bin
cp work root
cp /bin/sh root/bin

# left COUNT COMMAND...: it says and ends as without the recorder; so many programs are left out.
left() {
	local count=$1 plain=0 recorded=0
	shift
	rm -f data
	"$@" 2>said || plain=$?
	"$PATHFDO" record --source=soft -o data -- "$@" 2>printed || recorded=$?
	grep '^\(\[ \)*pathfdo record: ' printed >summary || true
	[ "$plain" != 0 ] || [ -s data ] || plain=1
	check_eq "status of '$*' ($(cat printed))" $recorded $plain
	grep -v '^\(\[ \)*pathfdo record: ' printed | cmp -s said - || fail "'$*' says $(cat printed), without the recorder $(cat said)"
	check_eq "programs of '$*' that are left out ($(cat summary))" \
		"$(sed -n 's/.*[^0-9]\([0-9][0-9]*\) process.*cannot be opened in the root.*/\1/p' summary)" "$count"
}
hides() { # FOLDER COMMAND
	echo "mount -t tmpfs none '$T/$1' && $2"
}
left 1 unshare -rm sh -c "$(hides folder ./work)"
left 2 unshare -rm sh -c "$(hides folder './work a; ./work b')"
left 1 unshare -rm sh -c "$(hides library 'exec ./work')"
left 1 unshare -rm sh -c "$(hides library 'exec sh -c "./work a; ./work b"')"
left 1 unshare -rm chroot root /work
left 1 unshare -rm sh -c "chroot root /work a; ./work b"
"$PATHFDO" convert -b work data -o p.pfdo 2>converted || fail "what ran beside it is not recorded: $(cat printed converted)"
left 1 unshare -rm ./enters root '/work a'
left "" unshare -rm sh -c './work; :'
if command -v bwrap >/dev/null && bwrap --bind / / true 2>/dev/null; then
	left 1 bwrap --bind / / --tmpfs "$T/folder" ./work
	left 1 bwrap --bind / / --tmpfs "$T/library" ./work
	left 1 bwrap --bind "$T/root" / /work
	left "" bwrap --bind / / ./work
fi
