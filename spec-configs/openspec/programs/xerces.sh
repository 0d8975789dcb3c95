# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# The parser below Xalan, with a driver of ours: validates, walks and prints catalogues.  (Xalan's own source is not on
# all mirrors.)  Trained and measured on different ones.
package=xerces-c version=3.2.4+debian-1 language=c++ stands_for=483.xalancbmk
build_seconds=100
EXE=validate

configure() {
	./configure -q CFLAGS=-O1 CXXFLAGS=-O1 --disable-shared --disable-network --disable-threads \
		--enable-transcoder-iconv --enable-msgloader-inmemory && rm -rf tests doc
}

# All of the library is linked: of files that are not in the program there are no counts.
build() {
	make -s -j "$JOBS" -C src libxerces-c.la CC="$CC" CXX="$CXX" CFLAGS="$CFLAGS" CXXFLAGS="$CXXFLAGS" &&
		cp "$WORK/xerces.cc" driver.cc && compile -Isrc -- driver.cc &&
		link -Wl,--whole-archive src/.libs/libxerces-c.a -Wl,--no-whole-archive
}

data() {
	cp "$WORK/catalogue.xsd" .
	"$GENERATE" xml 11 3000 >train.xml
	"$GENERATE" xml 12 12000 >ref.xml
	"$GENERATE" xml 13 250 >small.xml
}

workload() {
	case $1 in
	train) x 40 "$D/catalogue.xsd" "$D/train.xml" ;;
	ref) x 17 "$D/catalogue.xsd" "$D/ref.xml" ;;
	small) x 10 "$D/catalogue.xsd" "$D/small.xml" ;;
	esac
}
