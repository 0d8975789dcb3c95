#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# inside.sh SERVER...: the part of run that is in the namespaces, as process 1 of its own.  A server's file says how it is
# prepared, loaded and stopped, and has from here
#   $R           the folder of this run: data/ (with its pid file, data/pid) and log/ are the server's own, answers is what
#                must be the same in each run
#   $mainpid     the server's first process
#   $PORT        the port to listen on          $SIZE   the load, in multiples
#   documents FOLDER    files to serve, and FOLDER.expected with their checksums
#   bounded CMD...      CMD with an end                    as_user CMD...   CMD as the server's own user
#   take_tally          what load.py prints, from standard input     add_counts N M   N requests, of which M failed
#   titles PATTERN      processes by their titles
#   problem TEXT        this run failed, and why
# Before that the file gives $user, $ways (self: root starts it, and it does as it likes, which $self says; drop: root starts
# setpriv, which starts it; user: all is the user's, the recorder too), and what must have bursts at least: $least of
# $workers (other processes, or threads), and the main thread if main_least=1; and $comm, by which all its processes are
# found where they are attached to.
# The hard case is a server that does not start or does not stop: each wait ends, and what is left is killed, by its pid.
set -u
PORT=8090

documents() {
	local file
	mkdir -p "$1"
	seq 1 150 >"$1/small.txt"
	seq 1000 7 300000 >"$1/numbers.txt"
	seq 1 20000 | sha256sum | head -c 64 | awk '{ for (i = 0; i < 3000; i++) print substr($0 $0, i % 60 + 1, 60), i }' \
		>"$1/words.txt"
	seq 1 9000 | gzip -n >"$1/packed.bin"
	for file in "$1"/*; do
		echo "/${file##*/} $(sha256sum <"$file" | cut -d' ' -f1)"
	done >"$1.expected"
}

bounded() {
	timeout -k 5 60 "$@"
}

as_user() {
	"${become[@]}" "$@"
}

# Adds to the counts of this run.
add_counts() {
	local requests=0 failures=0
	read -r requests failures <"$R/counts"
	echo "$((requests + $1)) $((failures + $2))" >"$R/counts"
}

take_tally() {
	local requests failures digest
	read -r requests failures digest || problem "the load did not end"
	echo "$digest" >>"$R/answers"
	add_counts "${requests:-0}" "${failures:-1}"
}

# How many processes have titles that match the pattern $1.
titles() {
	ps -e -o args= | grep -oE "^$1" | sort | uniq -c
}

problem() {
	echo "$*" >>"$R/problems"
}

# All that was written to the root file system and to shared memory, by name, and what System V's memory holds.  A folder
# that was there before is in the upper layer too, once something was written to it.
left_behind() {
	(cd /mnt/changed && find . -mindepth 1) | while read -r name; do
		[ -d "/mnt/changed/$name" ] && [ -d "/mnt/below/$name" ] || echo "$name"
	done
	find /dev/shm -mindepth 1
	ipcs -m | awk '/^0x/ { print "shared memory", $2 }'
}

# Processes but this shell and what it needs to look.
processes() {
	ps -e -o pid=,comm= | awk '$1 != 1 && $2 !~ /^(ps|awk|inside\.sh|bash)$/ { print $1, $2 }'
}

# A run's logs without times, pids and numbers: what kinds of lines there are.  The recorder's own are apart, and those that
# come or not as the time falls, which $unsteady names.
log_kinds() {
	cat "$R"/log/* "$R/said" 2>/dev/null | grep -av -e '^pathfdo record: ' -e '^\[ pathfdo record: ' |
		grep -avF -e "${unsteady:-$R/none}" | sed -E "s|$R|R|g; s/[0-9]+/N/g; s/(N[:./ -]*)+/N /g" | sort -u
}

data_kinds() {
	(cd "$R/data" && find . ! -type d) | sed -E 's/[0-9A-F]{8,}/N/g; s/[0-9]+/N/g' | sort -u
}

# The command line of this run: $1 is plain or recorded, $2 a way.
command_line() {
	local record=(/mnt/bin/pathfdo record --source=soft -v -o "$R/out/data")
	# shellcheck disable=SC2206 # words
	record+=($record_options --)
	line=(env --default-signal=INT,QUIT)
	[ -z "$attach" ] || set -- plain "$2"
	case $1-$2 in
	plain-self) ;;
	plain-*) line+=("${become[@]}") ;;
	recorded-self) line+=("${record[@]}") ;;
	recorded-drop) line+=("${record[@]}" "${become[@]}") ;;
	recorded-user) line+=("${become[@]}" "${record[@]}") ;;
	esac
	line+=("${server[@]}")
}

# Attaches and leaves until $R/load is no more; what comes of each time is kept in sums.
attach_and_leave() {
	local record=(/mnt/bin/pathfdo record --source=soft -v --name="$comm" -o "$R/out/data" --duration=0.2)
	[ "$way" != user ] || record=("${become[@]}" "${record[@]}")
	while [ -e "$R/load" ]; do
		# shellcheck disable=SC2086 # words
		if "${record[@]}" $record_options 2>"$R/recorder"; then
			/mnt/bin/bursts "$R/out/data" >>"$R/bursts" || echo "no bursts can be read" >>"$R/problems"
		elif ! grep -q "nothing was recorded: no thread\|is too short for a burst\|but not for a period" "$R/recorder"; then
			problem "record: $(grep -av 'the kernel.s tick' "$R/recorder" | tail -n 1)"
		fi
		rm -f "$R/out"/*
		! grep -a "not left as they were" "$R/recorder" >>"$R/problems" || true
		cat "$R/recorder" >>"$R/recorders"
		echo >>"$R/cycles"
	done
}

# What only a recorder can have left in a process of the server.
traces() {
	local pid
	for pid in $(pgrep "$comm"); do
		grep -F pathfdo-record "/proc/$pid/maps"
		cat "/proc/$pid"/task/*/status 2>/dev/null | awk '/^Sig(Cgt|Pnd)/ && $2 ~ /^[13579bdf]/'
		cat "/proc/$pid/timers"
	done 2>/dev/null
}

under_load() {
	local cycles
	if [ -z "$attach" ] || [ "$1" = plain ]; then
		load
		return
	fi
	touch "$R/load"
	attach_and_leave &
	cycles=$!
	load
	rm "$R/load"
	wait $cycles
	traces >"$R/traces"
	[ ! -s "$R/traces" ] || problem "left in a process: $(head -n 1 "$R/traces")"
}

is_open() {
	(exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null
}

started() {
	local i
	for ((i = 0; i < 200; i++)); do
		! is_open || [ ! -s "$R/data/pid" ] || return 0
		kill -0 "$job" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

# Waits for the job to end and for its children to be gone; the status is the job's.
ended() {
	local i
	for ((i = 0; i < 300; i++)); do
		kill -0 "$job" 2>/dev/null || break
		sleep 0.1
	done
	! kill -0 "$job" 2>/dev/null || problem "does not stop"
	for ((i = 0; i < 30; i++)); do
		[ -n "$(processes)" ] || break
		sleep 0.1
	done
	processes >"$R/processes"
	[ ! -s "$R/processes" ] || problem "processes left: $(cut -d' ' -f2 "$R/processes" | sort | uniq -c | xargs)"
	while read -r pid _; do
		kill -KILL "$pid" 2>/dev/null
	done <"$R/processes"
	wait "$job"
	echo "status $?" >"$R/status"
}

# one_run SERVER WAY plain|recorded
one_run() {
	local way=$2 line server mainpid=0
	R=/mnt/results/$1-$2-$3
	mkdir -p "$R"/data "$R"/log "$R"/out "$R"/cwd
	: >"$R/problems"
	touch "$R/answers" "$R/counts"
	prepare
	chown -hR "$user:" "$R"/*
	command_line "$3" "$way"
	left_behind | sort >"$R/before"
	(cd "$R/cwd" && exec "${line[@]}" </dev/null >"$R/printed" 2>"$R/said") &
	job=$!
	if started; then
		mainpid=$(head -n 1 "$R/data/pid")
		under_load "$3"
		stop || problem "cannot be stopped"
	else
		problem "does not start: $(tail -n 1 "$R/said")"
		kill -TERM "$job" 2>/dev/null
	fi
	ended
	left_behind | sort >"$R/after"
	comm -13 "$R/before" "$R/after" >"$R/left"
	find "$R/cwd" -mindepth 1 >>"$R/left"
	find "$R/out" -mindepth 1 ! -name data >>"$R/left"
	after >>"$R/answers" 2>&1
	echo "$mainpid" >"$R/mainpid"
	tidy
}

# What a run left would be in the way of the next; $R/left keeps the names.
tidy() {
	local name
	while read -r name; do
		case $name in
		./*) rm -rf "/${name:?}" ;;
		/dev/shm/*) rm -rf "$name" ;;
		esac
	done <"$R/left"
}

# The bursts of the main thread, those of the workers and how many workers have any, and those that a system call ended.
account() {
	cat "$R/bursts" 2>/dev/null | awk -v master="$(cat "$R/mainpid")" -v kind="$workers" '
		!$4 { next }
		{ all += $4; calls += $6 }
		$1 == master && (kind == "processes" || $2 == master) { main += $4; next }
		{ others += $4; if (!seen[kind == "processes" ? $1 : $1 "/" $2]++) count++ }
		END { printf "%d %d %d %s\n", main, others, count, all ? int(100 * calls / all + 0.5) "%" : "-" }'
}

# What this run left and the plain one, whose folder is $1, did not, but for numbers in the names.
left_over() {
	awk '{ kind = $0; gsub(/[0-9]+/, "N", kind) } FILENAME == ARGV[1] { seen[kind]; next } !(kind in seen)' "$1/left" "$R/left"
}

same() {
	cmp -s "$1" "$2" || problem "$3"
}

judge() {
	local plain=$1 main others count calls
	[ ! -s "$plain/problems" ] || problem "the plain run fails: $(paste -sd ';' "$plain/problems")"
	[ "$(cut -d' ' -f2 "$R/counts" 2>/dev/null)" = 0 ] || problem "failed requests"
	same "$plain/counts" "$R/counts" "not as many requests and failures as plainly"
	same "$plain/answers" "$R/answers" "other answers"
	same "$plain/status" "$R/status" "other exit status ($(cat "$R/status"), plainly $(cat "$plain/status"))"
	same "$plain/logs" "$R/logs" "other log lines: $(comm -3 "$plain/logs" "$R/logs" | sed -n '1s/^\t//p')"
	same "$plain/kinds" "$R/kinds" "other data files: $(comm -13 "$plain/kinds" "$R/kinds" | head -n 1)"
	left_over "$plain" >"$R/over"
	[ ! -s "$R/over" ] || problem "files left: $(head -n 1 "$R/over")"
	if [ -n "$attach" ]; then
		least=1 main_least=0 # of threads and workers that last: who lives between two looks only is not seen
	else
		/mnt/bin/bursts "$R/out/data" >"$R/bursts" 2>/dev/null
	fi
	read -r main others count calls <<<"$(account)"
	[ -s "$R/bursts" ] || problem "no recording: $(grep -a '^pathfdo record: ' "$R/said" | tail -n 1)"
	cat "$R/said" "$R/recorders" 2>/dev/null | grep -qa '^\[ pathfdo record: [1-9]' || problem "record failed"
	[ "$main" -ge "${main_least:-0}" ] || problem "no bursts of the main thread"
	[ "$count" -ge "$least" ] || problem "bursts of $count worker $workers, want $least"
	report "$main" "$others" "$count" "$calls"
}

report() {
	local who requests failures cost verdict=pass
	case $way in
	self) who=$self ;;
	drop) who="root, then $user" ;;
	user) who=$user ;;
	esac
	read -r requests failures <"$R/counts" || true
	cost=$(sed -n 's/^\[ pathfdo record: .* recorder cost \([0-9.]*%\) .*/\1/p' "$R/said" "$R/recorders" 2>/dev/null | tail -n 1)
	[ -z "$attach" ] || who="$who, attached $(wc -l <"$R/cycles") times"
	[ ! -s "$R/problems" ] || verdict="FAIL: $(sort -u "$R/problems" | paste -sd ';' | sed 's/;/; /g; s/|/ /g')"
	echo "| $name | $who | ${requests:-0} | ${failures:--} | $1 / $2 ($3) | $4 | ${cost:--} | $(wc -l <"$R/over") | $verdict |" |
		tee -a /mnt/results/table.md
	[ "$verdict" = pass ] || echo failed >/mnt/results/failed
}

# Both runs of a server in one way, and the comparison.
measure() {
	local way=$1 how
	for how in plain recorded; do
		one_run "$name" "$way" $how
		log_kinds >"$R/logs"
		data_kinds >"$R/kinds"
	done
	judge "/mnt/results/$name-$way-plain"
	rm -rf "$R"/{data,www} "/mnt/results/$name-$way-plain"/{data,www}
}

cat >/mnt/results/table.md <<-'TABLE'
	| server | user | requests | failed | bursts: main / workers (how many) | ended by a system call | cost | files left | verdict |
	| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
TABLE
cat /mnt/results/table.md
for name; do
	workers=processes least=1 main_least=0 self=root unsteady= comm=$name
	# shellcheck source=/dev/null disable=SC2154
	. "/mnt/servers/$name.sh"
	become=(setpriv "--reuid=$user" "--regid=$(id -gn "$user")" --init-groups)
	for way in $ways; do
		measure "$way"
	done
done
[ ! -e /mnt/results/failed ]
