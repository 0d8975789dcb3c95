#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""threads.py PORT PIDFILE FOLDER: http.server with a thread for each connection, which packs what it sends, so that the
threads work beside each other (zlib gives up the interpreter's lock).  SIGINT ends it, as http.server's own main does."""
import gzip
import http.server
import os
import sys


class Packer(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with open(self.translate_path(self.path), "rb") as file:
            body = gzip.compress(file.read(), 6, mtime=0)
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


port, pidfile, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
with open(pidfile, "w", encoding="ascii") as own:
    own.write(f"{os.getpid()}\n")
os.chdir(folder)
with http.server.ThreadingHTTPServer(("127.0.0.1", port), Packer) as server:
    server.daemon_threads = False
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
