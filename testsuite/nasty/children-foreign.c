/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program starts others that a preloaded library cannot or must not go into: built against musl, for 32 bits, static,
 * with AddressSanitizer, with ThreadSanitizer; each must run, print what it prints and nothing else.  Hard because the
 * environment that brings the recorder into children brings it into all of them. */
/* part?: musl musl-gcc */
/* part?: musl-static musl-gcc -static */
/* part?: bits32 gcc -m32 -msse2 -mfpmath=sse */
/* part?: static gcc -static */
/* part?: static-pie gcc -static-pie */
/* part?: asan gcc -fsanitize=address */
/* part?: asan-static gcc -fsanitize=address -static-libasan */
/* part?: tsan gcc -fsanitize=thread */
/* part?: ubsan gcc -fsanitize=undefined */
/* part?: clang clang -fsanitize=address */
#include "nasty.h"

#ifdef PART
#include <stdlib.h>

int main(void)
{
	char *memory = malloc(1000);
	memset(memory, 7, 1000);
	for (int i = 0; i < 300; i++)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	printf("child of %d bits: %d\n", (int)sizeof(void *) * 8, memory[999]);
	free(memory);
	return 19;
}
#else
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static int start(int kind, const char *path)
{
	char *arguments[] = { (char *)path, NULL };
	pid_t pid;
	int status = -1;
	if (kind == 0) {
		CHECK(posix_spawn(&pid, path, NULL, NULL, arguments, environ) == 0);
	} else {
		pid = kind == 1 ? fork() : vfork();
		if (pid == 0) {
			execv(path, arguments);
			_exit(97);
		}
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

int main(int argc, char **argv)
{
	static const char *const parts[] = { "musl", "musl-static", "bits32", "static", "static-pie",
					     "asan", "asan-static", "tsan",   "ubsan",  "clang" };
	int count = 0;
	setvbuf(stdout, NULL, _IONBF, 0);
	busy(150);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s.%s", argv[0], parts[i]);
		if (access(path, X_OK) != 0)
			continue;
		for (int kind = 0; kind < (i == 0 ? 3 : 1); kind++)
			printf("%s: %x\n", parts[i], start(kind, path));
		count++;
	}
	if (!count)
		nasty_skip("neither musl, nor 32 bits, nor sanitizers here");
	return 0;
}
#endif
