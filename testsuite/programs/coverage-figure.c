/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function whose flow graph is known by construction: each label is a block.  From A to S, by B or C; by B on to D,
 * or straight to S by R; from D two diamonds (E or F, H or I) and a third (L or M) to N, and with what comes by C, O
 * and perhaps K to P and S. */
void figure(const int *choices);

__attribute__((naked, noinline)) void figure(const int *choices)
{
	(void)choices;
	__asm__ volatile("A: cmpl $0, (%rdi)\n\t jne C\n"
			 "B: cmpl $0, 4(%rdi)\n\t jne R\n"
			 "D: cmpl $0, 8(%rdi)\n\t jne F\n"
			 "E: movl $1, %eax\n\t jmp G\n"
			 "F: movl $2, %eax\n"
			 "G: cmpl $0, 12(%rdi)\n\t jne I\n"
			 "H: movl $3, %eax\n\t jmp J\n"
			 "I: movl $4, %eax\n"
			 "J: cmpl $0, 16(%rdi)\n\t jne M\n"
			 "L: movl $5, %eax\n\t jmp N\n"
			 "M: movl $6, %eax\n"
			 "N: movl $7, %eax\n\t jmp P\n"
			 "C: cmpl $0, 20(%rdi)\n\t jne O\n"
			 "K: movl $8, %eax\n"
			 "O: movl $9, %eax\n"
			 "P: movl $10, %eax\n\t jmp S\n"
			 "R: movl $11, %eax\n"
			 "S: ret\n");
}

/* Is called by what never runs, and calls. */
__attribute__((noinline)) static void quiet(const int *choices)
{
	figure(choices);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	static const int none[6];

	(void)argv;
	if (argc > 1)
		quiet(none);
	return 0;
}
