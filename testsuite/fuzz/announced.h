/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a section of vectors announces, for the fuzz targets: the reader allows half of the machine's memory, which a
 * fuzzer takes for a leak.  So inputs that announce more than a fuzzer's share are left to the unit tests. */
#ifndef PF_TESTSUITE_FUZZ_ANNOUNCED_H
#define PF_TESTSUITE_FUZZ_ANNOUNCED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether the header at SECTION announces more than 16,384 items of a kind. */
static inline bool announces_too_much(const uint8_t *section, size_t size)
{
	static const uint8_t narrow[] = { 24, 28, 32, 44 }, wide[] = { 48, 56, 64, 88 };
	uint64_t most = 0;

	if (size < 88)
		return false;
	for (size_t i = 0; i < sizeof narrow; i++) {
		uint32_t value;

		memcpy(&value, section + narrow[i], sizeof value);
		most = value > most ? value : most;
	}
	for (size_t i = 0; i < sizeof wide && wide[i] + sizeof(uint64_t) <= size; i++) {
		uint64_t value;

		memcpy(&value, section + wide[i], sizeof value);
		most = value > most ? value : most;
	}
	return most > 1u << 14;
}

#endif
