/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tool for Valgrind: how many instructions of each file a program executes, as callgrind counts them, in a tenth of
 * its time.
 *
 *	valgrind --tool=objects --objects-out=FILE --vex-guest-chase=no PROGRAM
 *
 * FILE gets a line COUNT PATH for each file whose code ran, PATH being ??? where there is none; %p in it is the
 * process.  The hard case is a block that is left in its middle: what ran of it is counted in front of each way out. */
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

#define MOST_OBJECTS 1000

struct object {
	HChar name[500];
	ULong count;
};

static const HChar *out_name = "objects.out.%p";
static struct object objects[MOST_OBJECTS];
static UInt object_count;

/* The object that holds ADDRESS; the last one is all for which there is no room. */
static struct object *object_at(Addr address)
{
	DebugInfo *info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
	const HChar *name = info ? VG_(DebugInfo_get_filename)(info) : NULL;
	UInt i = 0;

	if (!name)
		name = "???";
	while (i < object_count && VG_(strcmp)(objects[i].name, name) != 0)
		i++;
	if (i == object_count && object_count < MOST_OBJECTS - 1) {
		VG_(strncpy)(objects[i].name, name, sizeof objects[i].name - 1);
		object_count++;
	}
	return &objects[i];
}

/* Adds PENDING to the count of O. */
static void add(IRSB *sb, struct object *o, UInt pending)
{
	IRTemp before = newIRTemp(sb->tyenv, Ity_I64), after = newIRTemp(sb->tyenv, Ity_I64);
	IRExpr *place = IRExpr_Const(IRConst_U64((Addr)&o->count));

	if (pending == 0)
		return;
	addStmtToIRSB(sb, IRStmt_WrTmp(before, IRExpr_Load(Iend_LE, Ity_I64, place)));
	addStmtToIRSB(
	    sb, IRStmt_WrTmp(after, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(before), IRExpr_Const(IRConst_U64(pending)))));
	addStmtToIRSB(sb, IRStmt_Store(Iend_LE, place, IRExpr_RdTmp(after)));
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *arch, IRType word, IRType host_word)
{
	IRSB *sb = deepCopyIRSBExceptStmts(in);
	struct object *o = NULL;
	UInt pending = 0;

	for (Int i = 0; i < in->stmts_used; i++) {
		IRStmt *s = in->stmts[i];

		if (s->tag == Ist_IMark) {
			o = o ? o : object_at(s->Ist.IMark.addr);
			pending++;
		} else if (s->tag == Ist_Exit) {
			add(sb, o, pending);
			pending = 0;
		}
		addStmtToIRSB(sb, s);
	}
	add(sb, o, pending);
	return sb;
}

static Bool option(const HChar *text)
{
	return VG_STR_CLO(text, "--objects-out", out_name);
}

static void usage(void)
{
	VG_(printf)("    --objects-out=FILE   where the counts go\n");
}

static void debug_usage(void)
{
}

static void start(void)
{
}

static void finish(Int status)
{
	const HChar *name = VG_(expand_file_name)("--objects-out", out_name);
	VgFile *out = VG_(fopen)(name, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0666);

	if (!out)
		VG_(fmsg_bad_option)(name, "cannot be opened for writing\n");
	for (UInt i = 0; i < MOST_OBJECTS; i++) {
		if (objects[i].count)
			VG_(fprintf)(out, "%llu %s\n", objects[i].count, objects[i].name[0] ? objects[i].name : "???");
	}
	VG_(fclose)(out);
}

static void prepare(void)
{
	VG_(details_name)("objects");
	VG_(details_description)("instructions by file");
	VG_(details_copyright_author)("the authors of pathfdo");
	VG_(details_bug_reports_to)("the authors of pathfdo");
	VG_(basic_tool_funcs)(start, instrument, finish);
	VG_(needs_command_line_options)(option, usage, debug_usage);
}

VG_DETERMINE_INTERFACE_VERSION(prepare)
