#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The command line: good values reach the recorder, wrong ones exit 2 and name the option.
set -eu
. "$(dirname "$0")/lib.sh"

fake agent
export PATHFDO_RECORDER=$T/agent.so
cd "$T"

# wrong WORD ARGUMENT...
wrong() {
	local word=$1 got=0
	shift
	"$PATHFDO" record "$@" >out 2>err || got=$?
	check_eq "exit status of 'record $*'" $got 2
	grep -qF -- "$word" err || fail "'record $*' does not name $word: $(cat err)"
	check_eq "standard output of 'record $*'" "$(cat out)" ""
	[ ! -e perf.data ] || fail "'record $*' left a recording"
}

wrong 'name the program'
wrong 'name the program' -o x.data --
wrong --freq -F 0 true
wrong --freq -F -5 true
wrong --freq --freq=1e3 true
wrong --freq -F 100001 true
wrong --freq -F 99999999999999999999 true
wrong --branches -n 0 true
wrong --branches -n 65537 true
wrong --branches --branches=x true
wrong --max-overhead --max-overhead=0 true
wrong --max-overhead --max-overhead=101 true
wrong --max-overhead --max-overhead=nan true
wrong --limit --limit=1 true
wrong --limit --limit=5G true
wrong --limit --limit=18446744073709551616 true
wrong --limit --limit=4X true
wrong --limit --limit=4MB true
wrong --source --source=magic true
wrong --event --source=clock -e cycles true
wrong --raw --source=clock --raw true
for name in - /dev/stdout /dev/fd/1 /dev/stderr; do wrong "are the program's" -o $name true; done
wrong nonsense --nonsense true
wrong --fixed-period --fixed-period --begin=branches true
wrong --fixed-period --source=lbr --fixed-period true
wrong --all --all --fixed-period true
wrong --collect --collect=. true
wrong --collect --collect=. --source=soft

"$PATHFDO" record --help >out
for option in --output --source --event --freq --branches --fixed-period --max-overhead --raw --limit --collect --follow-daemons --only --verbose; do
	grep -q -- "$option" out || fail "--help does not tell of $option"
	grep -q -- "$option" "$TOP/doc/pathfdo-record.md" || fail "the man page does not tell of $option"
done

# The settings as the recorder library sees them, and what of them the program does.
cat >show <<'SCRIPT'
#!/bin/sh
echo $LD_PRELOAD
env | grep ^PATHFDO_ | sed 's/=.*//'
SCRIPT
chmod +x show
shown() { # ARGUMENT...: the settings, the preloaded libraries, the environment
	FAKE_AGENT=show "$PATHFDO" record --source=soft "$@" ./show 2>/dev/null | head -2 | tr '\n' ' '
}
check_eq defaults "$(LD_PRELOAD='' shown)" "100 1024 10000 33554432 $T/agent.so "
check_eq settings "$(shown -F 250 -n 77 --max-overhead=2.5% --limit=3m --)" "250 77 25000 3145728 $T/agent.so "
check_eq "an earlier LD_PRELOAD" "$(LD_PRELOAD=libm.so.6 shown)" "100 1024 10000 33554432 $T/agent.so:libm.so.6 "
check_eq "what the program's environment has" \
	"$(env -u PATHFDO_LBR_DATA PATHFDO_SEED=1 "$PATHFDO" record --source=soft ./show 2>/dev/null | sed 1d | sort | tr '\n' ' ')" \
	"PATHFDO_DIR PATHFDO_RECORDER "
# Options behind the program are the program's.
check_eq "the program's options" "$("$PATHFDO" record --source=soft echo -F 3 --help 2>/dev/null)" "-F 3 --help"

# -v is said on standard error only, and progress only on a terminal.
"$PATHFDO" record -v --source=soft true >out 2>err
grep -qF "$T/agent.so" err || fail "-v does not name the recorder library: $(cat err)"
check_eq "standard output" "$(cat out)" ""
# What the kernel's tick allows: -v says it, and a rate beyond it does.
tick=$("$PATHFDO" doctor | awk '$1 == "tick" { print $2 }') || true
if [ "$tick" != unknown ]; then
	says="the kernel's tick of $tick Hz allows at most $tick bursts"
	grep -qF "$says" err || fail "-v does not tell of the tick: $(cat err)"
	"$PATHFDO" record --source=soft -F $((tick + 1)) true 2>err
	grep -qF "$says" err || fail "a rate above $tick Hz is cut in silence: $(cat err)"
	"$PATHFDO" record --source=soft -F "$tick" true 2>err
	if grep -qF "$says" err; then fail "a rate that works is complained of"; fi
fi
"$PATHFDO" record -v --source=soft true >out 2>err
if grep -q $'\r' err; then fail "progress without a terminal"; fi
