#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that have no file, or have it no longer, where they run: a copy in memory (memfd), the program itself by another name,
# one that is deleted or replaced while it runs.  Each is told as what it is, with its cure, by which it is converted.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >work.c <<'END'
int main(void)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 200000000; i++)
		sum += i & 3 ? i : 1;
	return 0;
}
END
cat >starts.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

static int as_memory(char *const list[])
{
	static char bytes[1 << 20];
	int from = open("work", O_RDONLY), to = memfd_create("copy", MFD_CLOEXEC);
	ssize_t size = read(from, bytes, sizeof bytes);

	return size > 0 && write(to, bytes, (size_t)size) == size ? fexecve(to, list, environ) : -1;
}

int main(int argc, char **argv)
{
	char *list[] = { "work", NULL };

	if (strcmp(argv[1], "memory") == 0)
		return as_memory(list);
	if (strcmp(argv[1], "self") == 0)
		return execl("/proc/self/exe", "other", "./moving", "deleted", NULL);
	if (fork() > 0)
		return execv(argc > 2 ? argv[1] : "./moving", list);
	usleep(50000);
	return strcmp(argv[argc - 1], "deleted") == 0 ? unlink("moving") : rename("newer", "moving");
}
END
$CC -O1 -g work.c -o work
sed 's/& 3/% 5/' work.c >newer.c
$CC -O1 -g starts.c -o starts

# told HOW RE: what convert says of a program that was started so, of which alone there are branches: a burst can meet another
# file that has debug information, such as libc, and then the little that is used of all is what is told.
told() {
	for _ in 1 2 3 4 5; do
		cp work moving
		$CC -O1 -g newer.c -o newer
		"$PATHFDO" record --source=soft -o data -- ./starts "$1" >said 2>&1 || fail "$1: $(cat said)"
		"$PATHFDO" convert data -o none.pfdo >said 2>&1 && fail "$1: it is converted without its file"
		grep -q '^pathfdo convert: only [0-9]* of the ' said || break
	done
	grep -qE "$2" said || fail "$1: $(cat said)"
	! grep -q 'code without a file' said || fail "$1: it is taken for code that was made: $(cat said)"
	# shellcheck disable=SC2086 # an option and its file
	"$PATHFDO" convert $3 data -o p.pfdo >said 2>&1 || fail "$1, $3: $(cat said)"
	grep -qE ' (9[0-9]|100)[.0-9]*% of all, 100.0% of it mapped' said || fail "$1, $3: $(cat said)"
}
told memory '/memfd:copy \(deleted\): ran from memory \(memfd\).*with -b FILE' "-b work"
"$PATHFDO" convert -b /memfd:copy=work data -o p.pfdo >said 2>&1 || fail "by its name: $(cat said)"
told self "$T/moving: was recorded, but is not on this machine" "-b $T/moving=work"
told deleted "$T/moving: was recorded, but is not on this machine" "-b $T/moving=work"
told replaced "$T/moving: build-id is .* was recorded with build-id" "-b $T/moving=work"
