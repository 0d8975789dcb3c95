/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See mapping.h.  Hard case: overlapping mappings of one process (dlclose, then another library at the address),
 * told apart by time; `reach` bounds how far back a look-up must go. */
#include "converter/mapping.h"
#include "support/error.h"

bool pf_mapping_is_file(const char *path)
{
	static const char *const others[] = {
		"//", "[", "/memfd:", "/SYSV", "/dev/zero", "/anon_hugepage", "anon_inode"
	};

	if (!path || path[0] != '/')
		return false;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (strncmp(path, others[i], strlen(others[i])) == 0)
			return false;
	}
	return true;
}

void pf_mappings_fini(struct pf_mappings *m)
{
	pf_array_fini(&m->maps);
	pf_array_fini(&m->forks);
}

int pf_mappings_add(struct pf_mappings *m, const struct pf_mapping *map)
{
	struct pf_mapping *new = pf_array_push(&m->maps);

	if (!new)
		return PF_ENOMEM;
	*new = *map;
	return PF_OK;
}

int pf_mappings_fork(struct pf_mappings *m, uint32_t pid, uint32_t parent)
{
	struct pf_descent *new = pid == parent ? NULL : pf_array_push(&m->forks);

	if (new)
		*new = (struct pf_descent) { .pid = pid, .parent = parent };
	return new || pid == parent ? PF_OK : PF_ENOMEM;
}

static int compare_maps(const void *a, const void *b)
{
	const struct pf_mapping *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static int compare_forks(const void *a, const void *b)
{
	const struct pf_descent *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->parent < y->parent ? -1 : x->parent > y->parent;
}

void pf_mappings_finish(struct pf_mappings *m)
{
	pf_array_sort(&m->maps, compare_maps);
	pf_array_sort(&m->forks, compare_forks);
	for (size_t i = 0; i < m->maps.count; i++) {
		struct pf_mapping *map = &m->maps.at[i];
		const struct pf_mapping *before = i > 0 && map[-1].pid == map->pid ? &map[-1] : NULL;

		map->reach = before && before->reach > map->end ? before->reach : map->end;
	}
}

static bool better(const struct pf_mapping *new, const struct pf_mapping *best, uint64_t time)
{
	if (!best)
		return true;
	if ((new->time <= time) != (best->time <= time))
		return new->time <= time;
	return new->time <= time ? new->time > best->time : new->time < best->time;
}

/* Index behind the last mapping of PID that starts at or before ADDRESS. */
static size_t behind(const struct pf_mappings *m, uint32_t pid, uint64_t address)
{
	size_t low = 0, high = m->maps.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pf_mapping *map = &m->maps.at[middle];

		if (map->pid < pid || (map->pid == pid && map->start <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct pf_mapping *find_own(const struct pf_mappings *m, uint32_t pid, uint64_t address, uint64_t time)
{
	const struct pf_mapping *best = NULL;

	for (size_t i = behind(m, pid, address); i > 0; i--) {
		const struct pf_mapping *map = &m->maps.at[i - 1];

		if (map->pid != pid || map->reach <= address)
			break;
		if (address < map->end && better(map, best, time))
			best = map;
	}
	return best;
}

static const struct pf_descent *parent_of(const struct pf_mappings *m, uint32_t pid)
{
	struct pf_descent key = { .pid = pid };
	size_t low = 0, high = m->forks.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_forks(&m->forks.at[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->forks.count && m->forks.at[low].pid == pid ? &m->forks.at[low] : NULL;
}

const struct pf_mapping *pf_mappings_find(const struct pf_mappings *m, uint32_t pid, uint64_t address, uint64_t time)
{
	/* A hostile file can make processes each other's parents. */
	for (int generation = 0; generation < 16; generation++) {
		const struct pf_mapping *found = find_own(m, pid, address, time);
		const struct pf_descent *parent = found ? NULL : parent_of(m, pid);

		if (found || !parent)
			return found;
		pid = parent->parent;
	}
	return NULL;
}
