/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vector registers keep their values through long loops, through signals whose handlers use all of them, and through
 * handlers that change one in the frame: SSE, AVX, and AVX-512 with its masks.  Hard because a recorder runs in the
 * middle of it, and the frame it returns through is a copy whose size differs between processors. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

static volatile int handled;
static volatile int change;

static void clobber(void)
{
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile(
		    "vpternlogd $0xff, %%zmm0, %%zmm0, %%zmm0\n	vmovdqa64 %%zmm0, %%zmm7\n"
		    "	vmovdqa64 %%zmm0, %%zmm20\n	kxnorw %%k1, %%k1, %%k1\n	kxnorw %%k3, %%k3, %%k3"
		    :
		    :
		    : "xmm0", "xmm7", "memory");
	else if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vcmpps $15, %%ymm0, %%ymm0, %%ymm0\n	vmovaps %%ymm0, %%ymm7" : : : "xmm0", "xmm7");
}

static void handler(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	clobber();
	if (change)
		uc->uc_mcontext.fpregs->_xmm[5].element[0] = 0xabcd0000u + (uint32_t)handled;
	handled++;
}

/* Loads the registers, loops, sends itself a signal in the middle, loops, stores them. */
static void sse(unsigned char *area, long rounds)
{
	__asm__ volatile(
	    "	movdqu 0x00(%0), %%xmm0\n	movdqu 0x10(%0), %%xmm7\n	movdqu 0x20(%0), %%xmm15\n"
	    "	pxor %%xmm5, %%xmm5\n"
	    "1:	testl $1, %k1\n	jz 2f\n	paddd %%xmm0, %%xmm7\n2:	paddb %%xmm15, %%xmm0\n	decq %1\n	jnz "
	    "1b\n"
	    "	movdqu %%xmm0, 0x00(%0)\n	movdqu %%xmm7, 0x10(%0)\n	movdqu %%xmm15, 0x20(%0)\n"
	    "	movdqu %%xmm5, 0x30(%0)\n"
	    : "+r"(area), "+r"(rounds)
	    :
	    : "memory", "xmm0", "xmm5", "xmm7", "xmm15");
}

static __attribute__((target("avx2"))) void avx(unsigned char *area, long rounds)
{
	__asm__ volatile(
	    "	vmovdqu 0x00(%0), %%ymm0\n	vmovdqu 0x20(%0), %%ymm7\n	vmovdqu 0x40(%0), %%ymm15\n"
	    "1:	testl $1, %k1\n	jz 2f\n	vpaddd %%ymm0, %%ymm7, %%ymm7\n"
	    "2:	vpaddb %%ymm15, %%ymm0, %%ymm0\n	decq %1\n	jnz 1b\n"
	    "	vmovdqu %%ymm0, 0x00(%0)\n	vmovdqu %%ymm7, 0x20(%0)\n	vmovdqu %%ymm15, 0x40(%0)\n"
	    "	vzeroupper\n"
	    : "+r"(area), "+r"(rounds)
	    :
	    : "memory", "xmm0", "xmm7", "xmm15");
}

static __attribute__((target("avx512f"))) void avx512(unsigned char *area, long rounds)
{
	__asm__ volatile(
	    "	vmovdqu64 0x00(%0), %%zmm0\n	vmovdqu64 0x40(%0), %%zmm7\n	vmovdqu64 0x80(%0), %%zmm31\n"
	    "	vmovdqu64 0x40(%0), %%zmm20\n	movl $0x5a3c, %%eax\n	kmovw %%eax, %%k1\n	knotw %%k1, %%k3\n"
	    "1:	testl $1, %k1\n	jz 2f\n	vpaddd %%zmm0, %%zmm7, %%zmm7 %{%%k1%}\n"
	    "2:	vpaddd %%zmm31, %%zmm0, %%zmm0 %{%%k3%}\n	vpaddd %%zmm7, %%zmm20, %%zmm20\n"
	    "	decq %1\n	jnz 1b\n"
	    "	vmovdqu64 %%zmm0, 0x00(%0)\n	vmovdqu64 %%zmm7, 0x40(%0)\n	vmovdqu64 %%zmm31, 0x80(%0)\n"
	    "	vmovdqu64 %%zmm20, 0xc0(%0)\n	kmovw %%k1, %%eax\n	movl %%eax, 0x100(%0)\n"
	    "	kmovw %%k3, %%eax\n	movl %%eax, 0x104(%0)\n	vzeroupper\n"
	    : "+r"(area), "+r"(rounds)
	    :
	    : "memory", "rax", "xmm0", "xmm7", "xmm15");
}

static uint64_t sum(const unsigned char *area, uint64_t hash)
{
	for (int i = 0; i < 320; i++)
		hash = hash * 31 + area[i];
	return hash;
}

static uint64_t run(void)
{
	unsigned char area[320];
	uint64_t hash = 1;
	for (int i = 0; i < 60; i++) {
		for (int k = 0; k < 320; k++)
			area[k] = (unsigned char)(k * 7 + i);
		sse(area, 400000);
		hash = sum(area, hash);
		if (__builtin_cpu_supports("avx2"))
			avx(area, 400000);
		hash = sum(area, hash);
		if (__builtin_cpu_supports("avx512f"))
			avx512(area, 400000);
		hash = sum(area, hash);
	}
	return hash;
}

static volatile int stop;

static void *sender(void *argument)
{
	pthread_t target = *(pthread_t *)argument;
	while (!stop) {
		pthread_kill(target, SIGUSR1);
		usleep(300);
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	pthread_t thread, self = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	printf("alone %lx\n", (unsigned long)run());
	pthread_create(&thread, NULL, sender, &self);
	printf("with signals %lx\n", (unsigned long)run());
	stop = 1;
	pthread_join(thread, NULL);
	change = 1;
	for (int i = 0; i < 2000; i++) {
		uint32_t got, before = (uint32_t)handled;
		long result;
		CHECK(work(500) == work(500));
		__asm__ volatile("pxor %%xmm5, %%xmm5\n	syscall\n	movd %%xmm5, %1"
				 : "=a"(result), "=r"(got)
				 : "0"(200L), "D"((long)getpid()), "S"((long)SIGUSR1)
				 : "rcx", "r11", "memory", "xmm5");
		CHECK(result == 0 && got == 0xabcd0000u + before);
	}
	printf("changed in the frame\n");
	return 0;
}
