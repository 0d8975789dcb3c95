#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# configure names all that is missing at once, with one apt-get line, and refuses to leave out what is needed.
set -eu
. "$(dirname "$0")/lib.sh"
[ -x "$TOP/configure" ] || skip "there is no configure: run make first"
mkdir "$T/b"
cd "$T/b"

# A compiler that finds neither libdwarf nor Zydis: the two must be in one line.
cat >cc <<END
#!/bin/sh
for a; do case \$a in -ldwarf | -lZydis) echo "cannot find \$a" >&2; exit 1 ;; esac; done
exec $CC "\$@"
END
chmod +x cc
status=0
"$TOP/configure" CC="$PWD/cc" >out 2>&1 || status=$?
check_eq "status without two libraries" "$status" 1
grep -q 'missing: libdwarf, zydis' out || fail "it does not name what is missing: $(tail -n 3 out)"
grep -q 'apt-get install libdwarf-dev libzydis-dev$' out || fail "there is no apt-get line: $(tail -n 3 out)"
grep -q 'dnf install libdwarf-devel zydis-devel$' out || fail "there is no line for Fedora: $(tail -n 3 out)"

status=0
"$TOP/configure" --with-zydis=no >out 2>&1 || status=$?
check_eq "status of --with-zydis=no" "$status" 1
grep -q 'with-zydis=no is not possible' out || fail "no reason given: $(tail -n 2 out)"

"$TOP/configure" --with-check=no >out 2>&1 || fail "without check: $(tail -n 2 out)"
grep -q 'check  *no, as asked' out || fail "the summary does not say that check was left out"
grep -q '^WITH_CHECK := no' config.mk || fail "config.mk does not know it"
headers=$(sed -n 's/^PF_CPPFLAGS := .*\(-I[^ ]*libdwarf[^ ]*\).*/\1/p' config.mk)
version=$(printf '#include <stdio.h>\n#include <libdwarf.h>\nint main(void) { return puts(dwarf_package_version()) < 0; }\n' |
	$CC $headers -x c - -ldwarf -o version && ./version)
grep -q "libdwarf  *yes, $version (" out || fail "the summary does not tell libdwarf's release $version: $(grep libdwarf out)"

# libdwarf as it installs itself: a folder for its headers, by its release.
mkdir -p dwarf/include
cp -r "${headers#-I}" dwarf/include/libdwarf-2
ln -s "$(dirname "$($CC -print-file-name=libdwarf.so)")" dwarf/lib
"$TOP/configure" --with-libdwarf="$PWD/dwarf" >out 2>&1 || fail "libdwarf in another folder: $(tail -n 2 out)"
grep -q "^PF_CPPFLAGS := .*-I$PWD/dwarf/include/libdwarf-2\( \|\$\)" config.mk || fail "its headers: $(grep PF_CPPFLAGS config.mk)"

# Its name for the compiler is the user's, whatever C that is of itself: Autoconf would add an option to one of 1989.
"$TOP/configure" CC="$CC -std=gnu89" >out 2>&1 || fail "a compiler of older C: $(tail -n 3 out)"
check_eq "its name" "$(sed -n 's/^CC := //p' config.mk)" "$CC -std=gnu89"

# What is compiled for another machine cannot be run here.
"$TOP/configure" --build=aarch64-linux-gnu --host=x86_64-linux-gnu CC="$CC" CXX="$CXX" >out 2>&1 || fail "by a cross compiler: $(tail -n 3 out)"
grep -q 'libdwarf  *yes, of no release that it tells (' out || fail "libdwarf of a cross compiler: $(grep libdwarf out)"

# The flags of a package hold for the plugin too.
release=$(sed -n 's/^PLUGINS := \([0-9]*\).*/\1/p' config.mk)
make -n -C "$TOP" B="$PWD" CXXFLAGS=-DOF_A_PACKAGE LDFLAGS=-Wl,--of-a-package "$PWD/pathfdo-$release.so" >out
check_eq "sources of the plugin with the flags" "$(grep -c -- ' -DOF_A_PACKAGE .* -c plugin/.*\.cc' out)" \
	"$(find "$TOP/plugin" -maxdepth 1 -name '*.cc' | wc -l)"
grep -q -- ' -shared .*-Wl,--of-a-package ' out || fail "the plugin is linked without the flags of the package"
# But for what would have it define the compiler.
flags=$(sed -n 's/.* \(-shared .*\) -Wl,--of-a-package \(.*\) -o .*/\1 -Wl,--no-undefined \2/p' out | head -n 1)
printf 'int of_the_compiler(void);\nint plugin_init(void) { return of_the_compiler(); }\n' >calls.c
# shellcheck disable=SC2086 # flags are words
(cd "$TOP" && $CC -fPIC $flags -o "$T/b/calls.so" "$T/b/calls.c") 2>said || fail "the plugin cannot be linked with --no-undefined: $(cat said)"

# Files that git does not list are not given away as an empty tarball: it refuses a checkout that is somebody else's.
mkdir bin tarball
printf '#!/bin/sh\necho "fatal: detected dubious ownership" >&2\nexit 128\n' >bin/git
chmod +x bin/git
if [ -e "$TOP/.git" ]; then
	status=0
	PATH=$PWD/bin:$PATH make -C "$TOP" B="$PWD/tarball" CONFIG="$B/config.mk" dist >out 2>&1 || status=$?
	check_eq "status of make dist where git lists nothing ($(tail -n 1 out))" "$status $(ls tarball | grep -c gz)" "2 0"
fi

# A compiler of another release: told by its number at once, not by the headers that it lacks.
cat >old <<END
#!/bin/sh
[ "\$*" != -dumpversion ] || { echo 11 && exit; }
exec $CC "\$@"
END
chmod +x old
status=0
"$TOP/configure" CC="$PWD/old" >out 2>&1 || status=$?
check_eq "status with GCC 11" "$status" 1
grep -q 'old is release 11, and the plugin is for GCC 12 to 16' out || fail "GCC 11 is refused otherwise: $(tail -n 3 out)"
