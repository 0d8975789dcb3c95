/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two libraries of the same layout take turns at the same address, while another thread calls a third one all the time;
 * also in a namespace of their own (dlmopen).  Hard because an address of code says nothing about what lies there now,
 * and the loader's list can look as it did before. */
/* part: a.so gcc -shared -fPIC -DOPERATION=+ */
/* part: b.so gcc -shared -fPIC -DOPERATION=* */
/* part: c.so gcc -shared -fPIC -DOPERATION=- */
#include "nasty.h"

#ifdef PART
uint64_t compute(uint64_t value, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		value = (value & 8) ? (value OPERATION(i | 3)) + 1 : ((value >> 1) OPERATION 77) ^ i;
	return value;
}
#else
#include <dlfcn.h>
#include <pthread.h>

typedef uint64_t compute_function(uint64_t, uint64_t);
static char paths[3][4096];
static volatile int stop;

#define REFERENCE(name, OPERATION)                                                                                     \
	static uint64_t __attribute__((noinline)) name(uint64_t value, uint64_t rounds)                                \
	{                                                                                                              \
		for (uint64_t i = 0; i < rounds; i++)                                                                  \
			value = (value & 8) ? (value OPERATION(i | 3)) + 1 : ((value >> 1) OPERATION 77) ^ i;          \
		return value;                                                                                          \
	}
REFERENCE(reference_a, +)
REFERENCE(reference_b, *)
REFERENCE(reference_c, -)

static void *worker(void *argument)
{
	void *handle = dlopen(paths[2], RTLD_NOW | RTLD_LOCAL);
	CHECK(handle);
	compute_function *compute = (compute_function *)dlsym(handle, "compute");
	for (uint64_t i = 0; !stop; i++)
		CHECK(compute(i, 1000) == reference_c(i, 1000));
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	uint64_t sum = 0;
	for (int i = 0; i < 3; i++)
		snprintf(paths[i], sizeof paths[i], "%s.%c.so", argv[0], 'a' + i);
	pthread_create(&thread, NULL, worker, NULL);
	for (int i = 0; i < 300; i++) {
		void *handle =
		    i % 10 == 9 ? dlmopen(LM_ID_NEWLM, paths[i % 2], RTLD_NOW) : dlopen(paths[i % 2], RTLD_NOW);
		CHECK(handle);
		uint64_t got = ((compute_function *)dlsym(handle, "compute"))(sum, 20000);
		CHECK(got == (i % 2 ? reference_b : reference_a)(sum, 20000));
		sum = got;
		CHECK(dlclose(handle) == 0);
	}
	stop = 1;
	pthread_join(thread, NULL);
	printf("sum %lx\n", (unsigned long)sum);
	return 0;
}
#endif
