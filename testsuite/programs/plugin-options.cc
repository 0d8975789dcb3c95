// SPDX-License-Identifier: GPL-3.0-or-later
// What C++ has besides plain functions: thunks of virtual bases, results that vary with the class, exceptions with
// cleanups, a coroutine, lambdas, local classes, members by pointer, guarded and thread-local variables.  The sum that
// it prints is the same with all options.
#include <coroutine>
#include <cstdio>
#include <map>
#include <string>
#include <typeinfo>
#include <vector>

static unsigned long sum;

static void mix(unsigned long value)
{
	sum = sum * 31 + value;
}

struct base {
	int b = 1;
	virtual ~base()
	{
		mix(b);
	}
	virtual int get(int x)
	{
		return x + b;
	}
	virtual base *self()
	{
		return this;
	}
};

struct left : virtual base {
	int l = 2;
	int get(int x) override
	{
		return x > 3 ? x * l : l;
	}
	left *self() override
	{
		return this;
	}
};

struct right : virtual base {
	int r = 3;
	virtual int other(int x)
	{
		return x & 1 ? r : x;
	}
};

struct both final : left, right {
	int get(int x) override
	{
		return left::get(x) + other(x);
	}
	both *self() override
	{
		return this;
	}
};

static int use_virtually(int n)
{
	base *p = n & 1 ? static_cast<base *>(new left) : new both;
	int result = p->get(n) + p->self()->get(1) + (dynamic_cast<right *>(p) ? 5 : 6) + (typeid(*p) == typeid(left));

	delete p;
	return result;
}

struct sequence {
	struct promise_type {
		int value;
		sequence get_return_object()
		{
			return sequence(std::coroutine_handle<promise_type>::from_promise(*this));
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(int v)
		{
			value = v;
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			throw;
		}
	};
	std::coroutine_handle<promise_type> handle;

	explicit sequence(std::coroutine_handle<promise_type> h) : handle(h)
	{
	}
	sequence(const sequence &) = delete;
	~sequence()
	{
		handle.destroy();
	}
	bool next()
	{
		handle.resume();
		return !handle.done();
	}
};

static sequence collatz(int n)
{
	while (n != 1) {
		co_yield n;
		n = n & 1 ? 3 * n + 1 : n / 2;
		if (n > 500)
			throw n;
	}
	co_yield 1;
}

static int add_sequence(int n)
{
	int s = 0;

	try {
		sequence all = collatz(n);

		while (all.next())
			s += all.handle.promise().value;
	} catch (int large) {
		s -= large;
	}
	return s;
}

struct error {
	int code;
};

struct counted {
	int &count;
	~counted()
	{
		count++;
	}
};

__attribute__((noinline)) static int risk(int n)
{
	if (n % 7 == 0)
		throw error { n };
	if (n % 11 == 0)
		throw std::string("eleven");
	return n;
}

static int caught(int n)
{
	int count = 0;

	try {
		counted one { count }, two { count };

		return risk(n) + count;
	} catch (const error &e) {
		count += e.code;
	} catch (...) {
		count = -count;
	}
	return count;
}

template <typename F> static int repeat(F f, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += f(i);
	return s;
}

static int lambdas(int k)
{
	struct local {
		int most;
		int operator()(int x) const
		{
			return x > most ? most : x;
		}
	};
	int calls = 0;

	return repeat([&](int i) { return calls++, i > k ? i * 2 : k; }, 8) + repeat(local { k }, 6) + calls;
}

static int guarded(int n)
{
	static const std::vector<int> primes { 2, 3, 5, 7 };
	static thread_local std::string text;

	text += static_cast<char>('a' + n % 26);
	if (text.size() > 20)
		text.clear();
	return primes[n & 3] + static_cast<int>(text.size());
}

struct members {
	int a, b;
	int add(int x)
	{
		return x + a;
	}
	int multiply(int x)
	{
		return x * b;
	}
};

static int by_pointer(int n)
{
	members m { 1, 2 };
	int (members::*f)(int) = n & 1 ? &members::add : &members::multiply;
	int members::*d = n & 2 ? &members::a : &members::b;

	return (m.*f)(n) + m.*d;
}

int main()
{
	std::map<std::string, int> words;

	for (int r = 1; r < 120; r++) {
		words[std::string(1 + r % 3, static_cast<char>('a' + r % 7))] += r;
		mix(use_virtually(r) + add_sequence(r % 40 + 1));
		mix(caught(r) + lambdas(r & 7));
		mix(guarded(r) + by_pointer(r));
	}
	for (const auto &word : words)
		mix(word.second);
	std::printf("%lx\n", sum);
	return 0;
}
