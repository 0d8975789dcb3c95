#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The CMake recipe for projects that bring their profile along: built without a profile, with one that comes to be, and anew
# with the next one, each by `cmake --build` alone where CMake has run before.  And the script for `cmake -C`, which leaves the
# user's flags what they are.  With interprocedural optimisation the links have the flags, too.
set -eu
. "$(dirname "$0")/lib.sh"
command -v cmake >/dev/null || skip "there is no cmake"
cd "$T"
{
	printf 'cmake_minimum_required(VERSION 3.13)\nproject(app C CXX)\n'
	awk '/^## CMake, in/ { inside = 1; next } /^## / { inside = 0 } inside && sub(/^    /, "")' "$TOP/doc/recipes.md"
	printf 'add_executable(app main.c part.cc)\n'
} >CMakeLists.txt
grep -q '^    pathfdo_use(app.pfdo)' CMakeLists.txt || fail "doc/recipes.md has no such recipe"
printf 'int main(void)\n{\n\treturn 0;\n}\n' >main.c
printf 'int part(int n)\n{\n\treturn n + 1;\n}\n' >part.cc
profile() {
	printf 'pathfdo-profile 1\nunit executions\nfunction main %s/main.c:1 head %s total %s\n  2 count %s\n' "$T" "$1" "$1" "$1" |
		"$PATHFDO" show --from-text - -o app.pfdo
}
build() { cmake --build build -- VERBOSE=1 >log 2>&1 || fail "$1: $(tail -n 5 log)"; }
cmake -S . -B build -G "Unix Makefiles" -DCMAKE_C_COMPILER="${CC%% *}" -DCMAKE_CXX_COMPILER="${CXX%% *}" -Dpathfdo_DIR="$TOP/build-aux" \
	-DPATHFDO_COMMAND="$PATHFDO" >log 2>&1 || fail "cmake: $(tail -n 5 log)"
grep -q "there is no $T/app.pfdo yet" log || fail "the missing profile is not told: $(cat log)"
build "without a profile"
check_eq "compiles with the plugin when there is no profile" "$(grep -c fplugin log || true)" 0
for count in 900 1700; do
	profile $count
	build "with a profile"
	hash=$("$PATHFDO" cflags --cc="$CC" app.pfdo | sed 's/.*-hash=//')
	for source in main.c part.cc; do
		check_eq "compiles of $source with the profile of $count" "$(grep -c "hash=$hash .*-c .*$source" log || true)" 1
	done
done
build "with nothing new"
check_eq "compiles when nothing changed" "$(grep -c fplugin log || true)" 0

# What is linked with -flto and without the plugin says so.  The program has no flags of its own, the library has.
cmake -S . -B build -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DCMAKE_BUILD_TYPE=Release >log 2>&1 || fail "cmake: $(tail -n 5 log)"
build "with -flto"
grep -q -- '-flto.*-fplugin' log || fail "nothing is compiled with -flto: $(tail -n 5 log)"
! grep 'without the plugin' log || fail "a folder's link is without the plugin"
mkdir whole
printf 'int part(int n);\nint main(void)\n{\n\treturn part(-1);\n}\n' >whole/main.c
sed 's/^int main(void)/int part(int n)/; s/return 0/return n + 1/' main.c >whole/part.c
sed 's/function main/function part/; s,/main.c,/whole/part.c,' <<-END | "$PATHFDO" show --from-text - -o whole/app.pfdo
	pathfdo-profile 1
	unit executions
	function main $T/main.c:1 head 9 total 9
	  2 count 9
END
for call in '' 'pathfdo_use(app.pfdo part)'; do
	cat >whole/CMakeLists.txt <<-END
		cmake_minimum_required(VERSION 3.13)
		project(app C)
		set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
		find_package(pathfdo)
		add_library(part STATIC part.c)
		target_compile_options(part PRIVATE \${GIVEN})
		add_executable(app main.c)
		target_link_libraries(app part)
		$call
	END
	given=-DGIVEN=
	[ -n "$call" ] || given+=$("$PATHFDO" cflags --cc="$CC" whole/app.pfdo | tr ' ' ';')
	rm -rf build
	cmake -S whole -B build -DCMAKE_C_COMPILER="${CC%% *}" -Dpathfdo_DIR="$TOP/build-aux" -DCMAKE_BUILD_TYPE=Release \
		-DPATHFDO_COMMAND="$PATHFDO" "$given" >log 2>&1 ||
		fail "cmake: $(tail -n 5 log)"
	build "of a library"
	check_eq "links without the plugin where there is '$call'" "$(grep -c 'without the plugin' log || true)" \
		"$([ -n "$call" ] && echo 0 || echo 1)"
done

# flags LANGUAGE: what the build folder compiles it with; PLUGIN stands for what the script gave.
flags() {
	sed -n "s/^CMAKE_$1_FLAGS:STRING=//p" script/CMakeCache.txt | sed -E 's/-fplugin=[^ ]* -fplugin-arg-pathfdo-profile=[^ ]* -[^ ]*/PLUGIN/g'
}
scripted() {
	"$PATHFDO" cflags --cc="$CC" --cmake app.pfdo >pathfdo.cmake
	cmake -S . -B script -C pathfdo.cmake "$@" -DCMAKE_C_COMPILER="${CC%% *}" -DCMAKE_CXX_COMPILER="${CXX%% *}" \
		-DCMAKE_DISABLE_FIND_PACKAGE_pathfdo=ON >log 2>&1 || fail "cmake -C: $(tail -n 5 log)"
}
CFLAGS='-DA=1 -Wall' CXXFLAGS=-DB scripted
check_eq "flags of the environment" "$(flags C), $(flags CXX)" "-DA=1 -Wall PLUGIN, -DB PLUGIN"
hash=$(sed -n 's/^CMAKE_C_FLAGS:.*-hash=//p' script/CMakeCache.txt)
profile 2500
scripted
check_eq "the next profile's in the place of the first" "$(flags C), $(flags CXX)" "-DA=1 -Wall PLUGIN, -DB PLUGIN"
[ "$hash" != "$(sed -n 's/^CMAKE_C_FLAGS:.*-hash=//p' script/CMakeCache.txt)" ] || fail "the next profile is not taken"
rm -r script
cmake -S . -B script -DCMAKE_CXX_FLAGS=-DC -DCMAKE_C_COMPILER="${CC%% *}" -DCMAKE_CXX_COMPILER="${CXX%% *}" \
	-DCMAKE_DISABLE_FIND_PACKAGE_pathfdo=ON >log 2>&1 || fail "cmake: $(tail -n 5 log)"
scripted
check_eq "flags of a build folder that is there" "$(flags C), $(flags CXX)" "PLUGIN, -DC PLUGIN"
