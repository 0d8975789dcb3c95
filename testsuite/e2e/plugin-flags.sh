#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A profile implies what -fprofile-use of the same release implies: the compiler prints all its options that are not the
# default, by a small plugin of ours beside the one under test, for a plain compile, for -fprofile-use and for the profile.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >options.cc <<'END'
#include "gcc-plugin.h"
#include "tree.h"
#include "options.h"
int plugin_is_GPL_compatible;
static void print(void *, void *)
{
	cl_optimization_print(stdout, 0, TREE_OPTIMIZATION(optimization_default_node));
}
int plugin_init(plugin_name_args *arguments, plugin_gcc_version *)
{
	register_callback(arguments->base_name, PLUGIN_ALL_IPA_PASSES_END, print, NULL);
	return 0;
}
END
$CXX -w -shared -fPIC -fno-rtti -I"$($CC -print-file-name=plugin)/include" options.cc -o options.so

printf 'int f(int n)\n{\n\treturn n + 1;\n}\n' >f.c
printf 'pathfdo-profile 1\nunit executions\nfunction f %s/f.c:1 head 900 total 900\n  3 count 900\n' "$T" >f.txt
"$PATHFDO" show --from-text f.txt -o f.pfdo
ours="-fplugin=$PLUGIN -fplugin-arg-pathfdo-profile=f.pfdo"

# options FLAG...: those of a compile, in order.
options() {
	$CC -w "$@" -fplugin=./options.so -S -o /dev/null f.c | sort
}
for level in "-O1" "-O2" "-O3" "-O2 -fno-unroll-loops -fno-tracer" "-O2 -fno-profile-values -fno-vpt" \
	"-O2 -fno-peel-loops -fno-web" "-O2 -funroll-loops -fno-peel-loops" "-O3 -fno-unroll-loops -fno-peel-loops" "-Os"; do
	# shellcheck disable=SC2086 # options are words
	{
		options $level >plain
		options $level -fprofile-use >theirs
		options $level $ours >ours
	}
	[ "$(comm -13 plain theirs | wc -l)" -ge 4 ] || fail "$level: -fprofile-use changes only $(comm -13 plain theirs)"
	# The order of functions is said by sections here.
	grep -v '^flag_profile_reorder_functions ' ours >ours.common || true
	grep -v '^flag_profile_reorder_functions ' theirs >theirs.common || true
	diff theirs.common ours.common >differences ||
		fail "$level: -fprofile-use (<) and the profile (>) differ: $(cat differences)"
done
