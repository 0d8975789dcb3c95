/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of a switch's index, in runs that go the same way, and how often each run came. */
#ifndef PF_PLUGIN_PIECES_H
#define PF_PLUGIN_PIECES_H

#include <stdint.h>

/* Values are numbers here that have the order of the index's type.  LOW to HIGH, both of them in, lead to WAY. */
struct pf_case {
	uint64_t low, high;
	uint32_t way;
};

struct pf_piece {
	uint64_t low, high;
	uint32_t way;
	double weight;
};

/* Where the values of an index end, and where else they are cut. */
struct pf_index {
	uint64_t low, high, zero;
};

/* Cuts the values of INDEX into pieces: the cases, which do not overlap and get sorted, as far as they are in it, and
 * what is between them, which leads to way 0; none has values on both sides of ZERO - 1 and ZERO.  PIECES has room for
 * 2 * COUNT + 2.  Returns how many there are. */
uint32_t pf_pieces_cut(const struct pf_index *index, struct pf_case *cases, uint32_t count, struct pf_piece *pieces);

/* How often a way went, and how many values lead there. */
struct pf_way {
	double weight, values;
};

/* Divides the weights of WAYS, by their numbers, among the pieces that lead there, by how many values these have; finds
 * the ways' values, which are 0 before. */
void pf_pieces_weigh(struct pf_piece *pieces, uint32_t count, struct pf_way *ways);

/* Gives OUTSIDE of way 0's weight, from 0 to 1, to those of its pieces that are in front of all others' or behind them,
 * and the rest to those between; nothing where it has no piece of one kind. */
void pf_pieces_divide(struct pf_piece *pieces, uint32_t count, double outside);

#endif
