#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A host that only records needs a compiler, zlib and libzstd: configured so, with none of the other libraries to be found,
# all that is built is pathfdo-record and its library.  What it records is converted by the whole pathfdo.
set -eu
. "$(dirname "$0")/lib.sh"
[ -x "$TOP/configure" ] || skip "there is no configure: run make first"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
mkdir "$T/b"
cd "$T/b"

# A compiler for which there is no other library, nor a header of one.
cat >cc <<END
#!/bin/sh
for a; do
	case \$a in -ldwarf | -lelf | -lZydis | -lpfm | -ljansson | -lcheck) echo "cannot find \$a" >&2; exit 1 ;; esac
done
exec $CC -D_PERFMON_PFMLIB_H -D__PFMLIB_H__ -DJANSSON_H -D_LIBDWARF_H -DLIBDWARF_H "\$@"
END
chmod +x cc
"$TOP/configure" --enable-record-only CC="$PWD/cc" >out 2>&1 || fail "configure: $(tail -n 3 out)"
make -j2 >log 2>&1 || fail "make: $(tail -n 5 log)"
make install DESTDIR="$T/root" PREFIX=/usr >log 2>&1 || fail "make install: $(tail -n 3 log)"
check_eq "what is installed" "$(cd "$T/root" && find . -type f | grep -v /share/ | sort | tr '\n' ' ')" \
	"./usr/bin/pathfdo-record ./usr/lib/pathfdo/libpathfdo-recorder.so "
check_eq "its libraries" "$(ldd "$T/root/usr/bin/pathfdo-record" | sed -n 's/^[[:space:]]*lib\([a-z]*\)\.so.*/\1/p' | sort | tr '\n' ' ')" "c z zstd "

cat >work.c <<'END'
#include <stdio.h>
int main(void)
{
	unsigned v = 1, odd = 0;
	for (int i = 0; i < 40000000; i++) {
		v = v * 1103515245 + 12345;
		if (v >> 28 == 3)
			odd += v;
	}
	printf("%u\n", odd);
}
END
$CC -O2 -g work.c -o work
"$T/root/usr/bin/pathfdo-record" --source=soft -F 400 --max-overhead=20 -o work.data -- ./work >plain 2>log || fail "it does not record: $(cat log)"
./work | cmp - plain || fail "recording changed the output"
"$PATHFDO" convert -q -b work work.data -o work.pfdo 2>log || fail "what it records is not converted: $(cat log)"
"$PATHFDO" show --text work.pfdo | grep -q '^function main' || fail "the profile has nothing of main"
status=0
"$T/root/usr/bin/pathfdo-record" --source=lbr --event=br_inst_retired.near_taken -o lbr.data -- ./work >/dev/null 2>log || status=$?
check_eq "status with the name of an event ($(cat log))" "$status" 1
make uninstall DESTDIR="$T/root" PREFIX=/usr >log 2>&1 || fail "make uninstall: $(tail -n 3 log)"
check_eq "files left by make uninstall" "$(find "$T/root" ! -type d)" ""
