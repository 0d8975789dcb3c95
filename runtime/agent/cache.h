/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code cache: translated blocks by address, their exits and links.  Its tables and its code are memory that a
 * forked child does not have (the child begins with an empty cache); see cache.c and translate.c. */
#ifndef PF_AGENT_CACHE_H
#define PF_AGENT_CACHE_H

#include "runtime/agent/modules.h"
#include "runtime/agent/run.h"

#define PF_NO_EDGE UINT32_MAX
#define PF_NO_BLOCK UINT32_MAX
#define PF_MAX_ZONES 8
#define PF_MAX_EXITS (1u << 17)
#define PF_MAX_SITES (1u << 16)
#define PF_MAX_STEPS (1u << 19)

/* Executable memory for translated code, within reach of RIP-relative operands of the modules that use it. */
struct pf_zone {
	uint8_t *base;
	uint32_t size, used;
};

/* A way out of a block that leads through C: not yet linked, not translatable, or the end of the burst. */
struct pf_exit {
	uint64_t start, from, to; /* as in struct pf_wire_edge; from == 0: nothing was executed since start */
	uint8_t *patch;           /* rel32 to point at the linked code; NULL: cannot be linked */
	uint32_t site;            /* of an indirect branch */
	uint8_t kind;             /* enum pf_edge_kind */
	uint8_t stop;             /* enum pf_burst_end, for an exit that always ends the burst */
	uint8_t spilled;          /* rcx is spilled already when the exit is reached */
	uint8_t zone;
};

struct pf_block {
	uint64_t pc;
	uint8_t *code, *code_end;
	uint32_t first_step, kept; /* kept: where in what the run keeps its source is */
	uint16_t step_count, size; /* size: of the source, in bytes */
};

/* Where in a block which instruction is: what a fault needs.  The flags say which registers are in their spill. */
struct pf_step {
	uint16_t code, original;
};
#define PF_STEP_RCX 0x4000
#define PF_STEP_RAX 0x8000
#define PF_STEP_MASK 0x3fff

struct pf_cache {
	struct pf_run *run; /* whose tables the code uses */
	uint32_t zone_count, exit_count, site_count, block_count, step_count, kept_size;
	uint32_t flushes;
	uint64_t translated; /* blocks, ever */
	struct pf_zone zones[PF_MAX_ZONES];
	struct pf_exit *exits;
	struct pf_block *blocks;
	struct pf_step *steps;
	uint32_t *site_exits; /* site to exit */
	uint32_t *block_hash; /* index + 1, 0: empty; grows with its content, up to twice PF_MAX_BLOCKS */
	uint32_t block_hash_size;
	bool memory; /* blocks note loads and stores, and no other values */
	bool values; /* blocks sight what is loaded, stored and handed to functions, beside the other values */
	bool whole;  /* all that runs is wanted, so blocks go on behind a wait */
	bool quiet;  /* no system call may be made: there are no more zones */
};

/* Bytes that the tables want; pf_cache_init takes them at TABLES, zeroed and page-aligned. */
size_t pf_cache_tables_size(void);
void pf_cache_init(struct pf_cache *cache, struct pf_run *run, void *tables);
/* Takes executable memory for the modules that none of the zones reaches, and tells each module its zone. */
void pf_cache_zones(struct pf_cache *cache, struct pf_modules *modules);
/* Gives the zones back to the system. */
void pf_cache_fini(struct pf_cache *cache);
void pf_cache_flush(struct pf_cache *cache);
/* To be called at the end of each burst: no block counts as checked any more. */
void pf_cache_end_burst(struct pf_cache *cache);

uint64_t pf_cache_site_key(uint32_t site);
const struct pf_block *pf_cache_at(const struct pf_cache *cache, const uint8_t *code);
/* The translation of the code at PC as that code is now: found and compared, or made.  On failure NULL, and enum
 * pf_burst_end in *WHY. */
const struct pf_block *pf_cache_block(struct pf_cache *cache, const struct pf_modules *modules, uint64_t pc, int *why);
/* Makes EXIT, or for an indirect one its TARGET, lead straight to BLOCK, recording EDGE on the way. */
void pf_cache_link(struct pf_cache *cache, uint32_t exit, uint32_t edge, uint64_t target, const struct pf_block *block);

/* translate.c: translates the code at PC in MODULE; returns enum pf_burst_end (0: *BLOCK is complete). */
int pf_translate(struct pf_cache *cache, const struct pf_modules *modules, const struct pf_module *module, uint64_t pc,
		 struct pf_block *block);

#endif
