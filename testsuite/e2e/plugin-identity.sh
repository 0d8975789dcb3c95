#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions without a name or a line of their own in the debug information keep their counts: static functions and
# templates of C++ (as targets of calls, too), bodies of OpenMP regions, coroutines, and such ones in lambdas and members.
# Exact profiles; counts by hand.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
cd "$T"
# use NAME SOURCE FLAG...: NAME.txt is the exact profile of SOURCE; compiles with it, silently, and leaves the report.
use() {
	local name=$1 source=$2 compiler=$CC
	shift 2
	[ "${source%.cc}" = "$source" ] || compiler=$CXX
	$compiler -O2 -g "$@" "$source" -o "$name"
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no --compress-pos=no \
		--callgrind-out-file="$name.calls" "./$name" >/dev/null
	"$B/tools/callgrind-vectors" "$name.calls" "$name.data"
	"$PATHFDO" convert -q -b "$name" "$name.data" -o "$name.pfdo" 2>convert.log || fail "$name: $(cat convert.log)"
	"$PATHFDO" show --text "$name.pfdo" >"$name.txt"
	rm -f report
	$compiler -O2 -g -Werror "$@" -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$name.pfdo" \
		-fplugin-arg-pathfdo-report="$T/report" -fdump-ipa-profile_estimate -c "$source" 2>messages ||
		fail "$source: $(cat messages)"
	check_eq "what is said of $source" "$(cat messages)" ""
}
# found RE LINE: what became of the function whose symbol matches, of that line.
found() { sed -n "s/^{\"function\":\"$1\",.*\"line\":$2,\"found\":\"\([a-z]*\)\".*/\1/p" report | sort -u; }
# count NAME POSITION: of a record of a function; POSITION is a regular expression.
count() { awk -v name="$1" -v at="^$2\$" '/^function / { on = $2 == name } on && $1 ~ at { print $3 }' "$3.txt"; }

cat >ident.cc <<'END'
#include <cstdio>
static int pick(int i) { return i * 3 + 1; }
static int drop(int i) { return i * 5 - 1; }
int (*volatile choice[2])(int) = { pick, drop };
template <class F> __attribute__((noinline)) static int go(F f, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += f(i);
	return s;
}
int main(int argc, char **)
{
	int s = 0;
	for (int i = 0; i < 1000; i++)
		s += choice[i % 10 == 0](i);
	s += go([](int i) { return i ^ 5; }, 700);
	if (argc > 1)
		s += go([](int i) { return i + 7; }, 300);
	std::printf("%d\n", s);
	return 0;
}
END
use ident ident.cc
# Nine of ten calls go to pick, and the compiler is told so.
for target in "_ZL4picki 900" "_ZL4dropi 100"; do
	grep -q "^ *call $target\$" ident.txt || fail "no target $target: $(grep call ident.txt)"
	grep -q "^function ${target% *} .* head ${target#* } " ident.txt || fail "$target: $(grep ^function ident.txt)"
done
grep -q 'Indirect call -> direct call.*int pick(int).*prob 0.90' ./*profile_estimate || fail "no promotion to pick"
# The template's instance that ran has counts, the one that did not has none.
check_eq "go of the first lambda" "$(found _Z2goIZ4mainEUliE_EiT_i 5 | grep -c '^matched$')" 1
check_eq "instances of go with counts" "$(grep '"function":"_Z2go' report | grep -c '"found":"matched"')" 1

cat >region.c <<'END'
#include <stdio.h>
int data[1000];
int main(void)
{
	long s = 0;
#pragma omp parallel for reduction(+ : s) num_threads(1)
	for (int i = 0; i < 1000; i++) {
		if (data[i] == i % 4)
			s += i;
		else
			s -= 1;
	}
	printf("%ld\n", s);
	return 0;
}
END
echo 'int main(void) { return 0; }' | $CC -fopenmp -x c - -o omp 2>/dev/null && use region region.c -fopenmp -fno-tree-vectorize
if [ -f region.txt ]; then # whose loop turns as often as the source says, not in lanes
	# data is zero, and every fourth i % 4 is.
	check_eq "tests in the region" "$(count main._omp_fn.0 8:6 region)" 1000
	check_eq "the region" "$(found main._omp_fn.0 6)" matched
	blocks=$(grep '"function":"main._omp_fn.0"' report | sed 's/.*"blocks":{"exact":\([0-9]*\).*/\1/')
	check_within "blocks of the region that are found exactly" "$blocks" 3 99
fi

cat >lazy.cc <<'END'
#include <coroutine>
#include <cstdio>
struct task {
	struct promise_type {
		int now = 0;
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v) { now = v; return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
static task count(int n)
{
	for (int i = 0; i < n; i++) {
		if (i % 10 == 3)
			co_yield i * 2;
		else
			co_yield i;
	}
}
int main()
{
	long s = 0;
	task t = count(1000);
	while (!t.handle.done()) {
		t.handle.resume();
		s += t.handle.promise().now;
	}
	t.handle.destroy();
	std::printf("%ld\n", s);
	return 0;
}
END
use lazy lazy.cc -std=c++20
ACTOR=$(sed -n 's/^function \([^ ]*\.actor\) .*/\1/p' lazy.txt)
# From GCC 13 on there are discriminators within a line, and from 14 on the brace that ends the coroutine is the line of what
# its co_yields become; GCC 15 has an inlined call there.  So the counts are wherever debug information puts them, and the
# compiler finds them there again: one step in ten has a remainder of 3.
count "$ACTOR" '(19:(4|17)|23:1)([.].*)?' lazy | grep -qx 100 || fail "no count of the steps with a remainder of 3: $(cat lazy.txt)"
{
	count "$ACTOR" '(21:4|23:1)([.].*)?' lazy
	sed -n 's/^ *inline .*yield_value.* at 21:[0-9]* entries //p' lazy.txt
} | grep -qx 900 || fail "no count of the others: $(cat lazy.txt)"
check_eq "the coroutine" "$(found "$ACTOR" 15)" matched
grep -A 1 'if (.* == 3)' ./*profile_estimate >tests
grep -qE '\[(9[.]9|10[.]0).%\]' tests || fail "the compiler has not one step in ten: $(cat tests)"

# Bodies of regions within what has no name or line itself: each stands in a class, and is no member of it.
cat >inner.cc <<'END'
#include <cstdio>
int data[1000];
int main()
{
	struct local {
		int least;
		long run(int n)
		{
			long s = 0;
#pragma omp parallel for reduction(+ : s) num_threads(1)
			for (int i = 0; i < n; i++)
				s += data[i] >= least ? i : 1;
			return s;
		}
	} one = { 2 };
	auto two = [](int n) {
		long s = 0;
#pragma omp parallel for reduction(+ : s) num_threads(1)
		for (int i = 0; i < n; i++)
			s += data[i] ? i : 1;
		return s;
	};
	std::printf("%ld %ld\n", one.run(600), two(700));
	return 0;
}
END
[ ! -f region.txt ] || for flags in "" -flto; do
	# shellcheck disable=SC2086 # no word if it is empty
	use inner inner.cc -fopenmp -fno-tree-vectorize $flags
	for line in 10 18; do
		check_eq "the region of line $line, $flags" "$(found '[^"]*[.]_omp_fn[.]0' $line)" matched
		blocks=$(grep "_omp_fn.*\"line\":$line," report | sed 's/.*"blocks":{"exact":\([0-9]*\).*/\1/')
		check_within "blocks of the region of line $line that are found exactly, $flags" "$blocks" 2 99
	done
done

# Members that are coroutines, coroutines that are lambdas, and functions that a lambda is converted to stand where
# their class does, with -flto, too, at whose end it has no name.  The least of debug information has no classes; what is
# inlined goes by its plain name then, and what is in a header by the name of the file that is compiled.
{
	echo '#include "member.h"'
	sed '/^static task count/,$d' lazy.cc
	cat <<'END'
struct source {
	task count(int n) const
	{
		for (int i = 0; i < n; i++)
			if (i % 10 == 3)
				co_yield i * 2;
			else
				co_yield i;
	}
};
static long drain(task t)
{
	long s = 0;
	for (; !t.handle.done(); s += turned(t.handle.promise().now))
		t.handle.resume();
	t.handle.destroy();
	return s;
}
int main()
{
	auto all = [](int n) -> task {
		for (int i = 0; i < n; i++)
			co_yield i;
	};
	std::printf("%ld %ld\n", drain(source().count(1000)), drain(all(500)) + sum(30));
	return 0;
}
END
} >member.cc
cat >member.h <<'END'
static int (*volatile turned)(int) = [](int v) { return v ^ 1; };
inline int sum(int n)
{
	auto odd = [n](int k) __attribute__((noinline)) {
		int s = 0;
		for (int i = 0; i < k; i++)
			if (i % 2)
				s += i;
			else
				s ^= n;
		return s;
	};
	return odd(n + 20);
}
END
for flags in "" -flto -g1; do
	# shellcheck disable=SC2086 # no word if it is empty
	use member member.cc -std=c++20 $flags
	for function in '[^"]*source[^"]*[.]actor' '[^"]*main[^"]*[.]actor' '[^"]*turned[^"]*_FUN[^"]*' '[^"]*sum[^"]*clEi'; do
		placed=$(sed -n "s/^{\"function\":\"$function\",.*\"found\":\"matched\".*\"exact\":\([0-9]*\),\"column\":\([0-9]*\),.*/\1+\2/p" report)
		check_within "blocks of $function that are found by line and column, $flags" "$((placed + 0))" 1 99
	done
done

# Constructors, destructors and conversions of a local class: debug information has `Foo', `~Foo' and `operator int', where the
# compiler's own names are `__ct' and the like; the linker has two names for one constructor, and the profile either.  Inlined
# or not where they are profiled, and not in the compile, each ran 50 times; with -flto, too, at whose end no front end knows
# names any more.
cat >made.cc <<'END2'
volatile int sink;
namespace
{
template <class T> struct Foo {
	T v;
	KEEP explicit Foo(int n) : v(n)
	{
		for (int i = 0; i <= n; i++)
			v += i ^ sink;
	}
	KEEP ~Foo()
	{
		for (int i = 0; i < 3; i++)
			sink = i;
	}
	KEEP operator T() const
	{
		int s = v;
		for (int i = 0; i < 4; i++)
			s ^= sink;
		return s;
	}
};
}
__attribute__((noinline)) int use(int k)
{
	Foo<int> f(k);
	return f;
}
int main()
{
	int s = 0;
	for (int k = 0; k < 50; k++)
		s += use(k);
	return s == 12345;
}
END2
# made ATTRIBUTE INSTANCES: profiled with it.
made() {
	local flags line
	$CXX -O2 -g "-DKEEP=__attribute__(($1))" made.cc -o made
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no --compress-pos=no \
		--callgrind-out-file=made.calls ./made
	"$B/tools/callgrind-vectors" made.calls made.data
	"$PATHFDO" convert -q -b made made.data -o made.pfdo
	for flags in "" -flto; do
		rm -f report
		# shellcheck disable=SC2086 # options are words
		$CXX -O2 $flags -g '-DKEEP=__attribute__((noinline))' -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=made.pfdo \
			-fplugin-arg-pathfdo-report=report -c made.cc
		for line in 6 11 16; do
			check_eq "a body of line $line, $1 where it was profiled, $flags" \
				"$(sed -n "s/.*\"line\":$line,\"found\":\"\([a-z]*\)\",\"head\":\([0-9]*\),.*\"merged\":\([0-9]*\),.*/\1 \2 \3/p" report)" \
				"matched 50 $2"
		done
	done
}
made always_inline 1

# The names last although the compiler collects what it does not use itself: a line below, nothing else tells.
{
	echo '// One line more.'
	cat made.cc
	for i in {1..60}; do
		echo "int other$i(int *p, int n) { int s = 0; while (n--) s += p[n] > $i ? p[n] * $i : p[n] / 3; return s; }"
	done
} >moved.cc
"$PATHFDO" show --text made.pfdo | sed 's|made[.]cc|moved.cc|' >moved.txt
"$PATHFDO" show --from-text moved.txt -o moved.pfdo
rm -f report
$CXX -O2 --param ggc-min-expand=0 --param ggc-min-heapsize=0 '-DKEEP=__attribute__((noinline))' -fplugin="$PLUGIN" \
	-fplugin-arg-pathfdo-profile=moved.pfdo -fplugin-arg-pathfdo-report=report -c moved.cc 2>messages ||
	fail "moved.cc: $(cat messages)"
for line in 7 12 17; do
	grep -q "\"line\":$line,\"found\":\"matched\"" report || fail "line $line: $(grep "\"line\":$line," report)"
done

made noinline 0

# One that was edited since is found by whichever name the profile has, and its counts are where its lines are now.
sed -i '8s|^|\t\t// Each of these\n\t\t// lines is one\n\t\t// without code.\n|' made.cc
rm -f report
$CXX -O2 -g '-DKEEP=__attribute__((noinline))' -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=made.pfdo \
	-fplugin-arg-pathfdo-report=report -c made.cc
check_within "positions of the constructor that are three lines below" \
	"$(sed -n 's/.*"line":6,"found":"[a-z]*","head":50,.*"aligned":\([0-9]*\),.*/\1/p' report)" 3 99
