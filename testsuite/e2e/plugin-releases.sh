#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One name for the plugins of all releases: pathfdo.so takes the one for the compiler that loads it.  Where there is none,
# it says for which there are, and where the compiler's own is; where the release is right but its build is another one,
# the plugin says what differs.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
release=$($CC -dumpversion | sed 's/\..*//')
version=$(echo __VERSION__ | $CC -E -P - | tr -d '"' | sed 's/ .*//')
[ -f "$B/pathfdo-$release.so" ] || skip "$CC's release $release has no plugin in $B"
printf 'int f(void)\n{\n\treturn 1;\n}\n' >f.c
printf 'pathfdo-profile 1\nunit executions\nfunction f %s/f.c:1 head 900 total 900\n  2 count 900\n' "$T" >f.txt
"$PATHFDO" show --from-text f.txt -o f.pfdo

# refuses RE PLUGIN OPTION...: the compile fails, says so, and writes nothing.
refuses() {
	local text=$1 plugin=$2
	shift 2
	! $CC -O2 -fplugin="$plugin" -fplugin-arg-pathfdo-profile=f.pfdo "$@" -c f.c 2>said || fail "$plugin was taken"
	grep -qE "error: pathfdo: $text" said || fail "$plugin: says '$(cat said)', want /$text/"
	[ ! -e f.o ] || fail "$plugin: there is an object file"
}

# The right one, by the flags that the command prints, which are the same for all compilers.
flags=$("$PATHFDO" cflags --cc="$CC" f.pfdo)
check_eq "flags" "${flags% -fplugin-arg-pathfdo-hash=[0-9a-f]*}" "-fplugin=$B/pathfdo.so -fplugin-arg-pathfdo-profile=$T/f.pfdo"
# shellcheck disable=SC2086 # flags are words
$CC -O2 -g $flags -fplugin-arg-pathfdo-report="$T/report" -c f.c
grep -q '"function":"f".*"found":"matched"' report || fail "the report says $(cat report)"
rm f.o

# None for this release.
mkdir other empty own own/plugin
cp "$B/pathfdo.so" other
cp "$B/pathfdo.so" empty
: >other/pathfdo-99.so
: >other/pathfdo-99x.so
headers="install the package gcc-$release-plugin-pathfdo, or this one's plugin headers .Debian: gcc-$release-plugin-dev. and build"
refuses "the plugin in $T/other is for GCC 99, and this is GCC ${version//./\\.}; compile with .*$headers" \
	other/pathfdo.so -B"$T/own"
refuses "the plugin in $T/empty is for no release of GCC, .*$headers" "$T/empty/pathfdo.so" -B"$T/own"
ln -s ../empty/pathfdo.so own/link.so
! $CC -fplugin=own/link.so -c f.c 2>said || fail "a link to a plugin that is not there was taken"
grep -q "the plugin in $T/empty is" said || fail "a link says '$(cat said)'"

# The compiler's own is where the compiler looks.
cp "$B/pathfdo-$release.so" "$B/pathfdo.so" own/plugin
refuses "the plugin in .*; the one that fits is in $T/own/plugin/?: give -fplugin=pathfdo" other/pathfdo.so -B"$T/own"
$CC -O2 -B"$T/own" -fplugin=pathfdo -fplugin-arg-pathfdo-profile=f.pfdo -c f.c || fail "-fplugin=pathfdo does not find it"
rm f.o

# One that cannot be loaded, and one whose compiler is not quite the same.
echo 'no plugin' >"other/pathfdo-$release.so"
refuses ".*pathfdo-$release.so.*" other/pathfdo.so
cat >shift.c <<'END'
#include <dlfcn.h>
int plugin_is_GPL_compatible;
int plugin_init(void *arguments, char **version)
{
	static char *other[5];
	int (*entry)(void *, char **) = (int (*)(void *, char **))dlsym(dlopen(PLUGIN, RTLD_NOW), "plugin_init");

	for (int i = 0; i < 5; i++)
		other[i] = i == FIELD ? "19991231" : version[i];
	return entry(arguments, other);
}
END
mkdir shift
for field in "0 version" "1 release date" "4 configuration"; do
	gcc -w -O1 -shared -fPIC -DFIELD="${field%% *}" -DPLUGIN="\"$B/pathfdo-$release.so\"" shift.c -o shift/pathfdo.so -ldl
	refuses "the plugin was built for a GCC with ${field#* } .*19991231" shift/pathfdo.so
done

# A compiler that loads the plugin and does not begin it, as clang does, is told of.
cat >"$T/host.c" <<'C'
#include <dlfcn.h>
int main(int argc, char **argv) { return argc != 2 || !dlopen(argv[1], RTLD_LAZY); }
C
$CC -O1 "$T/host.c" -o "$T/host" -ldl
said='^warning: pathfdo: .* is not GCC, and compiles without the profile$'
"$T/host" "$PLUGIN" 2>"$T/messages" || fail "the loader is not loadable: $(cat "$T/messages")"
grep -q "$said" "$T/messages" || fail "nothing is said in another compiler: $(cat "$T/messages")"
echo 'int main(void) { return 0; }' >"$T/any.c"
if command -v clang >/dev/null; then
	clang -O2 -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/any.pfdo" -c "$T/any.c" -o "$T/any.o" 2>"$T/messages" ||
		fail "clang: $(cat "$T/messages")"
	grep -q "$said" "$T/messages" || fail "clang: $(cat "$T/messages")"
fi
for option in -E -M -fsyntax-only -S; do
	$CC -O2 -fplugin="$PLUGIN" -fplugin-arg-pathfdo-no-warn=missing -fplugin-arg-pathfdo-profile="$T/any.pfdo" $option "$T/any.c" \
		-o "$T/any.out" 2>"$T/messages" || fail "$option: $(cat "$T/messages")"
	check_eq "$option in GCC" "$(grep -v 'linker input file unused' "$T/messages")" ""
done
