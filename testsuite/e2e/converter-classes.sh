#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# C++: virtual calls, templates, a lambda, internal linkage, exceptions, in DWARF 4 and 5.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs

# GCC 16 sees that there are two classes, and asks for their functions instead of calling them.
for flags in -gdwarf-4 -gdwarf-5 "-g -flto" "-g -O3"; do
	name=$T/classes$(echo "$flags" | tr -d ' ')
	# shellcheck disable=SC2086 # flags are words
	"$CXX" -O2 -fno-unroll-loops -fno-devirtualize-speculatively $flags "$P/convert-classes.cc" -o "$name"
	exact "$name"
	convert "$name"
	check_lines "$name.txt" "$P/convert-classes.cc"
done
text=$T/classes-gdwarf-5.txt
check_eq "virtual call" "$(awk '/^function _ZL5areas/ { on = 1; next } /^function/ { on = 0 } on && $1 == "call" { print $2, $3 }' \
	"$text" | paste -sd ' ')" "_ZN6square4areaEi 75 _ZN6circle4areaEi 25"
check_eq "template instances" "$(grep -cE '^function _Z7largestI[id]ET_PKS0_i ' "$text")" 2
check_eq "heads without linkage name" "$(sed -nE 's/^function _Z[^ ]*[0-9](hidden|add)E[^ ]* .* head ([0-9]+) .*/\1 \2/p' "$text" | sort | paste -sd ' ')" \
	"add 50 hidden 50"
line=$(grep -n '\[\](int x)' "$P/convert-classes.cc" | cut -d: -f1)
grep -qE "inline @[0-9]+ operator\(\) [^ ]*:$line at" "$text" || fail "the lambda is not known by its line $line"

# Operators with template arguments of a local type, for which they have no linkage name, and without, as GCC itself calls
# them: DW_AT_name is `operator()<...>', but `operator< <...>'.
cat >"$T/operators.cc" <<'END'
struct table {
	int at;
	template <class F> __attribute__((always_inline)) int operator()(F f) { return f(at++) & 7; }
	template <class F> __attribute__((always_inline)) int operator<(F f) { return f(at + 1) & 3; }
	template <class F> __attribute__((always_inline)) int operator<<(F f) { return f(at + 2) & 5; }
	template <class F> __attribute__((always_inline)) int operator<=(F f) { return f(at + 3) & 9; }
};
int main()
{
	table t = { 0 };
	volatile int v = 3;
	int s = 0;
	for (int i = 0; i < 100; i++) {
		auto twice = [&](int x) { return x * v; };
		s += t(twice) + (t < twice) + (t << twice) + (t <= twice);
	}
	return s == 1;
}
END
"$CXX" -O2 -g -fno-unroll-loops "$T/operators.cc" -o "$T/operators"
exact "$T/operators"
convert "$T/operators"
check_eq "operators with template arguments" "$(sed -nE 's/^ *inline @[0-9]+ "?(operator[^ ":]*)"? [^ ]*:[3-6] at.* entries ([0-9]*).*/\1 \2/p' "$T/operators.txt" |
	sort | paste -sd ' ')" "operator() 100 operator< 100 operator<< 100 operator<= 100"
