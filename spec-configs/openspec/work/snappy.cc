/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command around libsnappy: compresses each file ROUNDS times in blocks of different sizes, as a store of records
 * would, reads it back, checks it, and prints what came out.  usage: snap ROUNDS FILE... */
#include "snappy.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

static uint64_t checksum(const std::string &text, uint64_t sum)
{
	for (unsigned char c : text)
		sum = (sum ^ c) * 1099511628211u;
	return sum;
}

/* The size of the N-th block: mostly some kilobytes, now and then a large one. */
static size_t block_size(unsigned n)
{
	return n % 17 == 16 ? 300000 : 1500 + n * 2654435761u % 30000;
}

static bool there_and_back(const std::string &text, unsigned round, uint64_t &sum, size_t &total)
{
	std::string packed, again;
	unsigned n = round;

	for (size_t at = 0, size; at < text.size(); at += size) {
		size = block_size(n++);
		if (size > text.size() - at)
			size = text.size() - at;
		total += snappy::Compress(text.data() + at, size, &packed);
		sum = checksum(packed.substr(0, 16), sum);
		if (!snappy::IsValidCompressedBuffer(packed.data(), packed.size()) ||
		    !snappy::Uncompress(packed.data(), packed.size(), &again) || text.compare(at, size, again) != 0)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? strtoul(argv[1], nullptr, 10) : 0;

	for (int i = 2; i < argc; i++) {
		std::ifstream file(argv[i], std::ios::binary);
		std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
		uint64_t sum = 14695981039346656037u;
		size_t total = 0;

		if (text.empty()) {
			fprintf(stderr, "snap: cannot read %s\n", argv[i]);
			return 1;
		}
		for (unsigned r = 0; r < rounds; r++) {
			if (!there_and_back(text, r, sum, total)) {
				fprintf(stderr, "snap: %s does not come back\n", argv[i]);
				return 1;
			}
		}
		printf("%zu bytes, %zu in blocks, %016llx\n", text.size(), total, (unsigned long long)sum);
	}
	return rounds ? 0 : 2;
}
