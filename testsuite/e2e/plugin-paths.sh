#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that count their paths: for each function and at each level of optimisation, the paths add up to gcov's counts of all
# blocks and edges; with threads nothing is lost; and however a process ends, its counts are its own and are there.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gcov-lib.sh"
P=$TOP/testsuite/programs
COUNT="-fplugin=$PLUGIN -fplugin-arg-pathfdo-instrument=paths"
LIBRARY=$B/libpathfdo-paths.a

# paths NAME...: the counts in $T/out of all modules NAME*, as JSON.
paths() {
	"$PATHFDO" paths --exact --json --top=1000000 "$T/out/$1".*.paths || fail "no paths of $1"
}

# steps: how often each path of `step` ran, the fewest first, in the JSON of standard input.
steps() {
	jq -r '[.top[] | select(.function == "step") | .count] | sort | map(tostring) | join(" ")'
}

# Each level of optimisation; the program ends in main, or by exit from within.
for level in "-O0" "-O2" "-O2 -fnon-call-exceptions" "-O3 -flto"; do
	for how in "" inside; do
		[ "$how" = "" ] || [ "$level" = -O2 ] || continue
		rm -rf "$T/out" "$T/gcov"
		mkdir "$T/out" "$T/gcov"
		# shellcheck disable=SC2086 # lists of options
		$CXX $level -g -pthread $COUNT "$P/paths-shapes.cc" -o "$T/shapes" "$LIBRARY" || fail "$level: does not compile"
		# shellcheck disable=SC2086
		(cd "$T/gcov" && $CXX $level -g -pthread -fprofile-update=atomic --coverage "$P/paths-shapes.cc" -o shapes)
		# shellcheck disable=SC2086 # none or one argument
		(cd "$T/out" && "$T/shapes" $how >"$T/said") || fail "$level: the program fails"
		# shellcheck disable=SC2086
		(cd "$T/gcov" && ./shapes $how >"$T/wanted")
		check_eq "$level: output" "$(cat "$T/said")" "$(cat "$T/wanted")"
		paths shapes >"$T/shapes.json"
		"$TOP/testsuite/tools/gcov-paths" "$T/shapes.json" "$T"/gcov/*.gcno >"$T/said" ||
			fail "$level: not gcov's counts: $(cat "$T/said")"
		check_within "$level: functions with executions that were compared" \
			"$(grep -o 'executions [0-9]*' "$T/said" | cut -d' ' -f2)" 12 1000
		# 4 threads of 100,000 turns each, half of them calls of many(), besides 64 from main.
		check_eq "$level: paths of all threads" \
			"$(jq '[.functions[] | select(.function | test("many")) | .executions] | add' "$T/shapes.json")" 200064
	done
done

# What its author declares free of side effects runs as often as the source calls it.
cat >"$T/free.c" <<END
__attribute__((const, noinline, noclone)) static int square(int x)
{
	return x > 3 ? x * x : x;
}
int main(int argc, char **argv)
{
	int sum = argv == 0;
	for (int i = 0; i < 1000; i++)
		sum += square(argc) ^ i;
	return sum == 1;
}
END
rm -rf "$T/out"
mkdir "$T/out"
# shellcheck disable=SC2086 # a list of options
$CC -O2 -g $COUNT "$T/free.c" -o "$T/free" "$LIBRARY" || fail "free.c does not compile"
(cd "$T/out" && "$T/free") || fail "free.c fails"
check_eq "executions of what is declared const" "$(paths free | jq '.functions[] | select(.function == "square").executions')" 1000

# Ways to end.  The counts of a process are its own: a child's begin at its fork, and who becomes another program keeps them.
# shellcheck disable=SC2086 # a list of options
$CC -O2 -g $COUNT "$P/paths-ends.c" -o "$T/ends" "$LIBRARY" || fail "paths-ends.c does not compile"
for how in "" exit _exit handler abort assert perror exec; do
	rm -rf "$T/out"
	mkdir "$T/out"
	# shellcheck disable=SC2086 # none or one argument
	(cd "$T/out" && ulimit -c 0 && "$T/ends" $how >"$T/said" 2>&1) || true
	check_eq "counts of a process that ends by '$how'" "$(paths ends | steps)" "2 3"
	check_eq "its files" "$(ls -A "$T/out" | grep -cv '^ends[.][0-9]*[.]paths$')" 0
done
for how in fork fork-exec daemon again; do
	rm -rf "$T/out"
	mkdir "$T/out"
	# A daemon has standard output, too, whose end is waited for.
	said=$(cd "$T/out" && "$T/ends" "$how") || fail "'$how' fails: $said"
	check_eq "files of '$how'" "$(ls -A "$T/out" | wc -l)" 2
	for file in "$T/out"/*; do "$PATHFDO" paths --exact --json "$file" | steps; done | sort >"$T/got"
	want="1
2 3"
	[ "$how" != again ] || want="2 3
2 3"
	check_eq "counts of '$how'" "$(cat "$T/got")" "$want"
done

printf '#include <exception>\nint main()\n{\n\tstd::terminate();\n}\n' >"$T/terminates.cc"
rm -rf "$T/out"
mkdir "$T/out"
# shellcheck disable=SC2086
$CXX -O2 -g $COUNT "$T/terminates.cc" -o "$T/terminates" "$LIBRARY" || fail "terminates.cc does not compile"
(cd "$T/out" && ulimit -c 0 && "$T/terminates" 2>"$T/said") || true
check_eq "executions of a main that terminates" "$(paths terminates | jq -c '[.functions[].executions]')" "[1]"

# Of several threads that end the process at once none is ended in the midst of a file.
cat >"$T/races.c" <<END
#include <pthread.h>
#include <unistd.h>
static pthread_barrier_t all;
static void *end(void *status)
{
	pthread_barrier_wait(&all);
	_exit(status != NULL);
}
int main(void)
{
	pthread_t other;

	pthread_barrier_init(&all, NULL, 4);
	for (int i = 0; i < 3; i++)
		pthread_create(&other, NULL, end, NULL);
	end(NULL);
}
END
rm -rf "$T/out"
mkdir "$T/out"
# shellcheck disable=SC2086
$CC -O2 -pthread $COUNT "$T/races.c" -o "$T/races" "$LIBRARY" || fail "races.c does not compile"
(cd "$T/out" && seq 200 | xargs -P 10 -I {} "$T/races") || fail "threads that end the process at once: status $?"
check_eq "files of threads that end the process at once" "$(find "$T/out" -type f | wc -l)" 200

# A program's name may be as long as a file's.
rm -rf "$T/out"
mkdir "$T/out"
name=$(printf 'n%.0s' {1..255})
cp "$T/ends" "$T/$name"
(cd "$T/out" && "$T/$name") || fail "a program with a long name fails"
check_eq "counts of a program with a long name" "$(paths "${name:0:200}" | steps)" "2 3"

# Where nothing can be written, the program ends as ever, also where a write sends a signal.
rm -rf "$T/out"
mkdir "$T/out"
(cd "$T/out" && ulimit -f 0 && { "$T/ends" _exit; echo "status $?"; } 2>&1) | cat >"$T/said"
grep -qx 'status 0' "$T/said" || fail "it does not end as it should: $(cat "$T/said")"
grep -q 'the paths of ends are not saved in .*: File too large' "$T/said" || fail "nothing tells of it: $(cat "$T/said")"
check_eq "files without room" "$(ls -A "$T/out")" ""

# Each module has its own file, in the folder that is asked for; one that is loaded twice has two.  The flags are those that the
# command prints, for compiling and linking alike.
FLAGS=$("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=paths)
mkdir "$T/folder"
printf 'int twice(int x)\n{\n\treturn x > 3 ? x * 2 : x + 1;\n}\n' >"$T/twice.c"
cat >"$T/modules.c" <<END
#include <dlfcn.h>
int twice(int);
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += twice(i);
	for (int i = 0; i < 2; i++) {
		void *module = dlopen("$T/loaded.so", RTLD_NOW);
		sum += ((int (*)(int))dlsym(module, "twice"))(1);
		dlclose(module);
	}
	return sum != 92;
}
END
# shellcheck disable=SC2086 # lists of options
{
	$CC -O2 -fPIC $FLAGS -c "$T/twice.c" -o "$T/twice.o" &&
		$CC $FLAGS -shared "$T/twice.o" -o "$T/linked.so" && $CC $FLAGS -shared "$T/twice.o" -o "$T/loaded.so" &&
		$CC -O2 $FLAGS "$T/modules.c" -o "$T/modules" "$T/linked.so" -ldl
} || fail "modules do not compile"
(cd "$T" && PATHFDO_OUTPUT=folder ./modules) || fail "a program with modules fails"
check_eq "files of the modules" "$(cd "$T/folder" && printf '%s\n' * | sed 's/[.][0-9]*[.]/.PID./')" "linked.so.PID.paths
loaded.so.PID.2.paths
loaded.so.PID.paths
modules.PID.paths"
check_eq "counts of a library" "$("$PATHFDO" paths --exact --json "$T"/folder/linked.* | jq -c '[.top[].count]')" "[6,4]"
check_eq "counts of a library that was loaded twice, added up" \
	"$("$PATHFDO" paths --exact --json "$T"/folder/loaded.* | jq -c '[.top[].count]')" "[2]"
check_eq "names that the library shows" "$(nm -D "$T/modules" "$T/linked.so" | grep -oE ' [[:alpha:]] .*pathfdo.*' | sort -u)" \
	" B __pathfdo_layout3_paths_modules"

# A module that ends the process has all others save, and one that is no more is not asked.
cat >"$T/ending.c" <<END
#include <dlfcn.h>
#include <unistd.h>
int twice(int);
int main(void)
{
	void *module = dlopen("$T/loaded.so", RTLD_NOW);
	int sum = ((int (*)(int))dlsym(module, "twice"))(7);

	dlclose(module);
	for (int i = 0; i < 10; i++)
		sum += twice(i);
	module = dlopen("$T/loaded.so", RTLD_NOW);
	sum += ((int (*)(int))dlsym(module, "twice"))(1);
	_exit(sum != 104);
}
END
mkdir "$T/ended"
# shellcheck disable=SC2086 # a list of options
$CC -O2 $FLAGS "$T/ending.c" -o "$T/ending" "$T/linked.so" -ldl || fail "ending.c does not compile"
(cd "$T" && PATHFDO_OUTPUT=ended ./ending) || fail "a program that ends by _exit fails"
check_eq "files of the modules of a process that ends by _exit" \
	"$(cd "$T/ended" && printf '%s\n' * | sed 's/[.][0-9]*[.]/.PID./')" "ending.PID.paths
linked.so.PID.paths
loaded.so.PID.2.paths
loaded.so.PID.paths"
check_eq "counts of a library then" "$("$PATHFDO" paths --exact --json "$T"/ended/linked.* | jq -c '[.top[].count]')" "[6,4]"
check_eq "counts then of a library that was loaded twice" \
	"$("$PATHFDO" paths --exact --json "$T"/ended/loaded.* | jq -c '[.top[].count]')" "[1,1]"

# A handler that comes while all save, because of an exec that fails then, and does not return leaves nothing behind that modules
# would wait for when they end.
cat >"$T/leaving.c" <<END
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int twice(int);
static sigjmp_buf back;
static void leave(int number)
{
	siglongjmp(back, number);
}
/* Of the modules' files the second one has its name when this is called again. */
__attribute__((no_profile_instrument_function)) int unlink(const char *name)
{
	static int calls;

	if (++calls == 2)
		raise(SIGUSR1);
	return (int)syscall(SYS_unlink, name);
}
int main(void)
{
	const volatile unsigned long *walkers = dlsym(RTLD_DEFAULT, "__pathfdo_layout3_paths_modules");

	signal(SIGUSR1, leave);
	if (twice(1) == 2 && sigsetjmp(back, 1) == 0)
		execl("$T/none", "none", (char *)0);
	else
		return !walkers || *walkers != 0;
	return 2;
}
END
mkdir "$T/left"
# shellcheck disable=SC2086 # a list of options
$CC -O2 $FLAGS "$T/leaving.c" -o "$T/leaving" "$T/linked.so" -ldl || fail "leaving.c does not compile"
(cd "$T" && PATHFDO_OUTPUT=left ./leaving) || fail "a handler that leaves: status $?"
check_eq "files of modules that a handler left" "$(ls -A "$T/left" | wc -l)" 2

# What cannot be is refused: a profile besides, another kind, a file that is cut off.
printf 'int f(void) { return 0; }\n' >"$T/f.c"
# shellcheck disable=SC2086
! $CC -O2 $COUNT -fplugin-arg-pathfdo-profile=x -c "$T/f.c" -o "$T/f.o" 2>"$T/said" || fail "a profile besides is taken"
grep -q "exclude each other" "$T/said" || fail "a profile besides: $(cat "$T/said")"
# shellcheck disable=SC2086
$CC -O2 $COUNT -fprofile-arcs -c "$T/f.c" -o "$T/f.o" 2>"$T/said" || fail "-fprofile-arcs besides: $(cat "$T/said")"
grep -q "nothing is counted, because .-fprofile-generate or -fprofile-arcs. is given too" "$T/said" ||
	fail "-fprofile-arcs besides: $(cat "$T/said")"
# A counter is unsafe in a transaction: such a file is compiled without.
printf 'int x;\n__attribute__((transaction_safe)) int f(int i) { return i * 3; }\nvoid g(int i) { __transaction_atomic { x += f(i); } }\n' \
	>"$T/t.c"
# shellcheck disable=SC2086
$CC -O2 $COUNT -fgnu-tm -c "$T/t.c" -o "$T/t.o" 2>"$T/said" || fail "-fgnu-tm besides: $(cat "$T/said")"
grep -q "nothing is counted, because .-fgnu-tm. is given too" "$T/said" || fail "-fgnu-tm besides: $(cat "$T/said")"
! $CC -O2 -fplugin="$PLUGIN" -fplugin-arg-pathfdo-instrument=x -c "$T/f.c" -o "$T/f.o" 2>"$T/said" || fail "x is instrumented"
grep -q "write one of .paths." "$T/said" || fail "another kind: $(cat "$T/said")"
head -c 100 "$T"/folder/modules.* >"$T/cut.1.paths"
refused 1 'cut.1.paths: offset [0-9]+: the file ends too early' paths --exact "$T/cut.1.paths"
refused 2 'must be paths, context' cflags --instrument=all
