# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# CPython with the modules in C that scripts import most, all in one binary.  Trained and measured by scripts that lean on
# its library in different ways and sizes.
package=python3.11 version=3.11.2-6+deb12u8 original=yes language=c stands_for="500.perlbench, 400.perlbench"
build_seconds=70
EXE=python

MODULES="_bisect _contextvars _csv _datetime _heapq _json _md5 _pickle _queue _random _sha1 _sha256 _sha512 _statistics
_struct array math select unicodedata"

# What make generates with a first python stays, with the names of what the second one is made of.
configure() {
	local module
	./configure -q --disable-test-modules --without-ensurepip OPT="-O1 -fwrapv" && echo '*static*' >Modules/Setup.local || return
	for module in $MODULES; do
		sed -n "s/^#\($module \)/\1/p" Modules/Setup >>Modules/Setup.local
	done
	make -j "$JOBS" python >make.log &&
		sed -n '$p' make.log | grep -oE '[A-Za-z0-9_/-]+\.o( |$)' | sed 's/o *$/c/' | sort -u >files &&
		find . -name '*.[ao]' -delete && rm -rf python _bootstrap_python Lib/test Lib/idlelib Lib/lib2to3 Doc Mac PC PCbuild
}

build() {
	compile -fwrapv -std=c11 -DNDEBUG -DPy_BUILD_CORE -I. -IInclude -IInclude/internal '-DPLATFORM="linux"' '-DABIFLAGS=""' \
		'-DSOABI="cpython-311"' '-DVERSION="3.11"' '-DPREFIX="/usr"' '-DEXEC_PREFIX="/usr"' '-DVPATH=""' \
		'-DPLATLIBDIR="lib"' '-DPYTHONPATH=""' -- $(cat files) && link -Wl,--export-dynamic -ldl -lm
}

data() {
	cp -a "$SOURCE/Lib" lib
}

workload() {
	PYTHONHASHSEED=0 PYTHONHOME=/nowhere PYTHONPATH=$D/lib x -s -S -B "$WORK/kernels.py" "$1" "$D/lib"
}
