/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a handler is told of a fault is what the processor says: si_code, si_addr, the instruction's address, trap and
 * error numbers and the registers, for reads, writes and execution of memory that is absent, protected or past a file's
 * end, for non-canonical addresses and returns to them, divisions, ud2, int3, hlt and unaligned SSE.  Hard because in
 * a code cache the fault happens at another address, with some registers elsewhere. */
#include "nasty.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

void fault_all(void *target, void *where); /* jumps to TARGET with rdi = WHERE and known registers */
extern char fault_labels[], fault_points[];
__asm__(".text\n.globl fault_all\nfault_all:\n"
	"	pushq %rbx\n	pushq %r12\n	movq %rdi, %rax\n	movq %rsi, %rdi\n"
	"	movl $0x11, %ebx\n	movl $0x22, %ecx\n	movl $0x33, %edx\n	movl $0x44, %esi\n	movl "
	"$0x88, %r8d\n"
	"	movl $0x99, %r9d\n	movl $0xaa, %r10d\n	movl $0xbb, %r11d\n	movl $0xcc, %r12d\n"
	"	cmpq $5, %rbx\n	call *%rax\n	popq %r12\n	popq %rbx\n	ret\n"
	"0:	incl %ecx\n10:	movl (%rdi), %ebx\n	ret\n"
	"1:	incl %ecx\n11:	movl %ecx, (%rdi)\n	ret\n"
	"2:	incl %ecx\n12:	lock incq (%rdi)\n	ret\n"
	"3:	incl %ecx\n13:	jmp *%rdi\n"
	"4:	pushq %rdi\n14:	ret\n"
	"5:	xorl %ecx, %ecx\n	xorl %edx, %edx\n15:	divl %ecx\n	ret\n"
	"6:	nop\n16:	ud2\n"
	"7:	nop\n17:	int3\n	ret\n"
	"8:	nop\n18:	hlt\n"
	"9:	incl %ecx\n19:	movaps 1(%rsp), %xmm0\n	ret\n"
	"20:	incl %ecx\n30:	call *(%rdi)\n	ret\n"
	"21:	incl %ecx\n31:	pushq (%rdi)\n	ret\n"
	"22:	movl $16, %ecx\n	movq %rsp, %rsi\n32:	rep movsb\n	ret\n"
	"23:	movl $2, %ecx\n33:	movl -2(%rdi,%rcx,2), %ebx\n	loop 33b\n	ret\n"
	".section .data.rel.ro,\"aw\"\n.balign 8\nfault_labels:\n"
	"	.quad 0b, 1b, 2b, 3b, 4b, 5b, 6b, 7b, 8b, 9b, 20b, 21b, 22b, 23b\n"
	"fault_points:\n	.quad 10b, 11b, 12b, 13b, 14b, 15b, 16b, 17b, 18b, 19b, 30b, 31b, 32b, 33b\n"
	".text\n");

#define KINDS 14
static sigjmp_buf back;
static void *wheres[6];
static int current_where, printing;
static uint64_t first[2048];
static volatile int place;
static int current_kind;

/* Prints a value the first time, and compares it the other times. */
static void print(const char *name, uint64_t value)
{
	if (printing) {
		printf(" %s %lx", name, value);
		first[place++] = value;
		return;
	}
	if (value != first[place]) {
		fprintf(stderr, "%d/%d: %s %lx, not %lx\n", current_kind, current_where, name, value, first[place]);
		_exit(1);
	}
	place++;
}

static void handler(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	const greg_t *gregs = uc->uc_mcontext.gregs;
	uint64_t where = (uint64_t)wheres[current_where], address = (uint64_t)info->si_addr,
		 rip = (uint64_t)gregs[REG_RIP];
	int point = -1;
	for (int i = 0; i < KINDS; i++)
		if (rip == ((uint64_t *)(void *)fault_points)[i] || rip == ((uint64_t *)(void *)fault_points)[i] + 1)
			point = i;
	print("signal", (uint64_t)signal);
	print("code", (uint64_t)info->si_code);
	print("address", signal == SIGTRAP         ? 0
			 : address == rip          ? 1
			 : address - where < 65536 ? address - where + 2
						   : address);
	print("point", point < 0 ? (rip == where ? 100u : 101u) : (uint64_t)point);
	print("trap", (uint64_t)gregs[REG_TRAPNO]);
	print("error", (uint64_t)gregs[REG_ERR]);
	print("rbx", (uint64_t)gregs[REG_RBX]);
	print("rcx", (uint64_t)gregs[REG_RCX]);
	print("rdx", (uint64_t)gregs[REG_RDX]);
	print("r8", (uint64_t)gregs[REG_R8] + (uint64_t)gregs[REG_R9] + (uint64_t)gregs[REG_R10] +
			(uint64_t)gregs[REG_R11] + (uint64_t)gregs[REG_R12]);
	print("flags", (uint64_t)gregs[REG_EFL] & 0x8d5);
	siglongjmp(back, 1);
}

static void all(void)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (current_where = 0; current_where < 6; current_where++) {
			if (kind >= 5 && kind <= 9 && current_where > 0)
				continue;
			if ((kind == 3 || kind == 4) && current_where == 5)
				continue;
			current_kind = kind;
			if (printing)
				printf("%d/%d:", kind, current_where);
			if (sigsetjmp(back, 1) == 0)
				fault_all(((void **)(void *)fault_labels)[kind], wheres[current_where]);
			if (printing)
				printf("\n");
		}
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	FILE *file = tmpfile();
	for (int i = 0; i < 5; i++)
		sigaction(signals[i], &action, NULL);
	wheres[0] = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	wheres[1] = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	wheres[2] = mmap(NULL, 65536, PROT_READ, MAP_SHARED, fileno(file), 0);
	wheres[3] = (void *)0x10;
	wheres[4] = (void *)0x1234567800000000;
	wheres[5] = (char *)wheres[0] + 3;
	printing = 1;
	all();
	int count = place;
	fflush(stdout);
	printing = 0;
	for (int i = 0; i < 1500; i++) {
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
		place = 0;
		all();
		CHECK(place == count);
	}
	return 0;
}
