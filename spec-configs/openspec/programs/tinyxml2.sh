# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# A small parser of XML, with a driver of ours.  Trained and measured on catalogues of different seeds and sizes.
package=tinyxml2 version=9.0.0+dfsg-3.1 language=c++ stands_for=483.xalancbmk
EXE=catalogue

build() {
	cp "$WORK/tinyxml2.cc" driver.cc
	compile -DNDEBUG -I. -- tinyxml2.cpp driver.cc && link
}

data() {
	"$GENERATE" xml 1 4000 >train
	"$GENERATE" xml 2 20000 >ref
	"$GENERATE" xml 3 1000 >small
}

workload() {
	case $1 in
	train) x 110 "$D/train" ;;
	ref) x 36 "$D/ref" ;;
	small) x 6 "$D/small" ;;
	esac
}
