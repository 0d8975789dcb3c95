# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086
# An interpreter: one large dispatch loop.  Trained on a small mix of kernels, measured on another mix and larger sizes.
package=lua5.4 version=5.4.4-3+deb12u1 language=c
EXE=src/lua

build() {
	cd src || return 1
	for f in l*.c; do
		[ $f = luac.c ] || $CC $OPT -std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_LINUX -DDEB_HOST_MULTIARCH='"x86_64-linux-gnu"' \
			-I. -I"$D" -c $f || return 1
	done
	$CC $OPT -o lua ./*.o -lm -ldl
}

data() {
	echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >lua5.4-deb-multiarch.h
}

workload() {
	x "$BENCH/work/kernels.lua" "$1"
}
