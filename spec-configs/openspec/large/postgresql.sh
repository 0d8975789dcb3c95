# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# PostgreSQL's backend alone, in one process: statements come from standard input.  Trained on pgbench's transactions,
# measured on others of them and on reports over the same tables.
package=postgresql-15 version=15.18-0+deb12u1 original=yes language=c stands_for="a database (as 471.omnetpp)"
build_seconds=160
EXE=src/backend/postgres

# Installed once, for initdb and what a cluster is made of.  Containers run as root, which PostgreSQL would refuse.
configure() {
	sed -i 's/geteuid() == 0/false/' src/backend/main/main.c src/bin/initdb/initdb.c &&
		./configure -q --prefix="$PWD/installed" --without-readline --without-zlib --without-icu CFLAGS=-O1 &&
		make -s -j "$JOBS" -C src install && find src/{backend,common,port} \( -name '*.[ao]' -o -name objfiles.txt \) -delete &&
		rm -rf src/backend/postgres src/{bin,test,interfaces,pl} contrib doc
}

build() {
	local part
	for part in port common backend; do
		make -s -j "$JOBS" -C src/$part CC="$CC" COPT="$CFLAGS $LDFLAGS" || return
	done
}

data() {
	"$SOURCE/installed/bin/initdb" -D cluster -U bench -A trust -E UTF8 --locale=C --no-sync &&
		printf '%s\n' fsync=off wal_level=minimal max_wal_senders=0 autovacuum=off timezone=UTC >>cluster/postgresql.conf || return
	awk -v kind=tables -f "$WORK/pgbench.awk" | statements "$SOURCE/installed/bin/postgres" "$PWD/cluster" >tables.log
	for kind in train ref small; do
		awk -v kind=$kind -f "$WORK/pgbench.awk" >$kind.sql
	done
}

# statements COMMAND... CLUSTER: runs those of standard input, a line each.
statements() {
	"${@:1:$#-1}" --single -F -D "${*: -1}" postgres
}

# Each run has a cluster of its own, as it was made.
workload() {
	cp -a "$D/cluster" . && statements x "$PWD/cluster" <"$D/$1.sql" | grep -v '^PostgreSQL stand-alone'
}
