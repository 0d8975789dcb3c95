#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What reads a recording, a profile or a report reads it from standard input as well, and from a pipe with a descriptor's
# name, and says the same of it; streams are copied where TMPDIR says.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs
cd "$T"

"$CC" -O1 -g -w "$P/paths-figure.c" -o prog
"$PATHFDO" record --source=soft -F 250 --max-overhead=50 -o prog.data -- ./prog 80000 >out 2>said ||
	unrecorded "said"
"$PATHFDO" convert -q -b prog prog.data -o p.pfdo
"$PATHFDO" show --text p.pfdo >p.txt
"$PATHFDO" show --from-text p.txt -o q.pfdo
printf 'int f(int n)\n{\n\treturn n + 1;\n}\n' >f.c
# shellcheck disable=SC2046 # flags are words
$CC -O2 -w $("$PATHFDO" cflags --cc="$CC" --plugin="$PLUGIN" --report=p.report p.pfdo) -c f.c 2>said || fail "$(cat said)"
# shellcheck disable=SC2046
$CC -O1 -g -w $("$PATHFDO" cflags --cc="$CC" --plugin="$PLUGIN" --instrument=context) "$P/paths-figure.c" -o counting
# shellcheck disable=SC2046
$CC -O1 -g -w $("$PATHFDO" cflags --cc="$CC" --plugin="$PLUGIN" --instrument=paths) "$P/paths-figure.c" -o tracing
mkdir contexts paths
PATHFDO_OUTPUT=contexts ./counting 100 >out
PATHFDO_OUTPUT=paths ./tracing 100 >out
mv contexts/* p.context
mv paths/* p.paths
echo p.pfdo >p.list
printf 'I 00401000,4\n L 1ffe000000,8\n S 1ffe000000,8\n' >p.trace

# named: what was printed and written, without the name of the input.
named() {
	sed -E "s#(/[a-z0-9/]*fd/[0-9]+|/dev/stdin|standard input|$2)#INPUT#g" "$1"
}
while read -r file command; do
	rm -f want.out out.file
	# shellcheck disable=SC2086 # arguments are words
	"$PATHFDO" ${command//FILE/$file} >want 2>said || fail "'$command' with $file: $(cat said)"
	[ ! -e out.file ] || mv out.file want.out
	for way in '- <' '- |' /dev/stdin '<(cat)'; do
		rm -f out.file
		case $way in
		'- <') "$PATHFDO" ${command//FILE/-} <"$file" ;;
		'- |') cat "$file" | "$PATHFDO" ${command//FILE/-} ;;
		/dev/stdin) cat "$file" | "$PATHFDO" ${command//FILE//dev/stdin} ;;
		*) "$PATHFDO" ${command//FILE//dev/fd/9} 9< <(cat "$file") ;;
		esac >got 2>said || fail "'$command' by $way: $(cat said)"
		named got "$file" | cmp - <(named want "$file") || fail "'$command' by $way prints something else"
		[ ! -e want.out ] || cmp out.file want.out || fail "'$command' by $way writes something else"
	done
done <<-END
	prog.data convert -q -b prog FILE -o out.file
	prog.data coverage -b prog FILE
	prog.data paths -b prog FILE
	prog.data hotspots FILE
	prog.data engine -p branch_edges FILE
	p.trace engine -p memory_dependence --trace=FILE
	p.pfdo show FILE
	p.pfdo show --text FILE
	p.pfdo values FILE
	p.pfdo annotate FILE figure
	p.pfdo diff FILE q.pfdo
	p.pfdo diff q.pfdo FILE
	p.pfdo merge FILE -o out.file
	p.pfdo merge q.pfdo FILE -o out.file
	p.pfdo export --format=gcov FILE -o out.file
	p.txt show --from-text FILE -o out.file
	p.report report FILE
	p.context context FILE
	p.paths paths --exact FILE
	p.list merge --files-from=FILE -o out.file
	$TOP/testsuite/golden/comparison.json compare --report FILE
END

for command in "convert -o none.pfdo" "merge -o none.pfdo" "coverage -b prog" context; do
	# shellcheck disable=SC2086
	refused 2 'standard input .* named twice' $command - -
done
refused 2 'not standard input or a pipe' cflags /dev/fd/9 9< <(cat p.pfdo)

# A folder for the copy, and room in it.
mkdir room
for command in "convert -q -b prog - -o none.pfdo" "merge - -o none.pfdo" "hotspots -"; do
	cat prog.data | TMPDIR=$T/absent refused 1 "standard input: cannot be copied .* $T/absent: No such .*; set TMPDIR" $command
	(
		ulimit -f 1
		dd if=/dev/zero bs=1024 count=64 2>dd | TMPDIR=$T/room refused 1 'cannot be copied .*: File too large' $command
	)
	check_eq "what is left in TMPDIR" "$(ls room)" ""
done

# A file that the shell could open, and the command alone could not.
user=
[ "$(id -u)" != 0 ] || user="setpriv --reuid=65534 --regid=65534 --clear-groups"
if [ -z "$user" ] || $user "$PATHFDO" --version >user 2>&1; then
	"$PATHFDO" merge p.pfdo -o want.out 2>said
	exec 8<p.pfdo
	chmod 000 p.pfdo
	$user "$PATHFDO" merge - -o - <&8 >kept.out 2>said || fail "a file that is its owner's: $(cat said)"
	cmp kept.out want.out || fail "of a file that is its owner's: another profile"
	exec 8<&-
fi
