/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tool for Valgrind: a processor whose time stamp counter counts an event, so that programs that count cycles record
 * it in their place, exactly and under any load.
 *
 *	valgrind --tool=counters --event=NAME --counters-out=FILE --vex-guest-chase=no \
 *		--vex-iropt-unroll-thresh=0 PROGRAM
 *
 * NAME is instructions, fetch-misses, read-misses, write-misses, mispredictions (of conditional jumps), or all, when
 * the counter stands still.  FILE gets a line NAME COUNT of the whole run for each event that was counted; %p in it is
 * the process.  The caches for code and data have 32 KB each in 8 ways of 64 bytes, least recently used goes; a jump is
 * predicted by one of 16,384 counters of two bits, by its address and the last 14 jumps. */
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

#define LINE_BITS 6
#define WAYS 8
#define SETS 64
#define JUMPS 16384

enum event { INSTRUCTIONS, FETCH_MISSES, READ_MISSES, WRITE_MISSES, MISPREDICTIONS, EVENTS };

static const HChar *const names[EVENTS] = { "instructions", "fetch-misses", "read-misses", "write-misses",
					    "mispredictions" };

/* The lines of each set, the last used one first. */
struct cache {
	UWord lines[SETS][WAYS];
	UWord last; /* line, which is the first of its set */
};

static const HChar *out_name = "counters.out.%p", *event_name = "all";
static Int asked = EVENTS;
static ULong counts[EVENTS];
static struct cache code, data;
static UChar taken[JUMPS]; /* 0 and 1: it will not be, 2 and 3: it will be */
static UWord history;

static Bool is_counted(enum event event)
{
	return asked == EVENTS || asked == (Int)event;
}

/* Whether the line is not in the cache; then it is. */
static Bool misses(struct cache *c, UWord line)
{
	UWord *set = c->lines[line % SETS], next = line;
	Int way = 0;

	if (line == c->last)
		return False;
	c->last = line;
	for (; way < WAYS; way++) {
		UWord here = set[way];

		set[way] = next;
		if (here == line)
			return False;
		next = here;
	}
	return True;
}

static Bool any_misses(struct cache *c, UWord address, UWord size)
{
	UWord first = address >> LINE_BITS, last = (address + size - 1) >> LINE_BITS;
	Bool missed = misses(c, first);

	return first == last ? missed : misses(c, last) || missed;
}

static VG_REGPARM(2) void execute(UWord address, UWord size)
{
	counts[INSTRUCTIONS]++;
	if (is_counted(FETCH_MISSES))
		counts[FETCH_MISSES] += any_misses(&code, address, size);
}

static VG_REGPARM(2) void load(UWord address, UWord size)
{
	counts[READ_MISSES] += any_misses(&data, address, size);
}

static VG_REGPARM(2) void store(UWord address, UWord size)
{
	counts[WRITE_MISSES] += any_misses(&data, address, size);
}

static VG_REGPARM(2) void jump(UWord address, UWord is_taken)
{
	UChar *state = &taken[(address ^ history) % JUMPS];

	counts[MISPREDICTIONS] += (*state >= 2) != is_taken;
	*state = is_taken ? (*state < 3 ? *state + 1 : 3) : (*state > 0 ? *state - 1 : 0);
	history = history << 1 | is_taken;
}

static ULong read_counter(void)
{
	return asked == EVENTS ? 0 : counts[asked];
}

static void call(IRSB *sb, const HChar *name, void *function, IRExpr *a, IRExpr *b, IRExpr *guard)
{
	IRDirty *d = unsafeIRDirty_0_N(2, name, VG_(fnptr_to_fnentry)(function), mkIRExprVec_2(a, b));

	if (guard)
		d->guard = guard;
	addStmtToIRSB(sb, IRStmt_Dirty(d));
}

static IRExpr *word(UWord value)
{
	return IRExpr_Const(IRConst_U64(value));
}

static void access(IRSB *sb, Bool writes, IRExpr *address, Int size, IRExpr *guard)
{
	if (!is_counted(READ_MISSES) && !is_counted(WRITE_MISSES))
		return;
	if (writes)
		call(sb, "store", store, address, word(size), guard);
	else
		call(sb, "load", load, address, word(size), guard);
}

static Int size_of(const IRSB *sb, IRExpr *e)
{
	return sizeofIRType(typeOfIRExpr(sb->tyenv, e));
}

static void conditional(IRSB *sb, Addr from, IRExpr *guard)
{
	IRTemp wide = newIRTemp(sb->tyenv, Ity_I64);

	if (!is_counted(MISPREDICTIONS))
		return;
	addStmtToIRSB(sb, IRStmt_WrTmp(wide, IRExpr_Unop(Iop_1Uto64, guard)));
	call(sb, "jump", jump, word(from), IRExpr_RdTmp(wide), NULL);
}

/* What a call of Valgrind's own does to memory; the time stamp counter becomes ours. */
static void dirty(IRSB *sb, IRStmt *s)
{
	IRDirty *d = s->Ist.Dirty.details;

	if (VG_(strcmp)(d->cee->name, "amd64g_dirtyhelper_RDTSC") == 0) {
		s = IRStmt_Dirty(unsafeIRDirty_1_N(d->tmp, 0, "read_counter", VG_(fnptr_to_fnentry)(read_counter),
						   mkIRExprVec_0()));
	} else if (d->mFx != Ifx_None) {
		if (d->mFx != Ifx_Write)
			access(sb, False, d->mAddr, d->mSize, d->guard);
		if (d->mFx != Ifx_Read)
			access(sb, True, d->mAddr, d->mSize, d->guard);
	}
	addStmtToIRSB(sb, s);
}

/* Puts in front of S what it does. */
static void put(IRSB *sb, IRStmt *s, Addr *at)
{
	switch (s->tag) {
	case Ist_IMark:
		*at = s->Ist.IMark.addr;
		if (is_counted(INSTRUCTIONS) || is_counted(FETCH_MISSES))
			call(sb, "execute", execute, word(*at), word(s->Ist.IMark.len), NULL);
		break;
	case Ist_WrTmp:
		if (s->Ist.WrTmp.data->tag == Iex_Load)
			access(sb, False, s->Ist.WrTmp.data->Iex.Load.addr,
			       sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty), NULL);
		break;
	case Ist_Store:
		access(sb, True, s->Ist.Store.addr, size_of(sb, s->Ist.Store.data), NULL);
		break;
	case Ist_StoreG:
		access(sb, True, s->Ist.StoreG.details->addr, size_of(sb, s->Ist.StoreG.details->data),
		       s->Ist.StoreG.details->guard);
		break;
	case Ist_LoadG: {
		IRType result, loaded;

		typeOfIRLoadGOp(s->Ist.LoadG.details->cvt, &result, &loaded);
		access(sb, False, s->Ist.LoadG.details->addr, sizeofIRType(loaded), s->Ist.LoadG.details->guard);
		break;
	}
	case Ist_CAS:
		access(sb, False, s->Ist.CAS.details->addr, size_of(sb, s->Ist.CAS.details->dataLo), NULL);
		break;
	case Ist_Exit:
		/* Repeated instructions and Valgrind's own needs have other kinds, or go on in themselves. */
		if (s->Ist.Exit.jk == Ijk_Boring && s->Ist.Exit.dst->Ico.U64 != *at)
			conditional(sb, *at, s->Ist.Exit.guard);
		break;
	case Ist_Dirty:
		dirty(sb, s);
		return;
	default:
		break;
	}
	addStmtToIRSB(sb, s);
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word, IRType host_word)
{
	IRSB *sb = deepCopyIRSBExceptStmts(in);
	Addr at = 0;

	for (Int i = 0; i < in->stmts_used; i++)
		put(sb, in->stmts[i], &at);
	return sb;
}

static Bool option(const HChar *text)
{
	return VG_STR_CLO(text, "--counters-out", out_name) || VG_STR_CLO(text, "--event", event_name);
}

static void usage(void)
{
	VG_(printf)
	("    --counters-out=FILE  where the counts go\n    --event=NAME         what the time stamp counter "
	 "counts\n");
}

static void debug_usage(void)
{
}

static void start(void)
{
	for (asked = 0; asked < EVENTS && VG_(strcmp)(event_name, names[asked]) != 0;)
		asked++;
	if (asked == EVENTS && VG_(strcmp)(event_name, "all") != 0)
		VG_(fmsg_bad_option)(event_name, "is no event\n");
}

static void finish(Int status)
{
	const HChar *name = VG_(expand_file_name)("--counters-out", out_name);
	VgFile *out = VG_(fopen)(name, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0666);

	if (!out)
		VG_(fmsg_bad_option)(name, "cannot be opened for writing\n");
	for (Int event = 0; event < EVENTS; event++) {
		if (is_counted(event))
			VG_(fprintf)(out, "%s %llu\n", names[event], counts[event]);
	}
	VG_(fclose)(out);
}

static void prepare(void)
{
	VG_(details_name)("counters");
	VG_(details_description)("a time stamp counter that counts events");
	VG_(details_copyright_author)("the authors of pathfdo");
	VG_(details_bug_reports_to)("the authors of pathfdo");
	VG_(basic_tool_funcs)(start, instrument, finish);
	VG_(needs_command_line_options)(option, usage, debug_usage);
}

VG_DETERMINE_INTERFACE_VERSION(prepare)
