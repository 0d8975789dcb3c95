# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# A compressor for speed, with a driver of ours.  Trained on C source and logs, measured on web pages and tests.
package=snappy version=1.1.9-3 language=c++ stands_for="compression (as 401.bzip2)"
also=sqlite3=3.40.1-2+deb12u2
EXE=snap

configure() {
	sed -e 's/${HAVE_SYS_UIO_H_01}/1/; s/${PROJECT_VERSION_MAJOR}/1/; s/${PROJECT_VERSION_MINOR}/1/' \
		-e 's/${PROJECT_VERSION_PATCH}/9/' snappy-stubs-public.h.in >snappy-stubs-public.h
	printf '#define %s 1\n' HAVE_BUILTIN_CTZ HAVE_BUILTIN_EXPECT HAVE_ATTRIBUTE_ALWAYS_INLINE HAVE_UNISTD_H >config.h
	rm -rf testdata
}

build() {
	cp "$WORK/snappy.cc" driver.cc
	compile -DNDEBUG -DHAVE_CONFIG_H -I. -- snappy.cc snappy-sinksource.cc snappy-stubs-internal.cc driver.cc && link
}

data() {
	local sqlite
	sqlite=$(other sqlite3)
	cat "$sqlite"/src/[a-p]*.c >train1
	"$GENERATE" text 3 40000 >train2
	cat "$sqlite"/www/[c-m]*.html | head -c 6000000 >ref1
	cat "$sqlite"/test/[a-h]*.test | head -c 6000000 >ref2
	head -c 600000 ref1 >small
}

workload() {
	case $1 in
	train) x 110 "$D/train1" "$D/train2" ;;
	ref) x 150 "$D/ref1" "$D/ref2" ;;
	small) x 22 "$D/small" ;;
	esac
}
