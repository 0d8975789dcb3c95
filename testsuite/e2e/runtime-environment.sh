#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who starts a program with another environment, as scripts of servers do for an allocator's LD_PRELOAD, and `env -i` for all
# of it, has it recorded all the same; the rest of its environment is what it was given.  A preloaded sanitizer stays the
# first, a recording within the recording is its own, and what is not loadable is started with what it was given.  What starts
# itself anew until it has the environment that it wants gets it.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >work.c <<'END'
#include <stdio.h>
#include <string.h>
extern char **environ;

int main(void)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 100000000; i++)
		sum += i & 3 ? i : 1;
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "PATHFDO_", 8) && strncmp(*e, "_=", 2) && strncmp(*e, "PWD=", 4) && strncmp(*e, "SHLVL=", 6))
			puts(*e);
	return 0;
}
END
cat >other.c <<'END'
#include <stdio.h>
__attribute__((constructor)) static void says(void)
{
	puts("preloaded");
	fflush(stdout);
}
END
cat >starts.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;

/* By a shell of the library's, and what is given it is not the program's. */
static int ask_shell(const char *way, const char *text, char **given)
{
	char line[1000];
	int status;
	FILE *pipe;

	clearenv();
	while (given && *given)
		putenv(*given++);
	if (strcmp(way, "system") == 0) {
		status = system(text);
	} else {
		pipe = popen(text, "r");
		while (fgets(line, sizeof line, pipe))
			fputs(line, stdout);
		status = pclose(pipe);
	}
	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, "PATHFDO_", 8) == 0 || strstr(*e, "recorder.so"))
			puts("the program has it, too");
	return status;
}

/* starts WAY PROGRAM [ENTRY...]: executes PROGRAM with these entries, or without an environment. */
int main(int argc, char **argv)
{
	char *list[] = { argv[2], NULL }, **given = argv[3] ? argv + 3 : NULL;
	const char *way = argv[1];
	int status = 1;
	pid_t pid;

	(void)argc;
	if (strcmp(way, "system") == 0 || strcmp(way, "popen") == 0)
		return ask_shell(way, argv[2], given);
	if (strcmp(way, "execve") == 0)
		execve(*list, list, given);
	if (strcmp(way, "execle") == 0)
		execle(*list, *list, NULL, given);
	if (strcmp(way, "execvpe") == 0)
		execvpe(*list, list, given);
	if (strcmp(way, "execveat") == 0)
		execveat(AT_FDCWD, *list, list, given, 0);
	if (strcmp(way, "fexecve") == 0)
		fexecve(open(*list, O_RDONLY | O_CLOEXEC), list, given ? given : list + 1);
	if (strcmp(way, "execv") == 0) {
		clearenv();
		while (given && *given)
			putenv(*given++);
		execv(*list, list);
	}
	if (strcmp(way, "vfork") == 0 && (pid = vfork()) == 0) {
		execve(*list, list, given);
		_exit(127);
	}
	if (strcmp(way, "posix_spawn") == 0)
		posix_spawn(&pid, *list, NULL, NULL, list, given ? given : list + 1);
	return waitpid(pid, &status, 0) != pid || status;
}
END
$CC -O1 -g work.c -o work
$CC -O1 -g -w starts.c -o starts
$CC -O1 -shared -fPIC other.c -o other.so

# recorded WHAT COMMAND...: nearly all of it is the work's, and what that prints is as without the recorder.
recorded() {
	local what=$1 share
	shift
	"$@" >plain
	"$PATHFDO" record --source=soft -o data -- "$@" >printed 2>said || fail "$what: $(cat said)"
	sed "s,LD_PRELOAD=$B/libpathfdo-recorder.so:,LD_PRELOAD=,; \,^LD_PRELOAD=$B/libpathfdo-recorder.so\$,d" printed | cmp -s plain - ||
		fail "$what: it prints $(paste -sd' ' printed), without the recorder $(paste -sd' ' plain)"
	"$PATHFDO" convert -b work data -o p.pfdo >converted 2>&1 || fail "$what: $(cat converted)"
	share=$(sed -n 's|^ *[^ ]*/work: \([0-9.]*\)% of all.*|\1|p' converted)
	check_within "$what: share of what was started" "${share:-0}" 90 100
}
for way in execve execle execvpe execveat fexecve execv vfork posix_spawn system popen; do
	recorded "$way without an environment" ./starts $way ./work
	recorded "$way with another preload" ./starts $way ./work A=1 "LD_PRELOAD=$T/other.so" B=2
done
recorded "env -i" env -i A=1 ./work
recorded "a script's preload" sh -c "LD_PRELOAD=$T/other.so exec ./work"
recorded "without the preload" env -u LD_PRELOAD ./work
recorded "without the folder" env -u PATHFDO_DIR ./work
grep -qx preloaded printed && fail "an earlier preload is there"
recorded "through a shell that has nothing" env -i sh -c './work; :'
recorded "from one empty environment into the next" env -i sh -c 'exec env -i ./work'

# given COMMAND...: what it prints under the recorder.
given() {
	"$PATHFDO" record --source=soft -o data -- "$@" 2>said || true
}
cat >shows.c <<'END'
#include <stdio.h>
extern char **environ;
int main(void)
{
	for (char **e = environ; *e; e++)
		puts(*e);
	return 0;
}
END
$CC -O1 shows.c -o shows
check_eq "what comes of an empty environment" "$(given env -i ./shows | sed 's/=.*//' | sort | paste -sd' ')" \
	"LD_PRELOAD PATHFDO_AGAIN PATHFDO_DIR"
cp other.so libasan.so.8
check_eq "a preloaded sanitizer" "$(given env -i "LD_PRELOAD=$T/libasan.so.8" ./shows | paste -sd' ')" \
	"preloaded LD_PRELOAD=$T/libasan.so.8"
if $CC -O1 -fsanitize=address shows.c -o sanitized 2>/dev/null; then
	check_eq "what is not loadable" "$(given env -i A=1 ./sanitized)" A=1
fi
check_eq "another recording's folder" "$(given env -i PATHFDO_DIR=/elsewhere ./shows)" PATHFDO_DIR=/elsewhere
given env -i sh -c 'exec ./shows' >through
grep -q '^LD_PRELOAD=' through || fail "a shell from an empty environment starts without the recorder: $(cat through)"
# The outer one has what it saw of the other recorder, which may be nothing.
"$PATHFDO" record --source=soft -o outer -- env -i "$PATHFDO" record --source=soft -o inner -- ./work >printed 2>said || true
"$PATHFDO" convert -q -b work inner -o p.pfdo || fail "a recording within a recording: $(cat said)"
if [ -e outer ] && "$PATHFDO" convert -q -b work outer -o p.pfdo 2>/dev/null; then fail "both record the work"; fi

# Programs that begin anew while LD_PRELOAD is not theirs, as launchers do that set an allocator or want none.  Each counts its
# beginnings in a file, and gives up.
cat >turns <<'END'
echo x >>count
[ "$(wc -l <count)" -le 20 ] || { echo "gave up"; exit 3; }
END
cat >idle <<'END'
#!/bin/bash
. ./turns
[ -z "${LD_PRELOAD-}" ] || exec env -u LD_PRELOAD "$0" "$@"
echo "done $*"
END
cat >bare <<'END'
#!/bin/bash
. ./turns
[ -z "${LD_PRELOAD-}" ] || exec env -i "$0" "$@" "$(wc -l <count)"
echo done
END
cat >spawned <<'END'
#!/bin/bash
. ./turns
[ -z "${LD_PRELOAD-}" ] || { LD_PRELOAD= "$0" "$@"; exit; }
echo "done $*"
END
cat >anew.c <<'END'
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;

/* anew WANTED WAY: with another LD_PRELOAD than WANTED it sets that, and begins anew. */
int main(int argc, char **argv)
{
	const char *found = getenv("LD_PRELOAD");
	FILE *count = fopen("count", "a");
	int status = 1;
	pid_t pid;

	(void)argc;
	fputc('x', count);
	if (ftell(count) > 20 || fclose(count) != 0)
		return puts("gave up") > 0;
	if (found && strcmp(found, argv[1]) == 0)
		return puts("done") < 0;
	setenv("LD_PRELOAD", argv[1], 1);
	if (strcmp(argv[2], "exec") == 0)
		execv("/proc/self/exe", argv);
	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0)
		waitpid(pid, &status, 0);
	return status;
}
END
$CC -O1 -w anew.c -o anew
chmod 755 idle bare spawned

# ends WANTED COMMAND...: it ends under the recorder, and prints what it does without.
ends() {
	local wanted=$1
	shift
	rm -f count
	check_eq "$*, recorded" "$(given timeout 60 "$@" 2>&1)" "$wanted"
	grep -q 'starts itself anew' said || fail "$*: nothing is said of it: $(cat said)"
}
ends "done a b" ./idle a b
ends done ./bare
ends "done c" ./spawned c
ends done ./anew libm.so.6 exec
ends done ./anew libm.so.6 spawn
