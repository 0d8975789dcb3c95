/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children in a place where the recorder's library and folder are not: under chroot, as another user, in a mount
 * namespace with another /tmp, with another TMPDIR, in a folder that is gone; they run and print nothing but their own.
 * Hard because the dynamic linker complains of a library that it was told to preload and does not find. */
#include "nasty.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *const libraries[] = { "/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libc.so.6",
					 "/lib/x86_64-linux-gnu/libm.so.6" };

static void copy(const char *from, const char *to)
{
	char path[4096];
	snprintf(path, sizeof path, "%s", to);
	for (char *p = path + 2; *p; p++)
		if (*p == '/') {
			*p = 0;
			mkdir(path, 0755);
			*p = '/';
		}
	nasty_copy(from, to);
}

static int child(void)
{
	int status;
	busy(20);
	pid_t pid = fork();
	if (pid == 0) {
		busy(10);
		_exit(3);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 3 << 8);
	printf("child\n");
	return 17;
}

static void enter(int kind)
{
	switch (kind) {
	case 0:
		CHECK(chroot("root") == 0 && chdir("/") == 0);
		break;
	case 1:
		CHECK(chroot("root") == 0 && chdir("/") == 0 && setgid(65534) == 0 && setuid(65534) == 0);
		break;
	case 2:
		CHECK(setgid(65534) == 0 && setuid(65534) == 0);
		break;
	case 3:
		setenv("TMPDIR", "/nonexistent", 1);
		break;
	case 4:
		CHECK(mkdir("gone", 0755) == 0 && chdir("gone") == 0 && rmdir("../gone") == 0);
		break;
	default:
		if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
			mount("none", "/dev/shm", "tmpfs", 0, NULL);
	}
}

int main(int argc, char **argv)
{
	char path[4096];
	if (argc > 1)
		return child();
	if (geteuid() != 0)
		nasty_skip("chroot needs root");
	for (int i = 0; i < 3; i++)
		if (access(libraries[i], R_OK) != 0)
			nasty_skip("the libraries are elsewhere on this system");
	setvbuf(stdout, NULL, _IONBF, 0);
	busy(100);
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "root%s", libraries[i]);
		copy(libraries[i], path);
	}
	copy(argv[0], "root/program");
	for (int kind = 0; kind < 6; kind++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			enter(kind);
			execl(kind < 2 ? "/program" : argv[0], "program", "child", NULL);
			_exit(1);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("kind %d: %x\n", kind, status);
	}
	CHECK(system("rm -rf root") == 0);
	return 0;
}
