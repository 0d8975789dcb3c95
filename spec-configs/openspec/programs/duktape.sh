# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# A JavaScript interpreter in one large C file.  Trained on a small mix of kernels, measured on another.
package=duktape version=2.7.0-2 language=c stands_for="interpreters (as 400.perlbench)"
build_seconds=15
EXE=duk

build() {
	compile -DDUK_CMDLINE_PRINTALERT_SUPPORT -Isrc -Iexamples/cmdline -Iextras/print-alert -- src/duktape.c \
		examples/cmdline/duk_cmdline.c extras/print-alert/duk_print_alert.c && link -lm
}

data() {
	local kind
	for kind in train ref small; do
		{ echo "var kind = '$kind';" && cat "$WORK/kernels.js"; } >$kind.js
	done
}

workload() {
	x "$D/$1.js"
}
