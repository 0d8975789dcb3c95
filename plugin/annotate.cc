/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pass.  It stands where GCC reads gcov data: after the early optimisations, which made the same CFG from the
 * same source in the profiled binary's compile, and before everything that takes counts.  It replaces that reader
 * (`profile'), which would find no .gcda file and drop every count.  Under -flto only the compile of a source file
 * annotates; the counts travel in the object, source positions do not.
 *
 * Functions are taken callers first, and what had inlined them before all (hostorder.h), so that a function's own
 * record is complete (with the instances that others did not inline again) when its turn comes.  The hard case is that
 * inlining frees call-graph nodes on the way: declarations are kept, and nodes are looked up when they are needed. */
#include "plugin/annotate.h"
#include "plugin/callers.h"
#include "plugin/counts.h"
#include "plugin/fit.h"
#include "plugin/fnorder-sections.h"
#include "plugin/icall.h"
#include "plugin/identity.h"
#include "plugin/late.h"
#include "plugin/linkheat.h"
#include "plugin/linkmark.h"
#include "plugin/markers.h"
#include "plugin/passes.h"
#include "plugin/place.h"
#include "plugin/replay.h"
#include "plugin/settings.h"
#include "plugin/siblings.h"
#include "plugin/specialise.h"
#include "plugin/splits.h"
#include "plugin/superblock-pass.h"
#include "plugin/truth.h"
#include "plugin/unseen.h"
#include "plugin/warnings.h"

namespace pathfdo
{

namespace
{

/* So many entries may all have been in looks that did not see the call. */
const uint64_t overseen = 3;

/* By how much more than what is hot a doubtful function is guessed to run: what it does one time in so many is hot. */
const uint64_t doubt = 3;

pf_bodies *bodies;
pf_sources *sources; /* of this translation unit, as it was parsed */
uint64_t scale = 1, hot = 1;

struct unit {
	auto_vec<tree> decls; /* callers and hosts first */
	auto_vec<tree> unsampled;
	auto_vec<tree> stale;
	unsigned matched;
	bool damaged;
	bool known; /* the profile fits some function here, or the file is idle; otherwise nothing is touched */
	bool idle; /* the profiled program was compiled from this file, too, and nothing of it was seen in many looks */
};

unit here;

bool wants_annotation(cgraph_node *node)
{
	return node && !node->alias && !node->thunk && !node->inlined_to && node->definition &&
	       gimple_has_body_p(node->decl) && DECL_SOURCE_LOCATION(node->decl) != BUILTINS_LOCATION;
}

/* Where the profile cannot be read the order stays; whoever takes a body says so. */
void put_hosts_first(auto_vec<tree> *decls, const auto_vec<const pf_identity *> &who)
{
	auto_vec<uint32_t> order;
	auto_vec<tree> ordered;

	order.safe_grow_cleared(decls->length(), true);
	if (pf_bodies_order(bodies, who.address(), who.length(), order.address()) != PF_OK)
		return;
	for (uint32_t number : order)
		ordered.safe_push((*decls)[number]);
	decls->truncate(0);
	decls->safe_splice(ordered);
}

void collect_functions(unit *u)
{
	cgraph_node **order = XCNEWVEC(cgraph_node *, symtab->cgraph_count);
	int count = ipa_reverse_postorder(order);
	auto_delete_vec<identity> known;
	auto_vec<const pf_identity *> who;

	for (int i = 0; i < count; i++) {
		if (!wants_annotation(order[i]))
			continue;
		u->decls.safe_push(order[i]->decl);
		known.safe_push(new identity(bodies, order[i]->decl));
		who.safe_push(&known.last()->as_profile);
		pf_bodies_define(bodies, who.last());
	}
	free(order);
	put_hosts_first(&u->decls, who);
}

bool take_body(unit *u, tree decl, pf_body *body)
{
	identity who(bodies, decl);
	pf_error error;
	int status = pf_bodies_take(bodies, &who.as_profile, body, &error);

	if (status == PF_OK && !body->function && has_line_of_class(decl)) {
		identity classless(bodies, decl, true);

		if (classless.names.count)
			status = pf_bodies_take(bodies, &classless.as_profile, body, &error);
	}
	if (status != PF_OK) {
		if (!u->damaged)
			warn(warning::missing, UNKNOWN_LOCATION, "%s", error.text);
		u->damaged = true;
		return false;
	}
	return body->function != NULL;
}

/* Whose counts a function gets. */
enum class counts_of { itself, sibling };

void annotate_blocks(const pf_body &body, counts_of whose, function_report *report)
{
	gcov_type called = counted_calls(cgraph_node::get(current_function_decl));
	auto_vec<uint64_t> truth;
	pf_graph *graph;

	loop_optimizer_init(AVOID_CFG_MODIFICATIONS);
	calculate_dominance_info(CDI_DOMINATORS);
	calculate_dominance_info(CDI_POST_DOMINATORS);
	if (options.truth)
		truth_take(&truth);
	graph = graph_of_cfg();
	if (graph && count_body(graph, body, scale, whose == counts_of::itself ? called : 0, report) &&
	    graph->blocks[ENTRY_BLOCK].count) {
		if (whose == counts_of::sibling)
			enter_graph(graph, called);
		if (pf_bodies_doubt(bodies, body.function->total)) {
			add_doubt(graph, hot * scale * doubt);
			note_doubt(current_function_decl);
		}
		pf_limit_graph(graph);
		bool bold =
		    whose == counts_of::itself && pf_heat_may_freeze(pf_bodies_looks(bodies, body.function->total));
		write_graph(graph, trust::sampled, bold);
		if (!bold && pf_bodies_may_turn(bodies))
			keep_loops(hot * scale * doubt);
		if (options.truth)
			truth_compare(truth);
	}
	pf_graph_free(graph);
	free_dominance_info(CDI_POST_DOMINATORS);
	loop_optimizer_finalize();
}

void use_body(const pf_body &body, function_report *report)
{
	const pf_function *record = body.function;

	if (!options.no_replay)
		replay_inlining(bodies, record, hot, report);
	settle_instances(bodies, &body);
	annotate_blocks(body, counts_of::itself, report);
	if (flag_value_profile_transformations) {
		report->promoted = attach_call_targets(record, scale);
		report->specialised = flag_profile_values ? specialise_values(record) : 0;
	}
}

void judge_body(unit *u, const pf_body &body, function_report *report)
{
	report->head = body.function->head;
	report->total = body.function->total;
	report->merged = body.merged;
	report->aligned = body.aligned;
	if (fits_source(report->decl, body.function, body.merged > 0)) {
		report->how = body.stale ? found::moved : found::matched;
		u->matched++;
		note_body(report->decl, body);
		siblings_note(report->decl, body.function->total);
		fnorder_note(report->decl, body.function->rank);
		use_body(body, report);
		return;
	}
	report->how = found::stale;
	u->stale.safe_push(report->decl);
}

void annotate_function(unit *u, tree decl)
{
	function_report report = {};
	pf_body body;

	report.decl = decl;
	report.how = found::unmatched;
	push_cfun(DECL_STRUCT_FUNCTION(decl));
	if (execute_fixup_cfg() & TODO_cleanup_cfg)
		cleanup_tree_cfg();
	if (take_body(u, decl, &body))
		judge_body(u, body, &report);
	else
		u->unsampled.safe_push(decl);
	pf_body_release(&body);
	free_dominance_info(CDI_DOMINATORS);
	free_dominance_info(CDI_POST_DOMINATORS);
	cgraph_edge::rebuild_edges();
	compute_fn_summary(cgraph_node::get(decl), true);
	pop_cfun();
	report_function(report);
}

/* DECL was called and nothing was seen of it: it runs as another instance of its template did, as often as it was
 * called.  False if there is none that ran. */
bool borrow_counts(unit *u, tree decl)
{
	cgraph_node *node = cgraph_node::get(decl);
	gcov_type called = wants_annotation(node) ? counted_calls(node) : 0;
	tree other = called > 0 ? siblings_find(decl) : NULL_TREE;
	function_report ignored = {};
	pf_body body;

	if (!other)
		return false;
	bool found = take_body(u, other, &body) && fits_source(decl, body.function, body.merged > 0);
	if (found) {
		push_cfun(DECL_STRUCT_FUNCTION(decl));
		annotate_blocks(body, counts_of::sibling, &ignored);
		free_dominance_info(CDI_DOMINATORS);
		cgraph_edge::rebuild_edges();
		compute_fn_summary(node, true);
		pop_cfun();
		report_sibling(decl, other, called);
	}
	pf_body_release(&body);
	return found;
}

/* Callers first, as a function is called by what has counts; those that call each other take turns. */
void settle_siblings(unit *u)
{
	unsigned before;

	do {
		before = u->unsampled.length();
		for (unsigned i = 0; i < u->unsampled.length();) {
			if (borrow_counts(u, u->unsampled[i]))
				u->unsampled.ordered_remove(i);
			else
				i++;
		}
	} while (u->unsampled.length() < before);
}

/* Whether the author of DECL gave it options.  They are as they are with those of the profile, then: GCC does not
 * inline such a function into one that has others, and a pragma gives them to all functions of a file. */
bool has_options(tree decl)
{
	return lookup_attribute("optimize", DECL_ATTRIBUTES(decl)) != NULL_TREE;
}

/* Whether the profile has what DECL did and, in its own count, at most so many of its entries; also of what another
 * unit defines. */
bool began_within(tree decl, uint64_t most)
{
	identity who(bodies, decl);
	const pf_function *own = who.names.count ? pf_bodies_own(bodies, &who.as_profile) : NULL;

	return own && own->total > 0 && own->head <= most;
}

bool began_unseen(tree decl)
{
	return began_within(decl, 0);
}

bool began_overseen(tree decl)
{
	return began_within(decl, overseen);
}

/* What is on the way to hot code and was not seen itself is counted once, by its guesses, for a link that inlines
 * across units: counts of the program and those of a function by itself would meet there, which mean nothing to each
 * other. */
void count_once(tree decl)
{
	pf_graph *graph;

	push_cfun(DECL_STRUCT_FUNCTION(decl));
	loop_optimizer_init(AVOID_CFG_MODIFICATIONS);
	calculate_dominance_info(CDI_DOMINATORS);
	graph = graph_of_cfg();
	if (graph && guess_graph(graph, scale)) {
		write_graph(graph, trust::sampled, false);
		note_guess(decl);
	}
	pf_graph_free(graph);
	free_dominance_info(CDI_DOMINATORS);
	loop_optimizer_finalize();
	cgraph_edge::rebuild_edges();
	compute_fn_summary(cgraph_node::get(decl), true);
	pop_cfun();
}

void count_ways(unit *u)
{
	for (tree decl : u->unsampled) {
		if (flag_generate_lto && wants_annotation(cgraph_node::get(decl)) &&
		    find_unsampled(decl, began_overseen) == whereabouts::on_the_way)
			count_once(decl);
	}
}

/* Of what a profile that is not thorough never saw nothing is known: it is not worth what the flags make code grow.
 * What is on the way to hot code may be where that is inlined, and is not worth copies of itself. */
void settle_unsampled(tree decl, bool thorough)
{
	whereabouts where = find_unsampled(decl, began_overseen);

	if (where == whereabouts::on_the_way)
		leave_loops(decl);
	if (where == whereabouts::on_the_way && !has_options(decl))
		settings_forbid_clones(decl);
	else if (where == whereabouts::aside && thorough)
		cool_unsampled(decl);
	else if (where == whereabouts::aside)
		settings_return_flags(decl);
}

/* Where the program is busy, code may grow for speed, as it may everywhere with -O3. */
void settle_busy(unit *u)
{
	uint64_t least = pf_heat_working_set(pf_bodies_summary(bodies), param_hot_bb_count_ws_permille, hot) * scale;

	for (tree decl : u->decls) {
		struct function *body = DECL_STRUCT_FUNCTION(decl);
		bool has_counts = wants_annotation(cgraph_node::get(decl)) && body->cfg->count_max.ipa().nonzero_p();

		if (has_counts && (uint64_t)body->cfg->count_max.to_gcov_type() >= least && !has_options(decl))
			settings_inline_more(decl);
	}
}

/* What a thorough profile never saw is not hot, and that may be all of a file of the profiled program.  What has
 * changed may be what hot code calls. */
void settle_rest(unit *u)
{
	bool thorough = !pf_bodies_are_short(bodies) && (u->matched || u->idle);

	for (tree decl : u->stale) {
		if (!has_options(decl))
			settings_return_flags(decl);
	}
	for (tree decl : u->unsampled) {
		if (wants_annotation(cgraph_node::get(decl)))
			settle_unsampled(decl, thorough);
	}
}

int ask_for_name(const char *folder, const char *name, pf_error *error)
{
	char *joined = pf_filename_join(folder, name);
	int answer = joined ? pf_bodies_compiled(bodies, joined, error) : pf_fail(error, PF_ENOMEM, "out of memory");

	free(joined);
	return answer;
}

/* Whether the profiled binaries were compiled from this file, too: 1, 0, or an error as pf_pfdo_compiled gives.  Their
 * debug information may have had its prefixes mapped by the same options that this compile has. */
int was_compiled(pf_error *error)
{
	const char *folder = get_src_pwd();
	int answer = ask_for_name(folder, main_input_filename, error);

	if (answer == 0)
		answer = ask_for_name(remap_debug_filename(folder), remap_debug_filename(main_input_filename), error);
	return answer;
}

void finish_report()
{
	pf_error error;

	if (options.report)
		report_finish(main_input_filename, was_compiled(&error), pf_bodies_hash(bodies));
}

/* A file of the profiled program of which nothing ran is no news. */
void warn_of_unmatched(unsigned functions)
{
	pf_error error;
	int compiled = was_compiled(&error);

	if (compiled < 0 && compiled != PF_ENOTFOUND)
		warn(warning::missing, UNKNOWN_LOCATION, "%s", error.text);
	else if (compiled <= 0)
		warn(warning::unmatched, UNKNOWN_LOCATION,
		     compiled == 0
			 ? "%qs has none of the %u functions of this file, and the profiled program was not "
			   "compiled from it: it is another program%'s profile, or the file is new; record the "
			   "program that is built here"
			 : "%qs has none of the %u functions of this file: it is another program%'s profile, "
			   "or this file did not run; record the program that is built here",
		     options.profile, functions);
}

/* Whether DECL makes a file's variables, once: nobody wrote it, and it moves with the file's end. */
bool is_initialiser(tree decl)
{
	return DECL_ARTIFICIAL(decl) && !DECL_NAMELESS(decl) && !base_line(decl);
}

/* At the first of the functions, under the name by which the user knows it. */
void warn_of_stale(const auto_vec<tree> &all)
{
	auto_vec<tree> stale;

	for (tree decl : all) {
		if (!is_initialiser(decl))
			stale.safe_push(decl);
	}
	if (stale.is_empty())
		return;

	tree earliest = stale[0];

	for (tree decl : stale)
		earliest = DECL_SOURCE_LOCATION(decl) < DECL_SOURCE_LOCATION(earliest) ? decl : earliest;
	location_t place = DECL_SOURCE_LOCATION(earliest),
		   where = in_system_header_at(place) ? UNKNOWN_LOCATION : place;
	const char *first = lang_hooks.decl_printable_name(earliest, 2);

	if (stale.length() == 1)
		warn(warning::stale, where,
		     "%qs has changed too much since it was profiled and is compiled without counts; record the "
		     "program anew",
		     first);
	else
		warn(warning::stale, where,
		     "%u of the functions of this file have changed too much since they were profiled (%qs is the "
		     "first) and are compiled without counts; record the program anew",
		     stale.length(), first);
}

void warn_of_unit(const unit &u)
{
	if (u.stale.length())
		warn_of_stale(u.stale);
	if (!u.matched && u.stale.is_empty() && !u.damaged && u.decls.length())
		warn_of_unmatched(u.decls.length());
}

void set_profile_info()
{
	const pf_summary *summary = pf_bodies_summary(bodies);

	profile_info = XCNEW(gcov_summary);
	profile_info->runs = 1;
	profile_info->sum_max = summary->maximum * scale;
	set_hot_bb_threshold((gcov_type)(hot * scale));
}

void annotate_known(unit *u)
{
	set_profile_info();
	collect_functions(u);
	for (tree decl : u->decls) {
		if (wants_annotation(cgraph_node::get(decl)))
			annotate_function(u, decl);
	}
	settle_siblings(u);
	count_ways(u);
	settle_calls(began_unseen, (gcov_type)scale);
	settle_busy(u);
	settle_rest(u);
	warn_of_unit(*u);
}

unsigned annotate_unit(function *)
{
	if (seen_error())
		return 0;
	init_node_map(true);
	if (options.truth)
		truth_read();
	if (!options.oracle)
		annotate_known(&here);
	linkheat_leave();
	linkmark_leave();
	del_node_map();
	markers_return();
	truth_finish();
	finish_report();
	return TODO_dump_symtab;
}

/* Instances from HOT on are inlined again, wherever that is possible, by every compile with these flags. */
void expect_replay()
{
	pf_bodies_set_hot(bodies, options.no_replay || is_replay_forbidden() ? UINT64_MAX : hot);
}

bool open_bodies()
{
	pf_error error;
	int status = pf_bodies_open(options.profile, &bodies, &error);

	if (status == PF_OK && pf_bodies_set_sources(bodies, sources) != PF_OK)
		status = pf_fail(&error, PF_ENOMEM, "out of memory");
	if (status == PF_OK) {
		expect_replay();
		return true;
	}
	warn(warning::missing, UNKNOWN_LOCATION, "%s; compiling without a profile", error.text);
	return false;
}

/* A cache and a build system know the profile by the flags alone.  ccache tells the compilers that it runs that there
 * is to be no further ccache. */
void check_hash()
{
	char hash[16];

	snprintf(hash, sizeof hash, "%08x", pf_bodies_hash(bodies));
	if (!options.hash) {
		if (getenv("CCACHE_DISABLE"))
			warn(warning::cached, UNKNOWN_LOCATION,
			     "ccache will serve this object for another profile of the name %qs; add "
			     "%<-fplugin-arg-pathfdo-hash=%s%>, as %<pathfdo cflags%> does",
			     options.profile, hash);
	} else if (strcmp(options.hash, hash) != 0) {
		warn(warning::changed, UNKNOWN_LOCATION,
		     "%qs is not the profile that the flags were made for (its hash is %s, theirs is %s): files that "
		     "were compiled for the other one are not compiled again; give the flags that %<pathfdo cflags%> "
		     "prints for this one",
		     options.profile, hash, options.hash);
	}
}

bool open_profile()
{
	if (!open_bodies())
		return false;
	check_hash();
	const pf_summary *summary = pf_bodies_summary(bodies);
	if (summary->maximum == 0) {
		warn(warning::missing, UNKNOWN_LOCATION, "%qs holds no counts; compiling without a profile",
		     options.profile);
		return false;
	}
	scale = pf_heat_scale(summary);
	hot = pf_heat_threshold(summary, param_hot_bb_count_fraction);
	expect_replay();
	return true;
}

void close_profile(void *, void *)
{
	pf_bodies_close(bodies);
	bodies = NULL;
	pf_sources_free(sources);
	sources = NULL;
}

/* Whether the profile has counts for the function as it is here; notes one that has changed. */
bool is_known(unit *u, tree decl)
{
	bool fits = false;
	pf_body body;

	if (take_body(u, decl, &body)) {
		fits = fits_source(decl, body.function, body.merged > 0);
		if (!fits)
			u->stale.safe_push(decl);
	}
	pf_body_release(&body);
	return fits;
}

/* What the parser left of DECL: once it is optimised, an edit can no longer be told from what the compiler did. */
void outline(tree decl)
{
	identity who(bodies, decl);
	pf_outline lines = {};

	outline_source(decl, &lines);
	pf_sources_add(sources, who.names.names, who.names.count, who.as_profile.file, who.as_profile.line, &lines);
	note_source(decl);
}

bool find_known(unit *u)
{
	cgraph_node *node;

	FOR_EACH_FUNCTION(node)
	settle_names(node->decl);
	collect_functions(u);
	for (tree decl : u->decls)
		outline(decl);
	for (tree decl : u->decls) {
		if (is_known(u, decl))
			return true;
	}
	return false;
}

bool is_idle(const unit &u)
{
	pf_error error;

	return u.stale.is_empty() && !u.damaged && !pf_bodies_are_short(bodies) && was_compiled(&error) == 1;
}

/* The profile of something else: what would have been annotated is told, and nothing is changed. */
void leave_alone(unit *u)
{
	warn_of_unit(*u);
	for (tree decl : u->decls) {
		function_report report = {};

		report.decl = decl;
		report.how = u->stale.contains(decl) ? found::stale : found::unmatched;
		report_function(report);
	}
	finish_report();
}

/* Runs when the whole source is parsed and no optimisation has begun: the last moment at which flags count for all of
 * them, and the first at which it is known whether the profile has anything to say here.  Taking a record uses the
 * profile up, so that it is opened anew for the annotation itself. */
void decide(void *, void *)
{
	unit tried = {};

	if (!in_lto_p && !seen_error()) {
		here.known = find_known(&tried) || options.truth;
		here.idle = !here.known && is_idle(tried);
		here.known |= here.idle;
		if (!here.known)
			leave_alone(&tried);
		pf_bodies_close(bodies);
		bodies = NULL;
		here.known = here.known && open_bodies();
		if (here.known)
			settings_imply_flags();
		else
			markers_return();
	}
}

} // namespace

void annotate_setup(const char *plugin_name)
{
	sources = pf_sources_alloc();
	if (!sources || !open_profile())
		return;
	markers_borrow();
	if (options.truth)
		settings_read_gcov(options.truth);
	passes_begin(plugin_name, [] { return here.known; });
	passes_add({ SIMPLE_IPA_PASS, "pathfdo", TV_IPA_PROFILE, "profile", 1, PASS_POS_REPLACE, NULL, annotate_unit });
	linkmark_setup();
	late_setup();
	specialise_setup();
	icall_setup();
	fnorder_setup();
	superblock_setup();
	splits_setup();
	register_callback(plugin_name, PLUGIN_ALL_IPA_PASSES_START, decide, NULL);
	register_callback(plugin_name, PLUGIN_FINISH, close_profile, NULL);
}

} // namespace pathfdo
