# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# An interpreter: one large dispatch loop.  Trained on a small mix of kernels, measured on another mix and larger sizes.
package=lua5.4 version=5.4.4-3+deb12u1 language=c stands_for="interpreters (as 400.perlbench)"
EXE=lua

build() {
	compile -std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_LINUX -I"$D" -- $(ls src/l*.c | grep -v luac) && link -lm -ldl
}

data() {
	echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >lua5.4-deb-multiarch.h
}

workload() {
	x "$WORK/kernels.lua" "$1"
}
