#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# perf is the witness, both ways: what perf record writes here (with several options) we read with the counts that perf
# itself gives, and what we write perf prints exactly as it should be.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf > /dev/null || skip "perf is not installed (apt-get install linux-perf)"

tool=$T/perfdata-tool
$CC -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$tool" "$TOP/testsuite/programs/perfdata-tool.c" "$B/libpathfdo.a" -lz -lzstd

# What we write, in perf's own words.
"$tool" make "$T/made.data"
perf script -i "$T/made.data" -F comm,pid,tid,cpu,time,period,event,ip,brstack --ns \
	--show-mmap-events --show-task-events --show-lost-events 2> "$T/complaints" > "$T/script"
# Newer ones add a branch's speculation, of which nothing is known here.
sed -E 's/^ *//; s/ +/ /g; s/ *$//; s|(/[0-9]+/)/-|\1|g' "$T/script" > "$T/got"
cat > "$T/want" << 'EOF'
demo 100/100 [000] 1.000000000: PERF_RECORD_COMM exec: demo:100/100
demo 100/100 [000] 1.000000100: PERF_RECORD_MMAP2 100/100: [0x401000(0x2000) @ 0x1000 <deadbeef0102030405060708090a0b0c0d0e0f10>]: r-xp /opt/demo/bin/demo
demo 100/100 [000] 1.000000200: PERF_RECORD_MMAP2 100/100: [0x7f0000000000(0x1000) @ 0 00:00 0 0]: r-xp /opt/demo/lib/libdemo.so
demo 101/101 [000] 1.000000300: PERF_RECORD_FORK(101:101):(100:100)
demo 100/100 [001] 1.000000400: 12345 pathfdo-soft: 0x401020/0x401000/P/-/-/0/ 0x401010/0x401018/M/-/-/7/ 0x7f0000000123/0x401008/-/-/-/0/
demo 100/100 [000] 1.000000450: PERF_RECORD_LOST lost 42
demo 101/101 [000] 1.000000500: 1 pathfdo-soft: 0x401010/0x401018/M/-/-/7/
demo 100/100 [000] 1.000000600: 2 pathfdo-soft:
demo 101/101 [000] 1.000000700: PERF_RECORD_EXIT(101:101):(100:100)
EOF
diff -u "$T/want" "$T/got" || fail "perf script prints something else than was written"
check_eq "perf buildid-list" "$(perf buildid-list -i "$T/made.data")" \
	"deadbeef00000000000000000000000000000000 /opt/demo/bin/demo"
check_eq "perf evlist" "$(perf evlist -i "$T/made.data" | head -1)" "pathfdo-soft"
header=$(perf report --header-only -i "$T/made.data" 2>&1)
for line in "# cmdline : pathfdo record -- /opt/demo/bin/demo" "# arch : $(uname -m)" "# hostname : $(uname -n)" \
	"# os release : $(uname -r)" "# nrcpus online : $(getconf _NPROCESSORS_ONLN)" "# contains samples with branch stack"; do
	grep -qF "$line" <<< "$header" || fail "perf report --header-only lacks '$line'"
done
perf report --stdio -i "$T/made.data" 2> /dev/null | grep -q '50.00%  *demo  *demo ' ||
	fail "perf report does not attribute half of the branches to demo"
if command -v create_gcov > /dev/null; then
	create_gcov --binary=/bin/true --profile="$T/made.data" --gcov="$T/made.gcov" > "$T/gcov.log" 2>&1 || true
	! grep -qiE 'unsupported|unknown event|failed to (read|parse)|invalid|corrupt' "$T/gcov.log" ||
		fail "create_gcov does not read the file: $(head -3 "$T/gcov.log")"
fi

# What perf writes, in perf's numbers: one line a record type.
declare -A number=([MMAP]=1 [LOST]=2 [COMM]=3 [EXIT]=4 [THROTTLE]=5 [UNTHROTTLE]=6 [FORK]=7 [READ]=8 [SAMPLE]=9 [MMAP2]=10
	[AUX]=11 [ITRACE_START]=12 [LOST_SAMPLES]=13 [SWITCH]=14 [SWITCH_CPU_WIDE]=15 [NAMESPACES]=16 [KSYMBOL]=17
	[BPF_EVENT]=18 [CGROUP]=19 [TEXT_POKE]=20 [ATTR]=64 [EVENT_TYPE]=65 [TRACING_DATA]=66 [BUILD_ID]=67
	[FINISHED_ROUND]=68 [ID_INDEX]=69 [AUXTRACE_INFO]=70 [AUXTRACE]=71 [AUXTRACE_ERROR]=72 [THREAD_MAP]=73
	[CPU_MAP]=74 [STAT_CONFIG]=75 [STAT]=76 [STAT_ROUND]=77 [EVENT_UPDATE]=78 [TIME_CONV]=79 [FEATURE]=80
	[COMPRESSED]=81 [FINISHED_INIT]=82)

perf_count() {
	perf report -D -i "$1" 2> /dev/null | sed -n 's/.*: PERF_RECORD_\([A-Z0-9_]*\).*/\1/p' | sort | uniq -c |
		while read -r count name; do
			[ "$name" = COMPRESSED ] || echo "${number[$name]} $count"
		done | sort -n
}

samples_by_clock || skip "perf samples nothing here (create_gcov and perf read what we write)"
compared=0
compare() {
	local name=$1
	shift
	perf record -q -o "$T/$name.data" "$@" > /dev/null 2> "$T/$name.log" || {
		echo "perf record $* does not work here: $(head -1 "$T/$name.log")"
		return 0
	}
	check_eq "records of perf record $*" "$("$tool" count "$T/$name.data")" "$(perf_count "$T/$name.data")"
	check_eq "events of perf record $*" "$("$tool" events "$T/$name.data")" \
		"$(perf evlist -i "$T/$name.data" | grep -v '^#')"
	# Without a table perf lists what the mappings say about the files that have samples.
	perf buildid-list -i "$T/$name.data" | grep -E '^[0-9a-f]{8}' | sort > "$T/want"
	if perf report --header-only -i "$T/$name.data" 2> /dev/null | grep -q '^# missing features:.* BUILD_ID '; then
		sed -i '/\[/d' "$T/want"
		"$tool" mapids "$T/$name.data" | sort -u > "$T/all"
		comm -12 "$T/want" "$T/all" > "$T/got"
	else
		"$tool" buildids "$T/$name.data" | sort > "$T/got"
	fi
	diff "$T/want" "$T/got" > "$T/diff" || fail "build-ids of perf record $*: $(head -5 "$T/diff")"
	"$tool" samples "$T/$name.data" | sort > "$T/got"
	perf report -D -i "$T/$name.data" 2> /dev/null |
		sed -n 's/.*: PERF_RECORD_SAMPLE([^)]*): \(.*period: [0-9]*\).*/\1/p' | sort > "$T/want"
	diff "$T/want" "$T/got" > "$T/diff" || fail "samples of perf record $*: $(head -5 "$T/diff")"
	compared=$((compared + 1))
}

work=(sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; ls -l /usr/bin | sort | tail -1')
compare plain -e cpu-clock "${work[@]}"
compare period -c 1000000 -e cpu-clock "${work[@]}"
compare frames -e cpu-clock -g "${work[@]}"
compare dwarf -e cpu-clock --call-graph dwarf,1024 "${work[@]}"
compare packed -e cpu-clock -F 5000 -z -g "${work[@]}"
# Whose files others have mapped and changed since is not for this test to stumble over: -B.
compare wide -B -e cpu-clock -a "${work[@]}"
compare several -e cpu-clock,task-clock,page-faults "${work[@]}"
compare group -e '{cpu-clock,page-faults}:S' "${work[@]}"
compare everything -e cpu-clock -d --phys-data --sample-cpu -T -P --switch-events --namespaces --all-cgroups \
	--user-regs=ip,sp --intr-regs=ip,sp -W "${work[@]}"
compare buildids --buildid-mmap -e cpu-clock "${work[@]}"
[ $compared -ge 4 ] || fail "only $compared kinds of recording could be made: $(cat "$T"/*.log)"
echo "$compared kinds of recording read as perf reads them"
