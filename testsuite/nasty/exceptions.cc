// SPDX-License-Identifier: GPL-3.0-or-later
// C++ exceptions under the recorder: through many frames, destructors, rethrow, in threads, and pthread_exit's forced
// unwinding; virtual calls beside them.
#include <cstdio>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static long destroyed;
struct counter {
	~counter()
	{
		destroyed++;
	}
};

struct shape {
	virtual ~shape() = default;
	virtual long area(long) const = 0;
};
struct square : shape {
	long area(long x) const override
	{
		return x * x;
	}
};
struct line : shape {
	long area(long) const override
	{
		throw std::domain_error("line");
	}
};

static long dig(const shape &s, int depth, long x)
{
	counter c;
	if (depth == 0)
		return s.area(x);
	try {
		return dig(s, depth - 1, x) + 1;
	} catch (const std::domain_error &) {
		if (depth % 3 == 0)
			throw;
		throw std::runtime_error(std::to_string(depth));
	}
}

static long run(int rounds)
{
	std::vector<std::unique_ptr<shape>> shapes;
	shapes.push_back(std::make_unique<square>());
	shapes.push_back(std::make_unique<line>());
	long sum = 0;
	for (int i = 0; i < rounds; i++) {
		try {
			sum += dig(*shapes[i % 3 == 0], i % 12, i);
		} catch (const std::exception &e) {
			sum += e.what()[0];
		}
	}
	return sum;
}

static void *leave(void *)
{
	counter c;
	long sum = run(2000);
	pthread_exit(reinterpret_cast<void *>(sum));
}

int main()
{
	std::printf("exceptions %ld", run(100000));
	std::printf(" destroyed %ld\n", destroyed);
	long sums[4];
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([i, &sums] {
			sums[i] = 0;
			for (int k = 0; k < 10; k++)
				sums[i] += static_cast<long>(std::to_string(k).size()) + i;
		});
	for (auto &t : threads)
		t.join();
	std::printf("threads %ld %ld\n", sums[0], sums[3]);
	pthread_t thread;
	void *value;
	pthread_create(&thread, nullptr, leave, nullptr);
	pthread_join(thread, &value);
	std::printf("left %ld\n", reinterpret_cast<long>(value));
}
