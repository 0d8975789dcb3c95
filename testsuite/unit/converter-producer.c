/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the options that GCC writes down say of the profile: texts of real binaries, with other paths. */
#include "converter/producer.h"
#include "testsuite/unit/suite.h"

#include <string.h>

#define PLUGIN "-fplugin=/usr/lib/pathfdo/pathfdo.so "
#define PROFILE "-fplugin-arg-pathfdo-profile="
#define HASH " -fplugin-arg-pathfdo-hash="

static const struct {
	const char *text, *profile;
	uint32_t hash;
	enum pf_made made;
} texts[] = {
	{ NULL, NULL, 0, PF_MADE_OTHERWISE },
	{ "", NULL, 0, PF_MADE_OTHERWISE },
	{ "GNU AS 2.40", NULL, 0, PF_MADE_OTHERWISE },
	{ "Debian clang version 14.0.6", NULL, 0, PF_MADE_OTHERWISE },
	{ "GNU GIMPLE 12.2.0 -g -O2 -fPIC -fltrans", NULL, 0, PF_MADE_BY_LINK },
	{ "GNU GIMPLE 12.2.0 -O2 " PLUGIN PROFILE "/a.pfdo -fltrans", NULL, 0, PF_MADE_BY_PLUGGED_LINK },
	{ "GNU GIMPLE 12.2.0 -O2 -fplugin=/usr/lib/other.so -ffile-prefix-map=/src/pathfdo=.", NULL, 0,
	  PF_MADE_BY_LINK },
	{ "GNU GIMPLE 12.2.0", NULL, 0, PF_MADE_OTHERWISE },
	{ "GNU C17 12.2.0", NULL, 0, PF_MADE_SILENTLY },
	{ "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2", NULL, 0, PF_MADE_PLAINLY },
	{ "GNU C++17 12.2.0 -g -O2 " PLUGIN PROFILE "/src/a.pfdo" HASH "f90b4b58 -fasynchronous-unwind-tables",
	  "/src/a.pfdo", 0xf90b4b58, PF_MADE_FOR_PROFILE },
	{ "GNU C17 12.2.0 -O2 " PLUGIN PROFILE "/src/a.pfdo", "/src/a.pfdo", 0, PF_MADE_FOR_PROFILE },
	{ "GNU C17 12.2.0 -O2 " PLUGIN PROFILE "/my src/a b.pfdo" HASH "0000000a", "/my src/a b.pfdo", 10,
	  PF_MADE_FOR_PROFILE },
	{ "GNU Fortran2008 12.2.0 -O2 " PLUGIN PROFILE "/a.pfdo", "/a.pfdo", 0, PF_MADE_FOR_PROFILE },
	{ "GNU C17 12.2.0 -g " PLUGIN PROFILE "/a.pfdo" HASH "1", "/a.pfdo", 1, PF_MADE_IDLY },
	{ "GNU C17 12.2.0 -O2 -O0 " PLUGIN PROFILE "/a.pfdo", "/a.pfdo", 0, PF_MADE_IDLY },
	{ "GNU C17 12.2.0 -O0 -Og " PLUGIN PROFILE "/a.pfdo", "/a.pfdo", 0, PF_MADE_FOR_PROFILE },
	{ "GNU C17 12.2.0 -O2 " PLUGIN "-fplugin-arg-pathfdo-instrument=paths", NULL, 0, PF_MADE_PLAINLY },
	/* The last one holds, for GCC, too. */
	{ "GNU C17 12.2.0 -O2 " PLUGIN PROFILE "/a.pfdo" HASH "1 " PROFILE "/b.pfdo" HASH "2", "/b.pfdo", 2,
	  PF_MADE_FOR_PROFILE },
};

START_TEST(a_producer_tells_its_profile)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct pf_producer p = pf_producer_read(texts[i].text);

		ck_assert_msg(p.made == texts[i].made, "text %zu was made %d", i, (int)p.made);
		ck_assert_msg(p.hash == texts[i].hash, "text %zu has hash %x", i, p.hash);
		ck_assert_msg(!p.profile == !texts[i].profile, "text %zu: profile %p", i, (const void *)p.profile);
		if (!p.profile)
			continue;
		ck_assert_msg(p.profile_size == strlen(texts[i].profile) &&
				  memcmp(p.profile, texts[i].profile, p.profile_size) == 0,
			      "text %zu is for %.*s", i, (int)p.profile_size, p.profile);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-producer", a_producer_tells_its_profile);
}
