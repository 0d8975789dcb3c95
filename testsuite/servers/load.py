#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""load.py http|memcached PORT CLIENTS ROUNDS [EXPECTED]: a load whose size is fixed, and whose every answer is checked.

CLIENTS threads with a connection each a round.  http asks for all paths of EXPECTED (lines "PATH SHA256", of the decoded
body) in each round, each client from another start; memcached stores values, and gets them back many at a time.  Prints

    REQUESTS FAILURES DIGEST

where DIGEST is of all answers as they came, headers included, in no order, so that two runs can be compared.  The hard case
is a server that stops to answer: each wait ends after 20 seconds and is one failure."""
import gzip
import hashlib
import http.client
import socket
import sys
import threading

TIMEOUT = 20


class Tally:
    """What the clients saw, added up."""

    def __init__(self):
        self.lock = threading.Lock()
        self.answers = []
        self.failures = 0

    def add(self, wrong, *answer):
        with self.lock:
            self.answers.append(repr(answer))
            if wrong:
                self.failures += 1
                if self.failures <= 5:
                    print("load.py:", *answer, file=sys.stderr)

    def digest(self):
        return hashlib.sha256("\n".join(sorted(self.answers)).encode()).hexdigest()


def ask(connection, path, expected, tally):
    connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    raw = answer.read()
    coding = answer.getheader("Content-Encoding", "")
    body = gzip.decompress(raw) if coding == "gzip" else raw
    wrong = answer.status != 200 or hashlib.sha256(body).hexdigest() != expected
    tally.add(wrong, path, answer.status, answer.getheader("Content-Type"), coding, hashlib.sha256(raw).hexdigest())


def http_client(number, port, rounds, paths, tally):
    first = number * 3 % len(paths)
    for _ in range(rounds):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        for path, expected in paths[first:] + paths[:first]:
            try:
                ask(connection, path, expected, tally)
            except (OSError, http.client.HTTPException) as error:
                tally.add(True, path, type(error).__name__, str(error))
                connection.close()
        connection.close()


def values_of(number):
    return {
        f"client{number}:{i}": hashlib.sha256(f"{number}/{i}".encode()).hexdigest() * (1 + i % 40) for i in range(100)
    }


def memcached_client(number, port, rounds, _, tally):
    values = values_of(number)
    store = "".join(f"set {key} 0 0 {len(value)}\r\n{value}\r\n" for key, value in values.items())
    stored = "STORED\r\n" * len(values)
    fetch = "get " + " ".join(values) + "\r\n"
    fetched = "".join(f"VALUE {key} 0 {len(value)}\r\n{value}\r\n" for key, value in values.items()) + "END\r\n"
    for turn in range(rounds):
        try:
            with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection, connection.makefile("rb") as answer:
                for what, words, expected in [("set", store, stored)] + 8 * [("get", fetch, fetched)]:
                    connection.sendall(words.encode())
                    got = answer.read(len(expected)).decode()
                    tally.add(got != expected, number, what, hashlib.sha256(got.encode()).hexdigest())
        except OSError as error:
            tally.add(True, number, turn, type(error).__name__, str(error))


def main():
    kind, port, clients, rounds = sys.argv[1], *map(int, sys.argv[2:5])
    paths = []
    if kind == "http":
        with open(sys.argv[5], encoding="ascii") as expected:
            paths = [tuple(line.split()) for line in expected]
    run = http_client if kind == "http" else memcached_client
    tally = Tally()
    threads = [threading.Thread(target=run, args=(i, port, rounds, paths, tally)) for i in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(len(tally.answers), tally.failures, tally.digest())


main()
