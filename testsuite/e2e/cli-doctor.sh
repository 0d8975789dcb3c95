#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `pathfdo doctor`: what it says agrees with what the machine says elsewhere and with what record then does.
set -eu
. "$(dirname "$0")/lib.sh"

fake agent
export PATHFDO_RECORDER=$T/agent.so
cd "$T"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"
status=0
"$PATHFDO" doctor >text 2>err || status=$?
check_eq "standard error" "$(cat err)" ""
"$PATHFDO" doctor --json >json || true
value() {
	python3 -c 'import json, sys
value = json.load(open("json"))
for key in sys.argv[1:]:
	value = value[key]
print(value)' "$@"
}
# One line each, in both forms.
facts=$(python3 -c 'import json; print(len(json.load(open("json"))["machine"]))')
check_eq "lines" "$(wc -l <text)" $((facts + 4))
check_eq "the kernel" "$(value machine kernel)" "$(uname -s -r -m)"
grep -q "^cpu .*$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1 | sed 's/[][\.*^$]/./g')" text || fail "the CPU: $(cat text)"
if [ -r /proc/sys/kernel/perf_event_paranoid ]; then
	check_eq "perf_event_paranoid" "$(value machine perf_event_paranoid | sed 's/ .*//')" \
		"$(cat /proc/sys/kernel/perf_event_paranoid)"
fi
if grep -qw hypervisor /proc/cpuinfo; then
	value machine virtualised | grep -q '^yes' || fail "a virtual machine is not seen"
else
	check_eq "virtualised" "$(value machine virtualised)" no
fi
check_eq "fsgsbase" "$(value machine fsgsbase)" "$(grep -qw fsgsbase /proc/cpuinfo && echo yes || echo no)"
check_eq "recorder" "$(value machine recorder)" "$T/agent.so"
check_eq "compiler" "$(value machine compiler)" "$($CC --version | head -1)"
grep -q '^soft .*works: 3 bursts, 3072 branches' text || fail "soft: $(cat text)"
check_eq "exit status" $status 0

# record agrees.
for source in lbr clock; do
	if [ "$(value sources $source works)" = True ]; then
		"$PATHFDO" record --source=$source -F 1000 -o x.data sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done' 2>err ||
			fail "doctor says that $source works, record says: $(cat err)"
	else
		if "$PATHFDO" record --source=$source -o x.data true 2>err; then fail "doctor says that $source does not work"; fi
	fi
done

# A compiler of several words, and one that is not there.
printf '#!/bin/sh\nexec "$@"\n' >through
chmod +x through
CC="$T/through $CC" "$PATHFDO" doctor >words || true
check_eq "a compiler behind a program" "$(sed -n 's/^compiler *//p' words)" "$($CC --version | head -1)"
grep -q "^plugin .*, loads into $T/through" words || fail "a compiler behind a program: $(cat words)"
CC=no-such-compiler "$PATHFDO" doctor >text2 || true
grep -q '^compiler *no-such-compiler cannot be run: set CC' text2 || fail "no compiler: $(cat text2)"
grep -q '^plugin .*not tried' text2 || fail "the plugin without a compiler: $(cat text2)"

# Refusals and a missing library are told with their cure.
FAKE_AGENT=refuse=2 "$PATHFDO" doctor >text || true
grep -q '^soft .*does not work: .*x86_shstk=off' text || fail "a refusal: $(cat text)"
FAKE_AGENT=bursts=0 "$PATHFDO" doctor >text || true
grep -q '^soft .*does not work: .*--source=clock' text || fail "no burst: $(cat text)"
PATHFDO_RECORDER=/nonexistent.so "$PATHFDO" doctor >text || true
grep -q '^soft .*does not work: /nonexistent.so' text || fail "no library: $(cat text)"
grep -q '^best *\(lbr\|clock\|none\)$' text || fail "the best source: $(cat text)"

for wrong in --nonsense word; do
	got=0
	"$PATHFDO" doctor $wrong >out 2>err || got=$?
	check_eq "exit status of 'doctor $wrong'" $got 2
done
"$PATHFDO" doctor --help | grep -q -- --json || fail "--help"
