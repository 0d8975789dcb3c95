# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Regular expressions by automata, with a driver of ours.  Trained and measured with different expressions and logs.
package=re2 version=20220601+dfsg-1 language=c++ stands_for="regular expressions (as 400.perlbench)"
build_seconds=20
EXE=search

configure() {
	perl re2/make_perl_groups.pl >re2/perl_groups.cc && cp "$WORK/re2-tables.cc" re2/unicode_tables.cc
}

build() {
	cp "$WORK/re2.cc" driver.cc
	compile -std=c++11 -DNDEBUG -pthread -I. -- re2/*.cc util/rune.cc util/strutil.cc driver.cc && link -lpthread
}

data() {
	cat >train.patterns <<-'END'
		error .*user[0-9]+
		^([0-9]+)-([0-9]+) warn
		(\w+) (\w+)$
		user(1|2)[0-9]*7 [0-9]+\.[0-9]5
		(?i)KILO|lomu|navel
		\b(b\w*a) .* (z\w+)\b
	END
	cat >ref.patterns <<-'END'
		debug (\w+) user([0-9]+)
		(info|warn) [a-z]*tu .* [0-9]{3,4}\.
		[^ ]+vel[^ ]*$
		(ba|de|ki)(lo|mu)+ .*(pe|ri)
		^1[0-9]*3-(\d\d) (\w+) (\w+) user(\d+) ([0-9.]+)
		(a|e|i|o|u)\w\w(a|e|i|o|u) zor
		user[0-9]*(11|22|33|44)
		\bso\w{2,6}\b.*\bna\w{4}\b
	END
	"$GENERATE" text 8 20000 >train
	"$GENERATE" text 9 50000 >ref
	"$GENERATE" text 10 2000 >small
}

workload() {
	case $1 in
	train) x 160 "$D/train.patterns" "$D/train" ;;
	ref) x 75 "$D/ref.patterns" "$D/ref" ;;
	small) x 8 "$D/ref.patterns" "$D/small" ;;
	esac
}
