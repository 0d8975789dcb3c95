#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is printed and does not arrive, on a full disk or because nobody reads any more, is an error of every command, also of
# one that has bad news of its own to end with.
set -eu
. "$(dirname "$0")/lib.sh"
[ -c /dev/full ] || skip "there is no /dev/full"
P=$TOP/testsuite/programs
cd "$T"
"$CC" -O2 -g -w "$P/agent-sort.c" -o sort
"$PATHFDO" record -q --source=soft -o s.data -- ./sort 60 >/dev/null 2>said || unrecorded said
"$PATHFDO" convert -q -b sort s.data -o s.pfdo
{
	printf 'pathfdo-profile 1\nunit executions\n'
	for i in {1..3000}; do
		printf 'function f%d a.c:%d head 1 total 1\n  1:1 count 1\n' $i $i
	done
} >large.txt
"$PATHFDO" show --from-text large.txt -o large.pfdo

lost() {
	local got=0
	"$PATHFDO" "$@" >/dev/full 2>said || got=$?
	check_eq "status of '$*' on a full disk ($(cat said))" $got 1
	grep -q 'No space left on device' said || fail "'$*' on a full disk says '$(cat said)'"
	set +e
	(
		trap '' PIPE # as some parents have it
		"$PATHFDO" "$@" 2>said
		echo $? >status
	) | true
	set -e
	got=$(cat status)
	# What is short can be written before the reader is gone.
	[ "$got" != 0 ] || return 0
	grep -qE 'Broken pipe|^warning' said || fail "'$*' without a reader ends with $got and says '$(cat said)'"
}
for options in "" --text --json --functions --html=-; do
	# shellcheck disable=SC2086 # none, or one
	lost show $options large.pfdo
done
lost annotate large.pfdo a.c
lost diff large.pfdo s.pfdo
lost diff --json large.pfdo s.pfdo
lost merge large.pfdo s.pfdo -o -
lost values --json large.pfdo
for format in llvm folded pprof; do
	lost export --format=$format large.pfdo -o -
done
lost cflags --cc="$CC" s.pfdo
lost convert -q -b sort s.data -o -
lost convert -q -b sort s.data --fdata -o -
lost convert -q -b sort s.data --json -o x.pfdo
for options in "" --json --lcov=- --gcov=- --list=lines; do
	# shellcheck disable=SC2086
	lost coverage -b sort $options s.data
done
for options in "" --json --html=- -o-; do
	# shellcheck disable=SC2086
	lost paths -b sort $options s.data
done
lost hotspots s.data
lost hotspots --json s.data
lost engine -p branch_edges s.data
# Not one unit of it was compiled for the profile, which is a failure by itself.
lost report --profile=s.pfdo sort
lost --help
lost --version
