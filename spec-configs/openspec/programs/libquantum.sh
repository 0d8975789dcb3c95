# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Shor's algorithm on a simulated quantum computer: long loops over one large array.
package=libquantum version=1.1.1-8 language=c stands_for=462.libquantum
EXE=shor

# The clock decides what it measures: a fixed seed instead.
configure() {
	./configure -q CFLAGS=-O1 --disable-shared --without-lapack && sed -i 's/srand(time(0))/srand(26)/' shor.c
}

build() {
	compile -DHAVE_CONFIG_H -I. -- $(ls *.c | grep -v -e grover -e quob -e ising) && link -lm
}

data() {
	:
}

# That no factor was found is an answer too: status 2.
factor() {
	local status=0
	x "$@" || status=$?
	[ $status = 0 ] || [ $status = 2 ]
}

workload() {
	case $1 in
	train) factor 221 3 && factor 247 3 && factor 119 5 && factor 119 2 ;;
	ref) factor 323 2 && factor 187 3 && factor 221 5 ;;
	small) factor 55 2 ;;
	esac
}
