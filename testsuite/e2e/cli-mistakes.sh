#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is typed wrongly: every command refuses an option that it has not, and ends with the same hint; what is missing, or
# too much, is named.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"

commands=$("$PATHFDO" --help | sed -nE 's/^  ([a-z]+) +[a-z].*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 17 ] || fail "--help lists only: $commands"
for command in $commands; do
	refused 2 "bogus" $command --bogus
	check_eq "the hint of $command" "$(tail -n 1 said)" "\`pathfdo $command --help\` tells the options."
done

printf 'no program\n' >app.data
printf '#!/bin/sh\n' >tool && chmod +x tool
refused 127 'app.data: no such program in PATH; it is a file here: the recording.s name goes behind -o' record app.data ./tool
refused 127 'tool: no such program in PATH; one in this folder is run with ./ before its name' record tool
refused 127 'absent-tool: no such program in PATH$' record absent-tool

# Options can stand behind what is read, with every command.
refused 1 'absent.data: cannot read' hotspots absent.data --json
refused 1 'absent.data: cannot read' engine absent.data -p branch_edges
refused 2 'bogus' hotspots absent.data --bogus
refused 2 'bogus' engine absent.data -p branch_edges --bogus

refused 2 'name the profile that .pathfdo convert. wrote' cflags
refused 2 'a build has one profile: .pathfdo merge. makes one of several' cflags a.pfdo b.pfdo
refused 2 'name a file, not standard input' cflags -
refused 2 '--instrument makes a build that counts: it takes no profile' cflags --instrument=paths a.pfdo
refused 2 '--instrument .* no --report' cflags --instrument=paths --report=a.report

# Of a program that works in a library, a build cannot speed up the library.
"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o samples "$TOP/testsuite/programs/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
"$CC" -O2 -g -no-pie -o prog "$TOP/testsuite/programs/convert-clock.c"
offset=$((0x$(nm prog | awk '$3 == "main" { print $1 }') - 0x400000))
for here in 200 700; do
	./samples p.data "$T/prog" $offset $here /absent/library 0 $((1000 - here))
	"$PATHFDO" convert -b prog p.data -o p.pfdo 2>said || fail "$(cat said)"
	grep -q 'a build with this profile can speed up only the 20.0% that are used' said && little=yes || little=no
	check_eq "with $here of 1000 in the program it is told: $(cat said)" $little "$([ $here = 200 ] && echo yes || echo no)"
done

# A folder that is not there would be searched in vain.
for command in "convert p.data -o none.pfdo --debug-dir" "convert p.data -o none.pfdo --symfs" "coverage -b prog p.data --symfs" \
	"paths -b prog p.data --debug-dir" "annotate p.pfdo main --source" "show --html=none.pfdo p.pfdo --source"; do
	for folder in absent prog; do
		# shellcheck disable=SC2086 # arguments are words
		refused 1 "${command##* }=$folder: there is no such folder" $command $folder
	done
done
refused 1 'the name of an input is empty' show ''

refused 1 "--report=$T/absent/a.report: there is no folder $T/absent; make it first" cflags --cc="$CC" --report=absent/a.report p.pfdo

refused 1 "--report=$T/: is a folder; name a file" cflags --cc="$CC" --report= p.pfdo
refused 1 "--report=$T: is a folder; name a file" cflags --cc="$CC" --report="$T" p.pfdo

# GCC 12 gives a plugin /a=b/p.pfd for /a=b/p.pfdo: builds would go without the profile.
"$PATHFDO" convert -q p.data -o p.pfdo
mkdir a=b
cp p.pfdo a=b/
refused 1 "a=b/p.pfdo' has '=' in it" cflags --cc="$CC" a=b/p.pfdo
refused 1 "a=b/p.pfdo' has '=' in it" cflags --cc="$CC" --meson a=b/p.pfdo
ln -s a=b/p.pfdo link.pfdo
"$PATHFDO" cflags --cc="$CC" link.pfdo 2>said | grep -q -- "-profile=$T/link.pfdo " || fail "a link does not help: $(cat said)"
refused 1 "a=b/p.report' has '=' in it" cflags --cc="$CC" --report=a=b/p.report p.pfdo
# That a page cannot be written is told before the hours that it takes, also of one that is there.
as=
mkdir closed
touch closed/a.json
chmod 666 closed/a.json
cp "$PATHFDO" . && chmod 755 pathfdo closed
[ "$(id -u)" != 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
[ -n "$as" ] || chmod 555 closed
got=0
$as ./pathfdo compare --program=a --train=b --ref=c --json=closed/a.json 2>said || got=$?
check_eq "a closed folder: $got" "$(cat said)" "pathfdo compare: --json=closed/a.json: cannot write there: Permission denied"
chmod 755 closed

mkfifo fifo
for command in "merge fifo p.pfdo" "merge p.pfdo fifo"; do
	cat p.pfdo >fifo &
	writer=$!
	refused 1 'fifo: is no regular file, and a profile is read twice' $command -o none.pfdo
	kill $writer
	wait $writer 2>/dev/null || true
done

# What perf takes and is not needed is told by what is in its place.
refused 2 '^-j is perf.s: branches are always recorded' record -j any,u ./tool
refused 2 '^-a is perf.s: -p, --name or --cgroup say' record -a ./tool
