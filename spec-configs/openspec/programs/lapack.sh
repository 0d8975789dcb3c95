# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Reference LAPACK and BLAS with a driver of ours in Fortran: linear systems, least squares, eigenvalues, singular
# values.  Trained on small matrices, measured on larger ones with other seeds.
package=lapack version=3.11.0-2 language=fortran stands_for="dense linear algebra (as 416.gamess)"
needs=gfortran
build_seconds=10
EXE=linear

# Which of the two thousand files the driver needs the linker knows best: asked once.
configure() {
	local file
	rm -rf LAPACKE CBLAS TESTING DOCS
	ls BLAS/SRC/[dilx]*.f* SRC/[di]*.f* INSTALL/{dlamch,droundup_lwork,ilaver}.f >all
	FFLAGS=-O1 compile_all all && gfortran -O1 -c "$WORK/linear.f90" && ar rcs all.a objects/*.o &&
		gfortran -o linear linear.o all.a -Wl,-Map=map || return 1
	sed -n 's/^all\.a(\([^)]*\)\.o).*/\1/p' map | sort -u >members
	while read -r file; do
		! grep -qx "$(echo "${file%.*}" | tr / _)" members || echo "$file"
	done <all >files
	rm -rf objects linear linear.o all.a all map members
	[ -s files ]
}

# Modules before those that use them.
compile_all() {
	compile -- SRC/la_constants.f90 && compile -- SRC/la_xisnan.F90 && compile -- $(cat "$1")
}

build() {
	cp "$WORK/linear.f90" . && compile_all files && compile -- linear.f90 && link
}

data() {
	:
}

workload() {
	case $1 in
	train) x 11 84 200 ;;
	ref) x 97 21 400 ;;
	small) x 5 3 130 ;;
	esac
}
