/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon (fork, setsid, fork) that outlives the program and with it the recorder goes on working with two threads;
 * within twenty seconds nothing of the recorder's files may be mapped in it and no timer be set, and all the while it
 * must come to the right results.  Hard because nobody tells it that the recorder is gone. */
/* later */
#include "nasty.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static char temporary[4096], later[4096];
static volatile int stop;

static int count_lines(const char *path, const char *with)
{
	char line[8192];
	FILE *file = fopen(path, "r");
	int count = 0;
	if (!file)
		return 0;
	while (fgets(line, sizeof line, file))
		count += strstr(line, with) != NULL;
	fclose(file);
	return count;
}

static int is_empty(const char *path)
{
	DIR *folder = opendir(path);
	int count = 0;
	if (!folder)
		return 1;
	while (readdir(folder))
		count++;
	closedir(folder);
	return count <= 2;
}

static void *worker(void *argument)
{
	while (!stop) {
		busy(3);
		usleep(3000);
	}
	return argument;
}

static void report(const char *text)
{
	char name[4200];
	snprintf(name, sizeof name, "%s.new", later);
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	rename(name, later);
}

static void daemon_main(void)
{
	char text[256];
	int mapped = 1, timers = 1;
	pthread_t id;
	pthread_create(&id, NULL, worker, NULL);
	for (int i = 0; i < 3000 && !is_empty(temporary); i++) { /* the recorder is there yet */
		busy(2);
		usleep(20000);
	}
	for (int i = 0; i < 400 && (mapped || timers); i++) {
		busy(3);
		usleep(50000);
		mapped = count_lines("/proc/self/maps", temporary);
		timers = count_lines("/proc/self/timers", "ID:");
	}
	busy(50);
	stop = 1;
	pthread_join(id, NULL);
	snprintf(text, sizeof text, "files mapped %d, timers %d\n", mapped, timers);
	report(text);
}

int main(void)
{
	int status;
	CHECK(getcwd(later, sizeof later - 16) != NULL);
	strcat(later, "/later");
	snprintf(temporary, sizeof temporary, "%s", getenv("TMPDIR") ? getenv("TMPDIR") : "/nonexistent");
	busy(150);
	pid_t pid = fork();
	if (pid == 0) {
		CHECK(setsid() > 0);
		pid = fork();
		if (pid != 0)
			_exit(0);
		for (int fd = 0; fd < 3; fd++) {
			close(fd);
			CHECK(open("/dev/null", O_RDWR) == fd);
		}
		daemon_main();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	busy(50);
	printf("the daemon is on its own\n");
	return 0;
}
