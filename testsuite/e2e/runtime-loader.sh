#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that a launcher has ld.so run, as those of bundles do, is recorded under its own name, for which convert finds it,
# with a build-id or without.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static unsigned long work(unsigned long n)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum += i & 3 ? i : 1;
	return sum;
}
int main(int argc, char **argv)
{
	printf("%lu\n", work(1000000 * strtoul(argv[argc - 1], NULL, 10)));
	return 0;
}
END
mkdir "a bundle"
for id in sha1 none; do
	$CC -O1 -g -Wl,--build-id=$id work.c -o "a bundle/work"
	loader=$(readelf -p .interp "a bundle/work" | sed -n 's|.*\] *\(/.*\)|\1|p')
	[ -x "$loader" ] || skip "the loader was not found: '$loader'"
	printf '#!/bin/sh\ncd "%s" && exec %s ./work "$@"\n' "$T/a bundle" "$loader" >launch
	chmod 755 launch
	rm -f data
	"$PATHFDO" record --source=soft -o data -- ./launch 400 >printed 2>said || fail "$id: $(cat said)"
	check_eq "$id: what it prints" "$(cat printed)" "$("a bundle/work" 400)"
	"$PATHFDO" convert data -o p.pfdo >converted 2>&1 || fail "$id: $(cat converted)"
	share=$(sed -n 's|^ *.*/a bundle/work: \([0-9.]*\)% of all.*|\1|p' converted)
	check_within "$id: share of the program" "${share:-0}" 90 100
	"$PATHFDO" show p.pfdo | grep -q ' work  .*/work.c:' || fail "$id: its function is not in the profile: $("$PATHFDO" show p.pfdo)"
done
