#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# An interpreter with all of its run-time: threads, subprocesses, signals delivered and waited for, fork in threads, pipes,
# ctypes callbacks, faulthandler on its own alternate stack, multiprocessing.  Hard because it forks and execs by routes of
# its own (vfork with signals blocked, _posixsubprocess), and reports any stray signal or warning on its standard error.
import ctypes
import faulthandler
import os
import select
import signal
import subprocess
import sys
import threading
import time

faulthandler.enable()
seen = []
signal.signal(signal.SIGUSR1, lambda n, f: seen.append(n))
signal.signal(signal.SIGRTMAX - 3, lambda n, f: seen.append(n))


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


results = []
threads = [threading.Thread(target=lambda k=k: results.append(fibonacci(15) + k)) for k in range(6)]
for t in threads:
    t.start()
for i in range(20):
    os.kill(os.getpid(), signal.SIGUSR1)
    os.kill(os.getpid(), signal.SIGRTMAX - 3)
    fibonacci(10)
for t in threads:
    t.join()
print(sorted(results), seen.count(signal.SIGUSR1), seen.count(signal.SIGRTMAX - 3))

print(subprocess.run(['sh', '-c', 'cat; exit 5'], input=b'through a pipe', capture_output=True))
print([subprocess.run(['sh', '-c', 'kill -%d $$' % n]).returncode for n in (6, 8, 11, 15, 61)])
print(subprocess.run([sys.executable, '-c', 'import signal; print(signal.getsignal(signal.SIGPIPE))'],
                     capture_output=True).stdout)

signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - {signal.SIGUSR2})
fibonacci(18)
print(sorted(signal.sigpending()), signal.sigtimedwait(signal.valid_signals(), 0))
os.kill(os.getpid(), signal.SIGRTMIN)
print(signal.sigwait({signal.SIGRTMIN}) == signal.SIGRTMIN)
signal.pthread_sigmask(signal.SIG_SETMASK, set())

for i in range(10):
    pid = os.fork()
    if pid == 0:
        os._exit(fibonacci(12) % 256)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), end=' ')
print()

compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
libc = ctypes.CDLL(None)
numbers = (ctypes.c_int * 2000)(*[(i * 7919) % 2003 for i in range(2000)])
libc.qsort(numbers, 2000, 4, compare(lambda a, b: a[0] - b[0]))
print(list(numbers) == sorted(numbers))

begin = time.monotonic()
r, w = os.pipe()
print(select.select([r], [], [], 0.05), time.monotonic() - begin >= 0.05)
print(subprocess.run([sys.executable, '-X', 'faulthandler', '-c', 'import ctypes; ctypes.string_at(0)'],
                     capture_output=True).returncode)
print(sys.stdin.read().count('line'))
