#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make install` makes a tree that is whole: the command finds its parts from wherever the tree stands, by root into a DESTDIR
# and by a user who may not write to GCC's folder, in a folder with a blank; and `make uninstall` leaves nothing.
set -eu
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
cd "$TOP"
printf 'pathfdo-profile 1\nunit executions\nfunction f f.c:1 head 900 total 900\n  0 count 900\n' >"$T/f.txt"
printf 'int f(int n) { return n + 1; }\nint main(void) { return f(-1); }\n' >"$T/f.c"
"$PATHFDO" show --from-text "$T/f.txt" -o "$T/f.pfdo"
make B="$B" man >"$T/log" 2>&1 || fail "make man: $(tail -n 3 "$T/log")"

# works ROOT PREFIX: all of what was installed is used.
works() {
	local tree=$1$2 flags page
	check_eq "version" "$("$tree/bin/pathfdo" --version)" "$("$PATHFDO" --version)"
	flags=$(cd / && "$tree/bin/pathfdo" cflags --cc="$CC" "$T/f.pfdo" 2>"$T/said") || fail "cflags in $tree: $(cat "$T/said")"
	case $flags in "-fplugin=$(realpath "$tree")/lib/pathfdo/pathfdo.so "*) ;; *) fail "another plugin: $flags" ;; esac
	rm -f "$T/report"
	# shellcheck disable=SC2086 # flags are words
	(cd "$T" && $CC -O2 $flags -fplugin-arg-pathfdo-report=report f.c -o f) || fail "the installed plugin does not compile"
	grep -q '"function":"f".*"found":"matched"' "$T/report" || fail "the installed plugin does not take the profile"
	"$tree/bin/pathfdo" doctor >"$T/said" 2>&1 || true
	grep -q "lib/pathfdo/libpathfdo-recorder.so" "$T/said" || fail "the installed doctor finds no recorder: $(cat "$T/said")"
	grep -q "lib/pathfdo/pathfdo.so, loads into" "$T/said" || fail "the installed doctor finds no plugin: $(cat "$T/said")"
	for page in pathfdo.1 pathfdo-record.1 pathfdo-cflags.1; do
		[ -f "$tree/share/man/man1/$page" ] || fail "there is no manual page $page"
	done
	cmp -s README.md "$tree/share/doc/pathfdo/README.md" || fail "share/doc has another README.md"
	[ -f "$tree/share/doc/pathfdo/recipes.md" ] || fail "there are no pages of doc/"
	# What a manual page sends its reader to is installed as well.
	for page in $(cat "$tree"/share/man/man1/* | sed 's/\\//g' | grep -o '[a-z][a-z-]*\.md' | sort -u); do
		[ -f "$tree/share/doc/pathfdo/$page" ] || fail "a manual page names $page, which is not installed"
	done
	for page in $(cat "$tree"/share/man/man1/* | sed 's/\\f[BRI]//g; s/\\//g' | grep -o 'pathfdo[a-z-]*([157])' | sort -u); do
		[ -f "$tree/share/man/man${page: -2:1}/${page%(*}.${page: -2:1}" ] || fail "there is no $page"
	done
	if command -v pkg-config >/dev/null; then
		check_eq "the plugin by pkg-config" \
			"$(realpath "$(PKG_CONFIG_PATH=$tree/share/pkgconfig pkg-config --variable=plugin pathfdo | sed 's/\\//g')")" \
			"$(realpath "$tree/lib/pathfdo/pathfdo.so")"
	fi
}

(umask 077 && make B="$B" install DESTDIR="$T/root" PREFIX=/opt/pf) >"$T/log" 2>&1 || fail "make install: $(tail -n 3 "$T/log")"
check_eq "files that others cannot read" "$(find "$T/root" -type f ! -perm -o=r)" ""
grep -qx "pathfdo is in $T/root/opt/pf/bin, all else in $T/root/opt/pf/lib/pathfdo and $T/root/opt/pf/share" "$T/log" ||
	fail "make install does not tell where it put things: $(tail -n 3 "$T/log")"
! grep -q PATH= "$T/log" || fail "a tree that goes elsewhere is not for PATH"
works "$T/root" /opt/pf
for f in pathfdo.so "pathfdo-$($CC -dumpversion | sed 's/\..*//').so"; do
	check_eq "GCC's own $f" "$(realpath "$T/root$($CC -print-file-name=plugin)/$f")" "$(realpath "$T/root/opt/pf/lib/pathfdo/$f")"
done
# The tree goes elsewhere and is whole there.
mv "$T/root" "$T/moved"
works "$T/moved" /opt/pf
make B="$B" uninstall DESTDIR="$T/moved" PREFIX=/opt/pf >"$T/log" 2>&1 || fail "make uninstall: $(tail -n 3 "$T/log")"
check_eq "files left by make uninstall" "$(find "$T/moved" ! -type d)" ""

# What is left to do is told as a command, and that command does it; nothing is told where nothing is left.
make B="$B" install PLUGIN_LINKS=no PREFIX="$T/own" >"$T/log" 2>&1 || fail "make install: $(tail -n 3 "$T/log")"
to_do=$(sed -n 's/^a shell finds it after: \(.*\) (man finds .*/\1/p' "$T/log")
check_eq "what a shell finds then" "$(sh -c "$to_do"' && command -v pathfdo && man -w pathfdo 2>/dev/null')" "$(echo "$T/own/bin/pathfdo" &&
	if command -v man >/dev/null; then echo "$T/own/share/man/man1/pathfdo.1"; fi)"
PATH=$T/own/bin:$PATH make B="$B" install PLUGIN_LINKS=no PREFIX="$T/own" >"$T/log" 2>&1 || fail "make install: $(tail -n 3 "$T/log")"
! grep -q "a shell finds" "$T/log" || fail "PATH has it, and that is asked for: $(tail -n 3 "$T/log")"
mkdir "$T/older" && ln -s "$T/own/bin/pathfdo" "$T/older/pathfdo"
PATH=$T/older:$T/own/bin:$PATH make B="$B" install PLUGIN_LINKS=no PREFIX="$T/own" >"$T/log" 2>&1 || fail "make install: $(tail -n 3 "$T/log")"
grep -q "a shell finds $T/older/pathfdo first" "$T/log" || fail "another pathfdo comes first, unsaid: $(tail -n 3 "$T/log")"

# Without root: who may not write to GCC's folder is told so, and has all the rest.
home="$T/a home" as=
mkdir "$home"
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$home"
	chmod 755 "$T"
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
readable=yes
$as test -r "$B/pathfdo" || readable=
if [ -n "$readable" ] && ! $as test -w "$($CC -print-file-name=plugin)"; then
	$as make B="$B" install PREFIX="$home" >"$T/log" 2>&1 || fail "make install without root: $(tail -n 3 "$T/log")"
	grep -q "no link in $($CC -print-file-name=plugin)" "$T/log" || fail "nothing is said of the link that cannot be"
	mv "$home" "$T/home"
	works "" "$T/home"
	mv "$T/home" "$home"
	$as make B="$B" uninstall PREFIX="$home" >"$T/log" 2>&1 || fail "make uninstall without root: $(tail -n 3 "$T/log")"
	check_eq "files left in the home" "$(find "$home" ! -type d)" ""
else
	skip "this user may write to GCC's folder, and no other can read $B (the rest is well)"
fi
