# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Reference LAPACK and BLAS with a driver of ours in Fortran: linear systems, least squares, eigenvalues, singular values.
# Trained on small matrices, measured on larger ones with other seeds.
package=lapack version=3.11.0-2 language=fortran stands_for="dense linear algebra (as 416.gamess)"
needs=gfortran
EXE=linear

# Which of the two thousand files the driver needs the linker knows best: asked once.
configure() {
	rm -rf LAPACKE CBLAS TESTING DOCS
	FFLAGS=-O1 compile -- BLAS/SRC/[dilx]*.f SRC/[di]*.f SRC/xerbla*.f SRC/lsame.f INSTALL/{dlamch,ilaver}.f || return 1
	gfortran -O1 -c -o driver.o "$WORK/linear.f90" && ar rcs all.a objects/*.o &&
		gfortran -o linear driver.o all.a -Wl,-t | sed -n 's/.*all\.a[(:]\(.*\)\.o)*$/\1/p' | sort -u >members
	rm -rf objects all.a linear driver.o
	for f in BLAS/SRC/*.f SRC/*.f INSTALL/*.f; do
		! grep -qx -e "$(echo ${f%.f} | tr / _)" members || echo $f
	done >files
	[ -s files ]
}

build() {
	cp "$WORK/linear.f90" . && compile -- $(cat files) linear.f90 && link
}

data() {
	:
}

workload() {
	case $1 in
	train) x 11 12 110 ;;
	ref) x 97 3 260 ;;
	small) x 5 1 60 ;;
	esac
}
