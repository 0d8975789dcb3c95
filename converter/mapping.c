/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See mapping.h.  Hard case: overlapping mappings of one process (dlclose, then another library at the address), told
 * apart by time, of which there can be many thousands at one address.  A segment tree over all ends of mappings holds
 * them: a look-up goes from a leaf to the root, and searches each node's list by time. */
#include "converter/mapping.h"
#include "support/error.h"
#include "support/search.h"

/* What the kernel and perf call memory that is of no file: whole names, and with a '*' what they begin with. */
static const char *const pseudo_names[] = {
	"//anon",
	"//enomem",
	"//toolong",
	"[vvar]",
	"[vvar_vclock]",
	"[heap]",
	"[stack*",
	"[anon*",
	"[guest*",
	"[unknown]",
	"/SYSV*",
	"/dev/zero",
	"/dev/zero (deleted)",
	"/anon_hugepage*",
	"anon_inode:*",
};

/* The same of memory that has code of the kernel's. */
static const char *const kernel_names[] = { "[vdso]",    "[vdso32]",  "[vsyscall]", "[vectors]",
					    "[sigpage]", "[uprobes]", "[kernel*" };

static bool is_among(const char *const *names, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(names[i]);
		bool begins = names[i][size - 1] == '*';

		if (begins ? strncmp(path, names[i], size - 1) == 0 : strcmp(path, names[i]) == 0)
			return true;
	}
	return false;
}

static bool is_of_kernel(const char *path)
{
	return is_among(kernel_names, sizeof kernel_names / sizeof *kernel_names, path);
}

bool pf_mapping_is_memory(const char *path)
{
	static const char memory[] = "/memfd:";

	return path && strncmp(path, memory, sizeof memory - 1) == 0;
}

bool pf_mapping_is_file(const char *path)
{
	return path && *path && !pf_mapping_is_memory(path) && !is_of_kernel(path) &&
	       !is_among(pseudo_names, sizeof pseudo_names / sizeof *pseudo_names, path);
}

enum pf_drop pf_mapping_loss(const char *path)
{
	if (pf_mapping_is_memory(path))
		return PF_DROP_MEMORY;
	return path && is_of_kernel(path) ? PF_DROP_VDSO : PF_DROP_ANONYMOUS;
}

bool pf_mapping_has_code(const char *path, size_t build_id_size)
{
	return pf_mapping_is_file(path) || (build_id_size > 0 && pf_mapping_is_memory(path));
}

void pf_mappings_fini(struct pf_mappings *m)
{
	pf_array_fini(&m->maps);
	pf_array_fini(&m->forks);
	pf_array_fini(&m->points);
	free(m->lists);
	free(m->listed);
	m->lists = NULL;
	m->listed = NULL;
}

int pf_mappings_add(struct pf_mappings *m, const struct pf_mapping *map)
{
	struct pf_mapping *new = m->maps.count < UINT32_MAX - 1 ? pf_array_push(&m->maps) : NULL;

	if (!new)
		return PF_ENOMEM;
	*new = *map;
	new->order = (uint32_t)(m->maps.count - 1);
	return PF_OK;
}

int pf_mappings_fork(struct pf_mappings *m, uint32_t pid, uint32_t parent, uint64_t time)
{
	struct pf_descent *new = pid == parent ? NULL : pf_array_push(&m->forks);

	if (new)
		*new = (struct pf_descent) { .pid = pid, .parent = parent, .time = time };
	return new || pid == parent ? PF_OK : PF_ENOMEM;
}

static int compare_forks(const void *a, const void *b)
{
	const struct pf_descent *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->parent < y->parent ? -1 : x->parent > y->parent;
}

static int compare_points(const void *a, const void *b)
{
	const struct pf_mapping_point *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* Of one time, those that came later in the file are newer. */
static int compare_times(const void *a, const void *b)
{
	const struct pf_mapping *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int list_points(struct pf_mappings *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->maps.count; i++) {
		const struct pf_mapping *map = &m->maps.at[i];

		for (int end = 0; end < 2; end++) {
			struct pf_mapping_point *new = pf_array_push(&m->points);

			if (!new)
				return PF_ENOMEM;
			*new = (struct pf_mapping_point) { map->pid, end ? map->end : map->start };
		}
	}
	pf_array_sort(&m->points, compare_points);
	for (size_t i = 0; i < m->points.count; i++) {
		if (kept == 0 || compare_points(&m->points.at[kept - 1], &m->points.at[i]) != 0)
			m->points.at[kept++] = m->points.at[i];
	}
	m->points.count = kept;
	return PF_OK;
}

/* Number of points at or before ADDRESS of PID. */
static size_t points_until(const struct pf_mappings *m, uint32_t pid, uint64_t address)
{
	const struct pf_mapping_point key = { pid, address };
	struct pf_search search = pf_search_over(m->points.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, compare_points(&m->points.at[search.middle], &key) <= 0);
	return search.low;
}

/* Calls for each node whose leaves mapping I covers, but not all of its parent's: counts it, or (with FILL, the next
 * free place of each list) enters it. */
static void enter(struct pf_mappings *m, uint32_t i, size_t *fill)
{
	const struct pf_mapping *map = &m->maps.at[i];
	size_t leaves = m->points.count, nodes[2];
	size_t low = points_until(m, map->pid, map->start) - 1 + leaves;
	size_t high = points_until(m, map->pid, map->end) - 1 + leaves;

	for (; low < high; low /= 2, high /= 2) {
		int count = 0;

		if (low % 2)
			nodes[count++] = low++;
		if (high % 2)
			nodes[count++] = --high;
		for (int k = 0; k < count; k++) {
			if (fill)
				m->listed[fill[nodes[k]]++] = i;
			else
				m->lists[nodes[k] + 1]++;
		}
	}
}

/* Mappings are entered by rising time, so that each list is sorted. */
static int list_mappings(struct pf_mappings *m)
{
	size_t nodes = 2 * m->points.count;
	size_t *fill = calloc(nodes + 1, sizeof *fill);

	m->lists = calloc(nodes + 1, sizeof *m->lists);
	if (fill && m->lists) {
		for (uint32_t i = 0; i < m->maps.count; i++)
			enter(m, i, NULL);
		for (size_t i = 0; i < nodes; i++)
			fill[i + 1] = m->lists[i + 1] += m->lists[i];
		m->listed = calloc(m->lists[nodes] + 1, sizeof *m->listed);
	}
	for (uint32_t i = 0; m->listed && i < m->maps.count; i++)
		enter(m, i, fill);
	free(fill);
	return m->listed ? PF_OK : PF_ENOMEM;
}

int pf_mappings_finish(struct pf_mappings *m)
{
	int status;

	pf_array_sort(&m->maps, compare_times);
	pf_array_sort(&m->forks, compare_forks);
	status = list_points(m);
	return status < 0 ? status : list_mappings(m);
}

/* The newest mapping of a node's list at or before TIME, else the oldest: its index. */
static uint32_t newest(const struct pf_mappings *m, size_t node, uint64_t time)
{
	const uint32_t *list = &m->listed[m->lists[node]];
	struct pf_search search = pf_search_over(m->lists[node + 1] - m->lists[node]);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->maps.at[list[search.middle]].time <= time);
	return list[search.low > 0 ? search.low - 1 : 0];
}

/* Whether mapping NEW says more of TIME than BEST does: mappings are numbered by time. */
static bool better(const struct pf_mappings *m, uint32_t new, uint32_t best, uint64_t time)
{
	bool old = m->maps.at[new].time <= time;

	if (best == UINT32_MAX || old != (m->maps.at[best].time <= time))
		return best == UINT32_MAX || old;
	return old ? new > best : new < best;
}

static const struct pf_mapping *find_own(const struct pf_mappings *m, uint32_t pid, uint64_t address, uint64_t time)
{
	size_t until = points_until(m, pid, address);
	uint32_t best = UINT32_MAX;

	for (size_t node = until > 0 ? until - 1 + m->points.count : 0; node > 0; node /= 2) {
		uint32_t found = m->lists[node] < m->lists[node + 1] ? newest(m, node, time) : UINT32_MAX;

		if (found != UINT32_MAX && better(m, found, best, time))
			best = found;
	}
	return best == UINT32_MAX ? NULL : &m->maps.at[best];
}

/* How PID, which several processes can have had, began: the newest time at or before TIME, else the oldest. */
static const struct pf_descent *descent_of(const struct pf_mappings *m, uint32_t pid, uint64_t time)
{
	struct pf_descent key = { .pid = pid, .parent = UINT32_MAX, .time = time };
	struct pf_search search = pf_search_over(m->forks.count);
	const struct pf_descent *at = m->forks.at;

	while (pf_search_goes_on(&search))
		pf_search_step(&search, compare_forks(&at[search.middle], &key) <= 0);
	if (search.low > 0 && at[search.low - 1].pid == pid)
		return &at[search.low - 1];
	return search.low < m->forks.count && at[search.low].pid == pid ? &at[search.low] : NULL;
}

const struct pf_mapping *pf_mappings_find(const struct pf_mappings *m, uint32_t pid, uint64_t address, uint64_t time)
{
	const struct pf_mapping *doubtful = NULL;

	/* A hostile file can make processes each other's parents. */
	for (int generation = 0; generation < 16; generation++) {
		const struct pf_mapping *found = find_own(m, pid, address, time);
		const struct pf_descent *descent = descent_of(m, pid, time);
		bool forked = descent && descent->time <= time;

		/* What the process maps later is not there yet, and what its number mapped before it was forked was
		 * another's. */
		if (found && (!forked || (found->time >= descent->time && found->time <= time)))
			return found;
		doubtful = doubtful ? doubtful : found;
		if (!descent)
			break;
		pid = descent->parent;
		time = forked ? descent->time : time;
	}
	return doubtful;
}
