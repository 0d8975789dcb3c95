#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Debug information in .dwo files and in packages of them, of DWARF 5 and GNU's of DWARF 4: the profile is the same as
# without -gsplit-dwarf, from each place where the files can be; what is missing is named.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs

# build NAME FLAGS...: units of C++ that share templates, and one of C, in the folder build; without a build-id, as the
# recording of one build serves for the other, whose code is the same.
build() {
	local unit name=$1
	shift
	rm -rf "$T/build"
	mkdir "$T/build"
	(
		cd "$T/build"
		for unit in 1 2 3 4; do
			"$CXX" -O2 -fno-unroll-loops "$@" -DUNIT=$unit -c "$P/convert-copies.cc" -o "unit$unit.o"
		done
		"$CXX" -O2 "$@" -Wl,--build-id=none unit[1-4].o -o "$name"
	)
}

# want FLAGS...: builds and records; the profile is $T/wanted.txt.  valgrind cannot read all debug information.
want() {
	build prog "$@"
	strip -o "$T/prog" "$T/build/prog"
	exact "$T/prog"
	"$PATHFDO" convert -q -b "prog=$T/build/prog" "$T/prog.data" -o "$T/prog.pfdo" || fail "convert, $*"
	"$PATHFDO" show --text "$T/prog.pfdo" | grep -v "^from" >"$T/wanted.txt"
}

# same WHAT BINARY [OPTION]...: its profile is that of the build that is not split.
same() {
	local what=$1 binary=$2
	shift 2
	"$PATHFDO" convert -q -b "prog=$binary" "$@" "$T/prog.data" -o "$T/split.pfdo" 2>"$T/said" ||
		fail "$what: $(cat "$T/said")"
	[ ! -s "$T/said" ] || fail "$what: it says '$(cat "$T/said")'"
	"$PATHFDO" show --text "$T/split.pfdo" | grep -v "^from" | diff - "$T/wanted.txt" >"$T/diff" ||
		fail "$what: $(head -n 5 "$T/diff")"
}

for flags in -gdwarf-5 -gdwarf-4; do
	want "$flags"
	check_lines "$T/wanted.txt" "$P/convert-copies.h" "$P/convert-copies.cc"
	build prog "$flags" -gsplit-dwarf
	check_eq "$flags: .dwo files" "$(find "$T/build" -name '*.dwo' | wc -l)" 4
	same "$flags, where it was built" "$T/build/prog"
	mv "$T/build" "$T/moved"
	same "$flags, moved with its .dwo files" "$T/moved/prog"
	mkdir -p "$T/debug" "$T/root$T/build" "$T/alone"
	cp "$T/moved/prog" "$T/alone/prog"
	cp "$T"/moved/*.dwo "$T/debug"
	same "$flags, in the debug folder" "$T/alone/prog" --debug-dir="$T/debug"
	cp "$T"/moved/*.dwo "$T/root$T/build"
	same "$flags, below another root" "$T/alone/prog" --symfs="$T/root"

	refused 1 "alone/prog: was built with -gsplit-dwarf, and $T/build/.*unit[1-4].dwo is not there" \
		convert -b "prog=$T/alone/prog" "$T/prog.data" -o "$T/none.pfdo"
	for packer in dwp llvm-dwp llvm-dwp-14; do
		command -v $packer >/dev/null || continue
		# That of binutils does not know the ids of DWARF 5.
		[ "$packer$flags" != dwp-gdwarf-5 ] || continue
		rm -f "$T/alone/prog.dwp"
		(cd "$T/moved" && "$packer" -o "$T/alone/prog.dwp" ./*.dwo) 2>"$T/said" || continue
		packed=1
		same "$flags, packed by $packer" "$T/alone/prog"
		mv "$T/alone/prog.dwp" "$T/debug"
		same "$flags, packed by $packer in the debug folder" "$T/alone/prog" --debug-dir="$T/debug"
		rm "$T/debug/prog.dwp"
	done

	# One file is of another build: it is told from one that is not there, and the others are used.
	ran=$(find "$T/moved" -name '*unit1*.dwo')
	(cd "$T/moved" && "$CXX" -O1 "$flags" -gsplit-dwarf -DUNIT=1 -DANOTHER -c "$P/convert-copies.cc" -o unit1.o)
	mv "$T/moved" "$T/build"
	"$PATHFDO" convert -q -b "prog=$T/build/prog" "$T/prog.data" -o "$T/split.pfdo" 2>"$T/said" || fail "$(cat "$T/said")"
	grep -qE "1 of its [0-9]+ units have no debug information: .*${ran##*/} is of another build" "$T/said" || fail "one stale: $(cat "$T/said")"
	"$PATHFDO" show --text "$T/split.pfdo" | grep -q "^function" || fail "$flags: nothing of the other units"
	rm -rf "$T/build" "$T/debug" "$T/alone" "$T/root"
done
# A build that does not tell its folder writes the names of .dwo files from there on.
mkdir -p "$T/build/objects" "$T/root/objects" "$T/alone"
(
	cd "$T/build"
	for unit in 1 2 3 4; do
		"$CXX" -O2 -fno-unroll-loops -gdwarf-5 -gsplit-dwarf -ffile-prefix-map="$T/build=." -DUNIT=$unit \
			-c "$P/convert-copies.cc" -o objects/unit$unit.o
	done
	"$CXX" -Wl,--build-id=none objects/unit[1-4].o -o "$T/alone/prog"
	mv objects/*.dwo "$T/root/objects"
)
for option in --debug-dir --symfs; do
	(cd / && "$PATHFDO" convert -q -b "prog=$T/alone/prog" "$option=$T/root" "$T/prog.data" -o "$T/split.pfdo") 2>"$T/said" ||
		fail "a build without a folder, with $option: $(cat "$T/said")"
	[ ! -s "$T/said" ] || fail "a build without a folder, with $option: it says '$(cat "$T/said")'"
done
rm -rf "$T/build" "$T/root" "$T/alone"

[ "${packed:-}" ] || echo "skip: no tool makes packages of these"
if command -v clang++ >/dev/null && command -v ld.bfd >/dev/null; then
	for flags in "-gdwarf-5 -gsplit-dwarf" "-gdwarf-4 -gsplit-dwarf=single"; do
		CXX=clang++
		want "${flags%% *}"
		# shellcheck disable=SC2086 # flags are words
		build prog $flags
		same "clang, $flags" "$T/build/prog"
	done
fi
