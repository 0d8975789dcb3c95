# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# A compressor in C++, beside those of openspec: trained on text at two levels, measured on XML.
package=lzip version=1.23-5 language=c++ stands_for="compression (as 557.xz)"
EXE=lzip

build() {
	compile -DPROGVERSION=\"1.23\" -- {arg_parser,lzip_index,list,encoder_base,encoder,fast_encoder,decoder,main}.cc && link
}

data() {
	"$GENERATE" text 7 40000 >train
	{ "$GENERATE" xml 8 40000 && "$GENERATE" text 9 30000; } >ref
	"$GENERATE" xml 10 4000 >small
}

workload() {
	case $1 in
	train) there_and_back 0 train && there_and_back 4 train ;;
	*) there_and_back 5 $1 ;;
	esac
}

there_and_back() {
	x -c -$1 "$D/$2" >o.lz && x -dc o.lz | cksum
}
