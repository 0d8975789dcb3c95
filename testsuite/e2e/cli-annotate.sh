#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Source with counts: what a profile by hand has, added up by hand.  Within an instance the hottest position of a line
# counts, instances add up; a function is found however it is named, its source wherever it went.
set -eu
. "$(dirname "$0")/lib.sh"
mkdir "$T/src"
cd "$T/src"
cat >app.cc <<'END'
namespace app {
static int step(int n)
{
	if (n & 1)
		return n * 3;
	return n / 2;
}
int walk(int n)
{
	return step(n) + step(n + 1);
}
}
END
# step: alone line 4 runs 10 times (the hotter of two positions), inlined into walk 30 times at each of two calls.
cat >app.txt <<'END'
pathfdo-profile 1
unit executions
function _ZN3app4walkEi app.cc:8 head 30
  2:9 count 30
  inline @1 _ZN3appL4stepEi app.cc:2 at 2:9 entries 30
    2:2 count 30
      taken 4:2@1 10
      fell 3:3@1 20
  inline @2 _ZN3appL4stepEi app.cc:2 at 2:19 entries 31
    2:2 count 30
    4:2 count 7
function _ZN3appL4stepEi app.cc:2 head 10
  2:2 count 10
  2:8 count 8
    taken 4:2 5
    fell 3:3 5
END
"$PATHFDO" show --from-text app.txt -o app.pfdo
"$PATHFDO" annotate app.pfdo step >text || fail "it ends with $?"
# line LINE: count and share of taken jumps.
line() { awk -v line="$1" '{ for (i = 1; i < 5; i++) if ($i == line && $(i - 1) != "") { print substr($0, 1, 21); exit } }' "$2" | tr -d '#*+=:.-' | xargs; }
check_eq "line 4: 30 + 30 + 10, of 40 jumps 15 taken" "$(line 4 text)" "70 38%"
check_eq "line 6" "$(line 6 text)" "7"
check_eq "line 5, of which there is no count" "$(grep -cE '^ +5  ' text)" 1
grep -qE ' 5  		return n \* 3;$' text || fail "the text of line 5: $(cat text)"
grep -q '^app::step(int)  app.cc:2  .*, entered 71 times, inlined in 2 places$' text || fail "the head: $(head -n 1 text)"
"$PATHFDO" annotate app.pfdo app::walk >walk
grep -q '  app.cc:8  26.09% of the profile (84.35% with what is inlined into it), entered 30 times$' walk || fail "30 of 115, and 97: $(head -n 1 walk)"
grep -q '  app.cc:2  73.91% of the profile, entered' text || fail "85 of 115: $(head -n 1 text)"
check_eq "the same by show" "$("$PATHFDO" show app.pfdo | awk '/walk/ { print $1 }')" 84.35%
check_eq "line 10 of walk" "$(line 10 walk)" "30"
check_eq "what is inlined there, 30 + 31" "$(grep -c '> inlined 61 times: app::step(int)' walk)" 1
for name in _ZN3appL4stepEi 'app::step(int)' app::step; do
	"$PATHFDO" annotate app.pfdo "$name" | cmp - text || fail "'$name' is another function than 'step'"
done
"$PATHFDO" annotate app.pfdo app.cc >file
check_eq "line 4 of the file" "$(line 4 file)" "70 38%"
check_eq "line 10 of the file" "$(line 10 file)" "30"

cd "$T"
"$PATHFDO" annotate src/app.pfdo step >bare
grep -q 'the source is not here; --source DIR' bare || fail "nothing is said of the missing source: $(cat bare)"
check_eq "line 4 without the source" "$(line 4 bare)" "70 38%"
"$PATHFDO" annotate --source "$T/src" src/app.pfdo step | cmp - src/text || fail "--source finds another text"
refused 1 "no function and no source 'tep'" annotate src/app.pfdo tep
refused 1 "no function and no source 'pp.cc'" annotate src/app.pfdo pp.cc
refused 2 "name a profile" annotate src/app.pfdo

# All functions of a name, however many; those whose name has a dot, as what a compiler makes of one; a path as a shell
# completes it.
{
	printf 'pathfdo-profile 1\nunit executions\n'
	for i in $(seq 100 199); do
		printf 'function get many.c:%d head 7\n  0:1 count 7\n' "$i"
	done
	printf 'function main._omp_fn.0 many.c:300 head 7\n  0:1 count 7\n'
} >many.txt
"$PATHFDO" show --from-text many.txt -o many.pfdo || fail "the profile of many functions"
check_eq "functions called get" "$("$PATHFDO" annotate many.pfdo get | grep -c '^get .*many.c:1[0-9][0-9] ')" 100
"$PATHFDO" annotate many.pfdo main._omp_fn.0 | grep -q '^main._omp_fn.0 .*many.c:300 ' || fail "a function with a dot in its name"
"$PATHFDO" annotate many.pfdo many.c >file || fail "a file"
"$PATHFDO" annotate many.pfdo ./many.c | cmp - file || fail "./many.c is not many.c"

# A function that only hands on: it is in the profile, and looked at once, not once for each place that it is inlined in.
{
	printf 'pathfdo-profile 1\nunit executions\n'
	seq 20000 | awk '{ printf "function f%d a.c:%d head 5\n  2 count 5\n  inline @1 get h.h:5 at 3 entries 5\n" \
		"    inline @2 at h.h:9 at 1 entries 5\n      1 count 25\n", $1, $1 * 10 }'
} >wrapper.txt
"$PATHFDO" show --from-text wrapper.txt -o wrapper.pfdo || fail "the profile of a wrapper"
timeout 15 "$PATHFDO" annotate wrapper.pfdo get >none 2>said && fail "what has no lines is shown: $(cat none)"
check_eq "what is said" "$(cat said)" \
	"pathfdo annotate: 'get' has no counts of its own: all that ran there was inlined into it"
check_eq "places of what it hands on to" \
	"$("$PATHFDO" annotate wrapper.pfdo at | grep -c '^at  h.h:9 .*, entered 100000 times, inlined in 20000 places$')" 1

# Names that a terminal would obey.
printf 'pathfdo-profile 1\nunit executions\nfunction "f\\x1b[31m" "a\\x1b[32m.c":1 head 4\n  1 count 4\n    value divisor 7 4\n' >obeyed.txt
"$PATHFDO" show --from-text obeyed.txt -o obeyed.pfdo
for command in "annotate obeyed.pfdo "{$'f\x1b[31m',$'a\x1b[32m.c'} "values obeyed.pfdo"; do
	# shellcheck disable=SC2086 # arguments are words
	"$PATHFDO" $command >obeyed.out
	grep -qF '"a\x1b[32m.c":' obeyed.out || fail "'$command' shows the source as $(cat -v obeyed.out)"
	check_eq "bytes that a terminal obeys" "$(tr -dc '\001-\010\013-\037\177' <obeyed.out | wc -c)" 0
done
# Of sources and programs, as they are counted, recorded and built.
odd=$'a\x1b[32m'
printf 'int main(int n, char **v)\n{\n\tfor (volatile int i = 0; i < 30000000; i++)\n\t\tn += i %% 3 ? 1 : **v;\n\treturn n < 0;\n}\n' >"$odd.c"
"$CC" -O1 -g "$odd.c" -o odd
"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -o odd.data ./odd 2>said || unrecorded said
# shellcheck disable=SC2046 # flags are words
"$CC" -O1 -g $("$PATHFDO" cflags --cc="$CC" --instrument=paths,context) "$odd.c" -o "$odd" && ./"$odd"
printf '{"function":"f","file":"%s","line":1,"found":"stale"}\n{"unit":"u","folder":"/","stale":1,"hash":"0"}\n' 'a\u001b[32m.c' >odd.report
"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -o named.data "./$odd" 2>said || unrecorded said
for command in "coverage --list=lines" "coverage --list=instructions" paths "paths --exact" context "context --paths" report \
	"engine -p branch_edges"; do
	case $command in
	report) set -- odd.report ;;
	engine*) set -- named.data ;;
	*exact* | context*) set -- "$odd".*.context ;;
	*) set -- -b odd odd.data ;;
	esac
	# shellcheck disable=SC2086 # options are words
	"$PATHFDO" $command "$@" >obeyed.out 2>said || fail "$command: $(cat said)"
	grep -qF 'a?[32m' obeyed.out || fail "'$command' shows the source as $(cat -v obeyed.out)"
	check_eq "bytes that a terminal obeys, of $command" "$(tr -dc '\001-\010\013-\037\177' <obeyed.out | wc -c)" 0
done

# Of a template's functions each is shown once, and eight times as many take about eight times as long, not 64.
instances() {
	seq "$1" | awk 'BEGIN { print "pathfdo-profile 1\nunit executions" }
		{ printf "function _ZN1TILi%dEE3getEv t.h:%d head 10 total 30\n  1 count 10\n  2 count 20\n", $1, $1 % 97 * 10 + 1 }' >many.txt
	"$PATHFDO" show --from-text many.txt -o many.pfdo
	"$PATHFDO" annotate many.pfdo get | grep -c '^T<.*>::get()'
}
if command -v valgrind >/dev/null; then
	check_eq "functions of 1000" "$(instances 1000)" 1000
	few=$(callgrind shown "$PATHFDO" annotate many.pfdo get)
	check_eq "functions of 8000" "$(instances 8000)" 8000
	check_within "instructions for eight times as many" "$(($(callgrind shown "$PATHFDO" annotate many.pfdo get) / few))" 4 16
fi
