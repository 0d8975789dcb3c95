#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The SPEC configurations and their hook in a stand-in for the suites' tools: instr, soft and clock are built, trained and
# built again, the outputs stay the same, the profiles save instructions; what fails is told and builds nothing.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perl >/dev/null || skip "perl is not installed"
command -v gcc-12 >/dev/null || skip "the configurations are for gcc-12, which is not here"
export PATHFDO_RECORD_OPTIONS="-F 400 --max-overhead=20"
unset PATHFDO_SPEC
run=$TOP/testsuite/fakes/fake-runspec
# However short a run is it may have a burst, for the first comes at any moment.  So that there are runs that surely have
# none, those of 2 and 3 rounds are recorded for another executable's bursts.
REAL=$PATHFDO
PATHFDO=$T/pathfdo
cat >"$PATHFDO" <<END
#!/bin/sh
for last; do :; done
if [ "\$1 \$2" = "record --source=soft" ] && { [ "\$last" = 2 ] || [ "\$last" = 3 ]; }; then
	shift
	set -- record --only=another "\$@"
fi
exec "$REAL" "\$@"
END
chmod +x "$PATHFDO"
export PATHFDO

# tree SUITE BENCHMARK: a suite of one benchmark in $T/SUITE, with what a plain build prints as what is expected.
tree() {
	local suite=$1 bench=$2 home kind i arguments
	SPEC=$T/$suite
	home=$SPEC/benchspec/CPU/$bench
	mkdir -p "$SPEC/config" "$home/src" "$home/data/train" "$home/data/ref"
	cp "$TOP/spec-configs/cpu$suite-gcc12.cfg" "$TOP/spec-configs/pathfdo-hook" "$SPEC/config"
	cp "$TOP/testsuite/programs/spec-mini.c" "$TOP/testsuite/programs/spec-rank.c" "$home/src"
	# Two runs to record and one that has no sample.
	printf '%s\n' 4000 2 3000 >"$home/data/train/commands"
	echo 400 >"$home/data/ref/commands"
	gcc-12 -O1 "$home"/src/*.c -o "$T/plain"
	for kind in train ref; do
		i=0
		while read -r arguments; do
			"$T/plain" "$arguments" >"$home/data/$kind/out.$i" 2>"$home/data/$kind/err.$i"
			i=$((i + 1))
		done <"$home/data/$kind/commands"
	done
	export SPEC
}

build() {
	"$run" "$suite" "$SPEC/config/cpu$suite-gcc12.cfg" "$bench" "$@" >"$T/steps" 2>"$T/said" ||
		fail "$suite $*: $(tail -n 3 "$T/said")"
	grep -q "^Success: $bench" "$T/steps" || fail "$suite $*: no success"
}

instructions() {
	callgrind "$T/out" "$SPEC/benchspec/CPU/$bench/exe/${bench#*.}_peak.$1" 300
}

# The sum of a program's code: what the plain build and the recorded one share, since debug information names folders.
code() {
	objcopy -O binary -j .text "$1" "$T/code"
	sha256sum <"$T/code"
}

# fewer LABEL PERCENT: the variant executes that much less than base.
fewer() {
	BASE_INSTRUCTIONS=$base
	FAST_INSTRUCTIONS=$(instructions "$1")
	echo "$suite $1: $FAST_INSTRUCTIONS instructions, base $base"
	check_fewer "$2"
}

# refuses WHAT PATTERN ARGUMENT...: a build that must fail, with words, and leave no executable.
refuses() {
	local what=$1 pattern=$2
	shift 2
	rm -f "$SPEC/benchspec/CPU/$bench/exe/${bench#*.}_peak.$1"
	if "$run" "$suite" "$SPEC/config/cpu$suite-gcc12.cfg" "$bench" "$@" >"$T/steps" 2>"$T/said"; then
		fail "$what: built"
	fi
	grep -qE -e "$pattern" "$T/said" || fail "$what: says '$(cat "$T/said")', want /$pattern/"
	[ ! -e "$SPEC/benchspec/CPU/$bench/exe/${bench#*.}_peak.$1" ] || fail "$what: left an executable"
}

for suite in 2006 2017; do
	case $suite in
	2006) bench=429.mcf ;;
	2017) bench=505.mcf_r ;;
	esac
	tree "$suite" "$bench"
	home=$SPEC/benchspec/CPU/$bench
	build base
	check_eq "compiles of base" "$(grep -c '^== make: .* -c ' "$T/steps")" 2
	base=$(instructions base)

	build instr
	check_eq "compiles of instr" "$(grep -c '^== make: .* -c ' "$T/steps")" 4
	check_eq "instrumented compiles" "$(grep -c '^== make: .* -c .* -fprofile-generate ' "$T/steps")" 2
	! grep -q 'profile count data file not found' "$T/said" || fail "instr found no counts"
	fewer instr 10

	build soft
	kept=$SPEC/pathfdo/$bench.soft
	check_eq "recordings of the two longer commands" "$(find "$kept/data" -name '*.data' | wc -l)" 2
	check_eq "the code that was recorded" "$(code "$kept/bin/${bench#*.}")" "$(code "$home/exe/${bench#*.}_peak.base")"
	"$PATHFDO" show --text "$kept/profile.pfdo" >"$T/show"
	for function in rank operate main; do
		grep -q "$function" "$T/show" || fail "the profile does not know $function"
	done
	check_within "bytes of the recordings" "$(sed -n 's/^recording_bytes //p' "$kept/cost")" 1000 10000000
	check_eq "the first training run in the log" "$(grep -c " 4000\$" "$kept/log")" 1
	fewer soft 10

	# The Fortran compiler loads the plugin by the same file.
	if command -v gfortran-12 >/dev/null; then
		printf 'program p\nprint *, "hello"\nend program\n' >"$T/p.f90"
		(cd "$home/build/build_peak_soft.0000" && gfortran-12 -O2 -g @pathfdo.flags \
			-fplugin-arg-pathfdo-report="$T/report" -c "$T/p.f90" -o "$T/p.o") 2>"$T/said" || fail "Fortran: $(cat "$T/said")"
		grep -q '"unit"' "$T/report" || fail "the plugin did not run in the Fortran compiler"
	fi

	build flags
	grep -q -- '-fversion-loops-for-strides' "$T/steps" || fail "flags has no flags"
done

# The rest once, with CPU 2017.
if samples_by_clock; then
	PATHFDO_RECORD_OPTIONS="-F 4000" build clock
	"$PATHFDO" show --text "$SPEC/pathfdo/$bench.clock/profile.pfdo" | grep -q operate || fail "the profile of clock is empty"
fi
build afdo
grep -q -- '-fauto-profile=.*/profile.afdo$' "$home/build/build_peak_afdo.0000/pathfdo.flags" || fail "afdo has no profile"
fewer afdo 1
build base --define march=x86-64-v2
grep -q -- '-march=x86-64-v2' "$T/steps" || fail "march does not reach the compiler"
build generate
build record_soft
check_eq "recordings of the reference run" "$(find "$SPEC/pathfdo/$bench.record_soft/data" -name '*.data' | wc -l)" 1
for copy in 1 2 3; do
	(cd "$home/exe" && "$SPEC/config/pathfdo-hook" record soft "$bench" record_soft -- "./${bench#*.}_peak.record_soft" 2000) \
		>"$T/copy$copy" 2>"$T/said$copy" &
done
wait
check_eq "recordings after three copies at once" \
	"$(find "$SPEC/pathfdo/$bench.record_soft/data" -name '*.data' | wc -l)" 4
cmp -s "$T/copy1" "$T/copy3" || fail "the copies do not print the same"
check_eq "the benchmark's standard error, and nothing else" "$(cat "$T/said2")" done

# What fails.
(cd "$home/exe" && "$SPEC/config/pathfdo-hook" record soft "$bench" status -- /bin/sh -c 'exit 7') >"$T/out" 2>&1 && fail "no status"
check_eq "the status of the benchmark" "$("$SPEC/config/pathfdo-hook" record soft "$bench" status -- /bin/sh -c 'exit 7' || echo $?)" 7
echo 3 >"$home/data/train/commands"
"$T/plain" 3 >"$home/data/train/out.0" 2>"$home/data/train/err.0"
refuses "a training run without any sample" 'left no recording' soft
echo 1000 >"$home/data/train/commands"
refuses "a training run that prints something else" 'Miscompare' soft
"$T/plain" 1000 >"$home/data/train/out.0" 2>"$home/data/train/err.0"
PATHFDO=$T/none refuses "no pathfdo" 'cannot be executed' soft
if ! "$PATHFDO" doctor --json | grep -q '"lbr":{"works":true'; then
	refuses "lbr where there is none" 'fdo_pre0 ended with' lbr
	! grep -q '^== make' "$T/steps" || fail "lbr was compiled without a source"
fi
# Counts that are not beside the objects.
sed -i 's/= -fprofile-generate$/= -fprofile-generate -fprofile-dir=elsewhere/' "$SPEC/config/cpu2017-gcc12.cfg"
mkdir "$T/moved"
sed -i "s|-fprofile-dir=elsewhere|-fprofile-update=single -fprofile-generate=$T/moved|" "$SPEC/config/cpu2017-gcc12.cfg"
refuses "counts in another folder" 'left no .gcda here' instr
