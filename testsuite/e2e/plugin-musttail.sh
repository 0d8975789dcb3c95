#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls that must be tail calls (`musttail' of GCC 15, or what a front end asks for), in counting code: they are tail calls at
# each level of optimisation, with more steps than a stack has room for, and what they lead to is counted, in paths and in
# contexts, as if nothing had asked for it.
set -eu
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "jq is not installed"
cd "$T"
P=$TOP/testsuite/programs/plugin-musttail.c

# Before GCC 15 only plugins, and languages other than C, ask for it.
cat >must.cc <<'END'
#include "gcc-plugin.h"
#include "tree.h"
int plugin_is_GPL_compatible;

static tree mark(tree *at, int *, void *)
{
	tree value = TREE_CODE(*at) == RETURN_EXPR ? TREE_OPERAND(*at, 0) : NULL_TREE;

	if (value && (TREE_CODE(value) == MODIFY_EXPR || TREE_CODE(value) == INIT_EXPR))
		value = TREE_OPERAND(value, 1);
	if (value && TREE_CODE(value) == CALL_EXPR)
		CALL_EXPR_MUST_TAIL_CALL(value) = 1;
	return NULL_TREE;
}

static void visit(void *function, void *)
{
	walk_tree(&DECL_SAVED_TREE((tree)function), mark, NULL, NULL);
}

int plugin_init(plugin_name_args *arguments, plugin_gcc_version *)
{
	register_callback(arguments->base_name, PLUGIN_PRE_GENERICIZE, visit, NULL);
	return 0;
}
END
if [ "$($CC -dumpversion | cut -d. -f1)" -ge 15 ]; then
	must=-DHAS_MUSTTAIL
else
	$CXX -w -shared -fPIC -fno-rtti -I"$($CC -print-file-name=plugin)/include" must.cc -o must.so
	must=-fplugin=./must.so
fi

# steps WHAT: how often each path, or context, of the files ran: the same number of all that ran a million times and more.
steps() {
	case $1 in
	*paths*) "$PATHFDO" paths --exact --top=100 --json out/* | jq -r '.top[] | "\(.function) \(.count)"' ;;
	*) "$PATHFDO" context --json out/* | jq -r '.contexts[] | "\(.function) \(.calls)"' ;;
	esac | sort | paste -sd, -
}
declare -A want=(
	[paths]="add 1000000,again 1,again 2999999,choose 1000000,choose 1000000,choose 1000000,main 1,stop 1"
	[context]="add 1000000,again 3000000,choose 3000000,main 1,stop 1"
)
want[paths,context]=${want[paths]}
want[paths,context,counter]=${want[paths]}

for level in -O0 -Og -O1 -O2 -O3 -Os; do
	for what in paths context paths,context paths,context,counter; do
		flags=$("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument="$what")
		# shellcheck disable=SC2086 # a list of options
		$CC $level -g $must $flags "$P" -o must >said 2>&1 || fail "$level, $what: $(grep -m 1 error said)"
		rm -rf out
		mkdir out
		(cd out && ../must >../printed 2>../said) || fail "$level, $what: it ends with $?"
		check_eq "$level, $what: the sum" "$(cat printed)" 5000000
		check_eq "$level, $what: counts" "$(steps "$what")" "${want[$what]}"
	done
done
