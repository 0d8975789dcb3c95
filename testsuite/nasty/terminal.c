/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program on a terminal of its own: line by line input, ^C at the foreground group only, ^Z and going on, the size's
 * signal, hang-up when the terminal goes.  Hard because all of these come to processes that wait in a read most of the
 * time, and a read that is cut short or a stop that is not one is seen at once. */
/* build: -lutil */
#include "nasty.h"

#include <errno.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

static volatile int interrupts, sizes;

static void on_int(int signal)
{
	interrupts++;
}

static void on_size(int signal)
{
	sizes++;
}

static int child(void)
{
	char line[128];
	struct sigaction action = { .sa_handler = on_int, .sa_flags = SA_RESTART };
	sigaction(SIGINT, &action, NULL);
	action.sa_handler = on_size;
	sigaction(SIGWINCH, &action, NULL);
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
		busy(3);
		int length = (int)strlen(line);
		line[strcspn(line, "\n")] = 0;
		printf("got %d %s interrupts %d sizes %d.\n", length, line, interrupts, sizes);
		fflush(stdout);
	}
	return 11;
}

/* What a shell does: the job has a group of its own, in the foreground, and goes on whenever it has stopped. */
static int shell(void)
{
	int status;
	signal(SIGTTOU, SIG_IGN);
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		while (tcgetpgrp(0) != getpid())
			usleep(100);
		signal(SIGTTOU, SIG_DFL);
		_exit(child());
	}
	setpgid(pid, pid);
	CHECK(tcsetpgrp(0, pid) == 0);
	while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status)) {
		dprintf(1, "stopped by %d.\n", WSTOPSIG(status));
		kill(-pid, SIGCONT);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int master;

static void say(const char *text)
{
	CHECK(write(master, text, strlen(text)) == (ssize_t)strlen(text));
}

/* Reads what the child prints until TEXT, which must come. */
static void expect(const char *text)
{
	static char all[65536];
	static size_t used;
	char *found;
	while ((found = strstr(all, text)) == NULL) {
		ssize_t size = read(master, all + used, sizeof all - used - 1);
		if (size < 0 && errno == EINTR)
			continue;
		CHECK(size > 0);
		used += (size_t)size;
		all[used] = 0;
	}
	used -= (size_t)(found - all) + strlen(text);
	memmove(all, found + strlen(text), used + 1);
	printf("seen: %s\n", text);
}

int main(void)
{
	struct termios settings;
	struct winsize size = { 24, 80, 0, 0 };
	int status;
	pid_t pid = forkpty(&master, NULL, NULL, &size);
	if (pid < 0)
		nasty_skip("no pseudo-terminals here");
	if (pid == 0) {
		tcgetattr(0, &settings);
		settings.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(0, TCSANOW, &settings);
		_exit(shell());
	}
	expect("ready");
	for (int i = 0; i < 15; i++) {
		char text[64];
		say("\003");
		size.ws_row++;
		CHECK(ioctl(master, TIOCSWINSZ, &size) == 0);
		usleep(2000);
		snprintf(text, sizeof text, "line %d\n", i);
		say(text);
		snprintf(text, sizeof text, "got %d line %d interrupts %d sizes %d.", i < 10 ? 7 : 8, i, i + 1, i + 1);
		expect(text);
	}
	for (int i = 0; i < 5; i++) {
		say("\032");
		expect("stopped by 20.");
		say("on\n");
		expect("got 3 on");
	}
	busy(150);
	say("\004");
	CHECK(waitpid(pid, &status, 0) == pid);
	printf("end %x\n", status);
	return 0;
}
