#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""ask.py nginx|memcached|redis|java PORT CONNECTIONS COUNT|FILE: asks for one and the same thing, one request at a time, on
the connections in turn, COUNT times or as long as FILE is there.  Prints for each request

    MICROSECONDS True|False

where False is an answer that is not what was worked out here, byte for byte but for HTTP's headers.  The hard case is a
server that stops to answer: a wait ends after 20 seconds, is a failure, and the connection is made anew."""
import hashlib
import os
import socket
import sys
import time

TIMEOUT = 20


def http(path, body):
    return f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode(), body


def chain(seed, length):
    text = str(seed)
    for _ in range(length):
        text = hashlib.sha256(text.encode()).hexdigest()
    return text.encode()


def listed(items):
    return b"*%d\r\n" % len(items) + b"".join(b"$%d\r\n%s\r\n" % (len(item), item) for item in items)


VALUE = b"v" * 900
ITEMS = [b"item%03d" % i for i in range(100)]
# How each is filled, what it answers to that begins with, the question, the answer's bytes (of HTTP: of the body)
KINDS = {
    "nginx": (b"", b"", *http("/small", b"x" * 2000)),
    "java": (b"", b"", *http("/chain/7/300", chain(7, 300))),
    "memcached": (
        b"set key 0 0 900\r\n" + VALUE + b"\r\n",
        b"STORED",
        b"get key\r\n",
        b"VALUE key 0 900\r\n" + VALUE + b"\r\nEND\r\n",
    ),
    "redis": (
        b"MSET " + b" ".join(item + b" " + item for item in ITEMS) + b"\r\n",
        b"+OK",
        b"MGET " + b" ".join(ITEMS) + b"\r\n",
        listed(ITEMS),
    ),
}


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), TIMEOUT)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def receive(connection, got, size):
    while len(got) < size:
        more = connection.recv(65536)
        if not more:
            raise OSError("the connection is closed")
        got += more
    return got


def ask(connection, question, expected):
    """Is the answer to the question the expected one?"""
    connection.sendall(question)
    if not question.startswith(b"GET "):
        return receive(connection, b"", len(expected)) == expected
    got = b""
    while b"\r\n\r\n" not in got:
        got = receive(connection, got, len(got) + 1)
    head, _, body = got.partition(b"\r\n\r\n")
    fits = head.startswith(b"HTTP/1.1 200 ") and b"content-length: %d" % len(expected) in head.lower()
    return receive(connection, body, len(expected)) == expected and fits


def main():
    kind, port, count, until = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    filling, filled, question, expected = KINDS[kind]
    connections = [connect(port) for _ in range(count)]
    if filling:
        connections[0].sendall(filling)
        assert connections[0].recv(100).startswith(filled)
    lines = []
    while len(lines) < int(until) if until.isdigit() else os.path.exists(until):
        turn = len(lines) % count
        begin = time.perf_counter()
        try:
            good = ask(connections[turn], question, expected)
        except OSError as error:
            print("ask.py:", kind, error, file=sys.stderr)
            connections[turn].close()
            connections[turn] = connect(port)
            good = False
        lines.append(f"{(time.perf_counter() - begin) * 1e6:.1f} {good}")
    for line in lines:
        print(line)


main()
