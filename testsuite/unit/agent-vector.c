/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's vector state on its way into the registers and back, by FXSAVE on any machine, and by XSAVE where there
 * is such: what lies in a signal's frame is in the register, and what is put there is in the frame. */
#include "runtime/agent/run.h"
#include "runtime/machine.h"
#include "testsuite/unit/suite.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#define XMM3 (160 + 3 * 16) /* in the image that FXSAVE makes */

static _Alignas(64) uint8_t image[16384];
static uint32_t size;

static void keep_frame(int signal, siginfo_t *info, void *context)
{
	const uint8_t *state = (const uint8_t *)((ucontext_t *)context)->uc_mcontext.fpregs;

	(void)signal;
	(void)info;
	size = pf_vectors_size(state);
	memcpy(image, state, size < sizeof image ? size : 0);
}

/* A frame of the kernel's own. */
static void take_frame(void)
{
	struct sigaction action = { .sa_sigaction = keep_frame, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

static void go_and_come_back(void)
{
	static struct pf_run run;
	const uint64_t in = 0x0123456789abcdef, next = 640;
	uint64_t loaded;

	memcpy(image + XMM3, &in, sizeof in);
	pf_vectors_attach(&run, image);
	pf_vectors_load(&run);
	__asm__ volatile("movq %%xmm3, %0; movq %1, %%xmm3" : "=&r"(loaded) : "r"(next) : "xmm3");
	pf_vectors_park(&run);
	ck_assert_uint_eq(loaded, in);
	ck_assert(memcmp(image + XMM3, &next, sizeof next) == 0);
}

START_TEST(by_fxsave)
{
	pf_vectors_start(false);
	ck_assert_uint_eq(pf_vectors_size(NULL), 0);
	take_frame();
	ck_assert_uint_eq(size, 512);
	go_and_come_back();
}
END_TEST

START_TEST(by_xsave)
{
	if (!pf_machine_has_xsave())
		return;
	pf_vectors_start(true);
	take_frame();
	ck_assert_uint_gt(size, 512); /* the header behind the image alone has 64 bytes */
	ck_assert_uint_lt(size, sizeof image);
	go_and_come_back();
	memset(image + 464, 0, 4);
	ck_assert_uint_eq(pf_vectors_size(image), 0);
}
END_TEST

int main(void)
{
	return RUN_SUITE("agent-vector", by_fxsave, by_xsave);
}
