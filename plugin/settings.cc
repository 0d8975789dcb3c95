/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments and implied flags.  Flags are set only when the profile is known to fit, after parsing, where the compiler
 * keeps options by function: each function's own are changed, and those of all others.  The hard case is that decoding
 * derived options from options (EnabledBy), which does not happen again: what -funroll-loops brings must be set here.
 */
#include "plugin/gcc-compat.h"
#include "plugin/settings.h"
#include "plugin/warnings.h"

namespace pathfdo
{

settings options;

namespace
{

struct argument {
	const char *key;
	const char **value; /* takes =VALUE */
	bool *flag;         /* takes none */
	const char *hint;
};

const argument known[] = {
	{ "profile", &options.profile, nullptr, "FILE" },      { "truth", &options.truth, nullptr, "DIR" },
	{ "report", &options.report, nullptr, "FILE" },        { "oracle", nullptr, &options.oracle, nullptr },
	{ "no-replay", nullptr, &options.no_replay, nullptr }, { "hash", &options.hash, nullptr, "HASH" },
};

bool read_layout(const char *value)
{
	options.layout_gcc = value && strcmp(value, "gcc") == 0;
	if (options.layout_gcc || (value && strcmp(value, "exttsp") == 0))
		return true;
	error("%<-fplugin-arg-pathfdo-layout=%s%>: write one of %<exttsp%>, %<gcc%> after the %<=%>",
	      value ? value : "");
	return false;
}

/* Reads one of KINDS, and a metric behind it. */
bool read_instrument(const char *value)
{
	static const char *const kinds[] = { "paths,context", "paths", "context" };
	static const char *const metrics[] = { "", ",cycles", ",counter" }; /* enum pf_counting_metric */

	for (const char *kind : kinds) {
		size_t length = strlen(kind);

		for (unsigned metric = 0; metric < sizeof metrics / sizeof *metrics; metric++) {
			if (!value || strncmp(value, kind, length) != 0 || strcmp(value + length, metrics[metric]) != 0)
				continue;
			options.instrument = value;
			options.count_paths = strstr(kind, "paths") != NULL;
			options.count_contexts = strstr(kind, "context") != NULL;
			options.metric = metric;
			return true;
		}
	}
	error("%<-fplugin-arg-pathfdo-instrument=%s%>: write one of %<paths%>, %<context%>, %<paths,context%> after "
	      "the %<=%>, and %<,cycles%> or %<,counter%> behind it if these are to be measured",
	      value ? value : "");
	return false;
}

bool read_superblocks(const char *value)
{
	options.superblocks = value && strcmp(value, "yes") == 0;
	if (options.superblocks || (value && strcmp(value, "no") == 0))
		return true;
	error("%<-fplugin-arg-pathfdo-superblocks=%s%>: write one of %<yes%>, %<no%> after the %<=%>",
	      value ? value : "");
	return false;
}

bool read_one(const char *key, const char *value)
{
	if (strcmp(key, "instrument") == 0)
		return read_instrument(value);
	if (strcmp(key, "layout") == 0)
		return read_layout(value);
	if (strcmp(key, "superblocks") == 0)
		return read_superblocks(value);
	if (strcmp(key, "no-warn") == 0)
		return warnings_read(value, false);
	if (strcmp(key, "warn") == 0)
		return warnings_read(value, true);
	if (strcmp(key, "werror") == 0 && !value) {
		warnings_obey_werror();
		return true;
	}
	for (const argument &a : known) {
		if (strcmp(key, a.key) != 0)
			continue;
		if (a.flag && value) {
			error("%<-fplugin-arg-pathfdo-%s=%s%>: this switch takes no value, write "
			      "%<-fplugin-arg-pathfdo-%s%>",
			      key, value, key);
			return false;
		}
		if (a.value && (!value || !*value)) {
			error("%<-fplugin-arg-pathfdo-%s%> lacks its value, write %<-fplugin-arg-pathfdo-%s=%s%>", key,
			      key, a.hint);
			return false;
		}
		if (a.flag)
			*a.flag = true;
		else
			*a.value = value;
		return true;
	}
	error("unknown argument %<-fplugin-arg-pathfdo-%s%>: pathfdo knows %<profile=FILE%>, %<hash=HASH%>, "
	      "%<truth=DIR%>, %<report=FILE%>, %<oracle%>, %<no-replay%>, %<layout=ORDER%>, %<superblocks=yes|no%>, "
	      "%<warn=KIND%>, %<no-warn=KIND%>, %<werror%>, %<instrument=paths|[paths,]context[,cycles|,counter]%>",
	      key);
	return false;
}

} // namespace

bool settings_read(const plugin_name_args *arguments)
{
	bool good = true;

	for (int i = 0; i < arguments->argc; i++)
		good &= read_one(arguments->argv[i].key, arguments->argv[i].value);
	if (options.oracle && !options.truth) {
		error("%<-fplugin-arg-pathfdo-oracle%> needs gcov%'s counts: add %<-fplugin-arg-pathfdo-truth=DIR%>");
		good = false;
	}
	if (options.instrument && options.profile) {
		error("%<-fplugin-arg-pathfdo-instrument=%s%> and %<-fplugin-arg-pathfdo-profile=%s%> exclude each "
		      "other: a program that counts is compiled without a profile",
		      options.instrument, options.profile);
		good = false;
	}
	return good;
}

/* A macro, because the flags' names are macros themselves and may be pasted but not passed on. */
#define IMPLY(flag, value)                                                                                             \
	do {                                                                                                           \
		if (!global_options_set.x_##flag)                                                                      \
			global_options.x_##flag = value;                                                               \
	} while (0)

static void imply_flags()
{
	IMPLY(flag_branch_probabilities, 1);
	IMPLY(flag_profile_values, 1);
	IMPLY(flag_value_profile_transformations, 1);
	IMPLY(flag_unroll_loops, 1);
	IMPLY(flag_peel_loops, 1);
	IMPLY(flag_tracer, 1);
	IMPLY(flag_inline_functions, 1);
	/* -flive-patching switched them off without a mark, so that a patched function has no copies elsewhere. */
	if (!global_options.x_flag_live_patching) {
		IMPLY(flag_ipa_cp, 1);
		IMPLY(flag_ipa_cp_clone, 1);
		IMPLY(flag_ipa_bit_cp, 1);
	}
	IMPLY(flag_predictive_commoning, 1);
	IMPLY(flag_split_loops, 1);
	IMPLY(flag_unswitch_loops, 1);
	IMPLY(flag_gcse_after_reload, 1);
	IMPLY(flag_tree_loop_vectorize, 1);
	IMPLY(flag_tree_slp_vectorize, 1);
	IMPLY(flag_version_loops_for_strides, 1);
	IMPLY(flag_vect_cost_model, VECT_COST_MODEL_DYNAMIC);
	IMPLY(flag_tree_loop_distribute_patterns, 1);
	IMPLY(flag_loop_interchange, 1);
	IMPLY(flag_unroll_jam, 1);
	IMPLY(flag_tree_loop_distribution, 1);
	/* It has the compiler emit functions in the order of their numbers (fnorder-sections.cc), which only -flto
	 * needs, where no section says it; elsewhere callees come first, so that callers know which registers they
	 * leave alone. */
	IMPLY(flag_profile_reorder_functions, flag_generate_lto);
	PF_GCC_IMPLY_NEWER(IMPLY);
	if (global_options.x_flag_value_profile_transformations) {
		IMPLY(flag_devirtualize_speculatively, 0);
		PF_GCC_IMPLY_NO_SPECULATION(IMPLY);
	}
	IMPLY(flag_cunroll_grow_size, pf_gcc_grows_unrolled());
}

/* The options OF a function with the flags, as the compiler keeps options by function. */
template <class how> static tree with_flags(cl_optimization *of, how imply)
{
	cl_optimization_restore(&global_options, &global_options_set, of);
	if (global_options.x_optimize)
		imply();
	return build_optimization_node(&global_options, &global_options_set);
}

/* What the user chose, by what has become of it: a function that the compiler makes of another meanwhile, as for
 * another target (target_clones), has the options of that.  Copies, since the compiler collects what it does not use
 * itself, and may put other options in the same place. */
struct chosen_options {
	cl_optimization before, after;
};
static hash_map<tree, chosen_options> chosen;

static tree imply_in(tree own, void (*imply)())
{
	chosen_options options = { *TREE_OPTIMIZATION(own), {} };
	tree node = with_flags(&options.before, imply);

	options.after = *TREE_OPTIMIZATION(node);
	chosen.put(node, options);
	return node;
}

static void imply_everywhere(void (*imply)())
{
	cgraph_node *node;

	FOR_EACH_FUNCTION(node)
	{
		tree own = DECL_FUNCTION_SPECIFIC_OPTIMIZATION(node->decl);

		if (own)
			DECL_FUNCTION_SPECIFIC_OPTIMIZATION(node->decl) = imply_in(own, imply);
	}
	optimization_default_node = imply_in(optimization_default_node, imply);
	optimization_current_node = optimization_default_node;
}

void settings_imply_flags()
{
	imply_everywhere(imply_flags);
	/* GCC says it of each function that has counts, before it looks at them (compute_function_frequency). */
	global_options.x_warn_suggest_attribute_cold = 0;
}

/* Found by trial: a counted function has some 20 to 50 instructions more. */
void settings_inline_counting()
{
	imply_everywhere([] {
		IMPLY(param_max_inline_insns_auto, 80);
		IMPLY(param_max_inline_insns_single, 200);
		IMPLY(param_inline_min_speedup, 10);
	});
}

void settings_split_late()
{
	imply_everywhere([] { IMPLY(flag_branch_probabilities, 1); });
}

/* Gives DECL the options OF a function with the flags, from outside of any function. */
template <class how> static void give_flags(tree decl, cl_optimization *of, how imply)
{
	DECL_FUNCTION_SPECIFIC_OPTIMIZATION(decl) = with_flags(of, imply);
	cl_optimization_restore(&global_options, &global_options_set, TREE_OPTIMIZATION(optimization_default_node));
}

/* The options of DECL as the compiler keeps them. */
static tree options_of(tree decl)
{
	tree own = DECL_FUNCTION_SPECIFIC_OPTIMIZATION(decl);

	return own ? own : optimization_default_node;
}

/* What was chosen for DECL, NULL if that is what it has now. */
static chosen_options *choice_of(tree decl)
{
	tree now = options_of(decl);
	chosen_options *known = chosen.get(now);

	return known && cl_optimization_option_eq(&known->after, TREE_OPTIMIZATION(now)) ? known : NULL;
}

implied_loops settings_implied_loops(tree decl)
{
	const chosen_options *known = choice_of(decl);

	if (!known)
		return {};
	const cl_optimization &own = known->before;
	bool vectors =
	    own.x_flag_tree_loop_vectorize && own.x_flag_vect_cost_model == known->after.x_flag_vect_cost_model;
	return { !vectors, !own.x_flag_unroll_loops && !own.x_flag_peel_loops };
}

void settings_return_flags(tree decl)
{
	chosen_options *known = choice_of(decl);

	if (known)
		give_flags(decl, &known->before, [] { IMPLY(flag_branch_probabilities, 1); });
}

/* The limits that -O3 gives to what is not declared inline, and to how far they are raised where a call is known to be
 * hot (opts.cc).  Its other figures make code grow for little more. */
void settings_inline_more(tree decl)
{
	give_flags(decl, TREE_OPTIMIZATION(options_of(decl)), [] {
		IMPLY(param_max_inline_insns_auto, 30);
		IMPLY(param_inline_heuristics_hint_percent, 600);
	});
}

void settings_forbid_clones(tree decl)
{
	give_flags(decl, TREE_OPTIMIZATION(options_of(decl)), [] { IMPLY(flag_ipa_cp_clone, 0); });
}

void settings_limit_recursion(tree decl, int depth)
{
	give_flags(decl, TREE_OPTIMIZATION(options_of(decl)), [depth] {
		IMPLY(param_max_inline_recursive_depth_auto,
		      MIN(depth, global_options.x_param_max_inline_recursive_depth_auto));
		IMPLY(param_max_inline_recursive_depth, MIN(depth, global_options.x_param_max_inline_recursive_depth));
	});
}

void settings_keep_tails()
{
	tree own =
	    with_flags(TREE_OPTIMIZATION(options_of(current_function_decl)), [] { IMPLY(flag_crossjumping, 0); });

	DECL_FUNCTION_SPECIFIC_OPTIMIZATION(current_function_decl) = own;
	cl_optimization_restore(&global_options, &global_options_set, TREE_OPTIMIZATION(own));
	optimization_current_node = own;
}

bool settings_order_functions()
{
	return !global_options_set.x_flag_profile_reorder_functions || flag_profile_reorder_functions;
}

void settings_read_gcov(const char *folder)
{
	IMPLY(flag_branch_probabilities, 1);
	profile_data_prefix = folder;
}

} // namespace pathfdo
