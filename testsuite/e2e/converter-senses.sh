#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What holds on the ways of a conditional jump: by its condition, and by what set the flags.  Two variables are in no
# order that the source has; a float may be neither equal nor different; a bit's flag is no comparison's; and flags that
# a jump brings along are not those of the code in front.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the jumps are x86-64 code"
cd "$T"

# jump LINE FLAGS JUMP: code at that line whose jump, over an instruction of the next line, is taken or not by FLAGS.
n=0
jump() {
	n=$((n + 1))
	printf '"\\t.loc 1 %d 1\\n\\t%s\\n\\t%s %df\\n\\t.loc 1 %d 1\\n\\tnop\\n%d:\\n"\n' "$1" "$2" "$3" $n $(($1 + 1)) $n
}
{
	cat <<-'END'
		__attribute__((noipa)) void next(long x, long y)
		{
			__asm__ volatile(
	END
	jump 10 'cmpq $7, %0' je
	jump 20 'cmpq $7, %0' jne
	jump 30 'cmpq $7, %0' jl
	jump 40 'cmpq $7, %0' jbe
	jump 50 'cmpq $7, %0' jge
	jump 60 'cmpq $7, %0' ja
	jump 70 'testq %0, %0' js
	jump 80 'testq %0, %0' jg
	jump 90 'testb $4, %b0' je
	jump 100 'subq $0, %0' jne
	jump 110 'cmpq %1, %0' je
	jump 120 'cmpq %1, %0' jl
	jump 130 'testq %1, %0' js
	jump 140 'btq $3, %0' jc
	jump 150 'ucomisd %%xmm0, %%xmm0' je
	jump 160 'xorl %%eax, %%eax\n\tmovq %0, -16(%%rsp)\n\tlock cmpxchgq %1, -16(%%rsp)' je
	jump 170 'testq %0, %0\n\tmovq %1, %%rdx\n\tleaq 1(%%rdx), %%rdx\n\tsetne %%dl' je
	# At 180 a jump with the flags of 181's, from which the code in front does not go on.
	cat <<-'END'
		"\t.loc 1 182 1\n\tcmpq $7, %0\n\tjmp 99f\n\t.loc 1 184 1\n\tcmpq $9, %0\n\tret\n"
		"99:\t.loc 1 180 1\n\tje 98f\n\t.loc 1 181 1\n\tnop\n98:\n"
			 "\t.loc 1 200 1\n\tnop\n"
			 : "+r"(x) : "r"(y) : "memory", "cc", "rax", "rdx");
		}
		int main(void)
		{
			for (int i = 0; i < 1000; i++)
				next(i % 4 == 0 ? 7 : -3, 7);
			return 0;
		}
	END
} >jumps.c

"$CC" -O1 -g jumps.c -o jumps
exact "$T/jumps"
convert "$T/jumps"
# Relative to line 1: "LINE WAY COUNT SENSE" of each jump.  Of 1000 calls 250 are with 7 and 750 with -3.
awk '$1 == "function" { on = $2 == "next" } on && $2 == "count" { split($1, at, /[:.]/) }
	on && ($1 == "taken" || $1 == "fell") && at[1] % 10 == 9 { print at[1] + 1, $1, $3, $4 }' jumps.txt | sort -n >got
cat >wanted <<'END'
10 fell 750 different
10 taken 250 equal
20 fell 250 equal
20 taken 750 different
30 fell 250 greater
30 taken 750 less
40 fell 750 greater
40 taken 250 less
50 fell 750 less
50 taken 250 greater
60 fell 250 less
60 taken 750 greater
70 fell 250 greater
70 taken 750 less
80 fell 750 less
80 taken 250 greater
90 fell 1000 different
100 taken 1000 different
110 fell 750 different
110 taken 250 equal
120 fell 250 
120 taken 750 
130 fell 1000 
140 fell 250 
140 taken 750 
150 taken 1000 
160 fell 1000 
170 fell 1000 different
180 fell 750 
180 taken 250 
END
diff wanted got || fail "senses are not those of the jumps"

# They are in the file that the compiler reads, too, and a profile without them says nothing of them.
count() { sort | uniq -c | awk '{ print $2, $1 }' | xargs; }
check_eq "senses of the profile" "$("$PATHFDO" show --json jumps.pfdo | grep -o '"sense": "[a-z]*"' | tr -d '"' | cut -d' ' -f2 | count)" \
	"$(awk '($1 == "taken" || $1 == "fell") && NF == 4 { print $4 }' jumps.txt | count)"
sed 's/^\( *\(taken\|fell\) .* [0-9]*\) [a-z]*$/\1/' jumps.txt >without.txt
"$PATHFDO" show --from-text without.txt -o without.pfdo
check_eq "senses of a profile without" "$("$PATHFDO" show --json without.pfdo | grep -c '"sense": "')" 0
sed 's/ different$/ otherwise/' jumps.txt >odd.txt
! "$PATHFDO" show --from-text odd.txt -o odd.pfdo 2>said || fail "a sense that is none is read"
grep -q "'otherwise' is none of equal, different, less and greater" said || fail "what is wrong is not said: $(cat said)"
[ ! -e odd.pfdo ] || fail "an output was left"
