#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Branches of PLT stubs and of the compiler's thunks have no source position, and that is nobody's fault: they are told apart
# and warned of by nothing; what the assembler wrote without line numbers is warned of.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"

# In each round three branches of the program are taken: the call, the stub's jump, the loop's.
cat >"$T/stubs.c" <<'END'
#include <stdlib.h>
long plain(long);
int main(int argc, char **argv)
{
	long sum = 0;
	for (long i = atol(argv[1]); i != 0; i--)
		sum += argc > 2 ? plain(-i) : labs(-i);
	return sum == 0;
}
END
# Here six: the call and the loop's, which have positions, and four that have none.
cat >"$T/plain.s" <<'END'
	.globl plain
	.type plain, @function
plain:	call inner
	mov %rdi, %rax
	ret
inner:	jmp 1f
	nop
1:	ret
	.size plain, .-plain
	.section .note.GNU-stack
END
"$CC" -O1 -g -fno-builtin -Wl,-z,lazy -c "$T/stubs.c" -o "$T/stubs.o"
"$CC" "$T/stubs.o" "$T/plain.s" -o "$T/stubs"

# account ARGUMENT...: what convert says of the program after such a run, which is long enough for a hundred vectors.
account() {
	rm -f "$T/stubs.data"
	"$PATHFDO" record --source=soft -o "$T/stubs.data" -- "$T/stubs" "$@" 2>"$T/said" || fail "$(cat "$T/said")"
	"$PATHFDO" convert -b "$T/stubs" "$T/stubs.data" -o "$T/stubs.pfdo" 2>"$T/said" || fail "$(cat "$T/said")"
	sed -nE 's/.*stubs: .* all, ([0-9.]+)% of it mapped to source(, ([0-9.]+)% in stubs)?;.*/\1 \3/p' "$T/said"
}

read -r mapped stubs <<<"$(account 900000000)"
check_within "mapped of three branches" "$mapped" 65 68
check_within "in stubs of three branches" "$stubs" 32 35
! grep warning "$T/said" || fail "a warning for what the linker wrote"

read -r mapped stubs <<<"$(account 450000000 plain)"
check_within "mapped of six branches" "$mapped" 31 35
grep -qE "warning: .*stubs: only 3[0-9.]+% of its branches have a source position" "$T/said" ||
	fail "no warning of assembly without positions: $(cat "$T/said")"

# Seven: the call of the thunk, two in there, the return to the other thunk, two in there, the loop's.
cat >"$T/thunks.c" <<'END'
#include <stdlib.h>
__attribute__((noinline)) static long less(long n) { return n - 1; }
__attribute__((noinline)) static long more(long n) { return n + 1; }
int main(int argc, char **argv)
{
	long (*volatile chosen)(long) = argc > 2 ? less : more, sum = 0;
	for (long i = atol(argv[1]); i != 0; i--)
		sum += chosen(i);
	return sum == 0;
}
END
"$CC" -O1 -g -mindirect-branch=thunk -mfunction-return=thunk -fcf-protection=none "$T/thunks.c" -o "$T/stubs"
read -r mapped stubs <<<"$(account 100000000)"
check_within "mapped of seven branches" "$mapped" 41 45
check_within "in thunks of seven branches" "$stubs" 55 59
! grep warning "$T/said" || fail "a warning for the compiler's thunks"

# mold gives stubs names of their own, which are no functions' names: what is called is the same with each linker.
calls() {
	"$CC" -O1 -g "-fuse-ld=$1" "$TOP/testsuite/programs/convert-counts.c" "$TOP/testsuite/programs/convert-other.c" -o "$T/calls"
	exact "$T/calls"
	convert "$T/calls"
	grep -E '^ +call |^function' "$T/calls.txt" | sed 's/ total.*//'
}
calls bfd >"$T/bfd"
for linker in gold lld mold; do
	if ! command -v "ld.$linker" >/dev/null; then
		echo "skip: there is no ld.$linker"
		continue
	fi
	calls $linker | diff "$T/bfd" - >"$T/diff" || fail "what is called, with $linker: $(head -n 3 "$T/diff")"
done

# Stubs of functions whose address is taken as well are 8 bytes long: each is the way to its own function, however often the
# one behind it is gone.
cat >"$T/libgot.c" <<'C'
long less(long n) { return n - 1; }
long more(long n) { return n + 1; }
C
cat >"$T/got.c" <<'C'
long less(long), more(long);
long (*volatile kept[2])(long);
__attribute__((noinline)) long by_less(long n) { return less(n) & 7; }
__attribute__((noinline)) long by_more(long n) { return more(n) & 7; }
int main(int argc, char **argv)
{
	long sum = (long)argv;
	kept[0] = less;
	kept[1] = more;
	for (int i = 0; i < 100; i++) {
		sum = by_less(argc > 1 ? by_less(sum) : sum);
		sum = by_more(argc > 1 ? sum : by_more(sum));
	}
	return sum == 9;
}
C
"$CC" -O2 -g -fpic -shared -fcf-protection=none "$T/libgot.c" -o "$T/libgot.so"
"$CC" -O2 -g -fpie -pie -fcf-protection=none "$T/got.c" -o "$T/got" -L"$T" -lgot -Wl,-rpath,"$T"
for more in "" less; do
	# shellcheck disable=SC2086
	exact "$T/got" $more
	convert "$T/got" -b "$T/libgot.so"
	for name in less more; do
		sed -n "/^function by_$name /,/^\$/p" "$T/got.txt" | grep -qE "^ +call $name " ||
			fail "by_$name does not call $name (${more:-more} is called more often): $(cat "$T/got.txt")"
	done
done

# Stubs of functions that are chosen at the start of a program, in one without shared libraries: lld has a section for them.
cat >"$T/chosen.c" <<'END'
static long less(long n) { return n - 1; }
static void *choose(void) { return less; }
long chosen(long) __attribute__((ifunc("choose")));
int main(void) { return chosen(5) == 4; }
END
for linker in bfd lld; do
	command -v "ld.$linker" >/dev/null || continue
	"$CC" -O1 -g -w -static -nostdlib -fcf-protection=none "-fuse-ld=$linker" -Wl,-emain "$T/chosen.c" -o "$T/chosen" || continue
	objdump -d --no-show-raw-insn "$T/chosen" | awk -v less="$(nm "$T/chosen" | sed -n 's/^0*\([0-9a-f]*\) t less$/\1/p')" '
		/^[0-9a-f]+ </ { inside = /<main>:/ }
		inside && $2 == "call" {
			sub(/:/, "", $1)
			print "B", $1, $3, 1000, 0 "\nF", $1, $1, 1000
			print "B", $3, less, 1000, 0 "\nF", $3, $3, 1000
		}' >"$T/chosen.txt"
	"$PATHFDO" convert -b "$T/chosen" "$T/chosen.txt" -o "$T/chosen.pfdo" 2>"$T/said" || fail "$(cat "$T/said")"
	grep -q ", 50.0% in stubs;" "$T/said" || fail "half of it is in a stub, with $linker: $(cat "$T/said")"
	"$PATHFDO" show --text "$T/chosen.pfdo" | grep -qE "^ +call less 1000" || fail "less is not called, with $linker"
done
