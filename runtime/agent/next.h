/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the agent takes from the program's C library, found without the loader's help.  See next.c. */
#ifndef PF_AGENT_NEXT_H
#define PF_AGENT_NEXT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* dlmopen's namespaces: glibc 2.35 appended this to struct r_debug, from its version 2 on. */
struct pf_debug {
	struct r_debug base;
	struct pf_debug *next;
};

/* loaded.c, attached.c: the loader's list of what is loaded, as debuggers read it; NULL under a C library that has
 * none. And whether the recorder is in it. */
const struct pf_debug *pf_next_debug(void);
extern const bool pf_next_is_listed;
/* Once, at the start: the process's auxiliary vector. */
void pf_next_start(const ElfW(auxv_t) * vector);
/* Entry TYPE of the auxiliary vector, 0 if there is none. */
unsigned long pf_next_auxiliary(unsigned long type);
/* NAME's first definition in a library behind this one in the loader's list, in any where this one is not listed; NULL
 * if there is none.  Takes no lock and no memory. */
void *pf_next_find(const char *name);
/* NAME's definition in the library that is loaded at BASE; NULL if there is none. */
void *pf_next_find_at(uint64_t base, const char *name);
/* This library's path, as the preload list names it; "" if it is not in the loader's list. */
const char *pf_next_own_name(void);
/* Is it glibc, which is all that the agent knows? */
bool pf_next_is_glibc(void);
/* Does the definition of NAME that the program's calls would reach lie in the C library itself? */
bool pf_next_is_libc(const void *function);
const int64_t *pf_next_rseq_offset(void); /* glibc's __rseq_offset, NULL before 2.35 */

/* Looked up at the first use.  Not static in a lock's sense: two threads find the same. */
#define PF_NEXT(name)                                                                                                  \
	__extension__({                                                                                                \
		static __typeof__(&name) pf_next_##name;                                                               \
		__typeof__(&name) found = __atomic_load_n(&pf_next_##name, __ATOMIC_RELAXED);                          \
		if (!found) {                                                                                          \
			found = (__typeof__(found))pf_next_find(#name);                                                \
			__atomic_store_n(&pf_next_##name, found, __ATOMIC_RELAXED);                                    \
		}                                                                                                      \
		found;                                                                                                 \
	})

#endif
