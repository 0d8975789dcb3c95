/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 250 libraries, opened, called, half of them closed, the addresses taken by others, in two threads beside one that
 * throws nothing but calls.  Hard because the list of modules is the loader's and changes while it is read, and because
 * tables of a fixed size end somewhere. */
/* part: library.so gcc -shared -fPIC */
#include "nasty.h"

#ifdef PART
static uint64_t calls;

uint64_t compute(uint64_t value)
{
	calls++;
	for (int i = 0; i < 200; i++)
		value = (value & 1) ? value * 33 + 1 : value / 2 + 9;
	return value;
}

uint64_t count(void)
{
	return calls;
}
#else
#include <dlfcn.h>
#include <pthread.h>

#define COUNT 125
static char library[4096];
static volatile int stop;

static void *open_one(int number)
{
	char name[64];
	snprintf(name, sizeof name, "./nasty-%d.so", number);
	nasty_copy(library, name);
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	CHECK(handle);
	unlink(name);
	return handle;
}

static uint64_t use(void *handle, uint64_t value)
{
	for (int i = 0; i < 20; i++)
		value = ((uint64_t(*)(uint64_t))dlsym(handle, "compute"))(value);
	return value;
}

static void *thread(void *argument)
{
	int first = *(int *)argument;
	void *handles[COUNT];
	uint64_t value = 1, calls = 0;
	for (int i = 0; i < COUNT; i++) {
		handles[i] = open_one(first + i);
		value = use(handles[i], value);
	}
	for (int round = 0; round < 2; round++) {
		for (int i = round; i < COUNT; i += 2)
			CHECK(dlclose(handles[i]) == 0);
		for (int i = round; i < COUNT; i += 2) {
			handles[i] = open_one(first + i);
			value = use(handles[i], value);
		}
	}
	for (int i = 0; i < COUNT; i++)
		calls += ((uint64_t(*)(void))dlsym(handles[i], "count"))();
	CHECK(calls == COUNT * 20);
	return (void *)(intptr_t)(value & 0xffffff);
}

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	int first[2] = { 0, 1000 };
	void *value[2];
	snprintf(library, sizeof library, "%s.library.so", argv[0]);
	pthread_create(&threads[2], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, &first[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], &value[i]);
	stop = 1;
	pthread_join(threads[2], NULL);
	printf("%lx %lx\n", (unsigned long)(uintptr_t)value[0], (unsigned long)(uintptr_t)value[1]);
	return 0;
}
#endif
