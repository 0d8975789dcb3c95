// SPDX-License-Identifier: GPL-3.0-or-later
/* C++ exceptions through coroutines on stacks made by makecontext: thrown, caught, rethrown and carried from one stack
 * to another, out of handlers of SIGSEGV and SIGFPE too, with destructors counted.  Hard because the unwinder looks at
 * every frame and at every return address, and finds none in a code cache. */
/* build: -fnon-call-exceptions */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <ucontext.h>
#include <vector>

static long destroyed, caught;

struct counted {
	~counted()
	{
		destroyed++;
	}
};

struct coroutine {
	ucontext_t own, caller;
	std::vector<char> stack = std::vector<char>(65536);
	std::exception_ptr error;
	int number = 0;
	bool finished = false;
};

static coroutine *current;

static void yield()
{
	swapcontext(&current->own, &current->caller);
}

static __attribute__((noinline)) int deep(int depth, int number)
{
	counted one;
	if (depth == 0) {
		if (number % 3 == 0)
			throw std::runtime_error("error " + std::to_string(number));
		if (number % 3 == 1)
			throw number;
		return number;
	}
	if (depth == 5)
		yield();
	int value = deep(depth - 1, number);
	return value + depth;
}

static void body()
{
	for (int i = 0; i < 4; i++) {
		try {
			counted here;
			deep(12, current->number + i);
		} catch (int value) {
			caught += value;
		} catch (...) {
			current->error = std::current_exception();
			yield();
		}
	}
	current->finished = true;
	yield();
}

static void resume(coroutine *c)
{
	current = c;
	swapcontext(&c->caller, &c->own);
	if (c->error) {
		try {
			std::exception_ptr error = c->error;
			c->error = nullptr;
			std::rethrow_exception(error);
		} catch (const std::runtime_error &e) {
			caught += (long)std::string(e.what()).size();
		}
	}
}

static void on_fault(int signal)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, nullptr);
	throw signal;
}

static __attribute__((noinline)) int faulting(volatile int *where, volatile int divisor)
{
	counted one;
	*where = 5;
	return 100 / divisor;
}

int main()
{
	std::signal(SIGSEGV, on_fault);
	std::signal(SIGFPE, on_fault);
	for (int round = 0; round < 250; round++) {
		std::vector<coroutine *> all;
		for (int i = 0; i < 16; i++) {
			coroutine *c = new coroutine;
			c->number = i + round % 5;
			getcontext(&c->own);
			c->own.uc_stack.ss_sp = c->stack.data();
			c->own.uc_stack.ss_size = c->stack.size();
			c->own.uc_link = nullptr;
			makecontext(&c->own, body, 0);
			all.push_back(c);
		}
		for (bool going = true; going;) {
			going = false;
			for (coroutine *c : all)
				if (!c->finished) {
					resume(c);
					going = true;
				}
		}
		for (coroutine *c : all)
			delete c;
		int place = 0;
		for (int i = 0; i < 20; i++) {
			try {
				faulting(i % 2 ? &place : (volatile int *)16, 0);
			} catch (int signal) {
				caught += signal == (i % 2 ? SIGFPE : SIGSEGV);
			}
		}
	}
	std::printf("destroyed %ld, caught %ld\n", destroyed, caught);
}
