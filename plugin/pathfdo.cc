/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's entry.  GCC loads plugins with global symbols, so that everything but the two names GCC asks for is
 * hidden or in a namespace.  The hard case is a plugin that cannot work in this compile: another GCC, another kind of
 * profile asked for, the link-time compiler (where counts arrive with the code: linktime.h); each is told apart, and
 * only the first is an error. */
#include "plugin/gcc-compat.h"
#include "plugin/annotate.h"
#include "plugin/c-parts.h"
#include "plugin/instrument.h"
#include "plugin/linktime.h"
#include "plugin/settings.h"
#include "plugin/warnings.h"

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

namespace
{

plugin_info about = {
	PF_VERSION,
	"Sampled profile-guided optimisation.\n"
	"  -fplugin-arg-pathfdo-profile=FILE  the profile, made by pathfdo convert\n"
	"  -fplugin-arg-pathfdo-instrument=paths[,cycles|,counter]  have the program count its paths, and\n"
	"                                     what they cost (libpathfdo-paths.a)\n"
	"  -fplugin-arg-pathfdo-instrument=[paths,]context[,cycles|,counter]  have it count its calls, and\n"
	"                                     the others, by calling context (libpathfdo-context.a)\n"
	"  -fplugin-arg-pathfdo-report=FILE   append what became of each function, as JSON lines\n"
	"  -fplugin-arg-pathfdo-truth=DIR     compare with the .gcda files of -fprofile-generate=DIR\n"
	"  -fplugin-arg-pathfdo-oracle        with truth: use gcov's counts in place of the profile's\n"
	"  -fplugin-arg-pathfdo-no-replay     do not inline again what the profiled binary had inlined\n"
	"  -fplugin-arg-pathfdo-hash=HASH     the hash of the profile that the flags were made for\n"
	"  -fplugin-arg-pathfdo-layout=ORDER  of blocks: exttsp where that is better by its own measure, or gcc\n"
	"  -fplugin-arg-pathfdo-superblocks=yes  copy blocks whose branch depends on the way to them, or no\n"
	"  -fplugin-arg-pathfdo-no-warn=KIND  silence missing, changed, cached, stale, unmatched, combined or all\n"
	"  -fplugin-arg-pathfdo-warn=KIND     do not silence it (unmatched is silent by itself)\n"
	"  -fplugin-arg-pathfdo-werror        -Werror makes errors of these warnings, too\n",
};

bool field_differs(const char *what, const char *built, const char *running)
{
	if (strcmp(built, running) == 0)
		return false;
	error("pathfdo: the plugin was built for a GCC with %s %qs and is loaded by one with %qs; rebuild it with "
	      "%<make CC=...%> for this compiler",
	      what, *built ? built : "(none)", *running ? running : "(none)");
	return true;
}

/* Field by field, so that the user learns what differs; a plugin shares data structures with its compiler. */
bool is_another_gcc(const plugin_gcc_version *running)
{
	return field_differs("version", gcc_version.basever, running->basever) ||
	       field_differs("release date", gcc_version.datestamp, running->datestamp) ||
	       field_differs("development phase", gcc_version.devphase, running->devphase) ||
	       field_differs("revision", gcc_version.revision, running->revision) ||
	       field_differs("configuration", gcc_version.configuration_arguments, running->configuration_arguments);
}

/* GCC's inliner does not stand counts then. */
bool refuses_counts()
{
	return global_options_set.x_flag_branch_probabilities && !flag_branch_probabilities;
}

bool is_combined()
{
	/* First what the command line has: GCC 16 sets -ftest-coverage with the newer ones. */
	const char *with = pf_gcc_newer_coverage();

	if (!with)
		with = profile_arc_flag                               ? "-fprofile-generate or -fprofile-arcs"
		       : flag_test_coverage                           ? "-ftest-coverage"
		       : flag_auto_profile                            ? "-fauto-profile"
		       : flag_profile_use                             ? "-fprofile-use"
		       : refuses_counts() && pathfdo::options.profile ? "-fno-branch-probabilities"
		       /* What counts is no part of a transaction, and the compiler finds it unsafe there. */
		       : flag_tm && pathfdo::options.instrument ? "-fgnu-tm"
								: nullptr;
	if (with)
		pathfdo::warn(pathfdo::warning::combined, UNKNOWN_LOCATION,
			      pathfdo::options.instrument
				  ? "nothing is counted, because %qs is given too; remove one of the two"
				  : "the profile is not used, because %qs is given too; remove one of the two",
			      with);
	return with != nullptr;
}

} // namespace

__attribute__((visibility("default"))) int plugin_init(plugin_name_args *arguments, plugin_gcc_version *version)
{
	if (is_another_gcc(version) || !pathfdo::settings_read(arguments))
		return 1;
	register_callback(arguments->base_name, PLUGIN_INFO, NULL, &about);
	if (pathfdo::options.instrument) {
		if (!is_combined() && strcmp(lang_hooks.name, "GNU GIMPLE") != 0)
			pathfdo::instrument_setup(arguments->base_name);
		return 0;
	}
	if (strcmp(lang_hooks.name, "GNU GIMPLE") == 0) {
		pathfdo::linktime_setup(arguments->base_name);
		return 0;
	}
	if (!optimize)
		return 0;
	if (!pathfdo::options.profile) {
		error("pathfdo: no profile is given; add %<-fplugin-arg-pathfdo-profile=FILE%>");
		return 1;
	}
	if (!is_combined())
		pathfdo::annotate_setup(arguments->base_name);
	return 0;
}
