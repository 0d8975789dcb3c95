#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Units of DWARF 5 with a line table of an earlier DWARF, as compilers make them with an assembler that knows no later one: files
# are numbered as the table does it.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"

cat >header.h <<'END'
__attribute__((always_inline)) static inline int in_header(int x)
{
	int s = 0;
	for (int i = 0; i < x; i++)
		s += i * x;
	return s;
}
END
cat >unit.c <<'END'
#include "header.h"
__attribute__((noinline)) int work(int n)
{
	volatile int s = 0;
	for (int i = 0; i < n; i++)
		s += i;
	return s + in_header(n);
}
int main(int count, char **none)
{
	(void)none;
	return work(count * 1000) == 1;
}
END

# files VERSION: the functions in the profile of ./unit, which has a line table of VERSION, with their files.
files() {
	check_eq "version of the line table" "$(readelf --debug-dump=rawline unit.o 2>/dev/null | awk '/DWARF Version:/ { print $3; exit }')" "$1"
	check_eq "version of the unit" "$(readelf --debug-dump=info unit.o 2>/dev/null | awk '/^ *Version:/ { print $2; exit }')" 5
	"$CC" unit.o -o unit
	printf 'S %s 300\n' "$(nm unit | awk '$3 == "work" { print $1 }')" >samples
	"$PATHFDO" convert -q -b unit samples -o unit.pfdo 2>said || fail "version $1: $(cat said)"
	"$PATHFDO" show --text unit.pfdo | awk '/^function/ { print $2, $3 } /^ *inline/ { print $3, $4 }'
}

"$CC" -O2 -gdwarf-5 -c unit.c
files 5 >want
check_eq "files" "$(cat want)" "work $T/unit.c:2
in_header $T/header.h:1"
# The directive for file 0 alone would make it a table of DWARF 5.
"$CC" -O2 -gdwarf-5 -S unit.c
sed -i '/\.file 0 /d' unit.s
for version in 3 4; do
	as --gdwarf-$version unit.s -o unit.o 2>said || skip "this assembler has no --gdwarf-$version"
	files $version | diff want - >differ || fail "a line table of version $version: $(cat differ)"
done
