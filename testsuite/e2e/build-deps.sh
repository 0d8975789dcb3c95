#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make deps` on systems that this one is not: one of Debian's kind that lacks a package, and one that is none of them.
# Which commands there are is decided by a PATH of our own; what would be installed is what apt-get is told to.
set -eu
. "$(dirname "$0")/lib.sh"
DEPS=$TOP/build-aux/deps

mkdir "$T/bin" "$T/debian"
for tool in bash dirname sed awk cat tr; do
	ln -s "$(command -v $tool)" "$T/bin/$tool"
done
fake() { # NAME TEXT: a command of $T/debian
	printf '#!/bin/bash\n%s\n' "$2" >"$T/debian/$1"
	chmod +x "$T/debian/$1"
}
printf '#!/bin/bash\necho 13\n' >"$T/bin/gcc"
chmod +x "$T/bin/gcc"

# Neither dpkg nor apt: names, and no failure.
PATH=$T/bin "$DEPS" >"$T/out" 2>&1 || fail "on another system: $(cat "$T/out")"
for name in gcc-plugin-devel libdwarf-devel elfutils-libelf-devel zydis-devel libpfm-devel; do
	grep -qw -- "$name" "$T/out" || fail "$name is not named: $(cat "$T/out")"
done

# All that is named has a line in the table, one each, in order.
words=$(sed -n '/^build=/,/^sources=/p' "$DEPS" | tr '"' ' ' | sed -E 's/^[a-z]+=//; s/\$\{[^}]*\}/NN/g')
for word in $words; do
	grep -q "^$word\\([[:blank:]]\\|\$\\)" "$TOP/build-aux/packages" || fail "build-aux/packages does not know $word"
done
grep -v '^#' "$TOP/build-aux/packages" | awk '{ print $1 }' | LC_ALL=C sort -cu || fail "build-aux/packages is not sorted"

# As Ubuntu 24.04 is: GCC 13, and no package of the name linux-perf.
fake dpkg-query 'exit 1'
fake id 'echo 0'
fake apt-cache '[ "${!#}" != linux-perf ]'
fake apt-get '[ "$2" != install ] || echo "$@" >>'"$T/asked"
PATH=$T/debian:$T/bin "$DEPS" >"$T/out" 2>&1 || fail "where linux-perf is missing: $(cat "$T/out")"
grep -q 'does not offer: linux-perf;' "$T/out" || fail "nothing tells of linux-perf: $(cat "$T/out")"
for name in gcc-13-plugin-dev libdwarf-dev valgrind debian-archive-keyring; do
	grep -qw -- "$name" "$T/asked" || fail "$name would not be installed: $(cat "$T/asked")"
done
if grep -qw linux-perf "$T/asked"; then
	fail "apt-get would refuse all, for linux-perf"
fi

# Who is not root is told what there is to install, and nothing where all that is offered is there.
fake id 'echo 1000'
got=0
PATH=$T/debian:$T/bin "$DEPS" >"$T/out" 2>&1 || got=$?
check_eq "status for a user" $got 1
grep -q '^These Debian packages are missing. As root: apt-get install .*libdwarf-dev' "$T/out" || fail "a user is told: $(cat "$T/out")"
! grep -q 'apt-get install .*linux-perf' "$T/out" || fail "a user is told to install what is not offered: $(cat "$T/out")"
fake dpkg-query '[ "${!#}" = linux-perf ] || echo "ii "; [ "${!#}" != linux-perf ]'
PATH=$T/debian:$T/bin "$DEPS" >"$T/out" 2>&1 || fail "where only linux-perf is missing, a user cannot go on: $(cat "$T/out")"
