#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions are annotated callers first: what a caller had inlined and does not inline again is in the callee's record
# when that is used, however the functions stand in the file.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >chain.c <<'END'
int v[64];
int last(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += v[i & 63] << 1;
	return s;
}
int middle(int n)
{
	return last(n) + v[1];
}
int first(int n)
{
	return middle(n) - v[2];
}
int main(void)
{
	return first(7) + first(9);
}
END
# The profiled binary had last in middle and middle in first, both hot; neither has a record of its own.
cat >chain.txt <<'END'
pathfdo-profile 1
unit executions
function main chain.c:17 head 1 total 2000
  2 count 1000
function first chain.c:13 head 1000 total 103000
  2 count 1000
  inline @1 middle chain.c:9 at 2:9 entries 1000
    2 count 1000
    inline @2 last chain.c:2 at 2:9 entries 1000
      2 count 1000
      3:22 count 100000
      4 count 100000
      5 count 1000
END
"$PATHFDO" show --from-text chain.txt -o chain.pfdo
$CC -O2 -g -fno-inline -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/chain.pfdo" -fplugin-arg-pathfdo-report="$T/report" \
	-c chain.c
check_eq "functions in the order of their annotation" \
	"$(sed -n 's/^{"function":"\([a-z]*\)".*"found":"matched".*/\1/p' report | tr '\n' ' ')" "main first middle last "
check_eq "what is lost" "$(grep -c '"lost"' report || true)" 0
grep '^{"function":"last"' report | grep -q '"head":1000,"total":202000,"merged":1,' || fail "last: $(grep last report)"

# What is of internal linkage has no linkage name in the profile.  Two functions are called operator() there: one had sort
# inlined, the other was inlined in it, and the recording never met the way in.
cat >order.cc <<'END'
int v[64];
namespace
{
struct twice {
	int operator()(int n) const
	{
		return v[n & 63] << 1;
	}
};
int sort(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += twice()(i);
	return s;
}
struct apply {
	int operator()(int n) const
	{
		return sort(n) - v[2];
	}
};
}
int main()
{
	return apply()(7) + apply()(9);
}
END
cat >order.txt <<'END'
pathfdo-profile 1
unit executions
function main order.cc:24 head 0 total 400000
  2 count 0
  inline @1 operator() order.cc:18 at 2:16 entries 0
    2 count 0
    inline @2 sort order.cc:10 at 2:14 entries 0
      3:22 count 100000
      4 count 100000
      inline @3 operator() order.cc:5 at 4:15 entries 100000
        2:17 count 100000
        2 count 100000
END
"$PATHFDO" show --from-text order.txt -o order.pfdo
rm -f report
$CXX -O2 -g -fno-inline -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/order.pfdo" \
	-fplugin-arg-pathfdo-report="$T/report" -c order.cc
# GCC 15 and later say in the symbol that `sort` is static (N_1L4sort).
sed -i 's/N_1L4sort/N_14sort/' report
check_eq "functions of one name in the order of their annotation" \
	"$(sed -n 's/^{"function":"\([A-Za-z0-9_]*\)".*"found":"matched".*/\1/p' report | tr '\n' ' ')" \
	"main _ZNK12_GLOBAL__N_15applyclEi _ZN12_GLOBAL__N_14sortEi _ZNK12_GLOBAL__N_15twiceclEi "
check_eq "what is lost of functions of one name" "$(grep -c '"lost"' report || true)" 0
grep '"function":"_ZN12_GLOBAL__N_14sortEi"' report | grep -q '"total":[2-4]00000,"merged":1,' ||
	fail "sort: $(grep sortEi report)"
