/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of statements.  GCC tells by itself what it would like to know of a function (gimple_find_values_to_profile,
 * what an instrumented build counts); whatever the profile knows of that becomes one of GCC's histograms, as gcov's
 * reader makes them, and GCC's transformations do the rest: a compare with the common divisor in front of a division, a
 * copy of the common size in front of a memcpy, and the alignments and mean sizes by which memcpy and memset are
 * expanded.
 *
 * The hard case is how much to believe.  A sample shows a statement's values some hundred times in a few bursts, and
 * what is seen within one burst is no news to the rest of it: only the bursts are independent looks.  GCC asks of a
 * value that it is at least every second one.  What has to be beyond doubt is another thing: that its share p is more
 * than the share w from which on specialising pays.  That is believed when p is d standard deviations of as many
 * independent looks above it: p - w >= d sqrt(1/4 / looks).  A compare and a jump in front of a division are up to a
 * quarter of it, and what they save is time that depends on the processor, so for divisors w is GCC's half and d is
 * two: four looks do where nothing else was ever seen, twelve for a share of .8, a hundred for .6.  In front of a copy
 * they save at least eight instructions (below) for two, so w is a quarter; and to be wrong by less than that costs
 * little, so d is one: four looks do for every second one.  Two there are at the least, as what one look has seen alone
 * may be all alike without being common.  What only tunes the expansion needs four looks.
 *
 * The code for the common value is made when the inliner has decided: it is some six of the inliner's instructions, and
 * a small function that copies would no longer be taken into its callers for a call that it saves.  Until then the
 * histograms stay with their statements, of which each inlined copy gets its own.  With -flto there may be no plugin
 * when functions are inlined, and GCC specialises at once. */
#include "plugin/specialise.h"
#include "plugin/passes.h"
#include "plugin/place.h"

namespace pathfdo
{

namespace
{

const uint64_t fewest_looks = 4;
const int64_t greatest_alignment = 64;
const uint64_t longest_in_place = 8; /* bytes */

/* From which share on it pays to specialise, and how many standard deviations above that one has to be. */
struct stake {
	double share, deviations;
};

const stake of_size = { .25, 1 }, of_operand = { .5, 2 };

/* Is PART of ALL, in so many LOOKS, common enough for GCC and for STAKE? */
bool is_common(uint64_t part, uint64_t all, uint64_t looks, const stake &least)
{
	double share = all ? (double)part / (double)all : 0, lead = 2 * (share - least.share) / least.deviations;

	return looks >= 2 && share >= .5 && lead > 0 && lead * lead * (double)looks >= 1;
}

bool is_common_size(const pf_value_view &view)
{
	return view.count && is_common(view.values[0].count, view.total, view.looks, of_size);
}

/* How much of COUNT what was seen PART of ALL times is.  Never all of it: a block that gets no count is moved out of
 * the way, and what no look has shown may still be there at the next (by the rule of succession, one time in looks +
 * 2). */
gcov_type share_of(gcov_type count, uint64_t part, uint64_t all, uint64_t looks)
{
	double share = (double)part / (double)all, most = 1 - 1 / ((double)looks + 2);

	return (gcov_type)((double)count * MIN(share, most));
}

uint64_t seen(const pf_value_view &view, int64_t value)
{
	for (uint32_t i = 0; i < view.count; i++) {
		if (view.values[i].value == value)
			return view.values[i].count;
	}
	return 0;
}

/* The counters of a histogram, of which there are COUNT. */
gcov_type *counters_of(histogram_value histogram, unsigned count)
{
	histogram->n_counters = count;
	histogram->hvalue.counters = XCNEWVEC(gcov_type, count);
	return histogram->hvalue.counters;
}

/* Nobody divides by zero, whatever a profile says. */
bool is_common_divisor(const gimple *stmt, const pf_value_view &view)
{
	int64_t value = view.count ? view.values[0].value : 0;

	return value && is_common(view.values[0].count, view.total, view.looks, of_operand) &&
	       int_fits_type_p(build_int_cst(long_long_integer_type_node, value), TREE_TYPE(gimple_assign_rhs2(stmt)));
}

/* The commonest value. */
bool fill_common(histogram_value histogram, const pf_record *record, gcov_type executions)
{
	bool divides = is_gimple_assign(histogram->hvalue.stmt);
	pf_value_view view = pf_values_of(record, divides ? PF_VALUE_DIVISOR : PF_VALUE_SIZE);

	if (divides ? !is_common_divisor(histogram->hvalue.stmt, view) : !is_common_size(view))
		return false;
	gcov_type *counters = counters_of(histogram, 4);
	counters[0] = executions;
	counters[1] = 1;
	counters[2] = view.values[0].value;
	counters[3] = share_of(executions, view.values[0].count, view.total, view.looks);
	return true;
}

/* Not a power of two, a power of two. */
bool fill_power(histogram_value histogram, const pf_record *record, gcov_type executions)
{
	pf_value_view view = pf_values_of(record, PF_VALUE_POWER);
	uint64_t powers = seen(view, 1);

	if (!is_common(powers, view.total, view.looks, of_operand))
		return false;
	gcov_type *counters = counters_of(histogram, 2);
	counters[1] = share_of(executions, powers, view.total, view.looks);
	counters[0] = executions - counters[1];
	return true;
}

/* Quotients 0 and 1, above, below. */
bool fill_quotient(histogram_value histogram, const pf_record *record, gcov_type executions)
{
	pf_value_view view = pf_values_of(record, PF_VALUE_QUOTIENT);
	uint64_t none = seen(view, 0), one = seen(view, 1);

	if (!is_common(none + one, view.total, view.looks, of_operand))
		return false;
	gcov_type *counters = counters_of(histogram, histogram->hdata.intvl.steps + 2);
	gcov_type both = share_of(executions, none + one, view.total, view.looks);
	counters[0] = (gcov_type)((double)both * ((double)none / (double)(none + one)));
	counters[1] = both - counters[0];
	counters[2] = executions - both;
	return true;
}

/* All addresses, one or the other: the least alignment of all is the lowest bit of it. */
bool fill_alignment(histogram_value histogram, const pf_record *record)
{
	pf_value_view view = pf_values_of(record, PF_VALUE_ALIGN);
	int64_t bits = 0;

	if (view.looks < fewest_looks || view.other)
		return false;
	for (uint32_t i = 0; i < view.count; i++)
		bits |= view.values[i].value;
	bits &= greatest_alignment | (greatest_alignment - 1);
	if (bits)
		counters_of(histogram, 1)[0] = bits;
	return bits != 0;
}

/* The mean size, to the nearest: GCC divides the sum by the number so, and takes another expansion from 4 bytes on.
 * The commonest size, if that is believed, has a copy of its own in front, and the mean is that of the others.  In
 * place of the call GCC then makes a loop that copies words, with a test and a copy for each of 4, 2 and 1 bytes behind
 * it: some eight instructions without a turn of it, and five for each turn, where a call of the C library takes some
 * twelve for up to 32 bytes.  What is longer than a word is left to the library. */
bool fill_mean(histogram_value histogram, const pf_record *record)
{
	pf_value_view view = pf_values_of(record, PF_VALUE_SIZE);
	uint64_t sum = view.sum, number = view.total;

	if (view.looks < fewest_looks)
		return false;
	if (is_common_size(view)) {
		sum -= MIN(sum, (uint64_t)view.values[0].value * view.values[0].count);
		number -= view.values[0].count;
	}
	if (!number)
		return false;
	uint64_t mean = sum / number + (sum % number >= number - number / 2);
	if (mean > longest_in_place)
		return false;
	gcov_type *counters = counters_of(histogram, 2);
	counters[0] = (gcov_type)mean;
	counters[1] = 1;
	return true;
}

bool fill(histogram_value histogram, const pf_record *record)
{
	gcov_type executions = gimple_bb(histogram->hvalue.stmt)->count.ipa().to_gcov_type();

	switch (histogram->type) {
	case HIST_TYPE_TOPN_VALUES:
		return executions > 0 && fill_common(histogram, record, executions);
	case HIST_TYPE_POW2:
		return executions > 0 && fill_power(histogram, record, executions);
	case HIST_TYPE_INTERVAL:
		return executions > 0 && histogram->hdata.intvl.steps == 2 && histogram->hdata.intvl.int_start == 0 &&
		       fill_quotient(histogram, record, executions);
	case HIST_TYPE_AVERAGE:
		return fill_mean(histogram, record);
	case HIST_TYPE_IOR:
		return fill_alignment(histogram, record);
	default:
		return false;
	}
}

/* The record of the very position of STMT; of a line as a whole nothing is believed, as it may have several calls. */
const pf_record *record_of(placer *places, const pf_function *record, const gimple *stmt)
{
	location_t where = stmt ? gimple_location(stmt) : UNKNOWN_LOCATION;
	pf_place place;

	if (!stmt || !places->place(where, pf_gcc_discriminator(gimple_bb(stmt), where), &place))
		return NULL;
	pf_match match = pf_match_record(record, &place);
	return match.kind <= PF_MATCH_COLUMN ? match.record : NULL;
}

/* Has HISTOGRAM speak of this very copy of its statement, which runs COUNT times.  False if that is not known, or
 * never.  The counters of values are how often, how many values, the value, and its own count; others are all
 * counts. */
bool settle(histogram_value histogram, profile_count count)
{
	gcov_type *counters = histogram->hvalue.counters, all = 0;
	bool is_of_values = histogram->type == HIST_TYPE_TOPN_VALUES;
	gcov_type executions = count.ipa().initialized_p() ? count.ipa().to_gcov_type() : 0;

	if (!is_of_values && histogram->type != HIST_TYPE_POW2 && histogram->type != HIST_TYPE_INTERVAL)
		return true;
	for (unsigned i = 0; i < (is_of_values ? 1 : histogram->n_counters); i++)
		all += counters[i];
	if (executions <= 0 || all <= 0)
		return false;
	for (unsigned i = 0; i < histogram->n_counters; i += is_of_values ? 3 : 1)
		counters[i] = (gcov_type)((double)counters[i] * ((double)executions / (double)all));
	return true;
}

/* A histogram that came along with a copy of its statement still names what the original divides by, and that may be no
 * more; GCC specialises where it is what the statement divides by. */
void name_operand(histogram_value histogram, gimple *stmt)
{
	if ((histogram->type == HIST_TYPE_TOPN_VALUES || histogram->type == HIST_TYPE_POW2) && is_gimple_assign(stmt) &&
	    gimple_num_ops(stmt) == 3)
		histogram->hvalue.value = gimple_assign_rhs2(stmt);
}

void settle_copies(function *f)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, f)
	{
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			gimple *stmt = gsi_stmt(gsi);
			histogram_value next;

			for (histogram_value h = gimple_histogram_value(f, stmt); h; h = next) {
				next = h->hvalue.next;
				name_operand(h, stmt);
				if (!settle(h, bb->count))
					gimple_remove_histogram_value(f, stmt, h);
			}
		}
	}
}

/* Specialising one statement changes the count of the next in rounding; that is no damage. */
bool specialise()
{
	int corrects = flag_profile_correction;

	flag_profile_correction = 1;
	bool changed = gimple_value_profile_transformations();
	flag_profile_correction = corrects;
	return changed;
}

bool has_values(function *f)
{
	return !flag_lto && f->value_histograms;
}

unsigned specialise_function(function *f)
{
	settle_copies(f);
	free_dominance_info(CDI_DOMINATORS);
	free_dominance_info(CDI_POST_DOMINATORS);
	return specialise() ? TODO_cleanup_cfg | TODO_update_ssa : 0;
}

} // namespace

void specialise_setup()
{
	passes_add({ GIMPLE_PASS, "pathfdo_values", TV_TREE_CFG, "post_ipa_warn", 1, PASS_POS_INSERT_AFTER, has_values,
		     specialise_function });
}

unsigned specialise_values(const pf_function *record)
{
	placer places(record);
	histogram_values wanted;
	unsigned filled = 0;

	gimple_find_values_to_profile(&wanted);
	for (histogram_value histogram : wanted) {
		gimple *stmt = histogram->hvalue.stmt;
		const pf_record *known = record_of(&places, record, stmt);

		if (known && fill(histogram, known)) {
			gimple_add_histogram_value(cfun, stmt, histogram);
			filled++;
		} else {
			free(histogram);
		}
	}
	wanted.release();
	if (filled && flag_lto)
		specialise();
	return filled;
}

} // namespace pathfdo
