/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tool for Valgrind: every block that a program executes, in order, as a stream for exact-paths.  It is independent
 *of the recorder and of its decoder, and so the truth for both.
 *
 *	valgrind --tool=blocks --blocks-out=FILE --object=NAME --vex-guest-chase=no --vex-iropt-unroll-thresh=0 PROGRAM
 *
 * The stream is 32-bit words: a block's number for each execution; with the top bit set, the number of a new block,
 * followed by three words of 64 bits: its address, that of its last instruction, and the length of that with, from bit
 * 8 on, how it is left (1 a call, 2 a return) and, from bit 16 on, whether it is in the object NAME; addresses are then
 * those of its file.  Valgrind runs one thread at a time; programs of several threads are not told apart. */
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

#define WORDS 65536

static const HChar *out_name = "blocks.out", *object = "";
static UInt buffer[WORDS];
static UInt filled, next_number;
static Int out = -1;

static void flush(void)
{
	const HChar *at = (const HChar *)buffer;
	Int left = (Int)(filled * sizeof(UInt));

	while (left > 0) {
		Int written = VG_(write)(out, at, left);

		tl_assert(written > 0);
		at += written;
		left -= written;
	}
	filled = 0;
}

static VG_REGPARM(1) void note(UWord number)
{
	if (filled == WORDS)
		flush();
	buffer[filled++] = (UInt)number;
}

static void define(UInt number, const ULong *words)
{
	if (filled + 7 > WORDS)
		flush();
	buffer[filled++] = number | 0x80000000u;
	VG_(memcpy)(&buffer[filled], words, 3 * sizeof *words);
	filled += 6;
}

/* How far the object that holds ADDRESS is from where its file says; False if it is not the one asked for. */
static Bool find_bias(Addr address, PtrdiffT *bias)
{
	DebugInfo *info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
	const HChar *name = info ? VG_(DebugInfo_get_filename)(info) : NULL;
	const HChar *base = name ? VG_(strrchr)(name, '/') : NULL;

	if (!name || VG_(strcmp)(base ? base + 1 : name, object) != 0)
		return False;
	*bias = VG_(DebugInfo_get_text_bias)(info);
	return True;
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *arch, IRType word, IRType host_word)
{
	IRSB *sb = deepCopyIRSBExceptStmts(in);
	Addr first = 0, last = 0;
	UInt length = 0, number = next_number++;
	PtrdiffT bias = 0;
	ULong words[3];

	for (Int i = 0; i < in->stmts_used; i++) {
		const IRStmt *s = in->stmts[i];

		if (s->tag != Ist_IMark)
			continue;
		first = first ? first : s->Ist.IMark.addr;
		last = s->Ist.IMark.addr;
		length = s->Ist.IMark.len;
	}
	words[2] = length | (in->jumpkind == Ijk_Call ? 1u << 8 : in->jumpkind == Ijk_Ret ? 2u << 8 : 0);
	words[2] |= find_bias(first, &bias) ? 1u << 16 : 0;
	words[0] = first - (Addr)bias;
	words[1] = last - (Addr)bias;
	define(number, words);
	addStmtToIRSB(sb, IRStmt_Dirty(unsafeIRDirty_0_N(1, "note", VG_(fnptr_to_fnentry)(&note),
							 mkIRExprVec_1(IRExpr_Const(IRConst_U64(number))))));
	for (Int i = 0; i < in->stmts_used; i++)
		addStmtToIRSB(sb, in->stmts[i]);
	return sb;
}

static Bool option(const HChar *text)
{
	return VG_STR_CLO(text, "--blocks-out", out_name) || VG_STR_CLO(text, "--object", object);
}

static void usage(void)
{
	VG_(printf)
	("    --blocks-out=FILE    where the stream goes\n    --object=NAME        the file whose code it is "
	 "about\n");
}

static void debug_usage(void)
{
}

static void start(void)
{
	out = VG_(fd_open)(out_name, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0666);
	if (out < 0)
		VG_(fmsg_bad_option)(out_name, "cannot be opened for writing\n");
}

static void finish(Int status)
{
	flush();
}

static void prepare(void)
{
	VG_(details_name)("blocks");
	VG_(details_description)("every block in order");
	VG_(details_copyright_author)("the authors of pathfdo");
	VG_(details_bug_reports_to)("the authors of pathfdo");
	VG_(basic_tool_funcs)(start, instrument, finish);
	VG_(needs_command_line_options)(option, usage, debug_usage);
}

VG_DETERMINE_INTERFACE_VERSION(prepare)
