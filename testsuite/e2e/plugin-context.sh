#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that count their calls by context: the trees are those that were worked out by hand, at each level of optimisation,
# however calls are made and left, in threads, handlers and children; calls between modules are in one tree; and damaged files
# are refused.
set -eu
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "jq is not installed"
P=$TOP/testsuite/programs
# shellcheck disable=SC2046 # a list of options
set -- $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=context)
FLAGS=("$@")

# tree SHAPE LEVEL WANTED: the folded contexts of all processes of the run, files in the order of what they say.
tree() {
	rm -rf "$T/out"
	mkdir "$T/out"
	(cd "$T/out" && "$T/shapes" "$1" >"$T/said" 2>&1) || fail "$2: '$1' fails: $(cat "$T/said")"
	for file in "$T"/out/*; do "$PATHFDO" context --folded "$file"; done | LC_ALL=C sort >"$T/got"
	check_eq "$2: contexts of '$1'" "$(cat "$T/got")" "$3"
}

for level in "-O0" "-O2" "-O3 -flto" "-O2 -fPIC -fnon-call-exceptions"; do
	# shellcheck disable=SC2086 # a list of options
	$CXX $level -g -pthread "${FLAGS[@]}" "$P/context-shapes.cc" -o "$T/shapes" || fail "$level: does not compile"
	tree recurse "$level" "main 1
main;recurse 2
main;recurse;leaf 7
main;recurse;recurse 5"
	tree mutual "$level" "main 1
main;even 1
main;even;odd 4
main;even;odd;even 3"
	tree by_pointer "$level" "main 1
main;by_pointer 1
main;by_pointer;leaf 10
main;by_pointer;one 10
main;by_pointer;one;leaf 10
main;by_pointer;two 10
main;by_pointer;two;leaf 20"
	tree by_library "$level" "main 1
main;by_library 1
main;by_library;compare 7
main;by_library;compare;leaf 7
main;by_library;one 1
main;by_library;one;leaf 1"
	tree jumps "$level" "main 1
main;jumps 1
main;jumps;jump 4
main;jumps;jump;jump 12
main;jumps;jump;leaf 16
main;jumps;one 5
main;jumps;one;leaf 5
main;jumps;two 1
main;jumps;two;leaf 2"
	tree catcher "$level" "main 1
main;catcher 1
main;catcher;one 5
main;catcher;one;leaf 5
main;catcher;thrower 5
main;catcher;thrower;leaf 15
main;catcher;thrower;thrower 10
main;catcher;two 1
main;catcher;two;leaf 2"
	tree signals "$level" "[signal];handler 3
[signal];handler;one 3
[signal];handler;one;leaf 3
main 1
main;signals 1
main;signals;one 1
main;signals;one;leaf 1"
	tree threads "$level" "main 1
main;threads 1
work 12
work;one 12000
work;one;leaf 12000
work;recurse 12
work;recurse;leaf 24
work;recurse;recurse 12"
	tree uncounted "$level" "main 1
main;local_one 3
main;local_one;one 3
main;local_one;one;leaf 3
main;local_two 3
main;local_two;two 3
main;local_two;two;leaf 6"
	tree coroutine "$level" "main 1
main;coroutine 1
main;coroutine;body 3
main;coroutine;body;one 3
main;coroutine;body;one;leaf 3
main;coroutine;leaf 3
main;coroutine;two 1
main;coroutine;two;leaf 2"
	# The child's calls are its own, and those that it is in count for its parent.
	tree forks "$level" "main 1
main;forks 1
main;forks;one 2
main;forks;one;leaf 2
main;forks;two 1
main;forks;two;leaf 2"
	check_eq "$level: files of 'forks'" "$(ls -A "$T/out" | wc -l)" 2
done

# Cycles: at least those that a function waits for, which are its own and not its callers'; and whatever main took is somebody's.
for level in -O0 -O2; do
	# shellcheck disable=SC2046 # a list of options
	$CC $level -g $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=context,cycles) "$P/context-cycles.c" \
		-o "$T/cycles" || fail "$level: does not compile with cycles"
	rm -rf "$T/out"
	mkdir "$T/out"
	(cd "$T/out" && "$T/cycles") || fail "$level: it fails with cycles"
	"$PATHFDO" context --json "$T"/out/* >"$T/json"
	check_eq "$level: the metric, and the calls" \
		"$(jq -c '[.metric, .calls, (.contexts | map(select(.function == "spin").calls) | sort)]' "$T/json")" '["cycles",12,[2,4]]'
	for what in twice:6000000 again:4000000; do
		cycles=$(jq --arg name "${what%:*}" '(.contexts[] | select(.function == $name and .recursive == null).id) as $id |
			.contexts[] | select(.parent == $id and .function == "spin").own' "$T/json")
		check_within "$level: cycles below ${what%:*}" "$cycles" "${what#*:}" 1e18
	done
	check_eq "$level: cycles that nobody has" "$(jq '(.contexts | map(.own) | add) - (.contexts[] | select(.function == "main").cycles)' "$T/json")" 0
	"$PATHFDO" context --calls --html "$T/page.html" "$T"/out/* || fail "$level: there is no page"
	legible "$T/page.html"
	check_eq "$level: bars, of 12 calls" "$(grep -o 'y="[0-9]*" width="[0-9.]*".*<title>[^:]*' "$T/page.html" |
		sed 's/" height.*<title>/ /; s/[a-z]*="//g; s/"//g')" "0 1200.00 main
18 800.00 again
36 400.00 spin
36 300.00 again, recursively
18 300.00 twice
36 200.00 spin"
	check_eq "$level: the order by calls" "$("$PATHFDO" context --calls --folded "$T"/out/* | head -n 3)" "main 1
main;again 1
main;again;spin 4"
done

# However a process ends, its calls are there; a child's begin at its fork, and who becomes another program keeps them.
$CC -O2 -g "${FLAGS[@]}" "$P/paths-ends.c" -o "$T/ends" || fail "paths-ends.c does not compile"
steps() {
	for file in "$T"/out/*; do "$PATHFDO" context --folded "$file" | sed -n 's/.*;step //p'; done | sort -n | paste -sd' '
}
for how in exit:5 _exit:5 handler:5 abort:5 assert:5 perror:5 exec:5 "fork:1 5" "fork-exec:1 5" "daemon:1 5" "again:5 5"; do
	rm -rf "$T/out"
	mkdir "$T/out"
	# Until all have ended that write there.
	{ cd "$T/out" && ulimit -c 0 && "$T/ends" "${how%%:*}"; } 2>&1 | cat >"$T/said"
	check_eq "calls in processes that end by '${how%%:*}'" "$(steps)" "${how#*:}"
done

# Another language, whose compiler has fewer functions of its own.
cat >"$T/fortran.f90" <<END
program adds
  integer :: i, s
  s = 0
  do i = 1, 5
    call add(s)
  end do
  if (s /= 10) stop 1
contains
  recursive subroutine add(s)
    integer, intent(inout) :: s
    s = s + 1
    if (mod(s, 2) == 1) call add(s)
  end subroutine
end program
END
if $CC "$T/fortran.f90" -o "$T/fortran" -lgfortran 2>"$T/said"; then
	$CC "${FLAGS[@]}" "$T/fortran.f90" -o "$T/fortran" -lgfortran || fail "Fortran does not compile"
	rm -rf "$T/out"
	mkdir "$T/out"
	(cd "$T/out" && "$T/fortran") || fail "the program in Fortran fails"
	check_eq "contexts in Fortran" "$("$PATHFDO" context --folded "$T"/out/* | sed 's/[.][0-9]*\>//g' | LC_ALL=C sort)" "main 1
main;MAIN__ 1
main;MAIN__;add 5
main;MAIN__;add;add 5"
fi

# What is inlined only when it has what counts in it asks for the slot that its caller has said just before: in two
# arms of a branch, and twice in a row.  By hand: ten turns; in main the calls are in line 26, and each `either' calls the
# leaf thrice.
cat >"$T/inlined.c" <<'END2'
__attribute__((noipa)) int leaf(int x)
{
	return x + 1;
}
extern int either(const int *x);
inline int either(const int *x)
{
	return leaf(x[0]) * 3 + leaf(x[1]) * 5 + (x[2] > 4 ? leaf(x[3]) : leaf(x[4]) * 7);
}
__attribute__((noinline, noclone)) int choose(const int *x, int first)
{
	if (first)
		return either(x) + 1;
	return either(x + 1) * 3;
}
__attribute__((noinline, noclone)) int both(const int *x)
{
	int first = either(x);

	return first + either(x + 1);
}
int main(void)
{
	int values[] = { 1, 2, 3, 4, 5, 6 }, sum = 0;
	for (int i = 0; i < 10; i++)
		sum += choose(values, i & 1) + both(values);
	return sum == 0;
}
END2
$CC -O2 -g "${FLAGS[@]}" "$T/inlined.c" -o "$T/inlined" || fail "inlined.c does not compile"
objdump -dr --no-show-raw-insn "$T/inlined" | awk '/>:$/ { here = $2 == "<choose>:" || $2 == "<both>:" }
	here && /call.*<either>/ { n++ } END { exit n > 0 }' || fail "either is not inlined"
rm -rf "$T/out"
mkdir "$T/out"
(cd "$T/out" && "$T/inlined") || fail "inlined.c fails"
check_eq "contexts of what is inlined" "$("$PATHFDO" context --folded "$T"/out/* | LC_ALL=C sort)" "main 1
main;both 10
main;both;either 20
main;both;either;leaf 60
main;choose 10
main;choose;either 10
main;choose;either;leaf 30"
check_eq "its call sites" "$("$PATHFDO" context --sites --folded "$T"/out/* | LC_ALL=C sort | grep 'either:[0-9]* ')" \
	"main;both:26;either:18 10
main;both:26;either:20 10
main;choose:26;either:13 5
main;choose:26;either:14 5"

# A function that is declared const counts where it is called.
cat >"$T/declared.c" <<'END2'
__attribute__((const)) int twice(int x);
__attribute__((noinline, noclone)) int first(int x)
{
	return twice(x) + twice(x + 1);
}
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += first(i);
	return sum != 200;
}
END2
printf 'int twice(int x)\n{\n\treturn x * 2;\n}\n' >"$T/defined.c"
$CC -O2 -g "${FLAGS[@]}" "$T/declared.c" "$T/defined.c" -o "$T/declared" || fail "declared.c does not compile"
rm -rf "$T/out"
mkdir "$T/out"
(cd "$T/out" && "$T/declared") || fail "declared.c fails"
check_eq "contexts of what is declared const" "$("$PATHFDO" context --folded "$T"/out/* | LC_ALL=C sort)" "main 1
main;first 10
main;first;twice 20"

# Programs that are linked statically, wherever they are loaded.
for how in -static -static-pie; do
	$CC -O2 $how "$P/paths-ends.c" -o "$T/static" 2>"$T/said" || continue
	$CC -O2 -g -fPIE $how "${FLAGS[@]}" "$P/paths-ends.c" -o "$T/static" || fail "$how: does not compile"
	rm -rf "$T/out"
	mkdir "$T/out"
	(cd "$T/out" && "$T/static" handler) || fail "$how: it fails"
	check_eq "$how: calls" "$("$PATHFDO" context --folded "$T"/out/* | LC_ALL=C sort)" "[signal];handler 1
main 1
main;end_in_handler 1
main;step 5"
done

# Calls between modules are in one tree, those of a library that is loaded while the program runs too, and however they are linked;
# one that hides the names has a file of its own.  In a program that does not count, the tree is that of the library it needs.
printf 'int leaf(int x)\n{\n\treturn x + 1;\n}\nint twice(int x)\n{\n\treturn leaf(x) + leaf(2 * x);\n}\n' >"$T/twice.c"
printf '{ global: twice; local: *; };\n' >"$T/hides.map"
cat >"$T/modules.c" <<END
#include <dlfcn.h>
int twice(int);
static int load(const char *name)
{
	void *module = dlopen(name, RTLD_NOW);
	int got = ((int (*)(int))dlsym(module, "twice"))(1);

	dlclose(module);
	return got;
}
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += twice(i);
	for (int i = 0; i < 3; i++)
		sum += load("$T/loaded.so");
	return sum + load("$T/hiding.so") != 155 + 4 * 5;
}
END
{
	$CC -O2 -fPIC -fno-inline "${FLAGS[@]}" -c "$T/twice.c" -o "$T/twice.o" &&
		$CC "${FLAGS[@]}" -shared "$T/twice.o" -o "$T/linked.so" -Wl,-Bsymbolic-functions &&
		$CC "${FLAGS[@]}" -shared "$T/twice.o" -o "$T/loaded.so" -Wl,-Bsymbolic &&
		$CC "${FLAGS[@]}" -shared "$T/twice.o" -o "$T/hiding.so" -Wl,--version-script="$T/hides.map" &&
		$CC -O2 -fno-inline "${FLAGS[@]}" "$T/modules.c" -o "$T/modules" "$T/linked.so" -ldl &&
		$CC -O2 "$T/modules.c" -o "$T/plain" "$T/linked.so" -ldl
} || fail "modules do not compile"
mkdir "$T/folder"
(cd "$T" && PATHFDO_OUTPUT=folder ./modules && PATHFDO_OUTPUT=folder ./plain) || fail "a program with modules fails"
check_eq "files of the modules" "$(cd "$T/folder" && printf '%s\n' * | sed 's/[.][0-9]*[.]/.PID./')" "hiding.so.PID.context
hiding.so.PID.context
linked.so.PID.context
modules.PID.context"
check_eq "contexts of several modules" "$("$PATHFDO" context --folded "$T"/folder/modules.* | LC_ALL=C sort)" "main 1
main;load 4
main;load;twice 3
main;load;twice;leaf 6
main;twice 10
main;twice;leaf 20"
check_eq "names that others see" "$(nm -D "$T/modules" | grep -oE ' [[:alpha:]] .*pathfdo.*' | sort)" \
	" B __pathfdo_layout3_context_spent
 D __pathfdo_layout3_context_entries
 D __pathfdo_layout3_context_slot"

# What cannot be is refused.
head -c 100 "$T"/folder/modules.* >"$T/cut.1.context"
refused 1 'cut.1.context: offset [0-9]+: the file ends too early' context "$T/cut.1.context"
refused 1 'modules.c: is not what an instrumented program counted' context "$T/modules.c"
cp "$T/cut.1.context" "$T/cut.2.context"
refused 1 'which would be lost' context --html "$T/cut.2.context" "$T/cut.2.context"
cmp -s "$T/cut.1.context" "$T/cut.2.context" || fail "a file that was to be read is lost"
refused 2 'exclude each other' context --folded --json "$T/cut.1.context"
refused 2 'name the files' context
# One file counts once; two files of two runs that did the same count both.
file=$(ls "$T"/folder/modules.*)
ln "$file" "$T/again.context"
refused 1 'again.context: is the same file as .*modules.* and would count twice' context "$file" "$T/again.context"
cp "$file" "$T/copy.context"
check_eq "contexts of two runs" "$("$PATHFDO" context --folded "$file" "$T/copy.context" | LC_ALL=C sort | head -n 1)" "main 2"

# What a call costs, in instructions: one of a call site's only callee, and one of two that take turns.
if command -v valgrind >/dev/null; then
	cat >"$T/turns.c" <<-'END2'
	__attribute__((noipa)) static int one(int x)
	{
		return x + 1;
	}
	__attribute__((noipa)) static int two(int x)
	{
		return x + 2;
	}
	int main(int argc, char **argv)
	{
		int (*const callees[])(int) = { one, argc > 1 ? two : one };
		int all = 0;

		(void)argv;
		for (int i = 0; i < 100000; i++)
			all += callees[i & 1](i);
		return all == 0;
	}
	END2
	$CC -O2 -g "${FLAGS[@]}" "$T/turns.c" -o "$T/counted"
	$CC -O2 -g "$T/turns.c" -o "$T/plain"
	for case in ":12" "turns:50"; do
		# shellcheck disable=SC2086 # none or one argument
		counted=$(PATHFDO_OUTPUT=$T callgrind "$T/said" "$T/counted" ${case%:*})
		# shellcheck disable=SC2086
		plain=$(callgrind "$T/said" "$T/plain" ${case%:*})
		check_within "instructions that counting a call takes, of ${case%:*}" "$(((counted - plain) / 100000))" 1 "${case#*:}"
	done
fi

# A program's own variables of threads are at places that the linker knows; a function that counted code alone calls gives nothing
# back; and what is small is inlined, though what counts makes it larger.
cat >"$T/calls.c" <<'END2'
__attribute__((noipa)) int leaf(int x)
{
	return x + 1;
}
static __attribute__((noinline)) int inner(int x)
{
	return leaf(x) + leaf(x + 1);
}
static int small(const int *x)
{
	return leaf(x[0]) * 3 + leaf(x[1]) * 5 + (x[2] > 4 ? leaf(x[3]) : leaf(x[4]) * 7);
}
int outer(const int *x)
{
	return inner(x[0]) + small(x + 1) + small(x + 2);
}
END2
for how in -fPIE -fPIC; do
	$CC -O2 -g $how "${FLAGS[@]}" -S "$T/calls.c" -o "$T/calls$how.s"
done
check_eq "places of variables that the loader knows, in a program" "$(grep -c 'context_slot@gottpoff' "$T/calls-fPIE.s")" 0
check_within "the same in a library" "$(grep -c 'context_slot@gottpoff' "$T/calls-fPIC.s")" 1 1000
# inner says it twice, in front of its calls.
check_eq "stores to the slot in inner" "$(sed -n '/^inner:/,/\.size[[:space:]]*inner/p' "$T/calls-fPIE.s" |
	grep -cE 'mov.*, *%fs:.*context_slot@tpoff')" 2
! grep -q '^small:' "$T/calls-fPIE.s" || fail "a small function is not inlined where calls are counted"
