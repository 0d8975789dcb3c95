/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only file that knows GCC versions: the compiler's headers in an order that works, and what changed its name or
 * its place between releases.  Everything else in plugin/ is written for GCC 12. */
#ifndef PF_PLUGIN_GCC_COMPAT_H
#define PF_PLUGIN_GCC_COMPAT_H

#include "gcc-plugin.h"
#include "plugin-version.h"

#include "backend.h"
#include "builtins.h"
#include "tree.h"
#include "gimple.h"
#include "tree-pass.h"
#include "ssa.h"
#include "cgraph.h"
#include "coverage.h"
#include "diagnostic-core.h"
#include "diagnostic.h"
#include "profile.h"
#include "cfganal.h"
#include "cfghooks.h"
#include "cfgloop.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "tree-cfgcleanup.h"
#include "tree-into-ssa.h"
#include "value-query.h"
#include "tree-ssa.h"
#include "gimple-iterator.h"
#include "tree-iterator.h"
#include "gimple-expr.h"
#include "gimplify.h"
#include "value-prof.h"
#include "alloc-pool.h"
#include "symbol-summary.h"
#include "tree-vrp.h"
#include "sreal.h"
#if GCCPLUGIN_VERSION_MAJOR >= 14 /* ipa-prop.h uses what it does not include */
#include "value-range.h"
#include "ipa-cp.h"
#include "ipa-strub.h"
#endif
#include "ipa-prop.h"
#include "ipa-fnsummary.h"
#include "ipa-inline.h"
#include "ipa-utils.h"
#include "tree-inline.h"
#include "trans-mem.h"
#include "tree-ssa-loop.h"
#include "tree-ssa-loop-niter.h"
#include "tree-scalar-evolution.h"
#include "context.h"
#include "pass_manager.h"
#include "langhooks.h"
#include "opts.h"
#include "toplev.h"
#include "file-prefix-map.h"
#include "options.h"
#include "attribs.h"
#include "predict.h"
#include "target.h"
#include "output.h"
#include "rtl.h"
#include "memmodel.h"
#include "tm_p.h"
#include "df.h"
#include "emit-rtl.h"
#include "insn-attr.h"
#include "cfgrtl.h"
#include "cfgcleanup.h"
#include "stringpool.h"

/* GCC 13 moved discriminators from blocks into locations; GCC 16 laid more into them, above the block. */
#if GCCPLUGIN_VERSION_MAJOR >= 16
static inline unsigned pf_gcc_discriminator(basic_block, location_t where)
{
	return get_discriminator_components_from_loc(where).base;
}
#elif GCCPLUGIN_VERSION_MAJOR >= 13
static inline unsigned pf_gcc_discriminator(basic_block, location_t where)
{
	return get_discriminator_from_loc(where);
}
#else
static inline unsigned pf_gcc_discriminator(basic_block bb, location_t)
{
	return bb->discriminator;
}
#endif

/* A copy of a statement has the discriminator of the original since GCC 13; until then those of its block, or none. */
#define PF_GCC_COPIES_SHARE_DISCRIMINATOR (GCCPLUGIN_VERSION_MAJOR >= 13)

/* Whether complete unrolling may grow code; since GCC 13 x86 does not count unrolling that nobody asked for. */
static inline bool pf_gcc_grows_unrolled()
{
#if GCCPLUGIN_VERSION_MAJOR >= 13
	bool unrolls = global_options.x_flag_unroll_loops && global_options_set.x_flag_unroll_loops;
#else
	bool unrolls = global_options.x_flag_unroll_loops;
#endif

	return unrolls || global_options.x_flag_peel_loops || global_options.x_optimize >= 3;
}

/* What -fprofile-use sets besides, since GCC 15 and 16; IMPLY(NAME, VALUE) sets an option. */
#if GCCPLUGIN_VERSION_MAJOR >= 15
#define PF_GCC_IMPLY_NEWER(IMPLY) IMPLY(flag_optimize_crc, 1)
#else
#define PF_GCC_IMPLY_NEWER(IMPLY) (void)0
#endif
#if GCCPLUGIN_VERSION_MAJOR >= 16
#define PF_GCC_IMPLY_NO_SPECULATION(IMPLY) IMPLY(flag_speculatively_call_stored_functions, 0)
#else
#define PF_GCC_IMPLY_NO_SPECULATION(IMPLY) (void)0
#endif

/* What is given of the coverage options that GCC 14 and 15 brought, for which its reader of counts instruments, too. */
static inline const char *pf_gcc_newer_coverage()
{
#ifdef condition_coverage_flag
	if (condition_coverage_flag)
		return "-fcondition-coverage";
#endif
#ifdef path_coverage_flag
	if (path_coverage_flag)
		return "-fpath-coverage";
#endif
	return nullptr;
}

/* Whether CALLEE may be inlined into CALLER as far as the scrubbing of stacks goes, which GCC 14 brought. */
#if GCCPLUGIN_VERSION_MAJOR >= 14
static inline bool pf_gcc_scrubs_alike(cgraph_node *callee, cgraph_node *caller)
{
	return strub_inlinable_to_p(callee, caller);
}
#else
static inline bool pf_gcc_scrubs_alike(cgraph_node *, cgraph_node *)
{
	return true;
}
#endif

/* GCC 14 renamed last_stmt. */
#if GCCPLUGIN_VERSION_MAJOR >= 14
static inline gimple *pf_gcc_last_stmt(basic_block bb)
{
	return *gsi_last_nondebug_bb(bb);
}
#else
static inline gimple *pf_gcc_last_stmt(basic_block bb)
{
	return last_stmt(bb);
}
#endif

/* Whether -Werror holds; GCC 14 hid the field. */
#if GCCPLUGIN_VERSION_MAJOR >= 14
static inline bool pf_gcc_errors_are_requested()
{
	return global_dc->warning_as_error_requested_p();
}

static inline void pf_gcc_request_errors(bool requested)
{
	global_dc->set_warning_as_error_requested(requested);
}
#else
static inline bool pf_gcc_errors_are_requested()
{
	return global_dc->warning_as_error_requested;
}

static inline void pf_gcc_request_errors(bool requested)
{
	global_dc->warning_as_error_requested = requested;
}
#endif

#endif
