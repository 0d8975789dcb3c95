#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files that are written are whole or absent, whatever ends the process, and leave nothing beside them; they have the mode
# of the umask, and names as long as names can be.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
mkdir out

printf 'pathfdo-profile 1\nunit executions\nfunction f a.c:1 head 4\n  1 count 4\n' >p.txt
"$PATHFDO" show --from-text p.txt -o p.pfdo
"$PATHFDO" export --format=llvm p.pfdo -o p.llvm

# Without a file system's files without names, or without links to them; and ended before a file gets its name.
cat >fake.c <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, int) : 0;
	va_end(arguments);
	if (getenv("FAKE_NAMED") && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return real(path, flags, mode);
}
int linkat(int from, const char *path, int to, const char *name, int flags)
{
	int (*real)(int, const char *, int, const char *, int) =
	    (int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat");

	if (getenv("FAKE_DEATH"))
		raise(SIGKILL);
	if (getenv("FAKE_LINKLESS")) {
		errno = EPERM;
		return -1;
	}
	return real(from, path, to, name, flags);
}
END
"$CC" -shared -fPIC -D_GNU_SOURCE -o fake.so fake.c -ldl
export LD_PRELOAD=$T/fake.so

(exec 9>out/x && [ -e /proc/self/fd/9 ]) || fail "there is no /proc"
python3 -c 'import os; os.open("out", os.O_TMPFILE | os.O_WRONLY)' 2>said && unnamed=1 || unnamed=0
rm -f out/x
long=$(printf '%255s' '' | tr ' ' n)
for lack in '' FAKE_LINKLESS FAKE_NAMED; do
	[ -z "$lack" ] || export $lack=1
	for mask in 022 027 077; do
		(umask $mask && "$PATHFDO" export --format=llvm p.pfdo -o out/x)
		check_eq "mode with umask $mask" "$(stat -c %a out/x)" "$(printf %o $((0666 & ~mask)))"
		cmp out/x p.llvm || fail "another content"
	done
	"$PATHFDO" export --format=llvm p.pfdo -o out/$long || fail "a name of 255 letters"
	cmp out/$long p.llvm || fail "another content with a long name"
	(cd out && "$PATHFDO" export --format=llvm ../p.pfdo -o y && cmp y ../p.llvm) || fail "in the folder itself"
	check_eq "what is there" "$(ls -A out | tr '\n' ' ')" "$long x y "
	rm out/*
	refused 1 "n: cannot (create|write).*File name too long" export --format=llvm p.pfdo -o out/${long}n
	check_eq "what is left" "$(ls -A out)" ""
done
unset FAKE_LINKLESS FAKE_NAMED
if [ $unnamed = 1 ]; then
	got=0
	FAKE_DEATH=1 "$PATHFDO" export --format=llvm p.pfdo -o out/x 2>said || got=$?
	check_eq "status of a killed process" $got 137
	check_eq "what a killed process leaves" "$(ls -A out)" ""
fi
unset LD_PRELOAD

# A link to a file stays one, and the file is written.
mkdir far
touch far/x
ln -s far/link link
ln -s ../far/x far/link
ln -s "$T/far/x" absolute
ln -s round around && ln -s around round
for name in link absolute; do
	echo before >far/x
	"$PATHFDO" export --format=llvm p.pfdo -o $name || fail "by a link: $?"
	cmp far/x p.llvm || fail "another content behind $name"
done
check_eq "the links" "$(readlink link far/link absolute | tr '\n' ' ')" "far/link ../far/x $T/far/x "
refused 1 "round: cannot create .*symbolic links" export --format=llvm p.pfdo -o round
check_eq "what is left" "$(ls -A far | tr '\n' ' ')" "link x "
# One that leads nowhere yet has the file made there.
rm far/x
for name in link absolute; do
	"$PATHFDO" export --format=llvm p.pfdo -o $name || fail "by a link to nothing: $?"
	cmp far/x p.llvm && rm far/x || fail "nothing behind $name"
done
check_eq "the links to nothing" "$(readlink link far/link absolute | tr '\n' ' ')" "far/link ../far/x $T/far/x "
# What is mounted by the name itself cannot be replaced, and is told before anything is done.
echo before >far/x
if unshare -rm mount --bind far/x far/x 2>said; then
	unshare -rm sh -c 'mount --bind far/x far/x && exec "$@"' sh "$PATHFDO" export --format=llvm p.pfdo -o far/x 2>said &&
		fail "what is mounted is replaced"
	grep -q '^pathfdo export: far/x: cannot be replaced: .*busy; give another name' said || fail "a mount: $(cat said)"
	check_eq "what is mounted" "$(cat far/x)" before
fi
rm -r far link absolute around round

# Several at once: the last one's file, whole.
for i in 1 2 3 4 5 6 7 8; do "$PATHFDO" export --format=llvm p.pfdo -o out/x & done
wait
cmp out/x p.llvm || fail "of several at once"
check_eq "what several leave" "$(ls -A out)" x

# Standard output that is closed; and an input by the name of standard input.
got=0
"$PATHFDO" export --format=llvm p.pfdo -o - >&- 2>said || got=$?
check_eq "closed standard output: status, and '$(cat said)'" "$got $(grep -c 'standard output: is closed' said)" "1 1"
refused 1 'p.txt: is the input' show --from-text - -o p.txt <p.txt

# Where there is no /proc, as in a bare chroot: a link to standard output stays one, and files are written.
ln -s /proc/self/fd/1 link
bare() { unshare --map-root-user --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"; }
if bare true 2>said; then
	bare "$PATHFDO" export --format=llvm p.pfdo -o link | cmp - p.llvm || fail "without /proc: another content"
	check_eq "the link" "$(readlink link)" /proc/self/fd/1
	bare "$PATHFDO" export --format=llvm p.pfdo -o out/y
	cmp out/y p.llvm || fail "without /proc: another content of a file"
	check_eq "what is there" "$(ls -A out | tr '\n' ' ')" "x y "
fi
