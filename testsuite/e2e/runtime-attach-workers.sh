#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Threads of a running program that are the kernel's, and work on its requests (io_uring): they are neither recorded nor
# stopped, which would end the request with EINTR, nor asked to withdraw the recorder.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"

# For each byte of its input a request to open a pipe, in which a worker waits until somebody opens the other end.  At
# the end of its input it does, and its status is 7 if all requests were done.
cat >requests.c <<'SOURCE'
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#define MOST 6
static struct io_uring_params p;
static char *sq, *cq, names[MOST][16];
static struct io_uring_sqe *entries;
static int ring;
static void *map(size_t size, off_t what)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what);
}
static void ask(int i)
{
	unsigned *tail = (unsigned *)(sq + p.sq_off.tail), *array = (unsigned *)(sq + p.sq_off.array);
	snprintf(names[i], sizeof names[i], "pipe.%d", i);
	mkfifo(names[i], 0600);
	entries[i] = (struct io_uring_sqe) { .opcode = IORING_OP_OPENAT, .flags = IOSQE_ASYNC, .fd = AT_FDCWD,
					     .addr = (unsigned long)names[i], .open_flags = O_RDONLY };
	array[i] = i;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0);
}
static int result(int i)
{
	unsigned *tail = (unsigned *)(cq + p.cq_off.tail);
	while (__atomic_load_n(tail, __ATOMIC_ACQUIRE) <= (unsigned)i)
		usleep(1000);
	return ((struct io_uring_cqe *)(cq + p.cq_off.cqes))[i].res;
}
int main(void)
{
	volatile unsigned x = 1;
	int asked = 0, done = 0;
	ssize_t got;
	char byte;
	ring = (int)syscall(SYS_io_uring_setup, 8, &p);
	if (ring < 0)
		return 77;
	sq = map(p.sq_off.array + p.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
	cq = map(p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	entries = map(p.sq_entries * sizeof *entries, IORING_OFF_SQES);
	fcntl(0, F_SETFL, O_NONBLOCK);
	puts("up");
	fflush(stdout);
	while ((got = read(0, &byte, 1)) != 0) {
		for (int i = 0; i < 1000000; i++)
			x = x * 3 + 1;
		if (got == 1 && asked < MOST)
			ask(asked++);
	}
	for (int i = 0; i < asked; i++) {
		int there = ((struct io_uring_cqe *)(cq + p.cq_off.cqes))[i].res, end = open(names[i], O_RDWR);
		int opened = result(i);
		printf("%d %d\n", there, opened);
		done += there == 0 && opened >= 0;
		close(end);
	}
	return asked == MOST && done == MOST ? 7 : 1;
}
SOURCE
$CC -w -O2 -o requests requests.c
mkfifo in
./requests <in >out &
pid=$!
exec 7>in
is_up() {
	grep -qx up out || ! kill -0 $pid
}
once 60 is_up || fail "it does not start"
grep -qx up out || skip "no io_uring here"
"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -p $pid -o requests.data 2>err &
recorder=$!
once 60 grep -q /recording /proc/$pid/maps || fail "the recorder does not come: $(cat err)"
workers() {
	grep -l '^iou-wrk' /proc/$pid/task/*/comm | wc -l
}
has_workers() {
	[ "$(workers)" -ge "$1" ]
}
for i in 1 2 3 4 5 6; do
	echo -n . >&7
	once 60 has_workers $i || fail "only $(workers) of $i workers: $(cat out)"
	sleep 0.3 # in which the recorder looks at its threads, if it gets a processor
done
kill -INT $recorder
wait $recorder || fail "the recorder ends with $?: $(cat err)"
! grep -qE 'when the recorder was gone|not recorded|stays there' err || fail "it did not leave: $(cat err)"
check_eq "what is left in it" "$(left $pid)" ""
exec 7>&-
status=0
wait $pid || status=$?
check_eq "its status; requests, before and when they were to be done: $(cat out)" $status 7
