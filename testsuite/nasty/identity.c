/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads at work while the process changes its user and its groups again and again: libc has each thread make the
 * call, by a signal that nobody may block, and waits for all.  Then it gives its user up for good, may not be dumped,
 * and loads libraries.  Hard because the signal may come in the middle of a recorder's work, and what a recorder may
 * read of its own process in /proc is root's from then on. */
#include "nasty.h"

#include <dlfcn.h>
#include <grp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	CHECK(syscall(SYS_geteuid) == geteuid());
	return argument;
}

int main(void)
{
	uid_t user = getuid();
	pthread_t ids[3];
	for (int i = 0; i < 3; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, NULL) == 0);
	busy(30);
	for (int i = 0; i < 30; i++) {
		uid_t other = user == 0 && i % 2 ? 65534 : user;
		CHECK(seteuid(other) == 0 && geteuid() == other && seteuid(user) == 0);
		CHECK(setegid(getgid()) == 0 && work(NASTY_ROUNDS) == NASTY_RESULT);
	}
	if (user == 0)
		CHECK(setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0 && setuid(0) != 0);
	CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
	busy(30);
	for (int i = 0; i < 20; i++) {
		void *library = dlopen("libresolv.so.2", RTLD_NOW);
		busy(3);
		if (library)
			dlclose(library);
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
	puts("changed");
	return 0;
}
