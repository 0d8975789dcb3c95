/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From GCC's declarations to the identities that a profile goes by. */
#ifndef PF_PLUGIN_IDENTITY_H
#define PF_PLUGIN_IDENTITY_H

#include "plugin/place.h"

namespace pathfdo
{

/* Who DECL is, with what its names and its file are kept in. */
struct identity {
	decl_names names;
	char *file;
	pf_identity as_profile;

	/* CLASSLESS: as a profile has it that knows no classes. */
	identity(pf_bodies *bodies, tree decl, bool classless = false);
	~identity();
	identity(const identity &) = delete;

      private:
	void keep_linkage_names();
};

} // namespace pathfdo

#endif
