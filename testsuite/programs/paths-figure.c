/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function of eleven paths through the blocks A to S, of which four are taken, 1,000, 500, 300 and 1 times in a
 * round, the same in each tenth of it, so that a thousand branches in a row have nearly these shares; argument 1 is the
 * number of rounds. */
#include <stdlib.h>

long figure(const int *choices);

__attribute__((naked, noinline)) long figure(const int *choices)
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

int main(int argc, char **argv)
{
	static const struct {
		int choices[6], times;
	} all[] = { { { 0, 0, 0, 1, 0, 0 }, 1000 }, /* ABDEGIJLNPS */
		    { { 0, 0, 1, 0, 1, 0 }, 500 },  /* ABDFGHJMNPS */
		    { { 1, 0, 0, 0, 0, 1 }, 300 },  /* ACOPS */
		    { { 0, 1, 0, 0, 0, 0 }, 1 } };  /* ABRS */
	long sum = 0;

	for (long rounds = argc > 1 ? atol(argv[1]) : 1; rounds > 0; rounds--) {
		for (int k = 0; k < 1000; k++) {
			for (int i = 0; i < 4; i++)
				sum += k % 100 < all[i].times / 10 || k < all[i].times % 10 ? figure(all[i].choices)
											     : 0;
		}
	}
	return sum == 1;
}
