#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pathfdo merge of a fleet's profiles: the same bytes in any order, by any number of processes, as a tree of commands and
# with MPI's ranks; damaged files and lost processes cost themselves only, and are named; versions side by side; weights by
# machine; bounded memory.
set -eu
. "$(dirname "$0")/lib.sh"

cd "$T"
mkdir fleet
"$B/tools/fleet" fleet 0 60 60
ls fleet/*.pfdo >list
"$PATHFDO" merge fleet/*.pfdo -o one.pfdo 2>said
grep -q 'several versions of /usr/bin/fleet; %b in the name' said || fail "merge says: $(cat said)"
check_eq "lines that merge says" "$(wc -l <said)" 1

# equal FILE WANT WHAT
equal() {
	cmp "$1" "$2" || fail "$3: not the bytes of one process"
}

# One count added up here: column 9 of line 5 of the first function that runs on machine 0.
function=$("$PATHFDO" show --text fleet/0.pfdo | awk '/^function/ { print $2; exit }')
count() {
	"$PATHFDO" show --text "$1" | awk -v f="$function" '/^function/ { mine = $2 == f } mine && /^ *7:9 count/ { print $3; exit }'
}
sum=0
while read -r file; do
	got=$(count "$file")
	sum=$((sum + ${got:-0}))
done <list
[ "$sum" -gt 1000 ] || fail "nothing to add up: $sum"
check_eq "the sum at 7:9 of $function" "$(count one.pfdo)" "$sum"

# Any order, any number of processes, from a list.
sort -R list >shuffled
for jobs in 1 3 7; do
	"$PATHFDO" merge -j "$jobs" --files-from=shuffled -o got.pfdo 2>/dev/null
	equal got.pfdo one.pfdo "-j $jobs"
done

# A tree of commands, as a scheduler runs them; the list of each by split.
seq 4 | xargs -P 4 -I{} sh -c 'split -n r/{}/4 shuffled | "$PATHFDO" merge --files-from=- -o part.{}.pfdo' 2>/dev/null
"$PATHFDO" merge part.*.pfdo -o tree.pfdo 2>/dev/null
equal tree.pfdo one.pfdo "a tree of 4"
if command -v mpirun >/dev/null; then
	rm part.*
	# shellcheck disable=SC2016 # for the ranks' shells
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 4 --oversubscribe --mca btl self,vader sh -c '
		split -n r/$((OMPI_COMM_WORLD_RANK + 1))/$OMPI_COMM_WORLD_SIZE shuffled |
		"$PATHFDO" merge --files-from=- -o part.$OMPI_COMM_WORLD_RANK.pfdo' 2>mpi.log || fail "mpirun: $(tail -n 3 mpi.log)"
	check_eq "parts of MPI's ranks" "$(ls part.*.pfdo | wc -l)" 4
	"$PATHFDO" merge part.*.pfdo -o mpi.pfdo 2>/dev/null
	equal mpi.pfdo one.pfdo "4 ranks"
else
	echo "without mpirun, which is not installed (openmpi-bin)"
fi

# What is damaged, cut off or gone is named and costs itself only.
head -c 3000 fleet/7.pfdo >short.pfdo
{ head -c 9000 fleet/8.pfdo; printf 'damage'; tail -c +9007 fleet/8.pfdo; } >damaged.pfdo
{ cat shuffled; printf '%s\n' short.pfdo absent.pfdo damaged.pfdo; } | sort -R >bad
for jobs in 1 3; do
	"$PATHFDO" merge -k -j "$jobs" --files-from=bad -o got.pfdo 2>said || fail "-k ends with $?: $(cat said)"
	equal got.pfdo one.pfdo "-k -j $jobs"
	for file in short absent damaged; do
		check_eq "lines about $file, of $(cat said)" "$(grep -c "left out: $file.pfdo: " said)" 1
	done
	grep -q ' 3 of 63 profiles were left out' said || fail "-k says: $(cat said)"
	refused 1 'damaged.pfdo: ' merge -j "$jobs" --files-from=list damaged.pfdo -o none.pfdo
done
refused 1 'there are no profiles to add up' merge -k short.pfdo absent.pfdo -o none.pfdo
# Where samples are scaled to executions, what is damaged has no part in the scale.
"$PATHFDO" show --text fleet/7.pfdo | sed 's/^unit executions/unit samples/' >samples.txt
"$PATHFDO" show --from-text samples.txt -o samples.pfdo
{ head -c 9000 samples.pfdo; printf 'damage'; tail -c +9007 samples.pfdo; } >cut.pfdo
"$PATHFDO" merge fleet/1.pfdo samples.pfdo -o mixed.pfdo 2>log || fail "$(cat log)"
"$PATHFDO" merge -k fleet/1.pfdo samples.pfdo cut.pfdo -o kept.pfdo 2>log || fail "$(cat log)"
grep -q 'cut.pfdo' log || fail "a damaged profile of samples is not named: $(cat log)"
cmp mixed.pfdo kept.pfdo || fail "a damaged profile of samples is in the scale"
refused 1 'none of the profiles can be read' merge -k damaged.pfdo -o none.pfdo%b

# A process that is lost: once, nothing is missing; over one file, that one is.
case $("$PATHFDO" --version 2>&1; nm -D "$PATHFDO" 2>/dev/null) in
*__asan*) ;;
*)
	fake death
	touch once
	LD_PRELOAD=$T/death.so FAKE_DEATH=31.pfdo FAKE_DEATH_ONCE=$T/once "$PATHFDO" merge -j 2 --files-from=list -o got.pfdo 2>said ||
		fail "a lost process: $(cat said)"
	[ ! -e once ] || fail "no process was lost"
	equal got.pfdo one.pfdo "a process was lost"
	LD_PRELOAD=$T/death.so FAKE_DEATH=31.pfdo "$PATHFDO" merge -k -j 2 --files-from=list -o got.pfdo 2>said ||
		fail "a lost process: $(cat said)"
	grep -q 'left out: fleet/31.pfdo: the process that added it up was ended by signal 9' said || fail "merge says: $(cat said)"
	grep -q ' 1 of 60 profiles were left out' said || fail "merge says: $(cat said)"
	grep -v /31.pfdo list | "$PATHFDO" merge --files-from=- -o want.pfdo 2>/dev/null
	equal got.pfdo want.pfdo "without 31.pfdo"
	got=0
	LD_PRELOAD=$T/death.so FAKE_DEATH=31.pfdo "$PATHFDO" merge -j 2 --files-from=list -o none.pfdo 2>said || got=$?
	check_eq "status of a lost process" "$got" 1
	[ ! -e none.pfdo ] || fail "a sum without a part"
	;;
esac

# Two versions, every third machine with the second.
"$PATHFDO" merge -j 2 --files-from=bad -k -o 'v-%b.pfdo' 2>said
! grep -q 'several versions' said || fail "merge says: $(cat said)"
check_eq "versions" "$(echo v-*)" "v-aaaaaaaaaaaa.pfdo v-bbbbbbbbbbbb.pfdo"
for i in $(seq 2 3 59); do echo "fleet/$i.pfdo"; done | sort >second
"$PATHFDO" merge --files-from=second -o want.pfdo
equal v-bbbbbbbbbbbb.pfdo want.pfdo "the second version"
comm -23 <(sort list) second | "$PATHFDO" merge --files-from=- -o want.pfdo
equal v-aaaaaaaaaaaa.pfdo want.pfdo "the first version"

# Of what cannot be read whole nothing is written, of the other version neither.
rm v-*
got=0
"$PATHFDO" merge --files-from=bad -o 'v-%b.pfdo' 2>said || got=$?
check_eq "status and sums without -k" "$got $(echo v-*)" "1 v-*"

# What is no build-id leads nowhere.
mkdir -p versions/inner
"$PATHFDO" show --text fleet/0.pfdo | sed 's|^\(from .* build-id\) [^ ]*|\1 "../../out"|' >odd.txt
grep -q 'build-id "\?../../out' odd.txt || fail "there is no build-id to change: $(sed -n 3p odd.txt)"
"$PATHFDO" show --from-text odd.txt -o odd.pfdo
"$PATHFDO" merge odd.pfdo -o versions/inner/%b.pfdo
check_eq "sums of what has no build-id" "$(find . -name '*out*.pfdo' -o -name 'unknown.pfdo')" ./versions/inner/unknown.pfdo

# Weights, by a list and by a pattern: 3 times the machines 10 to 19 is these three times.
sed '/\/1[0-9]\.pfdo/s/$/\t3/' list >weighed
{ cat list; grep '/1[0-9]\.' list; grep '/1[0-9]\.' list; } >thrice
"$PATHFDO" merge -j 2 --files-from=weighed -o a.pfdo 2>/dev/null
"$PATHFDO" merge -w '*/1[0-9].pfdo=3' --files-from=list -o b.pfdo 2>/dev/null
"$PATHFDO" merge --files-from=thrice -o c.pfdo 2>said
equal a.pfdo b.pfdo "weights by list and by pattern"
grep -q 'more than once, 20 in all; one is of /usr/bin/fleet' said || fail "merge says: $(cat said)"
check_eq "weighed counts" "$("$PATHFDO" show --text a.pfdo | grep -v ^from | md5sum)" \
	"$("$PATHFDO" show --text c.pfdo | grep -v ^from | md5sum)"
sed 's/$/\r/' weighed >windows
"$PATHFDO" merge -j 2 --files-from=windows -o b.pfdo 2>/dev/null || fail "a list with lines that end as Windows has it"
equal a.pfdo b.pfdo "lists from Unix and from Windows"
printf 'fleet/1.pfdo\tmuch\n' >wrong
refused 1 'wrong: line 1: a weight is a number' merge --files-from=wrong -o none.pfdo
tr '\n' '\0' <list >zeros # find -print0
refused 1 'zeros: line 1 has a NUL byte' merge --files-from=zeros -o none.pfdo
refused 2 'a number from 1 to 256' merge -j 0 fleet/1.pfdo -o none.pfdo
refused 1 'no profile in the list' merge --files-from=/dev/null -o none.pfdo

# Memory does not grow with the number of profiles: eight times as many, at most a half more.
command -v python3 >/dev/null || skip "there is no python3 to measure memory with; all else is well"
peak() {
	python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$PATHFDO" merge "$@" -o got.pfdo
}
"$B/tools/fleet" fleet 60 200 400
for i in $(seq 60 199); do echo "fleet/$i.pfdo"; done >large
for jobs in 1 2; do
	few=$(head -n 15 large | peak -j $jobs --files-from=-)
	many=$(peak -j $jobs --files-from=large)
	check_within "kB for 140 profiles, of 15 $few, by $jobs processes" "$many" 0 $((few * 3 / 2))
done
