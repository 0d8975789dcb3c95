/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code in a segment of the executable that is writable from the start (as old packers, -Wl,-N and some run-times make
 * it), and text that libc's mprotect makes writable for good; both changed by plain stores.  Hard because the file says
 * it is code, and no call tells when it changes. */
#include "selfmod.h"

#include <sys/mman.h>

SELFMOD_FUNCTION(writable, ".nasty,\"awx\",@progbits");
SELFMOD_FUNCTION(opened, ".text");

int main(void)
{
	selfmod_check(writable, SELFMOD_FIRST, 2000000);
	selfmod_check(opened, SELFMOD_FIRST, 2000000);
	CHECK(mprotect((void *)opened, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
	for (uint32_t i = 0; i < 20000; i++) {
		*(volatile uint32_t *)writable_constant = i * 0x10203;
		*(volatile uint32_t *)opened_constant = i * 0x70503;
		selfmod_check(writable, i * 0x10203, 20);
		selfmod_check(opened, i * 0x70503, 20);
	}
	busy(100);
	printf("changed\n");
	return 0;
}
