/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command around RE2: searches the lines of a log (generate text) for a list of expressions, one a line of the file
 * PATTERNS, by all that RE2 has: search, captures, sets, replacement, with the DFA and, where submatches are asked
 * for, the one-pass, bit-state and NFA machines.  usage: search ROUNDS PATTERNS LOG */
#include "re2/re2.h"
#include "re2/set.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

struct result {
	unsigned long found = 0, captured = 0, replaced = 0, sets = 0;
};

static std::vector<std::string> read_lines(const char *path)
{
	std::vector<std::string> lines;
	std::ifstream file(path);

	for (std::string line; std::getline(file, line);)
		lines.push_back(line);
	return lines;
}

static void search(const RE2 &re, const std::vector<std::string> &lines, result &r)
{
	re2::StringPiece parts[3];
	int groups = re.NumberOfCapturingGroups() < 2 ? re.NumberOfCapturingGroups() : 2;

	for (size_t i = 0; i < lines.size(); i++) {
		const std::string &line = lines[i];

		if (!re.Match(line, 0, line.size(), RE2::UNANCHORED, parts, i % 4 ? 0 : groups + 1))
			continue;
		r.found++;
		if (i % 4 == 0)
			r.captured += parts[groups].size();
		if (i % 16 == 0) {
			std::string copy = line;

			RE2::GlobalReplace(&copy, re, "<\\0>");
			r.replaced += copy.size();
		}
	}
}

static void search_sets(const std::vector<std::string> &patterns, const std::vector<std::string> &lines, result &r)
{
	RE2::Set set(RE2::DefaultOptions, RE2::UNANCHORED);
	std::vector<int> which;

	for (const std::string &p : patterns)
		set.Add(p, nullptr);
	if (!set.Compile())
		return;
	for (const std::string &line : lines) {
		set.Match(line, &which);
		for (int n : which)
			r.sets += (unsigned long)n + 1;
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 3 ? (unsigned)strtoul(argv[1], nullptr, 10) : 0;
	std::vector<std::string> patterns, lines;
	result r;

	if (rounds) {
		patterns = read_lines(argv[2]);
		lines = read_lines(argv[3]);
	}
	for (unsigned round = 0; round < rounds; round++) {
		for (const std::string &p : patterns) {
			RE2 re(p, RE2::Quiet);

			if (!re.ok()) {
				fprintf(stderr, "search: %s: %s\n", p.c_str(), re.error().c_str());
				return 1;
			}
			search(re, lines, r);
		}
		search_sets(patterns, lines, r);
	}
	printf("%zu lines, %zu expressions: %lu found, %lu captured, %lu replaced, %lu by sets\n", lines.size(),
	       patterns.size(), r.found, r.captured, r.replaced, r.sets);
	return rounds ? 0 : 2;
}
