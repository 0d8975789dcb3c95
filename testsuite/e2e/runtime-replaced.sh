#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that is replaced by another build while it is recorded: each build has its own samples and no others, as many as
# perf script prints of its process.  A library without a build-id that another build replaces, at the same addresses: what
# runs in the longer one is no code of nobody.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"

# tells_builds: does the kernel tell of each mapping which build it is of (from Linux 5.12 on)?
tells_builds() {
	local major minor
	IFS=. read -r major minor _ <<<"$(uname -r)"
	[ "$major" -gt 5 ] || { [ "$major" = 5 ] && [ "${minor%%[!0-9]*}" -ge 12 ]; }
}

replaced_program() {
	cat >prog.c <<'END'
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static unsigned long NAME(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum = sum * 3 + (sum ^ i);
	return sum;
}

int main(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < 250; i++)
		sum += NAME(1500000 + sum % 2);
	fprintf(stderr, "%d %lu\n", getpid(), sum);
	return 0;
}
END
	$CC -O1 -g -DNAME=first prog.c -o first
	$CC -O1 -g -DNAME=second prog.c -o second
	"$PATHFDO" record --source=clock -F 1000 -o p.data -- \
		sh -c 'cp first prog && ./prog 2>first.pid && cp second new && mv new prog && ./prog 2>second.pid' 2>said || fail "$(cat said)"

	# samples BUILD: those of its process in its own code.
	samples() {
		perf script -i p.data -F pid,ip,dso 2>/dev/null |
			awk -v pid="$(cut -d' ' -f1 "$1.pid")" '$1 == pid && $NF ~ /\/prog\)$/ { n++ } END { print n + 0 }'
	}
	for build in first second; do
		"$PATHFDO" convert --json -b $build p.data -o $build.pfdo >$build.json 2>said || fail "$build: $(cat said)"
		wanted=$(samples $build)
		check_within "samples of $build, in ours" "$wanted" 50 5000
		check_eq "samples of $build" "$(jq '[.binaries[] | select(.used) | .branches] | add' $build.json)" "$wanted"
		check_eq "functions of $build" "$("$PATHFDO" show --text $build.pfdo | awk '$1 == "function" && $2 != "main" { print $2 }')" $build
	done
}
if command -v perf >/dev/null && command -v jq >/dev/null && samples_by_clock && tells_builds; then
	replaced_program
fi

cat >part.c <<'END'
#ifdef LONGER
static unsigned other(unsigned n) { return n * 7; }
__attribute__((noinline)) unsigned before(unsigned n) { return other(n) + 1; }
#endif
__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned sum = 1;

	for (unsigned i = 0; i < n; i++)
#ifdef LONGER
		if (sum % 3)
			sum = sum * 5 + i;
		else
			sum ^= i;
#else
		if (sum & 1)
			sum = sum * 3 + i;
		else
			sum = sum / 2 + i;
#endif
	return sum;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **names)
{
	for (int k = 1; k < count; k++) {
		char command[300];
		unsigned sum = 0, (*work)(unsigned);
		void *part;

		snprintf(command, sizeof command, "cp %s new && mv new part.so", names[k]);
		if (system(command) || !(part = dlopen("./part.so", RTLD_NOW)))
			return 1;
		work = (unsigned (*)(unsigned))dlsym(part, "work");
		for (int i = 0; i < 60; i++)
			sum += work(1000000 + sum % 2);
		printf("%lx %u\n", (unsigned long)work & 0xfff, sum);
		dlclose(part);
	}
	return 0;
}
END
$CC -O2 -g -shared -fPIC -Wl,--build-id=none part.c -o short.so
$CC -O2 -g -shared -fPIC -Wl,--build-id=none -DLONGER part.c -o long.so
$CC -O2 -g host.c -o host -ldl
./host short.so long.so short.so >plain || fail "the program ends with $?"
"$PATHFDO" record --source=soft -F 200 --max-overhead=20 -o part.data -- ./host short.so long.so short.so >out 2>said || fail "$(cat said)"
[ -s part.data ] || unrecorded said
check_eq "what the program prints" "$(cat out)" "$(cat plain)"
! grep "code without a file" said || fail "the library that came later is not known"

# A library whose headers cannot be read for a third of the time, as while another is unmapped whose place it takes: it is
# known again when they can.
cat >hidden.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	void *part = dlopen("./short.so", RTLD_NOW);
	unsigned sum = 0, (*work)(unsigned) = part ? (unsigned (*)(unsigned))dlsym(part, "work") : NULL;
	Dl_info info;

	if (!work || !dladdr((void *)work, &info) || mprotect(info.dli_fbase, 4096, PROT_NONE))
		return 1;
	for (int i = 0; i < 60; i++)
		sum += work(1000000 + sum % 2);
	if (mprotect(info.dli_fbase, 4096, PROT_READ))
		return 1;
	for (int i = 0; i < 120; i++)
		sum += work(1000000 + sum % 2);
	printf("%u\n", sum);
	return 0;
}
END
$CC -O2 -g hidden.c -o hidden -ldl
./hidden >plain || fail "the program ends with $?"
"$PATHFDO" record --source=soft -F 200 --max-overhead=20 -o hidden.data -- ./hidden >out 2>said || fail "$(cat said)"
[ -s hidden.data ] || unrecorded said
check_eq "what the program prints" "$(cat out)" "$(cat plain)"
"$PATHFDO" convert -b short.so hidden.data -o hidden.pfdo >converted 2>&1 || fail "$(cat converted)"
check_eq "the function that is known again" "$("$PATHFDO" show --text hidden.pfdo | awk '$1 == "function" { print $2 }')" work
