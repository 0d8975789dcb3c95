# SPDX-License-Identifier: GPL-3.0-or-later
# What Python programs do: objects, text, numbers, parsers and the library.  The argument decides mix, sizes and data, so
# that training and measurement differ.
import _sha256
import ast
import collections
import csv
import dataclasses
import difflib
import fractions
import functools
import heapq
import io
import itertools
import json
import math
import os
import pickle
import random
import re
import statistics
import string
import struct
import sys
import textwrap
import tokenize

kind, library = sys.argv[1], sys.argv[2]
source = random.Random({"train": 17, "ref": 4711, "small": 99}[kind])


def sources(names):
    for name in names:
        with open(os.path.join(library, name + ".py"), encoding="utf-8") as file:
            yield file.read()


# Objects that call each other by their methods: a scheduler of tasks with queues, in the manner of Richards.
@dataclasses.dataclass
class Packet:
    kind: int
    data: list
    hops: int = 0


class Task:
    def __init__(self, scheduler, priority):
        self.scheduler, self.priority, self.queue, self.done = scheduler, priority, collections.deque(), 0

    def put(self, packet):
        self.queue.append(packet)
        self.scheduler.ready(self)

    def run(self):
        packet = self.queue.popleft()
        packet.hops += 1
        self.done += 1
        self.handle(packet)


class Device(Task):
    def handle(self, packet):
        packet.data.append(packet.hops)
        if packet.hops < 24:
            self.scheduler.choose(packet).put(packet)


class Worker(Task):
    def handle(self, packet):
        packet.data = [(value * 7 + self.done) % 26 for value in packet.data[-4:]]
        if packet.kind and packet.hops < 40:
            self.scheduler.choose(packet).put(packet)


class Scheduler:
    def __init__(self, count):
        self.heap, self.serial = [], itertools.count()
        self.tasks = [(Worker if n % 3 else Device)(self, n) for n in range(count)]

    def ready(self, task):
        heapq.heappush(self.heap, (task.priority, next(self.serial), task))

    def choose(self, packet):
        return self.tasks[(packet.hops * 5 + sum(packet.data)) % len(self.tasks)]

    def run(self):
        while self.heap:
            heapq.heappop(self.heap)[2].run()
        return sum(task.done for task in self.tasks)


def objects(size):
    scheduler = Scheduler(9)
    for n in range(size):
        scheduler.tasks[n % 9].put(Packet(n % 2, [n]))
    return scheduler.run()


def bodies(steps):
    planets = [[source.uniform(-9, 9) for _ in range(6)] + [source.uniform(0.1, 2)] for _ in range(5)]
    for _ in range(steps):
        for a, b in itertools.combinations(planets, 2):
            dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
            pull = 0.001 / (math.sqrt(dx * dx + dy * dy + dz * dz) ** 3 + 0.1)
            for axis, distance in enumerate((dx, dy, dz), 3):
                a[axis] -= distance * b[6] * pull
                b[axis] += distance * a[6] * pull
        for planet in planets:
            for axis in range(3):
                planet[axis] += 0.001 * planet[axis + 3]
    return round(sum(planet[0] for planet in planets), 6)


def documents(count):
    words = ["".join(source.choices(string.ascii_lowercase, k=source.randint(2, 9))) for _ in range(300)]
    total = 0
    for n in range(count):
        document = {"id": n, "tags": source.sample(words, 6), "nested": [{"x": n / 7, "y": None, "z": n % 3 == 0}] * 5,
                    "text": " ".join(source.choices(words, k=40)) + "\u00e9\n\""}
        text = json.dumps(document, sort_keys=True, indent=n % 3 or None)
        assert json.loads(text) == document
        total += len(text) + len(pickle.dumps(document)) + int(_sha256.sha256(text.encode()).hexdigest()[:4], 16)
    return total


LOG = re.compile(r'(?P<host>[\w.]+) - (?P<user>\S+) \[(?P<day>\d+)/(?P<month>\w{3})\] "(?P<verb>GET|POST) (?P<path>[^" ]+)" (\d{3})')


def logs(count):
    seen, text = collections.Counter(), []
    for n in range(count):
        text.append('h%d.example.org - %s [%02d/Mar] "%s /p/%d?q=%d" %d' % (
            source.randrange(60), source.choice(["-", "ann", "bob"]), n % 28 + 1, source.choice(["GET", "POST", "PUT"]), n % 97, n,
            source.choice([200, 200, 404])))
    for line in text:
        match = LOG.match(line)
        if match:
            seen[match["host"], match[7]] += 1
            seen[re.sub(r"\d+", "N", match["path"])] += 1
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerows([*key, value] if isinstance(key, tuple) else [key, "", value] for key, value in sorted(seen.items(), key=str))
    table.seek(0)
    return sum(int(row[2]) for row in csv.reader(table))


def compilers(names):
    nodes = collections.Counter()
    for text in sources(names):
        tree = ast.parse(text)
        nodes.update(type(node).__name__ for node in ast.walk(tree))
        nodes["bytes"] += len(compile(tree, "text", "exec").co_code)
        nodes["tokens"] += sum(1 for _ in tokenize.generate_tokens(io.StringIO(text).readline))
    return nodes.most_common(5)


def differences(name, edits):
    before = next(sources([name])).splitlines()[:400]
    after = list(before)
    for _ in range(edits):
        at = source.randrange(len(after))
        after[at:at + source.randrange(3)] = ["x = %d" % at] * source.randrange(3)
    return sum(len(line) for line in difflib.unified_diff(before, after, lineterm=""))


@functools.lru_cache(maxsize=None)
def partitions(total, largest):
    if total == 0:
        return 1
    return sum(partitions(total - part, part) for part in range(1, min(total, largest) + 1))


def numbers(size):
    partitions.cache_clear()
    half = functools.reduce(lambda sum, n: sum + fractions.Fraction((-1) ** n, 2 * n + 1), range(size), fractions.Fraction(0))
    digits = str(math.factorial(size * 4) * 3 ** size)
    values = [source.gauss(0, 1) for _ in range(size * 20)]
    packed = struct.pack("<%dd" % len(values), *values)
    return (partitions(size // 2, size // 2), half.numerator % 1000003, digits.count("7"), round(statistics.stdev(values), 9),
            round(sum(struct.unpack("<%dd" % len(values), packed)), 9))


def queens(size):
    def place(row, columns, up, down):
        if row == size:
            yield columns
        for column in range(size):
            if column not in columns and row + column not in up and row - column not in down:
                yield from place(row + 1, columns + (column,), up | {row + column}, down | {row - column})
    return sum(1 for _ in place(0, (), frozenset(), frozenset()))


def letters(name, width):
    text = next(sources([name]))
    lines = textwrap.wrap(" ".join(text.split()), width)
    table = str.maketrans(string.ascii_lowercase, string.ascii_lowercase[13:] + string.ascii_lowercase[:13])
    return sum(len(line.translate(table).title().center(width).replace("  ", " ")) for line in lines)


if kind == "train":
    for turn in range(48):
        print(objects(400), bodies(1500), documents(300), logs(4000), numbers(180 + turn), queens(6))
    print(compilers(["argparse", "ast", "typing", "zipfile"]), differences("argparse", 25), letters("typing", 70))
elif kind == "ref":
    for turn in range(56):
        print(objects(900 + turn), bodies(2500), documents(900), logs(9000), numbers(260 + turn), queens(7))
    print(compilers(["tarfile", "turtle", "subprocess", "inspect", "pydoc", "mailbox"]), differences("tarfile", 40),
          letters("inspect", 54))
else:
    print(objects(60), bodies(120), documents(30), logs(250), numbers(60), queens(5), compilers(["csv"]), differences("heapq", 4),
          letters("heapq", 62))
