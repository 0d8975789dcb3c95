/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A JIT: code is made in anonymous memory, writable and executable, or flipped between the two, calls back into the
 * program, faults, is dropped, and other code is made at the same address, in four threads.  Hard because it has no
 * file, may change between two calls, and what calls it is recorded. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

static uint64_t __attribute__((noinline)) callback(uint64_t value)
{
	return (value & 1) ? value * 33 + 5 : value / 2 + 7;
}

static uint64_t expected(uint32_t i)
{
	uint64_t v = i;
	for (int k = 0; k < 30; k++)
		v = callback(v) + i;
	return v;
}

/* push rbx; mov ebx, IMM; mov rax, CALLBACK; 30 times: call rax... as a loop in code; returns the value. */
static void make(unsigned char *at, uint32_t i)
{
	unsigned char code[] = {
		0x53, 0x41, 0x54, 0x41, 0x55,                               /* push rbx, r12, r13 */
		0x48, 0xc7, 0xc3, 30,   0,    0,    0,                      /* mov rbx, 30 */
		0x41, 0xbc, 0,    0,    0,    0,                            /* mov r12d, i */
		0x4c, 0x89, 0xe7,                                           /* mov rdi, r12 */
		0x48, 0xb8, 0,    0,    0,    0,    0, 0, 0, 0, 0xff, 0xd0, /* mov rax, callback; call rax */
		0x4c, 0x01, 0xe0, 0x48, 0x89, 0xc7,                         /* add rax, r12; mov rdi, rax */
		0x48, 0xff, 0xcb, 0x75, 0xe9,                               /* dec rbx; jnz */
		0x41, 0x5d, 0x41, 0x5c, 0x5b, 0xc3,                         /* pop; ret */
	};
	uint64_t target = (uint64_t)callback;
	memcpy(code + 14, &i, 4);
	memcpy(code + 23, &target, 8);
	memcpy(at, code, sizeof code);
}

static void *thread(void *argument)
{
	int kind = (int)(intptr_t)argument;
	unsigned char *area = NULL;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < 1500; i++) {
		if (!area || (kind == 2 && i % 50 == 0)) {
			void *want = area;
			if (area)
				munmap(area, 8192);
			area = mmap(want, 8192, PROT_READ | PROT_WRITE | (kind ? PROT_EXEC : 0),
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		}
		if (kind == 0)
			mprotect(area, 8192, PROT_READ | PROT_WRITE);
		make(area + (kind == 3 ? i % 4096 : 64), i);
		if (kind == 0)
			mprotect(area, 8192, PROT_READ | PROT_EXEC);
		uint64_t (*function)(void) = (uint64_t(*)(void))(void *)(area + (kind == 3 ? i % 4096 : 64));
		uint64_t got = function();
		CHECK(got == expected(i));
		CHECK(function() == got);
		sum = sum * 31 + got;
	}
	return (void *)(intptr_t)(sum & 0xffffffff);
}

int main(void)
{
	pthread_t threads[4];
	void *sum;
	for (intptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &sum);
		printf("%lx\n", (unsigned long)(uintptr_t)sum);
	}
	busy(200);
	return 0;
}
