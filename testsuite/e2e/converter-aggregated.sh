#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The pre-aggregated text of perf2bolt: branches and straight code, counted apart by awk from what perf script prints, give
# the profile of the recording itself.  perf2bolt, which reads the text too, makes the same fdata of it.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs
STACKS=$B/tools/vector-stacks
command -v perf >/dev/null || skip "perf is not installed"
[ -x "$STACKS" ] || fail "$STACKS is not built: run make tools"
cd "$T"

# shown PROFILE: without what depends on names and times of recordings.
shown() {
	"$PATHFDO" show --text "$1" | grep -vE "^(from|agreement)" >"$1.txt"
	grep -q "^function" "$1.txt" || fail "$1: an empty profile"
}

# counted PROG RECORDING [oldest]: B and F lines; the branch that is oldest in its stack, of which no code in front is known,
# only if it is asked for.  Addresses are those of the file, in whose text segment offsets and addresses are the same.
counted() {
	perf script --show-mmap-events -F pid,ip,brstack -i "$2" 2>/dev/null | gawk -v prog="/$1\$" -v oldest="${3:-}" '
		function place(text, value) {
			value = strtonum(text)
			return value >= start && value < end ? sprintf("%x", value - start + offset) : "X:0"
		}
		/PERF_RECORD_MMAP2/ {
			match($0, /\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0)/, m)
			if ($NF ~ prog) { start = strtonum(m[1]); end = start + strtonum(m[2]); offset = strtonum(m[3]) + bias }
			next
		}
		{
			before = ""
			for (i = NF; i > 2; i--) {
				split($i, part, "/")
				from = place(part[1]); to = place(part[2])
				if ((before != "" || oldest) && (from != "X:0" || to != "X:0") && (before != "X:0" || from == "X:0")) {
					branch[from " " to]++
					missed[from " " to] += part[3] == "M"
				}
				if (before != "" && before != "X:0" && from != "X:0")
					code[before " " from]++
				before = to
			}
		}
		END {
			for (key in branch) print "B", key, branch[key], missed[key]
			for (key in code) print "F", key, code[key]
		}' bias=$(((${4:-0}))) | sort -R --random-source="$P/road-shapes.cc"
}

"$CXX" -O2 -g "$P/road-shapes.cc" -o shapes
"$CC" -O2 -g -no-pie -Wl,--build-id "$P"/convert-bolt.c "$P"/convert-bolt-other.c -o steps
bias=$(readelf -lW steps | awk '$1 == "LOAD" && /R E/ { print $3 " - " $2 }')
for run in "shapes 3000 0" "steps 2000000 $bias"; do
	set -- $run
	prog=$1 argument=$2
	shift 2
	"$PATHFDO" record --source=soft -F 250 --max-overhead=20 -o soft.data -- "./$prog" "$argument" >/dev/null 2>said || fail "$(cat said)"
	"$STACKS" soft.data "$prog.data"
	counted "$prog" "$prog.data" "" "$*" >"$prog.pa"
	[ "$(grep -c ^F "$prog.pa")" -ge 10 ] || fail "$prog: only $(grep -c ^F "$prog.pa") pieces of code"
	"$PATHFDO" convert -b "$prog" "$prog.data" -o data.pfdo 2>said || fail "$(cat said)"
	"$PATHFDO" convert -b "$prog" "$prog.pa" -o text.pfdo 2>said || fail "$(cat said)"
	shown data.pfdo
	shown text.pfdo
	diff data.pfdo.txt text.pfdo.txt >differ || fail "$prog: $(head -n 5 differ)"
	# The code that ran, too; vectors are none.
	for form in data pa; do
		"$PATHFDO" coverage -b "$prog" --kind=vectors --list=instructions "$prog.$form" >list 2>said || fail "$(cat said)"
		grep -E "^ *0x[0-9a-f]+ +covered" list | awk '{ print $1 }' >"covered.$form"
	done
	[ -s covered.data ] || fail "$prog: nothing is covered: $(head -n 5 list)"
	diff covered.data covered.pa >differ || fail "$prog: $(head -n 5 differ)"
	# With the oldest branches, as other tools count them, that much is left out, and what stays is near.
	counted "$prog" "$prog.data" oldest "$*" >all.pa
	"$PATHFDO" convert -b "$prog" all.pa -o all.pfdo 2>said || fail "$(cat said)"
	grep -q "dropped [0-9]* oldest of their stack" said || fail "$prog: nothing is oldest: $(cat said)"
	"$PATHFDO" diff data.pfdo all.pfdo >diff.txt 2>&1 || fail "$(cat diff.txt)"
done

# By build-id as well; without one the binary must be named.
id=$(readelf -n steps | awk '/Build ID/ { print $3 }')
sed -E "s/ ([0-9a-f]{6})\b/ $id:\1/g" steps.pa >by-id.pa
"$PATHFDO" convert -b steps by-id.pa -o id.pfdo 2>said || fail "$(cat said)"
shown id.pfdo
diff id.pfdo.txt text.pfdo.txt >differ || fail "by build-id: $(head -n 5 differ)"
"$PATHFDO" coverage -b steps --kind=vectors --list=instructions by-id.pa >list 2>said || fail "$(cat said)"
grep -E "^ *0x[0-9a-f]+ +covered" list | awk '{ print $1 }' | diff covered.pa - >differ || fail "coverage by build-id: $(head -n 5 differ)"
# And where another object's lines stand in between, as in a recording of a program and its libraries.
sed 's/$/\nB aaaa:2000 aaaa:1000 1 0/' by-id.pa >two-ids.pa
"$PATHFDO" convert -b steps two-ids.pa -o id.pfdo 2>said || fail "$(cat said)"
shown id.pfdo
diff id.pfdo.txt text.pfdo.txt >differ || fail "by two build-ids: $(head -n 5 differ)"
refused 1 "does not say which binary it is of: name that, and no other, with -b" convert steps.pa -o none.pfdo
refused 1 "does not say which binary it is of: name that, and no other, with -b" convert -b steps -b shapes steps.pa shapes.data -o none.pfdo
{ head -n 2 steps.pa; echo; echo "B 401000 401010 3 4"; } >odd.pa
refused 1 "odd.pa: line 4 at offset [0-9]+, 'B 401000 401010 3 4', is no entry of pre-aggregated text" convert -b steps odd.pa -o none.pfdo
refused 1 "it is not the binary that ran" convert -b shapes steps.pa -o none.pfdo

# Samples, at a place that is known: 220 of them are at the first instruction of main.
main=$(nm steps | awk '$3 == "main" { print $1 }')
printf 'E cycles:u\nS %s 220\n' "$main" >samples.pa
"$PATHFDO" convert -b steps samples.pa -o samples.pfdo 2>said || fail "$(cat said)"
"$PATHFDO" show --text samples.pfdo | grep -q "^function main .*" || fail "samples: $("$PATHFDO" show --text samples.pfdo)"
grep -q "read 220 plain samples, used 220" said || fail "$(cat said)"
# A count is in proportion, up to as many samples as can be added up.
# sampled COUNT: that of main's first statement, of so many samples there.
sampled() {
	printf 'E cycles:u\nS %s %s\n' "$main" "$1" >samples.pa
	"$PATHFDO" convert -q -b steps samples.pa -o samples.pfdo 2>said || fail "$1 samples: $(cat said)"
	"$PATHFDO" show --text samples.pfdo | grep -oE '^function main .*head [0-9]+'
}
check_eq "2^50 samples" "$(sampled $((1 << 50)))" "$(sampled $((1 << 20)) | awk '{ $NF = sprintf("%d", $NF * 2 ^ 30); print }')"
for count in $(((1 << 50) + 1)) $((1 << 53)) $((1 << 62)); do
	printf 'E cycles:u\nS %s %s\n' "$main" "$count" >samples.pa
	refused 1 "more than 2.54 branches or 2.50 samples, which cannot be added up" convert -b steps samples.pa -o none.pfdo
done

# Counts are as large as they can be added up, and then refused.
# times FACTOR: steps.pa with so many times its counts, by digits.
times() {
	sed -E "s/^(B.* )([0-9]+) ([0-9]+)$/\1\2$1 \3$1/; s/^(F.* )([0-9]+)$/\1\2$1/" steps.pa
}
counts() {
	"$PATHFDO" convert -q -b steps "$1" -o large.pfdo 2>said || fail "$1: $(cat said)"
	"$PATHFDO" show --text large.pfdo | grep -oE 'count [0-9]+|taken [^ ]+ [0-9]+'
}
times 000000 >large.pa
counts steps.pa >want
counts large.pa | awk '{ $NF = int($NF / 1000000 + 0.5); print }' | diff want - >differ || fail "a million times as much: $(head -n 5 differ)"
for zeros in 00000000000000 000000000000000; do
	times $zeros >large.pa
	refused 1 "more than 2.54 branches or 2.50 samples, which cannot be added up" convert -b steps large.pa -o none.pfdo
done

# A function inside of one that did not run, as GNU C has them.
cat >nested.c <<'END'
int main(int count, char **none)
{
	volatile long sum = 0;
	__attribute__((noinline)) long inner(long n)
	{
		long all = sum;
		for (long i = 0; i < n; i++)
			all += i % 7 * sum;
		return all;
	}
	(void)none;
	return inner(count) == 1;
}
END
"$CC" -O1 -g -no-pie -o nested nested.c
objdump -d --no-show-raw-insn nested |
	awk '/^[0-9a-f]+ </ { inside = /<inner/ } inside && $2 ~ /^j(ne|l|g|b|le|ge)$/ {
		sub(/:/, "", $1)
		if ($3 "" < $1 "")
			print "B " $1, $3, 1000, 0 "\nF " $3, $1, 1000
	}' >nested.txt
[ -s nested.txt ] || fail "the nested function has no loop"
"$PATHFDO" convert -q -b nested nested.txt -o nested.pfdo 2>said || fail "nested: $(cat said)"
check_eq "functions of a nested one that ran" "$("$PATHFDO" show --text nested.pfdo | awk '/^function/ { print $2 }')" inner

# A vector instruction that no decoder knows (there is none of this number) is no end of straight code, and of its length.
cat >newer.c <<'END'
int main(int count, char **none)
{
	long all = (long)none;
	for (long i = 0; i < count; i++) {
		all ^= i;
		__asm__ volatile(".byte 0xc4, 0xe2, 0x6b, 0xff, 0x84, 0x24, 0xe2, 0xe2, 0xe2, 0xe2" ::: "memory");
		all += all >> 3;
	}
	return all == 1;
}
END
"$CC" -O1 -g -no-pie -o newer newer.c
objdump -d --no-show-raw-insn newer |
	awk '/^[0-9a-f]+ </ { inside = /<main/ } inside && $2 ~ /^j(ne|l|g|b|le|ge)$/ {
		sub(/:/, "", $1)
		if ($3 "" < $1 "")
			print "B " $1, $3, 1000, 0 "\nF " $3, $1, 1000
	}' >newer.txt
check_eq "loops of the newer program" "$(wc -l <newer.txt)" 2
"$PATHFDO" convert -q -b newer newer.txt -o newer.pfdo 2>said || fail "newer: $(cat said)"
"$PATHFDO" show --text newer.pfdo | awk '$2 == "count" && $3 == 1000 { print int($1) }' | sort -nu | tr '\n' ' ' >got
check_eq "lines that ran around a newer instruction" "$(cat got)" "3 4 5 6 "
! "$PATHFDO" show --text newer.pfdo | grep -E '^ +(taken|fell)' | grep -v ' 1000 ' || fail "it has jumps that are none"

# The peer.
command -v perf2bolt-16 >/dev/null || skip "the rest: Debian's package bolt-16 is not installed"
"$CC" -O2 -fno-reorder-blocks-and-partition -Wl,--emit-relocs "$P"/convert-bolt.c "$P"/convert-bolt-other.c -o relocs
"$PATHFDO" record --source=soft -F 250 --max-overhead=20 -o soft.data -- ./relocs 2000000 >/dev/null 2>said || fail "$(cat said)"
"$STACKS" soft.data relocs.data
counted relocs relocs.data oldest >relocs.pa
perf2bolt-16 -aggregate-only -pa -p relocs.pa -o theirs relocs >log 2>&1 || fail "$(tail -n 3 log)"
"$PATHFDO" convert --fdata -b relocs relocs.pa -o ours 2>said || fail "$(cat said)"
sed -E 's/1 [^ ]*@PLT [0-9a-f]+/0 [unknown] 0/' theirs | grep -v '^0 \[unknown\] 0 0 ' | sort >theirs.lines
grep -v '^0 \[unknown\] 0 0 ' ours | sort >ours.lines
diff theirs.lines ours.lines >differ || fail "fdata: $(head -n 6 differ)"
[ "$(wc -l <ours.lines)" -ge 15 ] || fail "fdata has $(wc -l <ours.lines) lines"
echo "$(wc -l <ours.lines) lines are perf2bolt's"
