#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A list has names of C++ that can be read in a line, and a name can be given back as the list has it.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >names.cc <<'SOURCE'
#include <map>
#include <string>
#include <vector>
template <class T> struct box {
	void run(int);
	bool operator<(const T &);
	box &operator<<(const T &);
	template <int N> void few();
};
template <class T> __attribute__((noinline)) void box<T>::run(int) {}
template <class T> __attribute__((noinline)) bool box<T>::operator<(const T &) { return true; }
template <class T> __attribute__((noinline)) box<T> &box<T>::operator<<(const T &) { return *this; }
template <class T> template <int N> __attribute__((noinline)) void box<T>::few() {}
template struct box<std::map<std::string, std::vector<unsigned long>>>;
template void box<std::map<std::string, std::vector<unsigned long>>>::few<7>();
SOURCE
"${CXX:-g++}" -O0 -c names.cc
{
	printf 'pathfdo-profile 1\nunit executions\n'
	nm names.o | awk '$2 == "W" && $3 ~ /^_ZN3box/ { printf "function %s names.cc:4 head 5\n  1 count 5\n", $3 }'
} >names.txt
"$PATHFDO" show --from-text names.txt -o names.pfdo
"$PATHFDO" show names.pfdo >list
got=$(sed -nE 's/^ *[0-9.]+% +[0-9]+ +[0-9]+  (.*)  names.cc:4$/\1/p' list | sort)
# The return type is in the names of templates of functions alone.
want='box<...>::operator<(std::map<...> const&)
box<...>::operator<<(std::map<...> const&)
box<...>::run(int)
void box<...>::few<7>()'
check_eq "names in a list" "$got" "$(sort <<<"$want")"
while read -r name; do
	"$PATHFDO" show --function="$name" --text names.pfdo >one || fail "there is no $name"
	check_eq "functions of the name $name" "$(grep -c '^function' one)" 1
done <<<"$want"
