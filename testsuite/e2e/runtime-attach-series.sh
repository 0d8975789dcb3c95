#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings in a series: each file whole and named by what it is of, no more of them than are to be kept; the series goes on
# where a recording could not be written and where the program is started anew, and ends with an interrupt or with its
# time.  A snapshot disturbs nothing.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"

cat >spinner.c <<'SOURCE'
__attribute__((noipa)) unsigned heat(unsigned x)
{
	for (int i = 0; i < 1000; i++)
		x = x & 1 ? x * 3 + 1 : x >> 1 | x << 31;
	return x;
}
int main(void)
{
	for (unsigned x = 1;; x = heat(x))
		continue;
}
SOURCE
$CC -O2 -g -Wl,--build-id=0x00112233445566778899aabbccddeeff00112233 -o "spin-$$" spinner.c
name=spin-$$

files() { # FOLDER
	find "$1" -name '*.data' | sort
}

has_files() { # FOLDER COUNT
	[ "$(files "$1" | wc -l)" -ge "$2" ]
}

# What an earlier series has said is gone before anybody looks at what this one says: it opens the file when it gets the CPU.
series() { # FOLDER ARGUMENT...
	: >err
	(cd "$1" && exec "$PATHFDO" record --source=soft -F 1000 --max-overhead=50 "${@:2}" 2>"$T/err") &
	recorder=$!
}

ends() { # WHAT
	wait $recorder || fail "$1 ends with $?: $(cat err)"
}

# Each is a recording of its own, with the program's name, its build-id, the host and the time.
./$name &
pid=$!
mkdir every
series every --name=$name --every=1 --for=0.6
once 60 has_files every 3 || fail "no three recordings: $(cat err)"
kill $pid
wait $pid || true
count=$(files every | wc -l)
./$name &
pid=$!
once 60 has_files every $((count + 2)) || fail "the program that was started anew is not recorded: $(cat err)"
kill -INT $recorder
ends "an interrupted series"
for file in $(files every); do
	case ${file#every/} in
	$name-001122334455-"$(uname -n)"-20[0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9].data) ;;
	*) fail "a recording is called $file" ;;
	esac
	"$PATHFDO" convert -b $name "$file" -o some.pfdo 2>said || fail "$file: $(cat said)"
	check_eq "hottest function in $file" "$("$PATHFDO" show some.pfdo | awk '$1 ~ /%$/ { print $4; exit }')" heat
done
check_eq "what is left in the program" "$(left $pid)" ""

# Without a pause, and no more than the last two.  Its folder goes and comes back.
mkdir rotate
series rotate -p $pid --rotate=1 --keep=2 -o "$T/rotate/%t.data"
once 60 grep -q '^\[ pathfdo record' err || fail "no recording: $(cat err)"
rm -r rotate
once 60 grep -q 'pathfdo record: .*rotate' err || fail "a folder that is gone is not told: $(cat err)"
mkdir rotate
once 60 has_files rotate 2 || fail "it does not go on: $(cat err)"
before=$(grep -c '^\[ pathfdo record' err)
once 60 eval '[ "$(grep -c "^\[ pathfdo record" err)" -ge $((before + 3)) ]' || fail "it does not go on: $(cat err)"
kill $pid
wait $pid || true
ends "a series whose program has ended"
check_eq "recordings kept" "$(files rotate | wc -l)" 2

# Of programs that are short, and started again and again, each recording is a file of its own.
mkdir short
(while [ ! -e short/enough ]; do timeout 1 ./$name || true; done) &
starter=$!
series short --name=$name --rotate=30 -o '%t.data'
once 120 has_files short 5 || fail "of short programs: $(cat err)"
kill -INT $recorder
ends "a series of short programs"
touch short/enough
wait $starter
check_eq "recordings that are there" "$(find short -name '*.data*' | wc -l)" "$(grep -c '^\[ pathfdo record' err)"
check_eq "recordings in the place of others" "$(find short -name '*.old')" ""

# A control group that was idle, and is gone while its service is started anew, is waited for.
group=/sys/fs/cgroup/pathfdo-test.$$
leave_group() { rmdir "$group" 2>/dev/null || rm -rf "$group"; }
if mkdir $group 2>/dev/null; then
	trap 'kill $pid 2>/dev/null; leave_group; rm -rf "$T"' EXIT
	sleep 600 &
	pid=$!
	echo $pid >$group/cgroup.procs
	mkdir group
	series group -v --cgroup="${group##*/}" --every=1 --for=0.3 -o '%t.data'
	once 60 grep -q 'nothing was recorded' err || fail "a group that sleeps: $(cat err)"
	kill $pid
	wait $pid || true
	once 60 leave_group || fail "the group stays"
	once 60 grep -q 'no such control group' err || fail "a group that is gone: $(cat err)"
	mkdir $group
	./$name &
	pid=$!
	echo $pid >$group/cgroup.procs
	once 60 has_files group 1 || fail "a group that is there again: $(cat err)"
	kill -INT $recorder
	ends "a series of a group"
	kill $pid
	wait $pid || true
	once 60 leave_group || fail "the group stays"
	trap 'rm -rf "$T"' EXIT
fi

# What there is so far, twice, and then the whole.
./$name &
pid=$!
mkdir once
series once -p $pid -o app.data
for i in 1 2; do
	sleep 1.2
	kill -USR1 $recorder
	once 60 eval '[ "$(find once -name "app.data.20*" | wc -l)" -ge $i ]' || fail "snapshot $i does not come: $(cat err)"
done
kill -INT $recorder
ends "a recording with snapshots"
bursts=$("$B/tools/bursts" once/app.data | awk '{ sum += $4 } END { print sum }')
for file in once/app.data.20*; do
	part=$("$B/tools/bursts" "$file" | awk '{ sum += $4 } END { print sum }')
	check_within "bursts in $file" "$part" 1 "$bursts"
done
check_eq "what is left in the program" "$(left $pid)" ""

# One that takes longer than the recorder may be silent: what comes behind it is recorded, too.
cat >slow.c <<'SOURCE'
#include <dlfcn.h>
#include <unistd.h>
int rename(const char *from, const char *to)
{
	sleep(13);
	return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
SOURCE
$CC -D_GNU_SOURCE -shared -fPIC -o slow.so slow.c -ldl
mkdir slow
LD_PRELOAD=$T/slow.so series slow -p $pid -F 20 -o app.data
sleep 1
kill -USR1 $recorder
once 200 eval '[ "$(find slow -name "app.data.20*" | wc -l)" = 1 ]' || fail "a slow snapshot does not come: $(cat err)"
sleep 2
kill -INT $recorder
ends "a recording with a slow snapshot"
! grep -q 'when the recorder was gone' err || fail "a slow snapshot ends the recording: $(cat err)"
first=$("$B/tools/bursts" slow/app.data.20* | awk '{ sum += $4 } END { print sum }')
check_within "bursts behind a snapshot of 13 s, which has $first" "$("$B/tools/bursts" slow/app.data | awk '{ sum += $4 } END { print sum }')" \
	$((first * 8)) 1000000

# Recordings that cannot be put in their place for a while do not fill the disk: the last of them is kept.
cat >broken.c <<'SOURCE'
#include <errno.h>
int rename(const char *from, const char *to)
{
	errno = EIO;
	return -1;
}
SOURCE
$CC -w -shared -fPIC -o broken.so broken.c
mkdir broken
LD_PRELOAD=$T/broken.so series broken -p $pid --rotate=1
once 120 eval '[ "$(grep -c "is kept as" err)" -ge 3 ]' || fail "what cannot be written is not saved: $(cat err)"
kill -INT $recorder
! wait $recorder || fail "a series without any recording ends well"
check_eq "what is kept of them" "$(ls -A broken)" "$(sed -n 's/.*is kept as \(.*\); move it .*/\1/p' err | tail -n 1)"
"$B/tools/bursts" "broken/$(ls -A broken)" | grep -q . || fail "what is kept is no recording"
kill $pid

# A first thread that waits in the kernel whenever the recorder leaves, for its child of vfork, keeps no turn from being
# recorded, and does not stand still in the pause when it comes out of there.
cat >parent.c <<'SOURCE'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void *work(void *nothing)
{
	for (volatile unsigned i = 0;; i++)
		continue;
	return nothing;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	if (vfork() == 0) {
		for (int i = 0; access("go", F_OK) != 0 && i < 30000; i++)
			usleep(10000);
		_exit(0);
	}
	close(open("back", O_CREAT | O_WRONLY, 0600));
	alarm(300);
	pause();
}
SOURCE
$CC -w -O1 -g -pthread -o parent parent.c
for turns in 3,2 1,3600; do # recordings, seconds from one to the next
	rm -rf go back vfork
	mkdir vfork
	./parent &
	pid=$!
	series vfork -p $pid --every=${turns#*,} --for=1 -o "$T/vfork/%t.data"
	once 120 has_files vfork ${turns%,*} || fail "a parent that waits is not recorded in each turn: $(cat err)"
	[ ! -e back ] || fail "the parent has not waited"
	touch go
	once 60 test -e back || fail "a parent stands still behind its wait: $(grep -E 'State|Tracer' /proc/$pid/status)"
	kill -INT $recorder
	ends "a series of a parent that waits"
	check_eq "what is left in a parent that waited" "$(left $pid)" ""
	kill $pid
done

# Its own time ends it.
./$name &
pid=$!
mkdir timed
series timed -p $pid --every=1 --for=0.4 --duration=2.5 -q
ends "a series with an end"
has_files timed 1 || fail "it has written nothing: $(cat err)"
kill $pid

# Under nohup the end of a terminal is no end of it; and a program that ends, whose parent does not look, was recorded.
cat >careless.c <<'SOURCE'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int child = fork();
	(void)argc;
	if (child == 0)
		execv(argv[1], argv + 1);
	printf("%d\n", child);
	fclose(stdout);
	alarm(300);
	pause();
}
SOURCE
$CC -w -O2 -o careless careless.c
./careless ./$name >child &
parent=$!
once 20 test -s child || fail "no child"
pid=$(cat child)
(trap '' HUP && exec "$PATHFDO" record --source=soft -p $pid -o nohup.data 2>err) &
recorder=$!
once 60 grep -q pathfdo-record /proc/$pid/maps || fail "the recorder does not come: $(cat err)"
kill -HUP $recorder
# Ticks of its CPU time, which it gets as others let it.
used() {
	local fields
	read -ra fields </proc/$pid/stat
	echo $((fields[13] + fields[14]))
}
before=$(used)
once 60 eval '[ "$(used)" -gt $((before + $(getconf CLK_TCK))) ]' || fail "the program does not run"
kill $pid
ends "a recording whose program has ended"
grep -q '^\[ pathfdo record: [0-9]' err || fail "nothing was recorded under nohup: $(cat err)"
! grep -q 'not recorded' err || fail "of a program that has ended: $(cat err)"
grep -q '^State:.*Z' /proc/$pid/status || fail "its parent has looked"
for source in soft clock; do
	refused 1 'has ended' record --source=$source -p $pid --duration=1 -o none.data
done
kill $parent

# So many threads that a look at all of them takes long, and the recording ends in the midst of one.  All are left again.
cat >many.c <<'SOURCE'
#include <pthread.h>
#include <unistd.h>
static void *work(void *nothing)
{
	for (;;) {
		for (volatile int i = 0; i < 2000; i++)
			continue;
		usleep(100000);
	}
	return nothing;
}
int main(void)
{
	pthread_t thread;
	for (int i = 0; i < 3000; i++)
		pthread_create(&thread, NULL, work, NULL);
	alarm(300);
	pthread_join(thread, NULL);
}
SOURCE
$CC -O1 -g -pthread -o many many.c
./many &
pid=$!
once 60 eval '[ "$(find /proc/$pid/task -mindepth 1 -maxdepth 1 | wc -l)" -gt 2900 ]' || skip "no 3000 threads"
"$PATHFDO" record --source=soft -p $pid --duration=2 -o many.data 2>err || grep -q 'but not for a period' err ||
	fail "many threads: $(cat err)"
check_eq "what is left in many threads" "$(left $pid)" ""
kill -0 $pid || fail "a program of many threads does not live on"
kill $pid

# Who is not there is looked for again, but not all the time; an interrupt ends that.
began=$(date +%s)
"$PATHFDO" record -v --name=nobody-$$ --rotate=1 -o "none-%t.data" 2>err &
recorder=$!
attempts() {
	grep -c 'no process of that name' err
}
once 60 eval '[ "$(attempts)" -ge 3 ]' || fail "nobody is looked for $(attempts) times: $(cat err)"
kill -INT $recorder
got=0
wait $recorder || got=$?
check_eq "status for nobody in a series" $got 1
check_within "attempts in $(($(date +%s) - began)) seconds" "$(attempts)" 3 $(($(date +%s) - began + 2))

refused 2 "--every and --for go together" record -p 1 --every=5
refused 2 "a second at least" record -p 1 --rotate=0.5
refused 2 "name with %t" record -p 1 --rotate=5 -o all.data
refused 2 "name with %t" record -p 1 --rotate=5 -o 'all-%%t.data'
refused 2 "go with -p, --name or --cgroup" record --rotate=5 true
refused 2 "give one of -p, --name and --cgroup" record -p 1 --name=x
