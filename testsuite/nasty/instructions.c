/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that a translator copies wrongly or must not copy at all: iretq, far returns, pops of segment registers,
 * branches through memory named by the stack pointer, by a 32-bit address or by FS, padded and prefixed branches,
 * pushes and pops whose operand is the stack pointer, enter, RIP-relative operands with immediates and in VEX, EVEX and
 * three-byte opcodes, alignment checks, and a timer of the program's own on the recorder's signal.  Every routine
 * returns a sum that does not depend on where its code lies. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

uint64_t far_ways(uint64_t rounds);
uint64_t stack_ways(uint64_t rounds);
uint64_t memory_ways(uint64_t rounds, void *low);
uint64_t relative_ways(uint64_t rounds);
uint64_t vector_ways(uint64_t rounds);
uint64_t alignment_ways(uint64_t rounds);
void memory_target(void);

__asm__(".text\n.balign 16\nfar_ways:\n"
	"	xorl %eax, %eax\n"
	"1:	addq $3, %rax\n"
	"	testl $63, %edi\n" /* an iretq is dear */
	"	jnz 3f\n"
	"	movq %rsp, %rdx\n"
	"	movl %ss, %ecx\n"
	"	pushq %rcx\n"
	"	pushq %rdx\n"
	"	pushfq\n"
	"	movl %cs, %ecx\n"
	"	pushq %rcx\n"
	"	leaq 2f(%rip), %rcx\n"
	"	pushq %rcx\n"
	"	iretq\n"
	"	ud2\n"
	"2:	movl %cs, %ecx\n"
	"	pushq %rcx\n"
	"	leaq 3f(%rip), %rcx\n"
	"	pushq %rcx\n"
	"	lretq\n"
	"	ud2\n"
	"3:	testl $1023, %edi\n"
	"	jnz 4f\n"
	"	pushq %gs\n"
	"	popq %gs\n"
	"4:	leaq (%rax,%rax,4), %rax\n"
	"	rolq $7, %rax\n"
	"	decq %rdi\n"
	"	jnz 1b\n"
	"	ret\n"

	".balign 16\nstack_ways:\n"
	"	xorl %eax, %eax\n"
	"	pushq %rbp\n"
	"1:	leaq 3f(%rip), %rcx\n"
	"	pushq %rcx\n"
	"	pushq $77\n"
	"	call *8(%rsp)\n" /* the operand is read with the stack pointer from before the push */
	"	pushq 8(%rsp)\n" /* likewise: 3f */
	"	popq %rdx\n"
	"	subq %rcx, %rdx\n" /* 0 */
	"	addq %rdx, %rax\n"
	"	popq (%rsp)\n" /* after the pop: 77 goes where 3f was */
	"	addq (%rsp), %rax\n"
	"	pushq %rsp\n"
	"	popq %rdx\n"
	"	subq %rsp, %rdx\n"
	"	addq %rdx, %rax\n"
	"	addq $8, %rsp\n"
	"	enter $48, $1\n"
	"	movq %rax, -40(%rbp)\n"
	"	leave\n"
	"	movq %rdi, -120(%rsp)\n" /* red zone */
	"	leaq 2f(%rip), %rdx\n"
	"	movq %rdx, -16(%rsp)\n"
	"	.byte 0xf2\n" /* bnd, which newer assemblers have forgotten */
	"	jmp *-16(%rsp)\n"
	"	ud2\n"
	"2:	addq -120(%rsp), %rax\n"
	"	leaq 4f(%rip), %rdx\n"
	"	notrack jmp *%rdx\n"
	"	ud2\n"
	"4:	.byte 0x66, 0x66, 0x48\n" /* the padding that compilers put in front of calls of __tls_get_addr */
	"	call 5f\n"
	"	.byte 0x67\n" /* and the linker where it relaxes a call through the GOT */
	"	call 5f\n"
	"	pushq $5\n"
	"	leaq 3f+1(%rip), %rdx\n" /* past the endbr64's first byte would be wrong: use the second entry */
	"	leaq -1(%rdx), %rdx\n"
	"	call *%rdx\n"
	"	addq $8, %rsp\n"
	"	imulq $7, %rax\n"
	"	decq %rdi\n"
	"	jnz 1b\n"
	"	popq %rbp\n"
	"	ret\n"
	"3:	endbr64\n"
	"	addq 8(%rsp), %rax\n"
	"	repz ret\n"
	"5:	addq $11, %rax\n"
	"	.byte 0xf2\n"
	"	ret\n"

	".balign 16\nmemory_ways:\n"
	"	xorl %eax, %eax\n"
	"	pushq %rbx\n"
	"1:	leaq 2f(%rip), %rdx\n"
	"	movq %rdx, 8(%rsi)\n"
	"	movabsq $0x7700000000, %rbx\n"
	"	addq %rsi, %rbx\n"
	"	.byte 0x67\n"
	"	jmp *8(%rbx)\n" /* jmp *8(%ebx) */
	"	ud2\n"
	"2:	leaq memory_target(%rip), %rcx\n"
	"	movq %rcx, %fs:isa_pointer@tpoff\n"
	"	call *%fs:isa_pointer@tpoff\n"
	"	movl $2, %ecx\n"
	"	leaq 3f(%rip), %rdx\n"
	"	movq %rdx, (%rsi)\n"
	"	jmp *-16(%rsi,%rcx,8)\n" /* rcx itself is an operand */
	"	ud2\n"
	"3:	incq %rax\n"
	"	movq %rax, %rbx\n"
	"	leaq memory_target(%rip), %rax\n"
	"	pushq %rax\n"
	"	movq %rsp, %rcx\n"
	"	xchgq %rax, %rbx\n"
	"	call *(%rcx)\n"
	"	addq $8, %rsp\n"
	"	imulq $9, %rax\n"
	"	decq %rdi\n"
	"	jnz 1b\n"
	"	popq %rbx\n"
	"	ret\n"
	".globl memory_target\nmemory_target:\n"
	"	addq $5, %rax\n"
	"	ret\n"

	".balign 16\nrelative_ways:\n"
	"	xorl %eax, %eax\n"
	"1:	movl $0x1234567, isa_cell(%rip)\n"
	"	addl $0x11111, isa_cell(%rip)\n"
	"	movw $0x7fff, isa_cell+4(%rip)\n"
	"	shlq $3, isa_cell(%rip)\n"
	"	imulq $1001, isa_cell(%rip), %rdx\n"
	"	addq %rdx, %rax\n"
	"	testb $1, isa_cell(%rip)\n"
	"	setz isa_cell+8(%rip)\n"
	"	movzbl isa_cell+8(%rip), %edx\n"
	"	addq %rdx, %rax\n"
	"	movbe isa_cell(%rip), %rdx\n"
	"	addq %rdx, %rax\n"
	"	crc32q isa_cell(%rip), %rdx\n"
	"	addq %rdx, %rax\n"
	"	btsq $5, isa_cell(%rip)\n"
	"	lock xaddq %rax, isa_cell(%rip)\n"
	"	shldq $4, %rdx, isa_cell(%rip)\n"
	"	cmpb $77, isa_cell(%rip)\n"
	"	adcq isa_cell(%rip), %rax\n"
	"	pushq isa_cell(%rip)\n"
	"	popq isa_cell(%rip)\n"
	"	leaq 2f(%rip), %rdx\n"
	"	movq %rdx, isa_cell+16(%rip)\n"
	"	jmp *isa_cell+16(%rip)\n"
	"	ud2\n"
	"2:	decq %rdi\n"
	"	jnz 1b\n"
	"	ret\n"

	".balign 16\nvector_ways:\n"
	"	xorl %eax, %eax\n"
	"1:	movq %rdi, isa_vector(%rip)\n"
	"	movdqu isa_vector(%rip), %xmm0\n"
	"	pinsrd $2, isa_vector(%rip), %xmm0\n"
	"	pshufb isa_mask(%rip), %xmm0\n"
	"	palignr $3, isa_mask(%rip), %xmm0\n"
	"	vpaddd isa_vector(%rip), %ymm0, %ymm1\n"
	"	vpermq $0x4e, isa_vector(%rip), %ymm2\n"
	"	vinserti128 $1, isa_mask(%rip), %ymm2, %ymm2\n"
	"	vpxor %ymm2, %ymm1, %ymm1\n"
	"	vpextrq $1, %xmm1, isa_cell(%rip)\n"
	"	vextracti128 $1, %ymm1, %xmm3\n"
	"	vmovq %xmm3, %rdx\n"
	"	addq isa_cell(%rip), %rax\n"
	"	addq %rdx, %rax\n"
	"	rolq $9, %rax\n"
	"	decq %rdi\n"
	"	jnz 1b\n"
	"	vzeroupper\n"
	"	ret\n"

	/* Alignment checks on: every access of the recorder's own must survive that. */
	".balign 16\nalignment_ways:\n"
	"	xorl %eax, %eax\n"
	"	pushfq\n"
	"	orq $0x40000, (%rsp)\n"
	"	popfq\n"
	"	movl $0x41000, %ecx\n"
	"1:	leaq (%rax,%rdi,2), %rax\n"
	"	rolq $5, %rax\n"
	"	call 2f\n"
	"	decq %rdi\n"
	"	jnz 1b\n"
	"	pushfq\n"
	"	andq $0x40000, (%rsp)\n"
	"	addq (%rsp), %rax\n" /* still on */
	"	movq $0x202, (%rsp)\n"
	"	popfq\n"
	"	ret\n"
	"2:	testb $1, %al\n"
	"	jz 3f\n"
	"	incq %rax\n"
	"3:	ret\n"

	".section .tdata,\"awT\",@progbits\n.balign 8\nisa_pointer:\n	.quad 0\n"
	".data\n.balign 64\nisa_vector:\n	.quad 1, 0x1122334455667788, 3, 0x99aabbccddeeff00\n"
	"isa_mask:\n	.byte 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3\nisa_cell:\n	.quad 0, 0, 0\n"
	".text\n");

static volatile int fired, wrong;

static void on_timer(int signal, siginfo_t *info, void *context)
{
	(void)context;
	fired++;
	if (signal != SIGRTMAX - 3 || info->si_code != SI_TIMER || info->si_value.sival_ptr != (void *)&fired)
		wrong++;
}

/* A timer of the program's own on the recorder's signal. */
static void own_timer(void)
{
	struct sigaction action = { .sa_sigaction = on_timer, .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX - 3 };
	struct itimerspec when = { { 0, 1000000 }, { 0, 1000000 } };
	timer_t timer;

	event.sigev_value.sival_ptr = (void *)&fired;
	sigaction(SIGRTMAX - 3, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &when, NULL);
	while (fired < 50)
		;
	timer_delete(timer);
	printf("own timer: wrong %d\n", wrong);
}

int main(void)
{
	void *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (low == MAP_FAILED)
		return 1;
	printf("far %lx\n", far_ways(3000000));
	printf("stack %lx\n", stack_ways(2000000));
	printf("memory %lx\n", memory_ways(3000000, low));
	printf("relative %lx\n", relative_ways(2000000));
	if (__builtin_cpu_supports("avx2"))
		printf("vector %lx\n", vector_ways(3000000));
	printf("alignment %lx\n", alignment_ways(20000000));
	own_timer();
	return 0;
}
