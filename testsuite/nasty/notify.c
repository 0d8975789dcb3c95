/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notifications that libc makes by threads and signals of its own: message queues by signal and by thread, aio by
 * signal, by thread and waited for, lio_listio, SIGIO by F_SETSIG.  Hard because those threads are not made by a call
 * that could be interposed, and the signals are of the real-time range. */
/* build: -lrt */
#include "nasty.h"

#include <aio.h>
#include <errno.h>
#include <mqueue.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>

static volatile int by_signal, by_io;
static _Atomic int by_thread;

static void handler(int signal, siginfo_t *info, void *context)
{
	by_signal += info->si_value.sival_int == 5 && (info->si_code == SI_MESGQ || info->si_code == SI_ASYNCIO);
}

static void on_io(int signal, siginfo_t *info, void *context)
{
	by_io++;
}

static void on_thread(union sigval value)
{
	atomic_fetch_add(&by_thread, value.sival_int == 6);
}

static void messages(void)
{
	char name[64], buffer[64];
	struct mq_attr attributes = { .mq_maxmsg = 4, .mq_msgsize = 64 };
	struct sigevent signal_event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2 },
			thread_event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_thread };
	signal_event.sigev_value.sival_int = 5;
	thread_event.sigev_value.sival_int = 6;
	snprintf(name, sizeof name, "/nasty-notify-%d", (int)getpid());
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	if (queue == (mqd_t)-1)
		nasty_skip("no message queues here");
	mq_unlink(name);
	for (int i = 0; i < 60; i++) {
		int before = by_signal + by_thread;
		CHECK(mq_notify(queue, i % 2 ? &signal_event : &thread_event) == 0);
		CHECK(mq_send(queue, "x", 1, 0) == 0);
		while (by_signal + by_thread == before)
			busy(1);
		while (mq_receive(queue, buffer, sizeof buffer, NULL) == -1)
			CHECK(errno == EINTR);
	}
	mq_close(queue);
	printf("messages: by signal %d, by thread %d\n", by_signal, by_thread);
}

static void requests(void)
{
	static char buffers[32][512];
	struct aiocb blocks[32], *list[32];
	FILE *file = tmpfile();
	by_signal = by_thread = 0;
	for (int i = 0; i < 32; i++) {
		memset(buffers[i], i, sizeof buffers[i]);
		blocks[i] = (struct aiocb) { .aio_fildes = fileno(file), .aio_buf = buffers[i], .aio_nbytes = 512 };
		blocks[i].aio_offset = i * 512;
		blocks[i].aio_sigevent.sigev_notify = i % 2 ? SIGEV_SIGNAL : SIGEV_THREAD;
		blocks[i].aio_sigevent.sigev_signo = SIGRTMIN + 2;
		blocks[i].aio_sigevent.sigev_value.sival_int = i % 2 ? 5 : 6;
		blocks[i].aio_sigevent.sigev_notify_function = on_thread;
		CHECK(aio_write(&blocks[i]) == 0);
		list[i] = &blocks[i];
	}
	while (by_signal + by_thread < 32)
		busy(1);
	for (int i = 0; i < 32; i++) {
		CHECK(aio_error(&blocks[i]) == 0 && aio_return(&blocks[i]) == 512);
		memset(buffers[i], 99, sizeof buffers[i]);
		blocks[i].aio_lio_opcode = LIO_READ;
		blocks[i].aio_sigevent.sigev_notify = SIGEV_NONE;
	}
	while (lio_listio(LIO_WAIT, list, 32, NULL) != 0)
		CHECK(errno == EINTR);
	for (int i = 0; i < 32; i++)
		CHECK(buffers[i][511] == i);
	fclose(file);
	printf("requests: by signal %d, by thread %d\n", by_signal, by_thread);
}

static void sockets(void)
{
	int ends[2];
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	CHECK(fcntl(ends[0], F_SETOWN, getpid()) == 0 && fcntl(ends[0], F_SETSIG, SIGRTMIN + 3) == 0);
	CHECK(fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
	for (int i = 0; i < 40; i++) {
		int before = by_io;
		CHECK(write(ends[1], "x", 1) == 1);
		while (by_io == before)
			busy(1);
	}
	printf("sockets: %d\n", by_io >= 40);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	sigaction(SIGRTMIN + 2, &action, NULL);
	action.sa_sigaction = on_io;
	sigaction(SIGRTMIN + 3, &action, NULL);
	messages();
	requests();
	sockets();
	busy(150);
	return 0;
}
