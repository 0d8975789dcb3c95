#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What makes a comparison worthless is detected, named, and has no numbers.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare-lib.sh"
train='"$PROGRAM" 200' ref='"$PROGRAM" 100'

# no_numbers VARIANT RE: its error says so, and it has nothing else.
no_numbers() {
	says "$2" "$(variant "$1" error)"
	check_eq "numbers of $1" "$(variant "$1" references)" ""
}
# whole RE: the program itself has the error.
whole() {
	says "$1" "$(found error)"
	check_eq "variants" "$(found variants length)" 0
}

# A build that ignores CFLAGS: all the time, or only what a variant adds.
compare 1 --variants=base,instr --train="$train" --ref="$ref" --build='gcc -O1 -g -o prog main.c'
whole 'ignores CFLAGS: 1 of 1 compile units \(main.c, for example\) were compiled without .-O2.'
compare 1 --variants=base,flags --train="$train" --ref="$ref" --build='gcc -O2 -g -o prog main.c'
check_eq "error of base" "$(variant base error)" null
no_numbers flags "ignores CFLAGS: .* without '-fipa-cp-clone"
compare 1 --variants=base --train="$train" --ref="$ref" --build='gcc -O2 -s -o prog main.c'
whole 'no debug information'
# A few sources may have flags of their own: a note. What the compiler writes in other words is no fault.
cat >"$T/src/other.c" <<'END'
int other;
END
echo 'int third;' >"$T/src/third.c"
compare 0 --variants=base --train="$train" --ref="$ref" --cflags='-O3 -march=native' --build='$CC $CFLAGS -c main.c third.c &&
	$CC -O1 -g -c other.c && $CC -o prog *.o'
check_eq error "$(variant base error)" null
says "^1 of 3 compile units \(other.c, for example\) were compiled without '-O3'$" "$(variant base notes 0)"
grep -qE "^prog +base +1 of 3 compile units" "$T/table" || fail "the remark is not shown: $(cat "$T/table")"
# Of units whose debug information is in .dwo files, too.
compare 0 --variants=base --train="$train" --ref="$ref" --cflags='-O3 -g -gsplit-dwarf' --build='$CC $CFLAGS -c main.c third.c &&
	$CC -O1 -g -gsplit-dwarf -c other.c && $CC -o prog *.o'
says "^1 of 3 compile units \(other.c, for example\) were compiled without '-O3'$" "$(variant base notes 0)"
rm "$T/src/other.c" "$T/src/third.c"
echo text >"$T/src/prog"
compare 1 --variants=base --train="$train" --ref="$ref" --build='chmod +x prog'
whole 'is no executable that a compiler made'
rm "$T/src/prog"

# The build fails, or leaves nothing.
compare 1 --variants=base --train="$train" --ref="$ref" --build='echo broken compiler >&2; exit 3'
whole 'the build ended with status 3: broken compiler'
compare 1 --variants=base --train="$train" --ref="$ref" --build=true
whole "left no executable .*prog"
compare 1 --variants=base --train="$train" --ref="$ref" --build='echo "#!/bin/sh" >prog; chmod +x prog'
whole 'is a script.*libtool'

# Counts that are not found, since each build links under another name; with the warning, and with warnings silenced.
for quiet in "" -w; do
	compare 1 --variants=base,instr --train="$train" --ref="$ref" \
		--build="\$CC \$CFLAGS $quiet -o out.\$\$ main.c && mv out.\$\$ prog"
	check_eq "error of base" "$(variant base error)" null
	no_numbers instr 'counts \(.gcda\)'
	check_eq "pairs of base" "$(variant base references 0 seconds length)" 2
done
# The same in one command under one name is well.
compare 0 --variants=base,instr --train="$train" --ref="$ref" --build='$CXX $CXXFLAGS -x c++ -o prog main.c'
check_eq language "$(found language)" C++
# An instrumented program that is killed leaves no counts.
compare 1 --variants=base,instr --train='"$PROGRAM" 200; true' --ref="$ref" \
	--build='case $CFLAGS in *generate*) D=-DCRASH ;; esac; $CC $CFLAGS $D -o prog main.c'
no_numbers instr 'prints something else|no counts'

# Training: fails, prints something else in a variant, differs by itself.
compare 1 --variants=base --build="$BUILD" --train='echo no input >&2; exit 5' --ref="$ref"
whole 'the training run ended with status 5: no input'
differ='case $CFLAGS in *funswitch*) D=-DDIFFERENT ;; esac; $CC $CFLAGS $D -o prog main.c'
compare 1 --variants=base,flags --build="$differ" --train="$train" --ref="$ref"
no_numbers flags 'the training run prints something else'
compare 1 --variants=base,flags --build="${differ/DIFFERENT/CRASH}" --train="$train" --ref="$ref"
no_numbers flags 'signal 6|status 134'
# That GCC dies of its own -fauto-profile is what afdo is worth here, quoted whole, and no failure of the comparison.
dies='case $CFLAGS in *fauto-profile*) echo "main.c:7: internal compiler error" >&2; seq -s" " 100 >&2; kill -SEGV $$ ;; esac'
compare 0 --variants=base,soft,afdo --build="$dies; $BUILD" --train='"$PROGRAM" 10000' --ref="$ref"
no_numbers afdo 'internal compiler error / 1 2 3 .* 98 99 100'
compare 1 --variants=base --build='$CC $CFLAGS -DUNSTEADY -o prog main.c' --train="$train" --ref="$ref"
whole 'not the same in every run'
# Only the reference differs.
compare 1 --variants=base,flags --build="$differ" --train="$train | head -n 1" --ref="$ref"
no_numbers flags 'reference run 1 prints something else'

# Recordings of nothing.
compare 1 --variants=base,soft --build="$BUILD" --train='true' --ref="$ref"
says 'null' "$(variant base error)"
no_numbers soft 'record|samples'

# A command that does not end is ended, with all that it started.
compare 1 --variants=base --build="$BUILD" --train="sleep 61.$$ & sleep 61.$$" --ref="$ref" --timeout=1
whole 'did not end in 1 seconds'
! pgrep -f "sleep 61.$$" >/dev/null || fail "the timed-out command still runs"
