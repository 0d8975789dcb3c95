#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Names with dots of their own, as Go's and D's are: main.coldPath and main.part.run are functions, entered and called.  What a
# compiler splits off has the same words behind the name, is entered by nobody, and is no target.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"

cat >dots.c <<'END'
#define NAMED(function, name) __attribute__((noinline, noclone)) int function(int n) __asm__(name)
static volatile int sum;
NAMED(cold_path, "main.coldPath");
NAMED(run, "main.part.run");
NAMED(half, "main.whole.part.0");
NAMED(seldom, "main.whole.cold");
int cold_path(int n) { sum += n; return n + 1; }
int run(int n) { sum += n; return n + 2; }
int half(int n) { sum += n; return n + 3; }
int seldom(int n) { sum += n; return n + 4; }
int main(int count, char **none)
{
	(void)none;
	count = cold_path(count);
	count = run(count);
	count = half(count);
	count = seldom(count);
	return count == 1;
}
END
"$CC" -O1 -g -no-pie -o dots dots.c
objdump -d --no-show-raw-insn dots | awk '/^[0-9a-f]+ </ { inside = /<main>:/ } inside && $2 ~ /^call/ {
	sub(/:/, "", $1)
	print "B", $1, $3, 1000, 0 "\nF", $1, $1, 1000
	print "F", $3, $3, 1000
}' >dots.txt
check_eq "calls in main" "$(grep -c ^B dots.txt)" 4
"$PATHFDO" convert -q -b dots dots.txt -o dots.pfdo 2>said || fail "$(cat said)"
"$PATHFDO" show --text dots.pfdo >shown
for name in main.coldPath main.part.run; do
	grep -qE "^function $name .* head 1000 " shown || fail "$name was entered 1000 times: $(grep "^function $name" shown)"
	grep -qE "call $name 1000$" shown || fail "$name was called 1000 times: $(grep call shown)"
done
grep "^function main.whole " shown >parts
check_eq "parts that nobody enters" "$(grep -c "head 0 " parts)" 2
check_eq "parts" "$(grep -c "" parts)" 2
if grep -E "call main.whole" shown; then
	fail "a part is called"
fi

# Templates of templates have names that are longer than a path can be.
long=f$(printf '%05000d' 0)
cat >long.c <<END
__attribute__((noinline, noclone)) int run(int n) __asm__("$long");
static volatile int sum;
int run(int n) { sum += n; return n + 2; }
int main(int count, char **none)
{
	(void)none;
	return run(count) == 1;
}
END
"$CC" -O1 -g -no-pie -o long long.c
objdump -d --no-show-raw-insn long | awk '/^[0-9a-f]+ </ { inside = /<main>:/ } inside && $2 ~ /^call/ {
	sub(/:/, "", $1)
	print "B", $1, $3, 1000, 0 "\nF", $1, $1, 1000
}' >long.txt
"$PATHFDO" convert -q -b long long.txt -o long.pfdo 2>said || fail "$(cat said)"
"$PATHFDO" show --text long.pfdo >shown
grep -qF "call $long 1000" shown || fail "what has a name of ${#long} letters is not called: $(cut -c 1-80 shown)"
