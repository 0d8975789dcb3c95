#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each command of a training run leaves a recording, in pipelines, in subshells and side by side too, and all of them
# become the profile.  A stand-in for pathfdo writes down what it was told.
set -eu
. "$(dirname "$0")/lib.sh"
mkdir "$T/home" "$T/home/base"
printf '#!/bin/sh\necho "$@"\n' >"$T/home/base/prog"
cat >"$T/pathfdo" <<'END'
#!/bin/bash
case $1 in
record)
	while [ "$1" != -- ]; do
		[ "$1" != -o ] || out=$2
		shift
	done
	[ ! -e "$out" ] || exit 1
	shift && echo "${*:2}" >"$out" && exec "$@"
	;;
convert) for f in "${@:4:$#-5}"; do cat "$f"; done >"${!#}" ;;
esac
END
chmod +x "$T/pathfdo" "$T/home/base/prog"
PATHFDO=$T/pathfdo
. "$TOP/testsuite/bench/lib.sh"
NAME=work HOME_OF=$T/home EXE=prog
echo 1 | tee "$HOME_OF/base.stamp" >"$HOME_OF/data.stamp"
variant() {
	:
}
workload() {
	local i
	x pack | cat && x unpack | sort | cat
	(x inner | cat; x inner2)
	x "$(x substituted)"
	for i in 1 2 3; do
		x beside $i &
	done
	wait
}
profile
printf '%s\n' 'beside 1' 'beside 2' 'beside 3' inner inner2 pack substituted substituted unpack >"$T/want"
sort "$HOME_OF/work.pfdo" | diff "$T/want" - || fail "these are the commands whose recordings became the profile"
