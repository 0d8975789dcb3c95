#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whatever opens a file refuses one that has no end or never begins, by name, and writes nothing.
# timeout: 600
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"

"$CC" -O1 -g -w "$TOP/testsuite/programs/paths-figure.c" -o prog
"$PATHFDO" record --source=soft -F 250 --max-overhead=50 -o prog.data -- ./prog 80000 >out 2>said ||
	unrecorded "said"
"$PATHFDO" convert -q -b prog prog.data -o p.pfdo
mkfifo fifo
mkdir folder

cat >socket.c <<'END'
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
int main(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "socket" };
	return bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof at);
}
END
"$CC" -o makes-socket socket.c && ./makes-socket

kind='is a (device|directory|pipe that nobody writes|socket)|no(t a)? regular file|No such device|no file that can be read'
for file in /dev/zero /dev/random fifo folder socket; do
	while read -r command; do
		# shellcheck disable=SC2086 # arguments are words
		refused 1 "$kind" ${command//FILE/$file}
	done <<-END
		show FILE
		show --from-text FILE -o none.pfdo
		show --html=none.pfdo --report FILE p.pfdo
		values FILE
		export --format=llvm FILE -o none.pfdo
		diff p.pfdo FILE
		diff FILE p.pfdo
		annotate FILE main
		report FILE
		context FILE
		merge FILE -o none.pfdo
		merge --files-from=FILE -o none.pfdo
		convert FILE -o none.pfdo
		convert prog.data -b FILE -o none.pfdo
		coverage -b prog FILE
		coverage -b FILE prog.data
		coverage -b prog --against=FILE prog.data
		paths -b prog FILE
		paths -b prog --exact FILE
		paths -b prog --against=FILE prog.data
		hotspots FILE
		engine -p branch_edges FILE
		engine -p branch_edges --trace=FILE
		engine -p FILE prog.data
		compare --report FILE
		cflags --cc=$CC --plugin=FILE p.pfdo
	END
done

# A profile that names such a file as its source.
for file in /dev/zero fifo folder; do
	printf 'pathfdo-profile 1\nunit executions\nfunction f "%s":1 head 4\n  1 count 4\n' $file >odd.txt
	"$PATHFDO" show --from-text odd.txt -o odd.pfdo
	"$PATHFDO" annotate odd.pfdo f >said 2>&1 || fail "annotate ends with $?: $(cat said)"
	"$PATHFDO" show --html=odd.html odd.pfdo || fail "a page ends with $?"
done

# What is piped in is read no further than it takes to see that it is no profile.
(cat /dev/zero || true) 2>/dev/null | refused 1 'standard input: is not a pathfdo profile' show -
# Nor is what begins as a profile does, and says that it has 2^62 bytes.
{
	head -c 16 p.pfdo
	printf '\0\0\0\0\0\0\0\100'
	cat /dev/zero || true
} 2>/dev/null | refused 1 'standard input: says that it is larger than 1 GiB' show -
# A pipe with a writer is read: one that has more to write than a pipe holds still writes when the pipe is opened.
awk 'BEGIN { print "pathfdo-profile 1\nunit executions"
	for (i = 0; i < 5000; i++) print "function f" i " a.c:" i + 1 " head 1\n  1 count 1" }' >large.txt
"$PATHFDO" show --from-text large.txt -o large.pfdo
[ "$(stat -c %s large.pfdo)" -gt 65536 ] || fail "the profile is too small for this"
(
	exec 9<>fifo
	: >ready
	cat large.pfdo >&9
) &
until [ -e ready ]; do sleep 0.1; done
"$PATHFDO" show --text fifo >got || fail "a pipe with a writer: $?"
"$PATHFDO" show --text large.pfdo | cmp - got || fail "another profile by a pipe"
wait
