#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Real programs print the same with and without the recorder.  What is not installed is passed over, but not all.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$TOP"
. testsuite/e2e/agent-lib.sh

head -c 3000000 <(cat /usr/lib/python3*/*.py /usr/share/perl/*/*.pl /usr/bin/gcc-12 /usr/bin/perl 2>/dev/null) >"$T/data"
cat >"$T/p.pl" <<'END'
my (%h, $t); my $s = 1;
for my $i (1 .. 200000) {
	$s = ($s * 1103515245 + 12345) & 0x7fffffff; $h{"k" . ($s % 5000)} .= chr(65 + $s % 26);
	if ($i % 1000 == 0) { my $x = join ",", sort keys %h; $x =~ s/k(\d)(\d+)/$2$1/g; $t += length $x; }
}
print "$t\n"; eval { die "x\n" }; print $@;
END
cat >"$T/p.py" <<'END'
import json, re, random, subprocess, threading
random.seed(3)
d = {str(i): [random.random() for _ in range(5)] for i in range(10000)}
for _ in range(3):
    s = json.dumps(d)
    assert json.loads(s) == d
print(len(s), len(re.findall(r'(\d)\1', s)))
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
r = []
t = [threading.Thread(target=lambda k=k: r.append(f(16) + k)) for k in range(8)]
[x.start() for x in t]
[x.join() for x in t]
print(f(22), sorted(r))
print(subprocess.run(['sh', '-c', 'for i in 1 2 3; do echo $i; done'], capture_output=True).stdout)
END
cat >"$T/q.sql" <<'END'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
insert into t select i, hex(i * 7919 % 10007), i * 1.5 from n;
create index tb on t(b);
select count(*), sum(a), sum(c), max(b) from t;
select b, count(*) from t group by b order by 2 desc, 1 limit 5;
delete from t where a % 3 = 0; vacuum; select count(*) from t; pragma integrity_check;
END
printf '#include <map>\n#include <regex>\n#include <string>\nint f(std::map<std::string,int> &m) { return m["x"]; }\n' >"$T/c.cc"

tried=0
try() { # NAME NEEDED COMMAND...
	local name=$1
	command -v "$2" >/dev/null || return 0
	shift 2
	plain "$name" "$@"
	recorded "$name" "$SO" 100 1024 10000 "$@"
	recorded "$name" "$SO" 2000 1024 1000000 "$@"
	recorded "$name" "$SO" 5000 65536 1000000 "$@"
	echo "$name: same output, $(bursts "$name") bursts"
	check_within "$name: bursts" "$(bursts "$name")" 1 10000000
	tried=$((tried + 1))
}
try bzip2 bzip2 bzip2 -c "$T/data"
try xz xz xz -2 -c "$T/data"
try xz-threads xz xz -T2 -2 -c --block-size=1MiB "$T/data"
try perl perl perl "$T/p.pl"
try python python3 python3 "$T/p.py"
try sqlite sqlite3 sh -c "sqlite3 :memory: <$T/q.sql"
try compiler g++ g++ -O1 -S -o - "$T/c.cc"
try openssl openssl sh -c "for d in sha256 sha3-256 blake2b512; do openssl dgst -\$d $T/data $T/data $T/data; done
	openssl enc -aes-256-ctr -K 00 -iv 00 -in $T/data 2>/dev/null | md5sum; openssl prime -generate -bits 64 -safe >/dev/null
	openssl speed -seconds 1 -bytes 1024 sha3-256 >/dev/null 2>&1"
try gdb gdb gdb --version
[ $tried -ge 3 ] || skip "hardly any of the programs is installed"
