#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `pathfdo compare` without --build: configure, CMake and Meson are found, and told the flags in their own way.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare-lib.sh"

train='"$PROGRAM" 2000' ref='"$PROGRAM" 100'
# flags_of VARIANT PROGRAM: what the compiler was really given.
flags_of() {
	readelf --debug-dump=info "$T/work/variants/$1/$2" | sed -n 's/.*DW_AT_producer.*: GNU C[0-9]*//p'
}
check_variants() {
	check_eq "error of base" "$(variant base error)" null
	check_eq "error of instr" "$(variant instr error)" null
	says '-O2 ' "$(flags_of base "$1")"
	says "-fprofile-use=$T/work/counts" "$(flags_of instr "$1")"
}

compare 1 --variants=base --train="$train" --ref="$ref"
grep -q 'has no Makefile, configure, CMakeLists.txt or meson.build' "$T/progress" || fail "says $(cat "$T/progress")"

# This one makes a Makefile that has the flags from its environment.
cat >"$T/src/configure" <<'END'
#!/bin/sh
printf 'prog: main.c\n\t%s %s %s -o prog main.c\n' "$CC" "$CFLAGS" "$LDFLAGS" >Makefile
END
chmod +x "$T/src/configure"
compare 0 --variants=base,instr --train="$train" --ref="$ref" --pairs=1
check_variants prog
compare 1 --build-from=meson --variants=base --train="$train" --ref="$ref" --pairs=1
grep -q 'has nothing for --build-from=meson' "$T/progress" || fail "says $(cat "$T/progress")"

if command -v meson >/dev/null; then
	printf "project('work', 'c', default_options: 'buildtype=release')\nexecutable('prog', 'main.c')\n" >"$T/src/meson.build"
	compare 0 --variants=base,instr --train="$train" --ref="$ref" --pairs=1 --build-from=meson
	check_variants pathfdo-build/prog
fi

command -v cmake >/dev/null || skip "no cmake (the other build systems are well)"
cat >"$T/src/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.10)
project(work C)
# As many projects do: a level of its own, unless it is told another.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_executable(prog main.c)
END
compare 0 --variants=base,instr --train="$train" --ref="$ref" --pairs=1 --build-from=cmake
check_variants pathfdo-build/prog
