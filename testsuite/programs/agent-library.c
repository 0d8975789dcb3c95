/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library of agent-dlopen.c, compiled twice with another OPERATION: same layout, other instructions. */
#include <stdint.h>

uint64_t compute(uint64_t value, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		value = (value & 8) ? (value OPERATION(i | 3)) + 1 : ((value >> 1) OPERATION 77) ^ i;
	return value;
}
