# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the benchmarks and the demo: fetches a program's Debian source, builds its variants, runs its workloads.
#
# A recipe, spec-configs/openspec/programs/NAME.sh (large/NAME.sh), sets
#   package version    the Debian source package, exactly (none: the recipe's own)
#   original           yes: only the original tarball is fetched, without Debian's changes
#   language           c, c++ or fortran
#   stands_for         what it is in the suite, as "400.perlbench"
#   also               further "package=version" whose files it uses: in build by `other PACKAGE`
#   needs              Debian packages without which it does not build
#   build_seconds      roughly what a build takes, if that is much: the longest begin first where programs run side by side
#   EXE                the executable, in the build folder
# and defines
#   configure          (if need be) once, in a copy of the source: what does not depend on the compiler's options
#   build              in a fresh copy of that, with $CC $CFLAGS, $CXX $CXXFLAGS, $FC $FFLAGS, $LDFLAGS: leaves $EXE, mostly
#                      by `compile` and `link`; compiling and linking in one command would put the output's name into the
#                      .gcda name, and -fprofile-use would silently find nothing
#   data               makes inputs in the current folder; $GENERATE is testsuite/tools/generate
#   workload KIND      runs `x ARGUMENTS...`, KIND is train (what is recorded), ref (what is measured), small (callgrind);
#                      inputs are in $D, scripts in $WORK
# All variants of a program are built in one and the same folder, so that counts and debug information name the same
# files.  What is built stays in the cache until recipe, options, profile or plugin change.
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
B=${B:-$TOP/build}
mkdir -p "$B" && B=$(cd "$B" && pwd)
PATHFDO=${PATHFDO:-$B/pathfdo}
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/pathfdo
GENERATE=$B/tools/generate
BENCH=$TOP/testsuite/bench
OPENSPEC=$TOP/spec-configs/openspec
WORK=$OPENSPEC/work
SUITES=${SUITES:-bookworm}
CC=${CC:-gcc} CXX=${CXX:-g++} FC=${FC:-gfortran} CFLAGS=${CFLAGS:-} LDFLAGS=${LDFLAGS:-}
CXXFLAGS=${CXXFLAGS:-$CFLAGS} FFLAGS=${FFLAGS:-$CFLAGS}
export B PATHFDO GENERATE WORK CC CXX FC CFLAGS CXXFLAGS FFLAGS LDFLAGS JOBS LC_ALL=C

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

say() {
	echo "$*" >&2
}

# apt-get with source lists of our own beside the system's, which are left alone: those of $SUITES.
own_apt() {
	local apt=$CACHE/apt
	mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	cat >"$apt/source.sources" <<-END
		Types: deb-src
		URIs: ${DEBIAN_MIRROR:-http://deb.debian.org/debian}
		Suites: $SUITES
		Components: main
		Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	END
	apt-get -q -o Dir::Etc::sourcelist="$apt/source.sources" -o Dir::Etc::sourceparts=- \
		-o Dir::State::Lists="$apt/lists" -o APT::Sandbox::User=root -o Acquire::Retries=2 "$@"
}

# variables: what has a value here, but for bash's own, as commands that set it.
variables() {
	local name said attributes
	for name in $(compgen -v); do
		said=$(declare -p "$name" 2>/dev/null) && [[ $name != BASH* ]] || continue
		attributes=${said#declare -}
		[[ ${attributes%% *} == *r* ]] || echo "$said"
	done
}

# step FOLDER COMMAND...: runs a function, or what else bash knows, in FOLDER; false as soon as anything in it fails.  In a
# shell of its own: here, where the caller asks whether it fails, bash goes on behind what fails in a function, in
# subshells with set -e too.
step() {
	local folder=$1
	shift
	(cd "$folder" && exec bash -euc "$(variables; declare -f)"$'\n'"${*@Q}")
}

# fetch PACKAGE VERSION: Debian's source into ./unpacked.
fetch() {
	own_apt source --download-only "$1=$2"
	dpkg-source --no-check -x "${1}_${2#*:}.dsc" unpacked
}

# fetch_original PACKAGE VERSION: the original's source into ./unpacked.
fetch_original() {
	own_apt source --download-only --tar-only "$1=$2"
	mkdir unpacked
	tar -xf "$1_"*.orig.tar.* -C unpacked --strip-components=1
}

# fetch_updated COMMAND...: the same, with Debian's lists, which are asked for once.
fetch_updated() {
	[ "$(cat "$CACHE/apt/updated" 2>/dev/null)" = "$SUITES" ] || own_apt update
	echo "$SUITES" >"$CACHE/apt/updated"
	"$@"
}

# source_of PACKAGE VERSION [yes]: prints the folder of its unpacked source (the original's); fetches it the first time.
source_of() {
	local folder=$CACHE/src/$1-${2#*:}
	if [ ! -d "$folder" ]; then
		mkdir -p "$CACHE/src"
		# Programs that are prepared side by side may want the same source, and apt works once at a time.
		(flock 9 && { [ -d "$folder" ] || fetch_into "$folder" "$@"; }) 9>"$CACHE/fetch.lock" || return 1
	fi
	echo "$folder"
}

# fetch_into FOLDER PACKAGE VERSION [yes]
fetch_into() {
	local folder=$1 log=$CACHE/fetch-$2.log part get=fetch
	[ "${4:-}" != yes ] || get=fetch_original
	part=$(mktemp -d "$CACHE/src/.part.XXXXXX")
	say "fetching the Debian source $2 $3"
	if ! step "$part" fetch_updated $get "$2" "$3" >"$log" 2>&1 </dev/null; then
		rm -rf "$part" "$CACHE/apt/updated"
		say "cannot fetch the source $2 $3: $(grep -m 1 -E '^[EW]: Failed to fetch' "$log" ||
			grep -m 1 -E '^(E|Err|dpkg-source: error)' "$log")"
		say "all that apt said: $log"
		return 1
	fi
	mv "$part/unpacked" "$folder"
	rm -rf "$part"
}

# load NAME: reads a recipe; sets HOME_OF (its cache), its input folder D and the SOURCE to build from.
load() {
	NAME=$1
	for recipe in "$OPENSPEC"/{programs,large}/"$NAME.sh" "$BENCH/programs/$NAME.sh"; do
		[ ! -f "$recipe" ] || break
	done
	[ -f "$recipe" ] || die "there is no program $NAME; there are: $(known)$(known large)"
	also='' needs='' original='' stands_for='' build_seconds=5
	unset -f configure
	# shellcheck disable=SC1090
	. "$recipe"
	HOME_OF=$CACHE/bench/$NAME
	D=$HOME_OF/data
	SOURCE=$HOME_OF/source
	export D
}

# known [FOLDER]: the programs that are measured if none is named; those of another folder.
known() {
	(cd "$OPENSPEC/${1:-programs}" && for f in *.sh; do printf '%s ' "${f%.sh}"; done)
}

# other PACKAGE: the source folder of one of the packages in $also.
other() {
	local need
	for need in $also; do
		[ "${need%%=*}" != "$1" ] || source_of "$1" "${need#*=}"
	done
}

# compile [OPTION...] -- FILE...: objects/FILE.o of each, $JOBS at a time.
compile() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	mkdir -p objects
	printf '%s\0' "$@" | OPTIONS="${options[*]@Q}" xargs -0 -P "$JOBS" -n 1 bash -c 'compile_one "$1"' compile
}

compile_one() {
	local object=${1#./} command
	object=${object//\//_}
	case $1 in
	*.c) command="$CC $CFLAGS" ;;
	*.[fF] | *.[fF]90) command="$FC $FFLAGS" ;;
	*) command="$CXX $CXXFLAGS" ;;
	esac
	eval "$command $OPTIONS -c \"\$1\" -o objects/${object%.*}.o"
}
export -f compile_one

# link [LIBRARY...]: the executable of all objects.
link() {
	# shellcheck disable=SC2086 # commands and options
	case $language in
	c) $CC $CFLAGS $LDFLAGS -o "$EXE" objects/*.o "$@" ;;
	c++) $CXX $CXXFLAGS $LDFLAGS -o "$EXE" objects/*.o "$@" ;;
	fortran) $FC $FFLAGS $LDFLAGS -o "$EXE" objects/*.o "$@" ;;
	esac
}

# What the recipe depends on besides the source: itself, the scripts and drivers that it names, the generator.
recipe_stamp() {
	local name
	{
		cat "$recipe" "$TOP/testsuite/tools/generate.c"
		{ grep -oE '\$WORK/[A-Za-z0-9.-]+' "$recipe" || true; } | sort -u |
			while read -r name; do cat "$WORK/${name##*/}"; done
	} | sha256sum
}

# The packages without which the program does not build; the first that is missing is the reason.
check_needs() {
	local need state
	for need in $needs; do
		state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$need" 2>/dev/null) || true
		[ "${state%% *}" = ii ] || die "$NAME needs a package that is not installed: apt-get install $need"
	done
}

# Source and inputs of the loaded program, once for each version of its recipe.
prepare() {
	local stamp need from
	[ -x "$PATHFDO" ] && [ -x "$GENERATE" ] || die "there is no $PATHFDO or no $GENERATE: run make all tools first"
	: "${JOBS:=$(nproc)}"
	mkdir -p "$HOME_OF"
	check_needs
	for need in $also; do
		source_of "${need%%=*}" "${need#*=}" >/dev/null || return 1
	done
	from=$HOME_OF/empty
	mkdir -p "$from"
	if [ -n "$package" ]; then
		from=$(source_of "$package" "$version" "$original") || return 1
	fi
	stamp=$(recipe_stamp)
	if [ "$(cat "$HOME_OF/source.stamp" 2>/dev/null)" != "$stamp" ]; then
		make_source "$from"
		echo "$stamp" >"$HOME_OF/source.stamp"
	fi
	if [ "$(cat "$HOME_OF/data.stamp" 2>/dev/null)" != "$stamp" ]; then
		say "$NAME: making the inputs"
		rm -rf "$D"
		mkdir -p "$D"
		step "$D" data >"$HOME_OF/data.log" 2>&1 </dev/null ||
			die "$NAME: cannot make the inputs: $(tail -n 1 "$HOME_OF/data.log") ($HOME_OF/data.log)"
		echo "$stamp" >"$HOME_OF/data.stamp"
	fi
}

# make_source FOLDER: what is built from: the source itself, or a copy of it that is configured.
make_source() {
	rm -rf "$SOURCE" "$HOME_OF/source.stamp"
	if ! declare -F configure >/dev/null; then
		ln -s "$1" "$SOURCE"
		return
	fi
	say "$NAME: configuring"
	cp -a "$1" "$SOURCE"
	step "$SOURCE" configure >"$HOME_OF/configure.log" 2>&1 </dev/null ||
		die "$NAME: cannot be configured: $(tail -n 1 "$HOME_OF/configure.log") ($HOME_OF/configure.log)"
}

# compile_in VARIANT OPTIONS: builds in the program's one build folder; the executable becomes $HOME_OF/VARIANT/$EXE.
compile_in() {
	local variant=$1 work=$HOME_OF/work log=$HOME_OF/$1.log CFLAGS="-O2 -g $2"
	local CXXFLAGS=$CFLAGS FFLAGS=$CFLAGS
	: "${JOBS:=$(nproc)}"
	rm -rf "$work" "${HOME_OF:?}/$variant"
	mkdir -p "$HOME_OF/$variant"
	cp -a "$SOURCE/." "$work"
	step "$work" build >"$log" 2>&1 </dev/null ||
		die "$NAME: the $variant variant does not build: $log"
	[ -x "$work/$EXE" ] || die "$NAME: the $variant build leaves no $EXE: $log"
	cp -a "$work/$EXE" "$HOME_OF/$variant/${EXE##*/}"
}

# variant VARIANT: sees to it that base or generate is built and up to date.
variant() {
	local stamp options=
	[ "$1" != generate ] || options=-fprofile-generate=$HOME_OF/counts
	stamp=$({ cat "$recipe" && echo "$options" && "${CC:-gcc}" --version; } | sha256sum)
	if [ "$(cat "$HOME_OF/$1.stamp" 2>/dev/null)" = "$stamp" ] && [ -d "$HOME_OF/$1" ]; then
		return
	fi
	say "$NAME: building the $1 variant"
	compile_in "$1" "$options"
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
	recorded base "$HOME_OF/recordings" "$HOME_OF/$NAME.pfdo"
	echo "$stamp" >"$HOME_OF/profile.stamp"
}

# recorded VARIANT FOLDER PROFILE: records the variant's training run by soft into FOLDER, and converts it.
recorded() {
	rm -rf "$2"
	mkdir "$2"
	RECORD_TO=$2 play "$1" train >"$HOME_OF/train.out" || die "$NAME: the recorded training run of $1 failed"
	"$PATHFDO" convert -b "$HOME_OF/$1/${EXE##*/}" "$2"/*/run.data -o "$3" >"$HOME_OF/convert.log" 2>&1 ||
		die "$NAME: pathfdo convert failed: $(tail -n 1 "$HOME_OF/convert.log")"
}

# play VARIANT KIND: runs a workload in a scratch folder with its output on stdout.  RUN is put before each command of the
# program; RECORD_TO=FOLDER puts `pathfdo record` there (RECORD_SOURCE, soft if not given; $RECORD_OPTIONS), each
# command's in FOLDER/*/run.data.
play() {
	local scratch status=0
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/pathfdo-bench.XXXXXX")
	(set -o pipefail && cd "$scratch" && X=$HOME_OF/$1/${EXE##*/} && workload "$2") || status=$?
	rm -rf "$scratch"
	return $status
}

# x ARGS: one command of the program, as workload calls it.  A recording lies in a new folder of its own: x also runs in
# pipelines and in the background, whose subshells know nothing of each other that a number could be made of.
x() {
	local folder
	if [ -n "${RECORD_TO:-}" ]; then
		folder=$(mktemp -d "$RECORD_TO/XXXXXX") || return
		# shellcheck disable=SC2086 # a list of options
		"$PATHFDO" record --source="${RECORD_SOURCE:-soft}" ${RECORD_OPTIONS:-} -o "$folder/run.data" -- "$X" "$@"
	else
		# shellcheck disable=SC2086 # a command and its options
		${RUN:-} "$X" "$@"
	fi
}

# instructions VARIANT: what it executes on the workload small, in $here/VARIANT; what it prints must be what base prints, of which
# that is counted first.
instructions() {
	rm -rf "$here/counts" && mkdir "$here/counts"
	RUN="valgrind -q --tool=callgrind --callgrind-out-file=$here/counts/%p" play "$1" small >"$here/$1.out" 2>"$here/$1.said" ||
		die "$NAME: $1 fails under callgrind: $(tail -n 1 "$here/$1.said")"
	[ "$1" = base ] || cmp -s "$here/base.out" "$here/$1.out" || die "$NAME: $1 prints something else"
	cat "$here/counts"/* | awk '$1 == "totals:" { n += $2 } END { print n }' >"$here/part" && mv "$here/part" "$here/$1"
	rm -rf "$here/counts"
}
