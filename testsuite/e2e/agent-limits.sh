#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recorder at its limits: of more vectors than there is room for a sample is kept; a full disk, a file-size limit
# (which does not matter to it), a directory that is not there, little address space, a system-call filter, a program without LD_PRELOAD in its
# environment, or that makes that shorter: the program runs as if nothing was.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$TOP"
. testsuite/e2e/agent-lib.sh

build_program vectors
build_program filter
plain vectors "$T/vectors"
plain filter "$T/filter"

# Room for 48 chunks of one burst each: more were recorded, in a second or two of work, and at most 47 are kept.
build_program sort
plain sort "$T/sort" 150
LIMIT=16384 recorded sort "$SO" 2000 1024 1000000 "$T/sort" 150
check_within "bursts" "$(bursts sort)" 48 100000
for kept in $(sed -n 's/.*(kept \([0-9]*\),.*/\1/p' "$T/sort.dump"); do
	check_within "bursts that are kept" "$kept" 20 47
done

run() { # FOLDER PREPARATION [PROGRAM ARGUMENT...]: in a shell of its own
	local name=${3:-vectors} arguments=("${@:4}")
	(eval "$2"; PATHFDO_DIR=$1 LD_PRELOAD=$SO exec "$T/$name" "${arguments[@]}") >"$T/out" 2>"$T/err" || fail "$name, $2: exit status $?"
	cmp "$T/out" "$T/$name.ref" || fail "$name, $2: another output"
	cmp "$T/err" "$T/$name.referr" || fail "$name, $2: a message"
}
mkdir "$T/d"
"$B/tools/control" -F 2000 -p 1000000 "$T/d"
run "$T/none" true
run "" true
run "$T/d" "ulimit -f 1000"
run "$T/d" "ulimit -v 2000000"
"$B/tools/wiredump" "$T/d" >"$T/dump" || fail "$(cat "$T/dump")"
check_within "bursts under a limit of file sizes" "$(awk '/^total/ { print $3 }' "$T/dump")" 1 100000
check_eq "refused for want of addresses" "$(sed -n 's/.*; refusals //p' "$T/dump" | tr ' ' '\n' | awk '{ n += $1 } END { print n }')" 1

# Without randomisation a library lies right below the stack, where translated code must find a place, too: qsort is the C
# library's own, so all but a few branches are there.
cat >"$T/sorts.c" <<'END'
#include <stdlib.h>
static int order(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}
int main(void)
{
	static int n[4096];
	for (int turn = 0; turn < 1200; turn++) {
		for (int i = 0; i < 4096; i++)
			n[i] = i * 7919 % 4093;
		qsort(n, 4096, sizeof *n, order);
	}
	return 0;
}
END
$CC -O1 -o "$T/sorts" "$T/sorts.c"
if setarch -R true 2>/dev/null; then
	setarch -R "$PATHFDO" record -q --source=soft -F 2000 --max-overhead=50 -o "$T/sorts.data" -- "$T/sorts" || fail "no recording without randomisation"
	"$PATHFDO" engine -p branch_edges --json "$T/sorts.data" >"$T/sorts.json"
	python3 - "$T/sorts.json" <<'END' || fail "the C library is not followed without randomisation"
import json, sys
rows = json.load(open(sys.argv[1]))["engine"][0]["arrays"]["branches"]
count = lambda name: sum(r["executed"] for r in rows if name in r["pc"]["file"].rsplit("/", 1)[-1])
assert count("libc.") > 1000 and count("libc.") > count("sorts"), (count("libc."), count("sorts"))
END
fi

# The disk becomes full when the recorder writes its vectors.
if mount -t tmpfs -o size=200k none "$T/d" 2>/dev/null; then
	"$B/tools/control" -F 2000 -p 1000000 -n 60000 "$T/d"
	run "$T/d" true
	umount "$T/d"
	echo "full disk: same output"
fi
# It has been full since before the process began: to who writes by memory it is a file that ends behind the control
# page, or behind the first two pages of a section.  One of the programs announces a filter, for which all is made ready
# at once.
for end in 4096:vectors 12288:vectors 12288:filter; do
	rm "$T/d/recording"
	"$B/tools/control" -F 2000 -p 1000000 "$T/d"
	truncate -s "${end%:*}" "$T/d/recording"
	run "$T/d" ": ${end%:*} bytes" "${end#*:}"
done

# Somebody cuts the file while the program runs.
rm "$T/d/recording"
"$B/tools/control" -F 250 -p 500000 "$T/d"
plain sort "$T/sort" 600
run "$T/d" '{ sleep 1; truncate -s 0 "$T/d/recording"; } &' sort 600

# A file system that gives a page that was written out a new place when it is written to again: full, it refuses what was
# there already, by a signal, to who runs, to who begins, and to who ends.
if command -v mkfs.btrfs >/dev/null && truncate -s 200M "$T/image" && mkfs.btrfs -q -f "$T/image" >"$T/log" 2>&1 &&
	mount -o loop "$T/image" "$T/d" 2>>"$T/log"; then
	trap 'umount "$T/d"; rm -rf "$T"' EXIT
	cat >"$T/script" <<-END
	#!/bin/bash
	sleep 4 &
	"$T/sort" 150 | cksum
	dd if=/dev/zero of="$T/d/fill" bs=1M 2>/dev/null
	sync
	"$T/sort" 150 | cksum
	for i in 1 2 3 4; do
		/bin/expr "\$i" + 1
	done
	wait \$!
	echo status \$?
	END
	chmod +x "$T/script"
	"$T/script" >"$T/script.ref"
	rm "$T/d/fill"
	sync
	TMPDIR=$T/d "$PATHFDO" record --source=soft --limit=4M -F 250 --max-overhead=50 -o "$T/script.data" -- "$T/script" \
		>"$T/script.out" 2>"$T/script.err" || fail "a disk that was full: $(cat "$T/script.err")"
	cmp "$T/script.ref" "$T/script.out" || fail "a disk that was full: $(cat "$T/script.err")"
	grep -q "the disk of the recorder's folder is full" "$T/script.err" || fail "a full disk is not told: $(cat "$T/script.err")"
	rm "$T/d/fill"
	sync
	mkdir "$T/d/attach"
	"$T/sort" 2000 >"$T/out" &
	sorter=$!
	{ sleep 1 && dd if=/dev/zero of="$T/d/fill" bs=1M 2>/dev/null; sync; } &
	TMPDIR=$T/d/attach "$PATHFDO" record -q --limit=4M -F 250 --max-overhead=50 -o "$T/attach.data" -p $sorter \
		--duration=3 || fail "a full disk beside a program that runs already"
	kill $sorter || fail "a program that runs already has died of a full disk"
	wait
	umount "$T/d"
	trap 'rm -rf "$T"' EXIT
	echo "full btrfs: same output"
fi

check_eq "filter by itself" "$(cat "$T/filter.rc")" 0
recorded filter "$SO" 2000 1024 1000000 "$T/filter"
check_within "bursts before the filter" "$(bursts filter)" 1 100000

# Code that runs before the recorder takes a variable out of the environment, as unsetenv does: the recorder looks for what
# the kernel has left behind that.
cat >"$T/shortens.c" <<'END'
#include <string.h>
static void first(int count, char **arguments, char **environment)
{
	while (*environment && strncmp(*environment, "PATH=", 5) != 0)
		environment++;
	for (; *environment; environment++)
		environment[0] = environment[1];
}
__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **, char **) = first;
int main(void)
{
	volatile unsigned long sum = 0;
	for (unsigned long i = 0; i < 200000000; i++)
		sum += i % 3 ? i : 1;
	return 0;
}
END
$CC -O1 -o "$T/shortens" "$T/shortens.c"
plain shortens "$T/shortens"
recorded shortens "$SO" 2000 1024 1000000 "$T/shortens"
check_within "bursts behind a shorter environment" "$(bursts shortens)" 1 100000

# Headers that are not there any more, of a library that has protected them and of the kernel's own code, which a program may
# take out of memory: all other files are followed.
cat >"$T/hides.c" <<'END'
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
static int protect(struct dl_phdr_info *info, size_t size, void *none)
{
	return strstr(info->dlpi_name, "libhidden") ? mprotect((void *)info->dlpi_addr, 4096, PROT_NONE) : 0;
}
int main(void)
{
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
	volatile unsigned long sum = 0;
	dl_iterate_phdr(protect, NULL);
	if (vdso)
		munmap((void *)vdso, 4096);
	for (unsigned long i = 0; i < 200000000; i++)
		sum += i % 3 ? i : 1;
	return 0;
}
END
echo 'int hidden;' | $CC -shared -fPIC -x c -o "$T/libhidden.so" -
$CC -D_GNU_SOURCE -O1 -Wl,-z,now -Wl,--no-as-needed -o "$T/hides" "$T/hides.c" "$T/libhidden.so"
plain hides "$T/hides"
check_eq "status of the program that hides headers" "$(cat "$T/hides.rc")" 0
recorded hides "$SO" 2000 1024 1000000 "$T/hides"
check_within "bursts where headers are hidden" "$(bursts hides)" 10 100000

# More threads at a time than the recorder has places for, of which the program's own is one: who is left out is counted.
cat >"$T/crowd.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int pipes[2];
static void *wait(void *none)
{
	char c;
	return read(pipes[0], &c, 1) ? NULL : none;
}
int main(void)
{
	pthread_attr_t small;
	pthread_t thread[4200];
	int count = 0;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	if (pipe(pipes))
		return 1;
	while (count < 4200 && pthread_create(&thread[count], &small, wait, NULL) == 0)
		count++;
	printf("%d\n", count);
	for (volatile unsigned long i = 0; i < 50000000; i++)
		continue;
	close(pipes[1]);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
END
$CC -O1 -o "$T/crowd" "$T/crowd.c" -lpthread
if [ "$("$T/crowd")" = 4200 ]; then
	"$PATHFDO" record --source=soft -F 250 --max-overhead=50 -o "$T/crowd.data" -- "$T/crowd" >"$T/out" 2>"$T/err" ||
		fail "a crowd of threads: $(cat "$T/err")"
	grep -q ' 105 threads not recorded: the recorder has no room' "$T/err" ||
		fail "of 4,201 threads 4,096 have a place: $(cat "$T/err")"
fi
