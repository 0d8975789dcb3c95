/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See path-vectors.h.  The edges of a recording are looked up in the binary once each; a vector is then a list of what
 * is known already.  The hard case is an edge that was only counted, whose neighbours nobody knows: it is no path. */
#include "analysis/path-vectors.h"

void pf_path_vectors_init(struct pf_path_vectors *v, struct pf_path_profile *profile, uint32_t length, uint32_t every)
{
	*v = (struct pf_path_vectors) { .profile = profile, .length = length, .every = every, .at = UINT32_MAX };
}

void pf_path_vectors_fini(struct pf_path_vectors *v)
{
	pf_array_fini(&v->moves);
}

/* Whether module INDEX of T is the subject. */
static bool is_subject(struct pf_path_vectors *v, const struct pf_traffic *t, uint32_t index)
{
	return index != PF_NO_MODULE && pf_subject_is(v->profile->walk.subject, &t->modules.at[index]);
}

static int resolve(struct pf_path_vectors *v, const struct pf_traffic *t, uint32_t index)
{
	const struct pf_elf *elf = &v->profile->walk.subject->module.binary.elf;
	const struct pf_traffic_edge *e = &t->edges.at[index];
	bool inside[2] = { is_subject(v, t, e->from_module), is_subject(v, t, e->to_module) };
	uint64_t addresses[3] = { 0 };

	while (v->moves.count <= index) {
		if (!pf_array_push(&v->moves))
			return PF_ENOMEM;
	}
	if (v->moves.at[index].resolved)
		return PF_OK;
	inside[0] =
	    inside[0] && pf_elf_address(elf, e->start, &addresses[0]) && pf_elf_address(elf, e->from, &addresses[1]);
	inside[1] = inside[1] && pf_elf_address(elf, e->to, &addresses[2]);
	v->moves.at[index].resolved = true;
	return pf_walk_resolve(&v->profile->walk, addresses, inside, e->kind, &v->moves.at[index].move);
}

static int take(void *context, const struct pf_tap_piece *piece)
{
	struct pf_path_vectors *v = context;
	uint64_t weight = 0;
	int status = PF_OK;

	if (piece->at == PF_TAP_NOWHERE)
		return PF_OK;
	v->vectors += piece->at <= v->at;
	v->used += piece->at <= v->at && (v->vectors - 1) % v->every == 0;
	v->at = piece->at;
	if ((v->vectors - 1) % v->every != 0)
		return PF_OK;
	for (uint32_t i = 0; i < piece->count && status == PF_OK; i++) {
		if (v->length > 0 && piece->at + i >= v->length)
			break;
		weight = piece->weights[i];
		status = resolve(v, piece->traffic, piece->edges[i]);
		if (status == PF_OK)
			status = pf_walk_move(&v->profile->walk, &v->moves.at[piece->edges[i]].move, weight);
	}
	return status == PF_OK ? pf_walk_end(&v->profile->walk, weight) : status;
}

struct pf_listener pf_path_vectors_listener(struct pf_path_vectors *v)
{
	return (struct pf_listener) { .take = take, .context = v };
}
