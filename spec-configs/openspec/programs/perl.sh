# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Perl's core without its libraries.  Trained on one seed and mix, measured on another; hashes are not randomised.
package=perl version=5.36.0-7+deb12u3 language=c stands_for=400.perlbench
build_seconds=60
EXE=miniperl

# Configure takes a minute; what make generates stays, with the names of what it compiled.
configure() {
	./Configure -des -Dcc=gcc -Doptimize=-O1 -Uversiononly -Uusethreads && make -s -j "$JOBS" miniperl &&
		ls *.o | sed 's/o$/c/' | grep -v -e generate_uudmap -e mini.c >files &&
		rm -rf ./*.o miniperl t pod ext cpan dist Porting
}

build() {
	local flags="-DPERL_CORE -fwrapv -fno-strict-aliasing -D_LARGEFILE_SOURCE -D_FILE_OFFSET_BITS=64 -I."
	compile $flags -- $(cat files) && compile $flags -DPERL_IS_MINIPERL -DPERL_EXTERNAL_GLOB -- {op,perl,universal}mini.c &&
		link -lm -ldl -lcrypt
}

data() {
	cp "$(source_of "$package" "$version")"/lib/{strict,warnings}.pm .
}

workload() {
	PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0 x -I"$D" "$WORK/mails.pl" "$1"
}
