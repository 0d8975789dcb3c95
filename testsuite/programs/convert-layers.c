/* SPDX-License-Identifier: GPL-3.0-or-later */
/* convert-layers: loops with the discriminators that GCC 16 would give them, from the block of the line, the times that
 * the source ran for each run of the code (<< 8), and the copy (<< 15).  They are written by hand, since only that
 * compiler writes them; the lines 101 and 201 are below the file's end. */
#include <stdio.h>

/* Ten rounds of four executions each (copy 1), and two of the rest (copy 2), all of block 2. */
__attribute__((noinline)) static long lanes(long n, long rest)
{
	__asm__ volatile(".loc 1 101 1 discriminator 33794\n"
			 "1: sub $4, %0\n\tlea 3(%0), %%rax\n\tjg 1b\n"
			 ".loc 1 101 1 discriminator 65538\n"
			 "2: dec %1\n\tjnz 2b\n"
			 ".loc 1 110 1\n\tnop\n"
			 : "+r"(n), "+r"(rest)
			 :
			 : "rax", "cc");
	return n + rest;
}

/* Ten rounds of a loop that was unrolled by two (copies 1 and 2 of block 3), without a test between. */
__attribute__((noinline)) static long twice(long n)
{
	__asm__ volatile("1:\n"
			 ".loc 1 201 1 discriminator 32771\n\tlea 3(%0), %%rax\n"
			 ".loc 1 201 1 discriminator 65539\n\tlea 3(%0), %%rax\n"
			 ".loc 1 202 1\n\tdec %0\n\tjnz 1b\n"
			 : "+r"(n)
			 :
			 : "rax", "cc");
	return n;
}

int main(void)
{
	printf("%ld\n", lanes(40, 2) + twice(10));
	return 0;
}
