# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034 # variables are run's
# nginx: a master and four workers, which serve files (packed, so that there is work) and are a proxy of themselves.  Its
# master overwrites its environment for the titles of its processes; as root it gives its workers to www-data.
packages="nginx"
user=www-data
ways="self user"
self="root, workers www-data"
unsteady="(SIGIO)"
workers=processes least=8

prepare() {
	documents "$R/www"
	awk '{ print; sub("^/", "/proxy/"); print }' "$R/www.expected" >"$R/expected"
	cat >"$R/nginx.conf" <<-CONF
		daemon off;
		worker_processes 4;
		user www-data;
		pid $R/data/pid;
		error_log $R/log/error.log notice;
		events { worker_connections 200; }
		http {
			types { text/plain txt; application/octet-stream bin; }
			access_log $R/log/access.log;
			client_body_temp_path $R/data/body;
			proxy_temp_path $R/data/proxy;
			fastcgi_temp_path $R/data/fastcgi;
			uwsgi_temp_path $R/data/uwsgi;
			scgi_temp_path $R/data/scgi;
			gzip on;
			gzip_comp_level 6;
			gzip_types text/plain;
			gzip_proxied any;
			server {
				listen 127.0.0.1:$PORT;
				root $R/www;
				location /proxy/ { proxy_pass http://127.0.0.1:$PORT/; }
			}
		}
	CONF
	server=(/usr/sbin/nginx -c "$R/nginx.conf" -p "$R")
}

half_load() {
	bounded python3 /mnt/servers/load.py http "$PORT" 8 $((6 * SIZE)) "$R/expected" | take_tally
	titles 'nginx: [a-z]+ process' >>"$R/answers"
}

# In the middle the master reads its configuration again: four new workers, and the old ones end.
load() {
	local old i
	half_load
	old=$(pgrep -d, -P "$mainpid")
	kill -HUP "$mainpid"
	for ((i = 0; i < 100; i++)); do
		ps -p "$old" >/dev/null || break
		sleep 0.1
	done
	[ "$i" -lt 100 ] || problem "the old workers do not end"
	half_load
}

stop() {
	kill -QUIT "$mainpid"
}

# Each request that came through the proxy is two.
after() {
	echo "access log: $(awk '{ print $9 }' "$R/log/access.log" | sort | uniq -c | xargs)"
}
