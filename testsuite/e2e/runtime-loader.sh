#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that ld.so is told to run, by a launcher as those of bundles are, or by who records it, is recorded under its own
# name, for which convert finds it, with a build-id or without.
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
	for way in launcher given options; do
		rm -f ./*.data
		cd "$T"
		case $way in
		launcher) set -- ./launch ;;
		given) set -- "$loader" "a bundle/work" ;;
		options) set -- "$loader" --library-path /nowhere --inhibit-cache --argv0 name "$T/a bundle/work" ;;
		esac
		"$PATHFDO" record --source=soft -o %e.data -- "$@" 400 >printed 2>said || fail "$id, $way: $(cat said)"
		check_eq "$id, $way: what it prints" "$(cat printed)" "$("a bundle/work" 400)"
		[ $way = launcher ] || [ -e work.data ] || fail "$id, $way: the recording's name is $(echo ./*.data)"
		"$PATHFDO" convert ./*.data -o p.pfdo >converted 2>&1 || fail "$id, $way: $(cat converted)"
		share=$(sed -n 's|^ *.*a bundle/work: \([0-9.]*\)% of all.*|\1|p' converted)
		check_within "$id, $way: share of the program" "${share:-0}" 90 100
		"$PATHFDO" show p.pfdo | grep -q ' work  .*/work.c:' ||
			fail "$id, $way: its function is not in the profile: $("$PATHFDO" show p.pfdo)"
	done
done

# What it runs is what decides; where it runs nothing there is nothing to record.
refused 1 'ld-linux.*no program' record --source=soft -o none.data -- "$loader" --list "a bundle/work"
if $CC -O1 -static work.c -o fixed; then
	refused 1 'fixed: it is statically linked' record --source=soft -o none.data -- "$loader" ./fixed 1
fi
