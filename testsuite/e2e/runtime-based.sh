#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A library that is linked at another address than 0, by whichever linker: what is added to its addresses does not lead to its
# ELF header then, and may be negative.  Its code is recorded as its own all the same.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >work.c <<'END'
unsigned long work(unsigned long n)
{
	volatile unsigned long state = 1;

	for (unsigned long i = 0; i < n; i++)
		state = state & 1 ? state * 3 + 1 : state >> 1;
	return state;
}
END
cat >main.c <<'END'
unsigned long work(unsigned long n);

int main(void)
{
	return work(100000000) == 1234567;
}
END
tried=0

# based PATH OPTION...: a library so linked, found by PATH, has nearly all branches.
based() {
	local path=$1
	shift
	rm -f libwork.so
	$CC -O1 -g -shared -fPIC work.c "$@" -o libwork.so 2>said || return 0 # no such linker, or option
	readelf -lW libwork.so | awk '/LOAD/ { if ($3 ~ /^0x0+$/) none = 1; exit } END { exit none }' || return 0
	$CC -O1 -g main.c -L. -lwork -Wl,-rpath,"$path" -o main
	"$PATHFDO" record --source=soft -o data -- ./main >said 2>&1 || fail "$*: $(cat said)"
	"$PATHFDO" convert -b libwork.so data -o p.pfdo >converted 2>&1 || fail "$*: $(cat converted)"
	share=$(sed -n 's|^ *[^ ]*libwork.so: \([0-9.]*\)% of all.*|\1|p' converted)
	check_within "$*: share of the library" "${share:-0}" 95 100
	tried=$((tried + 1))
}
for linker in bfd gold lld mold; do
	for base in 0x10000000 0x3000000000 0x7ffff0000000; do
		based "$T" -fuse-ld=$linker -Wl,-Ttext-segment=$base
		based "$T" -fuse-ld=$linker -Wl,--image-base=$base
	done
done
based "$T" -Wl,-Ttext-segment=0x10000000 -Wl,-z,noseparate-code -Wl,--build-id=none -Wl,--hash-style=sysv
based . -Wl,-Ttext-segment=0x10000000
[ $tried -gt 0 ] || skip "no linker here has an option for it"
echo "$tried libraries"
