#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions that stand within others in the debugging information: bodies of OpenMP's regions, of a template's too, methods
# of local classes, lambdas.  Their hosts run so shortly that no sample falls into them, and yet all that ran is found.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >within.cc <<'END'
static volatile double sink;
namespace space
{
struct object {
	__attribute__((noinline)) void host(int n)
	{
		double sum = 0;
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < n; i++)
			for (int k = 0; k < 2000; k++)
				sum += k % (i + 1);
		sink = sum;
	}
};
}
template <class T> __attribute__((noinline)) void over(T n)
{
	T sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < (int)n; i++)
		for (int k = 0; k < 2000; k++)
			sum += k % (i + 2);
	sink = sum;
}
struct task {
	virtual double run(int n) = 0;
};
__attribute__((noinline)) static task *make()
{
	struct local : task {
		__attribute__((noinline)) double run(int n) override
		{
			auto part = [](int m) __attribute__((noinline))
			{
				double sum = 0;
				for (int i = 0; i < m; i++)
					sum += m % (i + 1);
				return sum;
			};
			double sum = part(n);
			for (int i = 0; i < n; i++)
				sum += n % (i + 2);
			return sum;
		}
	};
	static local one;
	return &one;
}
int main()
{
	space::object object;
	object.host(20000);
	over(20000.0);
	task *task = make();
	for (int i = 0; i < 30000; i++)
		sink = task->run(2000);
}
END
$CXX -O2 -g -fopenmp within.cc -o within 2>built || skip "$CXX builds nothing with OpenMP here: $(head -n 1 built)"
"$PATHFDO" record -q -o within.data -- ./within || fail "the recording fails"
"$PATHFDO" convert -b within within.data -o within.pfdo 2>said || fail "convert: $(cat said)"
check_within "percent mapped to source" "$(sed -n 's/.*within: .* all, \([0-9.]*\)% of it mapped.*/\1/p' said)" 99 100
"$PATHFDO" show within.pfdo >shown
for name in 'space::object::host(int).*omp_fn' 'over<double>(double).*omp_fn' 'make()::local::run(int)  ' '{lambda(int)#1}'; do
	share=$(sed -n "/$name/s/^ *\\([0-9.]*\\)%.*/\\1/p" shown | head -n 1)
	check_within "percent in $name" "${share:-0}" 1 90
done
$CXX -O2 -g -fopenmp -c within.cc -o within.o -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=within.pfdo \
	-fplugin-arg-pathfdo-report=report
check_eq "functions of the profile that the compiler has too" "$(grep -c '"found":"matched"' report)" "$(grep -c % shown)"
