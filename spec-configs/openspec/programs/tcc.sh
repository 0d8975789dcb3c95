# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# A C compiler, small and fast.  Trained on Lua and bzip2, measured on the hundred thousand lines of Duktape.
package=tcc version=0.9.27+git20200814.62c30a4a-1 language=c stands_for=403.gcc
also="lua5.4=5.4.4-3+deb12u1 bzip2=1.0.8-5 duktape=2.7.0-2"
EXE=tcc

configure() {
	./configure --cc=gcc && make config.h
}

build() {
	compile -DONE_SOURCE=0 -DTCC_TARGET_X86_64 -DCONFIG_TRIPLET='"x86_64-linux-gnu"' -DTCC_GITHASH='""' -- tcc.c libtcc.c \
		tccpp.c tccgen.c tccelf.c tccasm.c tccrun.c x86_64-gen.c x86_64-link.c i386-asm.c && link -ldl -lpthread
}

data() {
	cp -r "$(source_of "$package" "$version")/include" .
	echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >include/lua5.4-deb-multiarch.h
	cp -r "$(other lua5.4)/src" lua && cp -r "$(other bzip2)" bzip2 && cp -r "$(other duktape)/src" duktape
}

# translate TIMES FILE...: in one process, since one of a few milliseconds would teach a sampling recorder nothing.
translate() {
	local times=$1 i all=
	shift
	for ((i = 0; i < times; i++)); do
		all="$all $*"
	done
	x -B"$D" -I"$D/include" -w -c $all && cat ./*.o | cksum
}

workload() {
	case $1 in
	train) translate 28 "$D"/lua/l*.c "$D"/bzip2/[bcdh]*.c ;;
	ref) translate 100 "$D/duktape/duktape.c" ;;
	small) translate 5 "$D"/lua/{lvm,lparser}.c ;;
	esac
}
