#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A profile of next to nothing is an error that names the largest loss and its cure; names of mapped files that are
# relative, or of no file.  The recordings are made by hand.
set -eu
. "$(dirname "$0")/lib.sh"

"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$TOP/testsuite/programs/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
"$CC" -O2 -g -no-pie "$TOP/testsuite/programs/convert-clock.c" -o "$T/prog"
cp "$T/prog" "$T/bare" && strip "$T/bare"
main=0x$(nm "$T/prog" | awk '$3 == "main" { print $1 }')
offset=$((main - 0x400000))
into="-o $T/none.pfdo"

# All in the kernel: the program is not to blame.
"$T/samples" "$T/k.data" kernel 0 5000 "$T/bare" 0 0
refused 1 "only 0 of the 5000 .*; 5000 are in the kernel: record user code only" convert "$T/k.data" $into
# Three samples of 35,843: right, and of no use.
"$T/samples" "$T/k.data" kernel 0 35840 "$T/prog" $offset 3
refused 1 "only 3 of the 35843 .*in the kernel" convert "$T/k.data" $into
refused 1 "only 3 of the 35843 .*in the kernel" convert -b "$T/prog" "$T/k.data" $into
# A tenth is enough, and the loss is named with its cure.
"$T/samples" "$T/k.data" kernel 0 900 "$T/prog" $offset 100
"$PATHFDO" convert "$T/k.data" -o "$T/k.pfdo" 2>"$T/said"
grep -q "dropped 900 in the kernel: record user code only" "$T/said" || fail "no cure: $(cat "$T/said")"

# The account comes with the error as well, the largest loss first.
"$T/samples" "$T/l.data" nowhere 0 300 //anon 0 200 "$T/bare" $offset 400 kernel 0 250 "$T/prog" $offset 20
refused 1 "only 20 of the 920 .* 400 are in $T/bare \(no .debug_info" convert "$T/l.data" $into
check_eq "losses" "$(sed -nE 's/^  dropped ([0-9]+) .*/\1/p' "$T/said" | paste -sd ' ')" "300 250 200"
for cure in "unmapped addresses: record the program from its start" "in the kernel: record user" "without a file: code that" \
	"onto huge pages"; do
	grep -q "$cure" "$T/said" || fail "no cure '$cure': $(cat "$T/said")"
done
"$PATHFDO" convert -q -b "$T/prog" "$T/l.data" -o "$T/l.pfdo" # that is what was asked for

# For scripts: the same as JSON, with the error.
status=0
"$PATHFDO" convert --json "$T/l.data" $into >"$T/json" 2>"$T/said" || status=$?
check_eq "status of --json" $status 1
check_eq "losses in JSON" "$(jq -c '[.dropped[].count] | sort | reverse' "$T/json")" "[300,250,200]"
check_eq "the error in JSON" "$(jq -r .error "$T/json")" "$(sed -n 's/^pathfdo convert: \(.* only 20 .*\)/\1/p; s/^pathfdo convert: \(only 20 .*\)/\1/p' "$T/said" | head -n 1)"
"$PATHFDO" convert --json -b "$T/prog" "$T/l.data" -o "$T/l.pfdo" >"$T/json"
check_eq "the program in JSON" "$(jq -c '.error, (.binaries[] | select(.asked) | [.path, .used, .branches, .mapped])' "$T/json" | paste -sd ' ')" \
	"null [\"$T/prog\",true,20,20]"
check_eq "samples in JSON" "$(jq -c .samples "$T/json")" '{"read":1170,"used":420}' # all but the 750 that are dropped
refused 2 "name a file with -o" convert --json "$T/l.data" -o -

# Thousands of files of nearly nothing are one line.
words=$(for i in $(seq 3000); do echo "/absent/lib$i.so 0 1"; done)
# shellcheck disable=SC2086 # words
"$T/samples" "$T/many.data" $words "$T/prog" $offset 3000
"$PATHFDO" convert "$T/many.data" -o "$T/many.pfdo" 2>"$T/said"
check_within "lines of the account" "$(wc -l <"$T/said")" 3 30
grep -q "3000 other files: 50.0% of all" "$T/said" || fail "the others are not added up: $(cat "$T/said")"

# Little of anything is told, also where it is all that was recorded; and so is an event that is no measure of time.
"$T/samples" "$T/few.data" "$T/prog" $offset 99
"$PATHFDO" convert -q "$T/few.data" -o "$T/few.pfdo" 2>"$T/said"
check_eq "what is said of 99 samples" "$(cat "$T/said")" \
	"pathfdo convert: warning: the profile is of only 99 of the branches or samples that were recorded; record a longer run"
"$T/samples" "$T/few.data" "$T/prog" $offset 100
"$PATHFDO" convert -q "$T/few.data" -o "$T/few.pfdo" 2>"$T/said"
check_eq "what is said of 100 samples" "$(cat "$T/said")" ""
# of EVENT...: what is said of 100 samples of each.
of() {
	echo "prog 7 1.0: PERF_RECORD_MMAP2 7/7: [0x400000(0x10000) @ 0 08:01 1 1]: r-xp $T/prog"
	for event; do
		for i in $(seq 100); do echo "prog 7 2.$i: 1000 $event: $(printf %x $((main))) main"; done
	done
}
for events in cpu-clock "page-faults cpu-clock:u" instructions; do
	# shellcheck disable=SC2086 # words
	of $events >"$T/events"
	check_eq "what is said of $events" "$("$PATHFDO" convert -q "$T/events" -o "$T/few.pfdo" 2>&1)" ""
done
of page-faults:u >"$T/events"
check_eq "what is said of page faults" "$("$PATHFDO" convert -q "$T/events" -o "$T/few.pfdo" 2>&1)" \
	"pathfdo convert: warning: the samples are of page-faults:u, which do not tell what the time is spent on; record cycles or cpu-clock"

# Names.
functions() {
	"$PATHFDO" show --text "$1" | grep -c '^function main '
}
cd "$T"
for name in prog ./prog "$T/prog" "$T/prog (deleted)" "prog (deleted)"; do
	"$T/samples" "$T/n.data" "$name" $offset 200
	"$PATHFDO" convert -q "$T/n.data" -o "$T/n.pfdo" || fail "'$name' is not found"
	check_eq "functions of '$name'" "$(functions "$T/n.pfdo")" 1
done
mkdir "$T/root" "$T/empty" && mv "$T/prog" "$T/root/"
"$T/samples" "$T/n.data" prog $offset 200
"$PATHFDO" convert -q --symfs "$T/root" "$T/n.data" -o "$T/n.pfdo" || fail "a relative name is not looked for below --symfs"
"$PATHFDO" convert -q -b "$T/root/prog" "$T/n.data" -o "$T/n.pfdo" || fail "a relative name does not fit -b"
cp "$T/root/prog" "$T/[stuff]" && cp "$T/root/prog" "$T/anon_inodes"
for name in "[stuff]" anon_inodes; do
	"$T/samples" "$T/n.data" "$name" $offset 200
	"$PATHFDO" convert -q "$T/n.data" -o "$T/n.pfdo" || fail "'$name' is a file"
done
# is_lost RE NAME...: what ran in these has no file, and is told as RE.
is_lost() {
	local re=$1 name
	shift
	for name; do
		"$T/samples" "$T/n.data" "$name" $offset 200
		refused 1 "200 are $re" convert "$T/n.data" $into
	done
}
is_lost "in code without a file: .*run time" //anon "[heap]" "[stack:17]" "anon_inode:[perf_event]" "/SYSV00000000 (deleted)" \
	"/dev/zero (deleted)"
is_lost "in code of the kernel's for programs \(vdso\)$" "[vdso]" "[vsyscall]" "[uprobes]"
is_lost "in memory \(memfd\) without a build-id: a program .*-Wl,--build-id" "/memfd:jit (deleted)" "/memfd:app"
# Much of the kernel's code beside a program's says nothing against that.
"$T/samples" "$T/n.data" "[vdso]" 0x100 9000 "$T/root/prog" $offset 200
"$PATHFDO" convert -q "$T/n.data" -o "$T/n.pfdo" 2>"$T/said" || fail "beside the vdso: $(cat "$T/said")"

# A program is one whatever it is called, and so is a library: without debug information in the program there is no profile.
P=$TOP/testsuite/programs
"$CC" -O2 -g -pie -fPIE "$P/convert-clock.c" -o "$T/bench.sort" && strip "$T/bench.sort"
"$CC" -O2 -g -shared -fPIC "$P/convert-library.c" -o "$T/libwork.so.1"
work=$((0x$(nm "$T/libwork.so.1" | awk '$3 == "library_work" { print $1 }')))
"$T/samples" "$T/n.data" "$T/bench.sort" 0x1100 500 "$T/libwork.so.1" $work 500
refused 1 "bench.sort: no debug information" convert "$T/n.data" $into
"$T/samples" "$T/n.data" /absent/bench.sort 0x1100 500 "$T/libwork.so.1" $work 500
refused 1 "/absent/bench.sort: was recorded, but is not on this machine" convert "$T/n.data" $into
"$T/samples" "$T/n.data" "/absent/conf.so.d/app" 0x1100 500 "$T/libwork.so.1" $work 500
refused 1 "/absent/conf.so.d/app: was recorded, but is not on this machine" convert "$T/n.data" $into
"$T/samples" "$T/n.data" "/absent/gone (deleted)" 0x1100 500
refused 1 "/absent/gone: was recorded, but is not on this machine; name it with -b \(-b /absent/gone=FILE" convert "$T/n.data" $into
for library in /absent/libother.so /absent/libother.so.2 "/absent/libother.so (deleted)"; do
	"$T/samples" "$T/n.data" "$library" 0x1100 500 "$T/libwork.so.1" $work 500
	"$PATHFDO" convert -q "$T/n.data" -o "$T/n.pfdo" || fail "without $library there is no profile of another"
done

# What was asked for and did not run, alone and beside what did.
"$T/samples" "$T/n.data" "$T/root/prog" $offset 0 "$T/libwork.so.1" $work 500
refused 1 "only 0 of the 500 .*; 500 are in $T/libwork.so.1 \(not named with -b\)" convert -b "$T/root/prog" "$T/n.data" $into
"$PATHFDO" convert -q -b "$T/root/prog" -b "$T/libwork.so.1" "$T/n.data" -o "$T/n.pfdo" 2>"$T/said" || fail "$(cat "$T/said")"
check_eq "what is said of it" "$(cat "$T/said")" \
	"pathfdo convert: warning: $T/root/prog: was named with -b, and nothing that was recorded ran in it"
# Nothing but another binary under the name of what ran: that is the reason, and no longer run would help.
"$T/samples" "$T/n.data" "$T/root/prog" $offset 0 "$T/libwork.so.1" $((work + 1)) 500
refused 1 "only 0 of the 500 .* are in $T/libwork.so.1 .*it is not the binary that ran" convert "$T/n.data" $into

# A name that a terminal would obey, or that would pass for lines of the account.
odd=$T/$(printf '\033[31mred\n  1 other files')
cp "$T/root/prog" "$odd"
"$T/samples" "$T/n.data" "$odd" $offset 200
"$PATHFDO" convert "$T/n.data" -o "$T/n.pfdo" 2>"$T/said" || fail "$(cat "$T/said")"
grep -qF "  $T/?[31mred?  1 other files: 100.0% of all" "$T/said" || fail "$(cat -v "$T/said")"
rm "$odd"
refused 1 "was recorded, but is not on this machine" convert "$T/n.data" $into
! grep -q "$(printf '\033')" "$T/said" || fail "$(cat -v "$T/said")"

# One sample in a block of more instructions than a sample is counted in: all of it ran, and no line of it is said not to.
{
	echo "volatile unsigned w;"
	echo "__attribute__((noinline)) static void straight(void) {"
	for ((i = 0; i < 6000; i++)); do echo "w = w + 1;"; done
	echo "} int main(void) { straight(); return 0; }"
} >"$T/straight.c"
"$CC" -O2 -g -no-pie "$T/straight.c" -o "$T/straight"
straight=0x$(nm "$T/straight" | awk '$3 == "straight" { print $1 }')
"$T/samples" "$T/n.data" "$T/straight" $((straight - 0x400000)) 1
"$PATHFDO" convert -q -b "$T/straight" "$T/n.data" -o "$T/n.pfdo"
"$PATHFDO" show --text "$T/n.pfdo" >"$T/text"
[[ $(grep -cE "^  [0-9].* count [1-9]" "$T/text") -ge 6000 ]] || fail "lines that ran: $(grep -c " count " "$T/text")"
! grep " count 0" "$T/text" || fail "a line that ran, counted zero"
