/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's arguments, and the compiler flags that a profile implies. */
#ifndef PF_PLUGIN_SETTINGS_H
#define PF_PLUGIN_SETTINGS_H

struct plugin_name_args;

namespace pathfdo
{

struct settings {
	const char *profile;    /* path, NULL without */
	const char *truth;      /* folder of .gcda files, NULL without */
	const char *report;     /* file to append to, NULL without */
	const char *instrument; /* what to count, NULL for nothing: */
	bool count_paths;
	bool count_contexts;
	unsigned metric; /* of these, enum pf_counting_metric */
	bool oracle;     /* write gcov's counts instead of the profile's */
	bool no_replay;
	bool layout_gcc;  /* leave blocks in GCC's own order, rather than to put them in that of ext-TSP */
	bool superblocks; /* copy blocks as the profile's paths say */
	const char *hash; /* of the profile that the flags were made for, NULL if they do not say */
};

extern settings options;

/* Reads the arguments; says each that is wrong with the exact text to write and returns false if there was one. */
bool settings_read(const plugin_name_args *arguments);

/* Leaves functions whole until the graphs that a profile is for are taken, as GCC does when it instruments or reads a
 * profile: in a compile that does neither, parts are split off before.  When to call it: as settings_imply_flags. */
void settings_split_late();

/* Has functions that count calls inlined as they would be without what they count with, which is in their size.  When
 * to call it: as settings_imply_flags. */
void settings_inline_counting();

/* Sets what -fprofile-use sets, each unless the user chose otherwise, for all functions of the translation unit, and
 * silences what GCC cannot say of counts.  To be called after parsing and before the first pass over the whole unit. */
void settings_imply_flags();

/* Gives the function DECL the flags back that it had: what the profile does not know is compiled as without one.  Only
 * that its counts are read after the early passes stays, as these have run.  To be called before the passes over the
 * whole unit choose what to inline and to clone. */
void settings_return_flags(tree decl);

/* What is done to the loops of a function for the profile alone, and not by its own flags, as those of -O3. */
struct implied_loops {
	bool vectors; /* those that code may grow for */
	bool copies;  /* unrolling and peeling */
};

implied_loops settings_implied_loops(tree decl);

/* Gives the function DECL -O3's limits of how large what is not declared inline may be to be inlined, and by how much
 * that is raised where the call is known to be hot; each unless the user chose otherwise.  When to call it: as
 * settings_return_flags. */
void settings_inline_more(tree decl);

/* Has the function DECL not copied for constants that its callers pass, unless the user asked for that.  When to call
 * it: as settings_return_flags. */
void settings_forbid_clones(tree decl);

/* Has the function DECL inlined into itself no deeper than DEPTH, unless the user said how deep.  To be called before
 * the pass that inlines. */
void settings_limit_recursion(tree decl, int depth);

/* Has no equal ends of blocks merged in the function that is being compiled, unless the user asked for that.  To be
 * called from a pass. */
void settings_keep_tails();

/* Whether functions are to be ordered: unless the user gave -fno-profile-reorder-functions. */
bool settings_order_functions();

/* Lets GCC open the .gcda file in FOLDER.  To be called from plugin_init. */
void settings_read_gcov(const char *folder);

} // namespace pathfdo

#endif
