#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A new profile of the same name is a new compile for what looks at commands only: ccache, Ninja, and Meson on top of it.
# That an object is of the one or the other profile is seen in its code.  Without the hash ccache serves the old one, which
# is what the plugin warns of.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
skipped=
cat >app.c <<'END'
int work(int *a, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		if (a[i] & 1)
			sum += a[i] / (n - i);
	return sum;
}
int main(void)
{
	return 0;
}
END
# profile TIMES: app.pfdo, in which the loop ran so often.
profile() {
	printf 'pathfdo-profile 1\nunit executions\nfunction work %s/app.c:1 head 1000 total %s\n  2 count 1000\n  3 count %s\n  4 count %s\n  5 count %s\n' \
		"$T" $((1000 + 3 * $1)) "$1" "$1" "$1" | "$PATHFDO" show --from-text - -o app.pfdo
}
code() { objdump -d "$1" | tail -n +4; }
for times in 64000 1; do
	profile $times
	# shellcheck disable=SC2046 # flags are words
	$CC -O2 -g $("$PATHFDO" cflags --cc="$CC" app.pfdo) -c app.c -o want-$times.o
	code want-$times.o >want-$times
done
cmp -s want-64000 want-1 && fail "both profiles give the same code, so that nothing can be seen here"

# both TITLE COMMAND: COMMAND makes app.o for the one profile, then for the other, then for the first again.
both() {
	local title=$1 times
	shift
	for times in 64000 1 64000; do
		profile $times
		"$@" >log 2>&1 || fail "$title: $(tail -n 5 log)"
		code app.o >got
		cmp -s got "want-$times" || fail "$title: the object is not that of the profile with $times"
	done
}
flags() { "$PATHFDO" cflags --cc="$CC" app.pfdo; }

through_ccache() {
	rm -f app.o
	# shellcheck disable=SC2046
	ccache $CC -O2 -g $(flags) -c app.c
}
if command -v ccache >/dev/null; then
	export CCACHE_DIR=$T/ccache
	both ccache through_ccache
	ccache --print-stats >stats
	check_eq "what ccache served: the third" "$(awk '/^(direct|preprocessed)_cache_hit/ { sum += $2 } END { print sum }' stats)" 1
	profile 64000
	bare=$(flags | sed 's/ -fplugin-arg-pathfdo-hash=[0-9a-f]*//')
	# shellcheck disable=SC2086
	{
		ccache $CC -O2 -g $bare -c app.c 2>messages
		grep -q "ccache will serve.*$(flags | sed 's/.* //')" messages || fail "no warning that names the hash: $(cat messages)"
		$CC -O2 -g $bare -c app.c 2>messages
		check_eq "what is said without ccache" "$(cat messages)" ""
		profile 1
		ccache $CC -O2 -g $bare -c app.c 2>messages
	}
	code app.o | cmp -s - want-64000 || fail "without the hash ccache is right, too: the warning is for nothing"
else
	skipped="$skipped ccache"
fi

through_ninja() {
	printf 'rule cc\n  command = %s -O2 -g $flags -c app.c -o app.o\nbuild app.o: cc app.c\n  flags = %s\n' "$CC" "$(flags)" >build.ninja
	ninja
}
if command -v ninja >/dev/null; then
	rm -f app.o
	both ninja through_ninja
else
	skipped="$skipped ninja"
fi

# A folder that is configured once; the flags are an option of it.
through_meson() {
	if [ -d meson ]; then
		meson configure meson -Dc_args="$(flags)"
	else
		printf "project('app', 'c')\nexecutable('app', 'app.c')\n" >meson.build
		CC=$CC meson setup meson --buildtype=debugoptimized -Dc_args="$(flags)"
	fi
	meson compile -C meson
	cp meson/app.p/app.c.o app.o
}
if command -v meson >/dev/null; then
	both meson through_meson
else
	skipped="$skipped meson"
fi

# A file of flags that make compares, as projects have it that rebuild when their flags change.
cat >Makefile <<'END'
app.o: app.c flags.stamp
	$(CC) $(CFLAGS) -c app.c
flags.stamp: always
	@echo '$(CFLAGS)' | cmp -s - $@ || echo '$(CFLAGS)' >$@
always:
END
through_make() { make -s CC="$CC" CFLAGS="-O2 -g $(flags)"; }
both make through_make
[ -z "$skipped" ] || skip "there is no$skipped (the others rebuild)"
