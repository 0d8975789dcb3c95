#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recipes of doc/recipes.md, run as they stand there: each build system hands the flags to the compiler, which finds its
# function in the profile.
set -eu
. "$(dirname "$0")/lib.sh"
skipped=
# A pathfdo that has the compiles report what they did.
mkdir "$T/bin"
printf '#!/bin/sh\nexec %s "$@" --report="$REPORT"\n' "$PATHFDO" >"$T/bin/pathfdo"
chmod +x "$T/bin/pathfdo"
export PATH=$T/bin:$PATH REPORT=$T/report

# recipe TITLE: the commands of a section.
recipe() {
	awk -v title="## $1" '/^## / { inside = $0 == title } inside && sub(/^    /, "")' "$TOP/doc/recipes.md"
}
# A configure script whose Makefile compiles main.c; with -flto into a library, by libtool.
write_configure() {
	cat <<END
#!/bin/sh
flags=\${1#CFLAGS=}
case \$flags in
*-flto*)
	printf 'all:\n\tlibtool --quiet --tag=CC --mode=compile %s %s -c main.c -o main.lo\n' "$CC" "\$flags"
	printf '\tlibtool --quiet --tag=CC --mode=link %s %s main.lo -rpath /usr/lib -o libapp.la\n' "$CC" "\$flags" ;;
*) printf 'all:\n\t%s %s -c main.c\n' "$CC" "\$flags" ;;
esac >Makefile
END
}
# follow TITLE TOOL [FOLDER]: runs them in a fresh source folder of their own.
follow() {
	command -v "$2" >/dev/null || { skipped="$skipped $2" && return 0; }
	local commands
	commands=$(recipe "$1")
	[ -n "$commands" ] || fail "doc/recipes.md has no commands under $1"
	rm -rf "$T/app" "$T/an app" "$REPORT"
	mkdir "$T/${3:-app}"
	cd "$T/${3:-app}"
	printf 'int main(void)\n{\n\treturn 0;\n}\n' >main.c
	printf 'all: main.o\nmain.o: main.c\n\t%s $(CFLAGS) -c main.c\n' "$CC" >Makefile
	write_configure >configure
	chmod +x configure
	printf 'cmake_minimum_required(VERSION 3.10)\nproject(app C)\nadd_executable(app main.c)\n' >CMakeLists.txt
	printf "project('app', 'c')\nexecutable('app', 'main.c')\n" >meson.build
	printf 'pathfdo-profile 1\nunit executions\nfunction main main.c:1 head 900 total 900\n  3 count 900\n' >app.txt
	"$PATHFDO" show --from-text app.txt -o app.pfdo
	bash -euc "$commands" >log 2>&1 || fail "$1: $(tail -n 3 log)"
	grep -q '"function":"main".*"found":"matched"' "$REPORT" || fail "$1: no compile took the profile: $(tail -n 3 log)"
}
follow Autotools make
follow "Autotools, with -flto" libtool
if command -v libtool >/dev/null; then
	[ -f .libs/libapp.so.0.0.0 ] || fail "Autotools, with -flto: there is no library"
	! grep -q 'without the plugin' log || fail "Autotools, with -flto: $(cat log)"
	./configure CFLAGS="-O2 -flto $(pathfdo cflags app.pfdo)"
	make >log 2>&1 || fail "libtool takes no flags: $(tail -n 3 log)"
	grep -q 'this link with -flto is without the plugin' log ||
		fail "a link from which libtool took the plugin says nothing of it: $(tail -n 3 log)"
fi
follow "Debian packages" dpkg-buildflags
follow CMake cmake
follow Meson meson
follow "CMake, by a script" cmake "an app"
follow "Meson, by a machine file" meson "an app"
follow "Other build systems" jq "an app"
[ -z "$skipped" ] || skip "there is no$skipped (the other recipes are well)"
