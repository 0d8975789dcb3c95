/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where control comes to behind a branch: which way out an outcome of the profile is. */
#ifndef PF_PLUGIN_LANDINGS_H
#define PF_PLUGIN_LANDINGS_H

#include "plugin/c-parts.h"
#include "plugin/place.h"

namespace pathfdo
{

/* Whether E is taken by an exception or a non-local jump.  The edges of a computed goto are abnormal too, and are
 * the main road of every interpreter. */
bool is_exceptional(edge e);

/* A way out of a block, by the number of its edge, and how well it fits a destination: 3 exactly, 2 but for the
 * discriminator, 1 by its line. */
struct landing {
	unsigned way;
	int fit;
};

/* The places behind all ways out of a block, looked up once for all outcomes of its branch. */
class landings
{
      public:
	/* Of BB, whose branch has the record BRANCH: its own place is none that control comes to.  PLACES is of RECORD.
	 */
	landings(basic_block bb, const pf_function *record, const pf_record *branch, placer *places);
	/* Appends the ways that fit WANTED, in the order of the edges. */
	void find(const pf_place *wanted, auto_vec<landing> *found);

      private:
	struct behind {
		pf_place place;
		unsigned way;
	};

	const pf_function *record;
	const pf_record *branch;
	placer *places;
	auto_vec<behind> all; /* by place, then by way */

	static int compare(const void *a, const void *b);
	bool note(location_t where, basic_block in, unsigned way);
	void note_way(edge e, unsigned way);
	unsigned first_on_line(const pf_place *wanted);
};

} // namespace pathfdo

#endif
