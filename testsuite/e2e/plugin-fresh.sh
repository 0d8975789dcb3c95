#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sources that nobody edited are never called stale, whatever of a function's code lies on its frame; and the variants of a
# destructor have records of their own.  Profiles are exact (callgrind), heads are counted by hand.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
cd "$T"
# exact NAME: NAME.pfdo and NAME.txt of the program NAME.
exact() {
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no --compress-pos=no \
		--callgrind-out-file="$1.calls" "./$1" >/dev/null
	"$B/tools/callgrind-vectors" "$1.calls" "$1.data"
	"$PATHFDO" convert -q -b "$1" "$1.data" -o "$1.pfdo" 2>convert.log || fail "$1: $(cat convert.log)"
	"$PATHFDO" show --text "$1.pfdo" >"$1.txt"
}
# fresh NAME SOURCE COMPILER: with its own profile SOURCE compiles silently, and all of its functions that ran are matched.
fresh() {
	rm -f report
	$3 -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$1.pfdo" -fplugin-arg-pathfdo-report="$T/report" \
		-c "$2" 2>messages || fail "$2: $(cat messages)"
	check_eq "stale functions of $2" "$(grep -c '"found":"stale"' report || true)" 0
}

cat >frame.c <<'END'
#include <stdio.h>
int table[64];
__attribute__((noinline))
static long heavy(long *a, long b, long c,
		  long d, long e, long f)
{
	a[0] += b * c; a[1] += d * e + f; a[2] ^= b; a[3] += table[c & 63];
	return a[0] - a[3];
}
static inline long core(long *a, int n)
{
	long s = 0;
	if (n > 3)
		s = heavy(a, n, n + 1, n + 2, n + 3, n + 4);
	return s + a[1];
}
__attribute__((noinline)) long once(long *a, int n) {
	return core(a, n);
}
__attribute__((noinline)) long
twice(a, n)
	long *a;
	int n;
{
	core(a, n);
	return core(a, n + 1);
}
__attribute__((noinline)) long never(long *a, int n) { return n > 100000 ? core(a, n) : 0; }
int main(void)
{
	long a[8] = { 0 }, s = 0;
	for (int i = 0; i < 2000; i++)
		s += once(a, i) + twice(a, i) + never(a, i);
	printf("%ld\n", s);
	return 0;
}
END
$CC -O2 -g -w frame.c -o frame
exact frame
fresh frame frame.c "$CC -w"
for name in heavy once twice never main; do
	grep -q "^{\"function\":\"$name\".*\"found\":\"matched\"" report || fail "$name: $(cat report)"
done
# A function of which nothing is left is.
sed -i 's/^\ta\[0\] += .*/\n\n\n\n\n\n\tif (b > d)\n\t\tfor (int i = 0; i < 9; i++)\n\t\t\ta[i \& 7] ^= c;/; s/^\treturn a\[0\] - a\[3\]/\n\n\t\t\t\t\treturn f/' frame.c
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/frame.pfdo" -c frame.c 2>messages
grep -q "warning: pathfdo: 'heavy' has changed too much" messages || fail "an edit goes unnoticed: $(cat messages)"

# Of several that are, the first is named.
cat >several.c <<'END'
int one(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] += n;
	return a[0];
}
int other(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] -= n;
	return a[0];
}
END
"$PATHFDO" show --from-text - -o several.pfdo <<'END'
pathfdo-profile 1
unit executions
function one several.c:1 head 9 total 909
  0:0 count 9
  40:3 count 400
  41:5 count 500
function other several.c:7 head 9 total 909
  0:0 count 9
  40:3 count 400
  41:5 count 500
END
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/several.pfdo" -c several.c 2>messages
check_eq "warnings of two functions" "$(grep -c 'warning: ' messages)" 1
grep -q "^several.c:1:[0-9]*: warning: pathfdo: 2 of the functions of this file have changed too much .*'one' is the first" messages ||
	fail "two edits go unnoticed: $(cat messages)"

cat >variants.cc <<'END'
#include <cstdio>
int closed;
struct base {
	int *data;
	base();
	virtual ~base();
};
__attribute__((noinline)) base::base() : data(new int[4]()) {}
__attribute__((noinline)) base::~base()
{
	for (int i = 0; i < 4; i++)
		closed += data[i] + 1;
	delete[] data;
}
struct derived : base {
	long more[4] = {};
	~derived();
};
__attribute__((noinline)) derived::~derived()
{
	if (more[1] == 0)
		closed++;
}
int main()
{
	base *(*volatile make)(int) = [](int i) -> base * { return i % 4 == 0 ? new base : new derived; };
	for (int i = 0; i < 40; i++)
		delete make(i);
	for (int i = 0; i < 7; i++)
		derived local;
	std::printf("%d\n", closed);
	return 0;
}
END
$CXX -O2 -g -fno-inline variants.cc -o variants
exact variants
head_of() { sed -n "s/^function $1 .* head \([0-9]*\) .*/\1/p" variants.txt; }
# 30 of derived and 10 of base are freed, 7 more of derived are not; derived's destructor calls base's.
check_eq "derived freed" "$(head_of _ZN7derivedD0Ev)" 30
check_eq "derived destroyed" "$(head_of _ZN7derivedD2Ev)" 37
check_eq "base freed" "$(head_of _ZN4baseD0Ev)" 10
check_eq "base destroyed" "$(head_of _ZN4baseD2Ev)" 47
fresh variants variants.cc "$CXX -fno-inline"
for name in _ZN7derivedD0Ev _ZN7derivedD2Ev _ZN4baseD0Ev _ZN4baseD2Ev; do
	grep -q "^{\"function\":\"$name\".*\"found\":\"matched\"" report || fail "$name: $(cat report)"
done

# What the compiler makes up in each file under one name: the initialisation of its variables, the end of a static array.
# Each has its own file's counts.
cat >tables.cc <<'E2'
#include <cstdlib>
struct word {
	int length;
	word(int n) : length(n) { for (int i = 1; i < n; i++) length += n % i == 0; }
	~word();
};
int closed;
word::~word() { closed += length; }
int other(), turns;
__attribute__((noinline)) int step(int n) { turns++; return n / 3 + 1; }
static int table = step(getenv("HOME") ? 90 : 91), more = step(table);
int main()
{
	static word words[] = { 7, 8, 9, 10, 11, 12 };
	return (words[table % 6].length + more + other()) & 0;
}
E2
cat >others.cc <<'E2'
int step(int n);
struct item {
	int size;
	item(int n) : size(n) {}
	~item() { step(size); }
};
static int first = step(40);
static int second = first > 5 ? step(first) : step(7);




int other()
{
	static item items[] = { first, second, 3 };
	return items[first % 3].size;
}
E2
for f in tables others; do $CXX -O2 -g -c $f.cc; done
$CXX tables.o others.o -o tables
exact tables
for f in tables others; do
	fresh tables $f.cc "$CXX"
	grep '^{"function":"\(__tcf_0\|_Z41__static_init[^"]*\)"' report | sed 's/.*"found":"\([a-z]*\)","head":\([0-9]*\).*/\1 \2/' | sort -u >made-up
	check_eq "what was made up in $f.cc" "$(cat made-up)" "matched 1"
done

# What the compiler made up in a class of a namespace stands elsewhere than the class: a constructor that is inherited where the
# using declaration is, a lambda where its first line is.  In a class within a function it stands where the class does.
cat >members.cc <<'E2'
volatile int sink;
auto global = [a = 3,
	       b = 4]
	(int x)
	{
		int s = 0;
		for (int i = 0; i < 7; i++)
			s += i * sink + a + b + x;
		sink = s;
		return s;
	};
struct base {
	int at;
	base(int x) : at(x)
	{
		for (int i = 0; i < 3; i++)
			at += sink;
	}
};
struct derived : base {
	int own = sink ? 3 : 4;
	int other = sink ? 5 : 6;

	using base::base;
	virtual int f() { return own; }
};
int within(int k)
{
	struct local : base {
		int own = sink ? 3 : 4;

		using base::base;
		virtual int f() { return own; }
	};
	auto inner = [k,
		      a = 3]
		(int x)
		{
			int s = 0;
			for (int i = 0; i < 7; i++)
				s += i * sink + a + k + x;
			sink = s;
			return s;
		};
	return local(k).own + derived(k).own + inner(k);
}
int main()
{
	int s = 0;
	for (int k = 0; k < 60; k++)
		s += global(k) + within(k);
	return s == 12345;
}
E2
$CXX -O2 -g -fno-inline members.cc -o members
exact members
fresh members members.cc "$CXX -fno-inline"
check_eq "constructors and lambdas that are matched" "$(grep -cE '^\{"function":"_Z[^"]*(CI2|UliE_clEi)[^"]*".*"found":"matched","head":60,' report)" 4
