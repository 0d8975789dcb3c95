# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Searches protein sequences by profile hidden Markov models, with its library of sequence functions in the program.
package=hmmer2 version=2.3.2+dfsg-8 language=c stands_for=456.hmmer
also=biosquid=1.9g+cvs20050121-12
build_seconds=10
EXE=hmmsearch

# The library has no configure script among its sources; some of what it has was declared by hmmer2 before it was split.
configure() {
	cp -r "$(other biosquid)" sequences && (
		cd sequences && sed 's/@SQD_UINT16@/unsigned short/; s/@SQD_UINT32@/unsigned int/; s/@SQD_UINT64@/unsigned long/' \
			squid.h.in >squid.h && sed 's/#undef HAVE_STR/#define HAVE_STR/; s/#undef \(SQUID_[A-Z]*\)/#define \1 ""/' \
			squidconf.h.in >squidconf.h
	) && ./configure -q CFLAGS=-O1 && printf '%s\n' 'extern double Gammln(double);' \
		'extern double IncompleteGamma(double, double);' >>src/structs.h
}

# Two functions are in both.
build() {
	compile -DHAVE_CONFIG_H -DSampleGamma=squid_gamma -DSampleDirichlet=squid_dirichlet -Isequences -Isrc -- \
		$(ls sequences/*.c | grep -v _main) && compile -DHAVE_CONFIG_H -Isequences -Isrc -- src/hmmsearch.c \
		src/{alphabet,core_algorithms,debug,display,emit,emulation,fast_algorithms,histogram,hmmio,masks}.c \
		src/{mathsupport,misc,modelmakers,plan7,plan9,postprob,prior,threads,tophits,trace}.c && link -lm
}

data() {
	local source
	source=$(source_of "$package" "$version")
	cp "$source/testsuite/fn3.hmm" "$source/tutorial/rrm.hmm" .
	"$GENERATE" proteins 1 22000 >train
	"$GENERATE" proteins 2 36000 >ref
	"$GENERATE" proteins 3 220 >small
}

# Trained with one model, measured with another.
workload() {
	local model=fn3.hmm
	[ $1 = ref ] || model=rrm.hmm
	x "$D/$model" "$D/$1" | grep -v -e '^HMM file' -e '^Sequence database'
}
