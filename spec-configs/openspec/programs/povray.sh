# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# A ray tracer.  Its own scenes: trained on small pictures of some, measured on others.
package=povray version=1:3.7.0.10-2 language=c++ stands_for="453.povray, 511.povray"
needs="libboost-thread-dev libboost-date-time-dev libboost-system-dev zlib1g-dev automake"
EXE=unix/povray

# Pictures in and out as plain PPM; leaving the other formats out is what it calls not redistributable.
configure() {
	rm -rf libraries doc windows
	(cd unix && ./prebuild.sh) &&
		./configure -q COMPILED_BY=openspec NON_REDISTRIBUTABLE_BUILD=yes CFLAGS=-O1 CXXFLAGS=-O1 --disable-optimiz \
			--disable-strip --without-x --without-libsdl --without-libpng --without-libjpeg --without-libtiff \
			--without-openexr --with-boost-libdir=/usr/lib/x86_64-linux-gnu &&
		rm -rf distribution
}

build() {
	make -s -j "$JOBS" CC="$CC" CXX="$CXX" CFLAGS="$CFLAGS -pthread" CXXFLAGS="$CXXFLAGS -pthread" LDFLAGS="$LDFLAGS"
}

data() {
	local source
	source=$(source_of "$package" "$version")
	cp -r "$source/distribution/include" "$source/distribution/scenes" .
}

# One thread: with more, the order of their work is not the same each time.
picture() {
	local scene=$1
	shift
	x +L"$D/include" +L"$D/scenes/${scene%/*}" +I"$D/scenes/$scene.pov" -D -GA +WT1 +FP +Oo.ppm +Q9 "$@" && cksum <o.ppm
}

workload() {
	case $1 in
	train) picture advanced/chess2 +W120 +H90 && picture objects/lathe2 +W160 +H120 ;;
	ref) picture advanced/woodbox +W320 +H240 +A0.3 && picture advanced/benchmark/benchmark +W96 +H96 +A0.3 ;;
	small) picture advanced/woodbox +W40 +H30 ;;
	esac
}
