#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The collection of programs: what it lists, that a wrong name stops it before anything is measured, and that a program
# whose source cannot be fetched is in the results with its reason, while the others are measured all the same.
set -eu
. "$(dirname "$0")/lib.sh"
RUN=$TOP/spec-configs/openspec/run

"$RUN" --list >"$T/list" || fail "--list ends with $?"
check_eq "lines of --list" "$(wc -l <"$T/list")" "$(ls "$TOP/spec-configs/openspec/programs" | wc -l)"
check_within "programs" "$(wc -l <"$T/list")" 16 100
check_within "programs in C++" "$(awk '$2 == "C++"' "$T/list" | wc -l)" 5 100
check_within "programs in Fortran" "$(awk '$2 == "Fortran"' "$T/list" | wc -l)" 1 2
check_eq "lines of another form" "$(grep -cvE '^[a-z0-9]+ +(C|C\+\+|Fortran) +[^ ].*' "$T/list" || true)" 0
check_eq "what perl stands for" "$(awk '$1 == "perl" { print $2, $3 }' "$T/list")" "C 400.perlbench"

# The large ones only where they are asked for, by --large or by name.
check_eq "the large programs" "$("$RUN" --large --list | awk '{ printf "%s ", $1 }')" "cpython postgresql redis "
check_eq "a large one by its name" "$("$RUN" --programs redis,lua --list | awk '{ printf "%s ", $1 }')" "redis lua "

status=0
"$RUN" --programs lua,nosuch --quick >"$T/out" 2>"$T/err" || status=$?
check_eq "status with a wrong name" "$status" 1
grep -q 'there is no program nosuch; there are: bzip2 ' "$T/err" || fail "a wrong name says: $(cat "$T/err")"
status=0
"$RUN" --pairs >"$T/out" 2>"$T/err" || status=$?
check_eq "status of an option without its value" "$status: $(cat "$T/err")" "1: run: --pairs needs a value"

# No mirror answers, and nothing was fetched before; road, a program of our own, needs no source.
export XDG_CACHE_HOME=$T/cache DEBIAN_MIRROR=http://127.0.0.1:9/debian
command -v apt-get >/dev/null || skip "no apt-get, which would fetch the source"
command -v valgrind >/dev/null || skip "no valgrind, which would count the instructions"
status=0
"$RUN" --programs mawk,road --quick --variants base --json "$T/all.json" >"$T/out" 2>"$T/err" || status=$?
check_eq "status when a source is missing" "$status" 1
grep -q 'mawk: .*cannot fetch the source mawk 1.3.4' "$T/err" || fail "no reason for mawk: $(cat "$T/err")"
check_eq "reasons on standard error" "$(grep -c 'cannot fetch the source' "$T/err")" 1
cat >"$T/look.awk" <<'END'
/"name": *"(mawk|road)"/ { name = $0 ~ /mawk/ ? "mawk" : "road" }
/"error": *".*cannot fetch the source/ { failed[name] = 1 }
/"instructions": *[1-9]/ { counted[name] = 1 }
END { print "mawk", failed["mawk"] + 0, counted["mawk"] + 0 ";", "road", failed["road"] + 0, counted["road"] + 0 }
END
check_eq "the results" "$(awk -f "$T/look.awk" "$T/all.json")" "mawk 1 0; road 0 1"
grep -q mawk "$T/out" || fail "the table is without mawk: $(cat "$T/out")"

status=0
"$RUN" --programs road --quick --variants base --json /dev/full >"$T/out" 2>"$T/err" || status=$?
check_eq "status when there is no room for the measurements" "$status: $(tail -n 1 "$T/err")" "1: run: /dev/full: cannot be written whole"
# The same in the middle of a file.
mkdir "$T/bin"
cat >"$T/bin/awk" <<END
#!/bin/sh
case "\$*" in *merge.awk*) echo '{'; exit 2 ;; esac
exec $(command -v awk) "\$@"
END
chmod +x "$T/bin/awk"
status=0
PATH="$T/bin:$PATH" "$RUN" --programs road --quick --variants base --json "$T/half.json" >"$T/out" 2>"$T/err" || status=$?
check_eq "status when the room ends" "$status: $(tail -n 1 "$T/err")" "1: run: $T/half.json: cannot be written whole"
check_eq "what is left of half of the measurements" "$(find "$T" -maxdepth 1 -name 'half.json*')" ""
# Those of an earlier run stay.
cp "$T/all.json" "$T/half.json"
PATH="$T/bin:$PATH" "$RUN" --programs road --quick --variants base --json "$T/half.json" >"$T/out" 2>"$T/err" &&
	fail "what cannot be written ends well"
cmp "$T/all.json" "$T/half.json" || fail "the measurements of the earlier run are lost"
