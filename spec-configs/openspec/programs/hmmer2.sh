# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Searches protein sequences by profile hidden Markov models, with its library of sequence functions in the program.
package=hmmer2 version=2.3.2+dfsg-8 language=c stands_for=456.hmmer
also=biosquid=1.9g+cvs20050121-12
needs=autoconf
EXE=hmmsearch

configure() {
	cp -r "$(other biosquid)" squid || return 1
	(cd squid && autoconf && ./configure -q && ln -s . biosquid) || true
	./configure -q CFLAGS=-O1 --disable-threads
}

build() {
	compile -DHAVE_CONFIG_H -Isquid -Isrc -- $(ls squid/*.c | grep -v -e main -e Testsuite) \
		$(ls src/*.c | grep -v -e '/hmm[a-z].*' -e pvm -e weetest) src/hmmio.c src/hmmsearch.c && link -lm
}

data() {
	local source
	source=$(source_of "$package" "$version")
	cp "$source/testsuite/fn3.hmm" "$source/tutorial/rrm.hmm" .
	"$GENERATE" proteins 1 900 >train
	"$GENERATE" proteins 2 2500 >ref
	"$GENERATE" proteins 3 60 >small
}

# Trained with one model, measured with another.
workload() {
	local model=fn3.hmm
	[ $1 = ref ] || model=rrm.hmm
	x "$D/$model" "$D/$1" | grep -v -e '^HMM file' -e '^Sequence database'
}
