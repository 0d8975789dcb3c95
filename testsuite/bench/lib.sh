# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the benchmarks and the demo: fetches a program's Debian source, builds its variants, runs its workloads.
#
# A recipe, testsuite/bench/programs/NAME.sh, sets
#   package version    the Debian source package, exactly (none: the recipe's own)          language  c or c++
#   also               further "package=version" whose files its inputs use
# and defines
#   build              in a fresh copy of the source: compiles with $CC $CXX $OPT, links in commands of their own, leaves
#                      the executable $EXE; compiling and linking in one command would put the output's name into the
#                      .gcda name, and -fprofile-use would silently find nothing
#   data               makes inputs in the current folder; $GENERATE is testsuite/tools/generate
#   workload KIND      runs $RUN ./EXE..., KIND is train (what is recorded), ref (what is measured), small (callgrind)
# All variants of a program are built in one and the same folder, so that counts and debug information name the same
# files.  What is built stays in the cache until recipe, options, profile or plugin change.
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
B=$(cd "${B:-$TOP/build}" 2>/dev/null && pwd) || {
	echo "there is no build folder: run make first" >&2
	exit 1
}
PATHFDO=${PATHFDO:-$B/pathfdo}
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/pathfdo
GENERATE=$B/tools/generate
BENCH=$TOP/testsuite/bench
export TOP B PATHFDO CACHE GENERATE LC_ALL=C

# What -fprofile-use switches on in GCC 12 besides the profile itself: the control that shows what the counts are worth.
# (gcc -O2 -fprofile-use -Q --help=optimizers against gcc -O2.  -funroll-loops on the command line brings web and
# rename-registers with it; switched on by -fprofile-use it does not.)
FLAGS_ALONE="-fipa-cp-clone -fgcse-after-reload -floop-interchange -floop-unroll-and-jam -fpeel-loops
	-fpredictive-commoning -fsplit-loops -ftracer -ftree-loop-distribution -funroll-loops -funswitch-loops
	-fvect-cost-model=dynamic -fversion-loops-for-strides -fno-web -fno-rename-registers"

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

say() {
	echo "$*" >&2
}

# apt-get with source lists of our own beside the system's, which are left alone.
own_apt() {
	local apt=$CACHE/apt
	mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	cat >"$apt/source.sources" <<-END
		Types: deb-src
		URIs: ${DEBIAN_MIRROR:-http://deb.debian.org/debian}
		Suites: bookworm
		Components: main
		Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	END
	apt-get -q -o Dir::Etc::sourcelist="$apt/source.sources" -o Dir::Etc::sourceparts=- \
		-o Dir::State::Lists="$apt/lists" -o APT::Sandbox::User=root -o Acquire::Retries=2 "$@"
}

# source_of PACKAGE VERSION: prints the folder of its unpacked source; fetches it the first time.
source_of() {
	local package=$1 version=$2 folder log=$CACHE/fetch.log part
	folder=$CACHE/src/$package-$version
	if [ ! -d "$folder" ]; then
		mkdir -p "$CACHE/src"
		part=$(mktemp -d "$CACHE/src/.part.XXXXXX")
		say "fetching the Debian source $package $version"
		if ! (cd "$part" && { [ -s "$CACHE/apt/updated" ] || own_apt update; } && date >"$CACHE/apt/updated" &&
			own_apt source --download-only "$package=$version" &&
			dpkg-source --no-check -x "${package}_${version#*:}.dsc" unpacked) >"$log" 2>&1 </dev/null; then
			rm -rf "$part" "$CACHE/apt/updated"
			say "cannot fetch the source $package $version: $(grep -E '^(E|Err|dpkg-source: error)' "$log" | head -n 1)"
			say "all that apt said: $log"
			return 1
		fi
		rm -rf "$folder"
		mv "$part/unpacked" "$folder"
		rm -rf "$part"
	fi
	echo "$folder"
}

# load NAME: reads a recipe; sets SOURCE, HOME_OF (its cache) and its input folder D.
load() {
	NAME=$1
	recipe=$BENCH/programs/$NAME.sh
	[ -f "$recipe" ] || die "there is no program $NAME; there are: $(known)"
	also=
	# shellcheck disable=SC1090
	. "$recipe"
	HOME_OF=$CACHE/bench/$NAME
	D=$HOME_OF/data
	export D
	mkdir -p "$HOME_OF"
}

known() {
	(cd "$BENCH/programs" && for f in *.sh; do printf '%s ' "${f%.sh}"; done)
}

# Source and inputs of the loaded program, once for each version of its recipe.
prepare() {
	local stamp need
	if [ -n "$package" ]; then
		SOURCE=$(source_of "$package" "$version") || return 1
	else
		SOURCE=$HOME_OF/empty
		mkdir -p "$SOURCE"
	fi
	for need in $also; do
		source_of "${need%%=*}" "${need#*=}" >/dev/null || return 1
	done
	stamp=$(cat "$recipe" "$BENCH"/work/* "$TOP/testsuite/tools/generate.c" | sha256sum)
	if [ "$(cat "$HOME_OF/data.stamp" 2>/dev/null)" != "$stamp" ]; then
		say "$NAME: making the inputs"
		rm -rf "$D"
		mkdir -p "$D"
		(cd "$D" && data) || die "$NAME: cannot make the inputs in $D"
		echo "$stamp" >"$HOME_OF/data.stamp"
	fi
}

# compile_in VARIANT OPTIONS: builds in the program's one build folder; the executable becomes $HOME_OF/VARIANT/$EXE.
compile_in() {
	local variant=$1 work=$HOME_OF/work log=$HOME_OF/$1.log
	rm -rf "$work" "${HOME_OF:?}/$variant"
	mkdir -p "$HOME_OF/$variant"
	cp -a "$SOURCE" "$work"
	(cd "$work" && OPT="-O2 -g $2" && export OPT && build) >"$log" 2>&1 </dev/null ||
		die "$NAME: the $variant variant does not build: $log"
	[ -x "$work/$EXE" ] || die "$NAME: the $variant build leaves no $EXE: $log"
	cp -a "$work/$EXE" "$HOME_OF/$variant/${EXE##*/}"
}

# Counts that are not found make a variant that is silently no -fprofile-use build at all.
check_counts() {
	local missing
	missing=$(grep -c 'profile count data file not found' "$HOME_OF/instr.log" || true)
	[ "$missing" = 0 ] || die "$NAME: -fprofile-use found no counts for $missing files: $HOME_OF/instr.log"
}

# variant VARIANT: sees to it that base, flags, generate, instr or pathfdo is built and up to date.
variant() {
	local stamp options=
	case $1 in
	flags) options=$FLAGS_ALONE ;;
	generate) options=-fprofile-generate=$HOME_OF/counts ;;
	instr) options="-fprofile-use=$HOME_OF/counts -Wmissing-profile" ;;
	pathfdo)
		profile
		options=$("$PATHFDO" cflags "$HOME_OF/$NAME.pfdo") || die "$NAME: pathfdo cflags failed"
		;;
	esac
	stamp=$({ cat "$recipe" && echo "$options" && "${CC:-gcc}" --version; if [ "$1" = pathfdo ]; then
		cat "$HOME_OF/$NAME.pfdo" "$B/pathfdo.so"; fi; } | sha256sum)
	if [ "$(cat "$HOME_OF/$1.stamp" 2>/dev/null)" = "$stamp" ] && [ -d "$HOME_OF/$1" ]; then
		return
	fi
	say "$NAME: building the $1 variant"
	if [ "$1" = instr ]; then
		counts
	fi
	compile_in "$1" "$options"
	[ "$1" != instr ] || check_counts
	echo "$stamp" >"$HOME_OF/$1.stamp"
}

# counts: gcov's counts of the training run, in $HOME_OF/counts.
counts() {
	local stamp
	variant generate
	stamp=$(cat "$HOME_OF/generate.stamp" "$HOME_OF/data.stamp")
	if [ "$(cat "$HOME_OF/counts.stamp" 2>/dev/null)" != "$stamp" ]; then
		say "$NAME: the training run of the instrumented program"
		rm -rf "$HOME_OF/counts"
		play generate train >"$HOME_OF/train.out" || die "$NAME: the training run of the instrumented program failed"
		[ -n "$(find "$HOME_OF/counts" -name '*.gcda' | head -n 1)" ] ||
			die "$NAME: the instrumented program left no counts"
		echo "$stamp" >"$HOME_OF/counts.stamp"
	fi
}

# profile: the program's .pfdo, recorded by soft from the plain base binary with the training input.
profile() {
	local stamp
	variant base
	stamp=$(cat "$HOME_OF/base.stamp" "$HOME_OF/data.stamp" "$B/pathfdo" "$B/libpathfdo-recorder.so" | sha256sum)
	if [ "$(cat "$HOME_OF/profile.stamp" 2>/dev/null)" = "$stamp" ] && [ -s "$HOME_OF/$NAME.pfdo" ]; then
		return
	fi
	say "$NAME: recording the training run"
	rm -rf "$HOME_OF/recordings"
	mkdir "$HOME_OF/recordings"
	RECORD_TO=$HOME_OF/recordings play base train >"$HOME_OF/train.out" || die "$NAME: the recorded training run failed"
	"$PATHFDO" convert -b "$HOME_OF/base/${EXE##*/}" "$HOME_OF"/recordings/* -o "$HOME_OF/$NAME.pfdo" \
		>"$HOME_OF/convert.log" 2>&1 || die "$NAME: pathfdo convert failed: $(tail -n 1 "$HOME_OF/convert.log")"
	echo "$stamp" >"$HOME_OF/profile.stamp"
}

# play VARIANT KIND: runs a workload in a scratch folder with its output on stdout.  RUN is put before each command of the
# program; RECORD_TO=FOLDER puts `pathfdo record` there ($RECORD_OPTIONS), a file for each command.
play() {
	local scratch status=0
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/pathfdo-bench.XXXXXX")
	(set -o pipefail && cd "$scratch" && X=$HOME_OF/$1/${EXE##*/} && N=0 && workload "$2") || status=$?
	rm -rf "$scratch"
	return $status
}

# x ARGS: one command of the program, as workload calls it.
x() {
	N=$((N + 1))
	if [ -n "${RECORD_TO:-}" ]; then
		# shellcheck disable=SC2086 # a list of options
		"$PATHFDO" record --source=soft ${RECORD_OPTIONS:-} -o "$RECORD_TO/$N.data" -- "$X" "$@"
	else
		# shellcheck disable=SC2086 # a command and its options
		${RUN:-} "$X" "$@"
	fi
}
