/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the agents inside the recorded processes and `pathfdo record` outside share: one sparse, memory-mapped file for
 * a whole session, PATHFDO_DIR/recording.  Its first page is the control page, with the settings and a few counters; a
 * row of equal sections follows, and each process (each image that exec makes, each forked child) takes the next one
 * for itself.  An agent maps the control page when it starts; its section it gets later, from that mapping and not from
 * the file system, so that no change of user, root folder, descriptors, environment or file-size limit is in its way.
 *
 * An agent only stores to memory, so a section is whole at any moment, also after SIGKILL: what is counted is written
 * before the counter is raised (release order).  A burst refers to edges, an edge to mappings, a mapping to strings;
 * who reads beside a living agent reads in that order.
 *
 * Nobody trusts what he reads here: processes of several users share the file.  An agent keeps its own counters and
 * tables in private memory, and what it writes here is a copy.  Host byte order; never leaves the machine. */
#ifndef PF_RUNTIME_AGENT_WIRE_H
#define PF_RUNTIME_AGENT_WIRE_H

#include "perfdata/vectors.h" /* enum pf_burst_end */

#include <stdbool.h>
#include <stdint.h>

#define PF_WIRE_FILE "recording"
#define PF_WIRE_CONTROL_MAGIC 0x334c5254434f4446ull /* "FDOCTRL3" */
#define PF_WIRE_MAGIC 0x33455249574f4446ull         /* "FDOWIRE3" */
#define PF_WIRE_VERSION 12u
#define PF_WIRE_PAGE 4096u

#define PF_WIRE_MAX_BRANCHES 65536u
#define PF_WIRE_MAX_ACCESSES 32768u  /* of a burst */
#define PF_WIRE_NOTING_BRANCHES 255u /* of a burst that notes accesses: there is room for 128 of each of its blocks */
#define PF_WIRE_MAX_FREQUENCY 100000u
#define PF_WIRE_MAX_SECTION (16ull << 30)
#define PF_WIRE_MAX_SECTIONS 65536u
#define PF_WIRE_MAX_EDGES (1u << 20)
#define PF_WIRE_MAX_CHUNKS 4096u
#define PF_WIRE_MAX_SITES 65536u
#define PF_WIRE_SITE_VALUES 8u
#define PF_WIRE_MAX_GENERATION 59u /* times the weight it is less than 2^63 */
#define PF_WIRE_MOST_WEIGHT 8u
#define PF_WIRE_MOST_PACE 100000000u
#define PF_WIRE_PROGRAMS 128u
#define PF_WIRE_COMMANDS 256u

/* Why a process or thread was not recorded. */
enum pf_refusal {
	PF_REFUSE_NONE = 0,
	PF_REFUSE_GS_USED,
	PF_REFUSE_SHADOW_STACK,
	PF_REFUSE_TIMER,
	PF_REFUSE_TRACED,         /* by a debugger or strace */
	PF_REFUSE_SIGNAL,         /* leaves a signal no room */
	PF_REFUSE_MEMORY,         /* cannot be mapped */
	PF_REFUSE_ADDRESS_SPACE,  /* a limit on it is too small */
	PF_REFUSE_SEGMENTS,       /* the kernel does not tell where they are, or FS is moved */
	PF_REFUSE_FILTER,         /* a filter of system calls */
	PF_REFUSE_FAULTS_IGNORED, /* SIGSEGV or SIGBUS is ignored */
	PF_REFUSE_INTERPOSED,     /* another library has sigaction */
	PF_REFUSE_DISPATCH,       /* syscall user dispatch */
	PF_REFUSE_FULL,           /* no section is left, or no slot for a thread */
	PF_REFUSE_TIME_STAMP,     /* the processor's is forbidden */
	PF_REFUSE_VALGRIND,       /* translates the program itself */
	PF_REFUSE_AGAIN,          /* starts itself anew without the recorder, each time that it has it */
	PF_REFUSE_ELSEWHERE,      /* starts where the recorder's library or file cannot be opened */
	PF_REFUSE_SHOWN,          /* is to be shown what the loader loads into it */
	PF_REFUSE_LOCKED,         /* locks all its memory, and with it what the recorder would have */
	PF_REFUSE_COUNT
};

struct pf_wire_region {
	uint64_t offset;   /* in the section */
	uint64_t capacity; /* in elements */
};

/* Where things are: the same in all sections. */
struct pf_wire_layout {
	uint64_t first;        /* offset of the first section in the file */
	uint64_t section_size; /* a multiple of PF_WIRE_PAGE; a struct pf_wire_header is at the front of each */
	uint64_t sections;
	uint64_t chunk_size;           /* bytes, a multiple of 8 */
	struct pf_wire_region strings; /* bytes; each ends with a zero.  The first is the path of the executable. */
	struct pf_wire_region maps;    /* struct pf_wire_map */
	struct pf_wire_region edges;   /* struct pf_wire_edge */
	struct pf_wire_region sites;   /* struct pf_wire_site */
	struct pf_wire_region tables;  /* two tables of struct pf_wire_chunk, an entry for each chunk: reservoir.h */
	struct pf_wire_region chunks;
};

/* What is known of a program, or of one with certain arguments: see thinning.c. */
struct pf_wire_known {
	union {
		uint64_t word;
		struct {
			uint32_t tag;  /* of its name; 0: none */
			uint16_t turn; /* raised whenever lots are drawn */
			uint8_t brief; /* runs that were; or that one was not */
			uint8_t shift; /* what the run that begins now stands for, as a power of two */
		};
	};
};

enum pf_control_state { PF_CONTROL_RECORDING = 1, PF_CONTROL_ENDED };

/* The control page.  Up to `state`, written once by the recorder, before any program runs. */
struct pf_control {
	uint64_t magic;
	uint32_t version, size;
	uint32_t frequency;    /* bursts a second of thread CPU time */
	uint32_t branches;     /* a burst */
	uint32_t overhead_ppm; /* budget in parts per million of CPU time */
	uint32_t recorder_pid; /* 0: nobody raises the heartbeat */
	uint32_t seccomp_mode; /* "Seccomp:" and "Seccomp_filters:" of the recorder's own /proc/self/status */
	uint32_t seccomp_filters;
	uint64_t limit; /* bytes of vectors a process */
	uint64_t seed;  /* of all that is random; the same seed makes runs repeatable */
	uint64_t tsc_khz;
	uint64_t tick_ns;  /* between two of the kernel's ticks; 0: unknown */
	uint64_t whole;    /* 1: every branch of the run goes through the stream; 0: bursts are sampled */
	uint64_t memory;   /* 1: bursts have loads and stores, too, and go into the stream, whole run or not */
	uint64_t fixed;    /* 1: a timer's bursts are all the same time apart; 0: a random one */
	uint64_t values;   /* 1: what is loaded, stored and handed to functions is sighted, too */
	uint64_t fsgsbase; /* 1: processor and kernel let programs read and write segment bases */
	uint64_t xsave;    /* 1: they save extended states */
	/* The event that bursts begin by, as perf_event_open has it. */
	uint64_t event_config;
	uint32_t event_type;
	uint32_t event_pace; /* of it in a millisecond, as a first guess; 0: bursts begin by a timer */
	char event_name[64]; /* as perf spells it; the recorder's own, ends with a zero */
	struct pf_wire_layout layout;
	/* Written by the recorder as it waits. */
	_Alignas(64) uint32_t state;
	uint32_t heartbeat;
	/* Raised by agents. */
	_Alignas(64) uint64_t next_section;
	uint64_t starts;                    /* process images */
	uint64_t start_ns;                  /* CPU time that the agents' starts took in them */
	uint64_t cpu_ns, cost_ns;           /* CPU time that ticks have seen, and the cost of bursts */
	uint64_t asked, drawn;              /* processes that drew lots, and those that won: see young.c */
	uint64_t refusals[PF_REFUSE_COUNT]; /* processes without a section */
	uint64_t thinned;                   /* commands that were executed without the recorder */
	struct pf_wire_known programs[PF_WIRE_PROGRAMS], commands[PF_WIRE_COMMANDS];
};

_Static_assert(sizeof(struct pf_control) <= PF_WIRE_PAGE, "the control page is one page");

struct pf_wire_map {
	uint64_t start, end, pgoff, time_ns;
	uint64_t path; /* offset in the strings */
	uint8_t build_id[20];
	uint8_t build_id_size;
	uint8_t pad[3];
};

/* Straight code from FROM - LENGTH up to and including the branch at FROM, which went to TO. */
struct pf_wire_edge {
	uint64_t from, to;
	uint32_t length;
	uint32_t from_map, to_map; /* UINT32_MAX none */
	uint32_t kind;             /* enum pf_edge_kind of perfdata/vectors.h */
};

/* What a sighting is of: in the lowest byte, and in the next one its width in bytes, of a division above it whether it
 * is signed.  Arguments have their number there, from 0 on. */
enum pf_sight {
	PF_SIGHT_STRING = 1, /* size, and where it writes */
	PF_SIGHT_DIVISION,   /* divisor, and the low half of what is divided */
	PF_SIGHT_SWITCH,     /* which entry of a jump table was wanted */
	PF_SIGHT_LOAD,       /* what was loaded */
	PF_SIGHT_STORE,      /* what was stored */
	PF_SIGHT_ARGUMENT,   /* what a function is called with, in a register */
};
#define PF_SIGHT_KIND(form) ((form)&0xff)
#define PF_SIGHT_NUMBER(form) ((form) >> 8 & 0xff)
#define PF_SIGHT_ARGUMENTS 6u
#define PF_SIGHT_WIDTH(form) ((form) >> 8 & 0xff)
#define PF_SIGHT_IS_SIGNED(form) ((form) >> 16 & 1)
#define PF_SIGHT_IN_STUB 0x10000u /* of a string: instead of the instruction it has how far the run was */

/* The values of one instruction; see sightings.c. */
struct pf_wire_site {
	uint64_t pc;
	uint32_t map, form;
	uint64_t looks, moment;               /* bursts that saw it, and the last of them */
	uint64_t total, sum;                  /* sightings; of sizes their sum */
	uint64_t counts[PF_WIRE_SITE_VALUES]; /* 0: free; together no more than the total */
	int64_t values[PF_WIRE_SITE_VALUES];
	/* Sightings by alignment (powers of two from 1 on), or by quotient 0, 1, more, and of powers of two, or by what
	 * foretells them. */
	uint64_t classes[8];
	/* Of what is loaded, stored or handed over: how often in the burst that MOMENT tells, the last there, and what
	 * it was more than the one before; the bits that were ever 1, and that were ever 0. */
	uint64_t row, last, stride, ones, zeros;
};
/* What foretells a sighting that is at least the third of its burst, by class: nothing; it is the one before; it is
 * that and the difference of the last two. */
enum pf_sight_next { PF_NEXT_OTHER, PF_NEXT_SAME, PF_NEXT_STRIDED, PF_NEXT_KINDS };
#define PF_WIRE_MOST_ALIGNED 6u
#define PF_WIRE_POWER 3u

/* A burst in a chunk, followed by edge_count ids, padded to 8 bytes. */
struct pf_wire_burst {
	uint32_t tid, edge_count;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t period; /* that it stands for: events of the control page's; without one, ns of CPU time; 0: unknown */
	uint64_t
	    native_ns; /* 0, or that the program took for these branches, which are then no sample: they follow one */
	uint16_t end_reason;
	uint16_t after_wait; /* 1: it began at once behind a system call, or a wait for another thread in a loop */
	uint32_t accesses;   /* of a whole run: struct pf_vec_access, behind the ids */
};

/* An entry of a table.  Each burst in a chunk of generation g stands for 2^g. */
struct pf_wire_chunk {
	uint32_t used; /* bytes, 0: free */
	uint32_t generation;
	uint64_t order; /* chunks of one generation are as old as this says */
};

enum pf_wire_state { PF_WIRE_STARTING, PF_WIRE_RECORDING, PF_WIRE_EXITED, PF_WIRE_REPLACED };

struct pf_wire_header {
	uint64_t magic; /* written last */
	uint32_t pid, ppid;
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	char comm[16];
	uint64_t strings_used, maps_used, edges_used, sites_used;
	uint64_t epoch; /* of the chunks: table epoch % 2 holds good */
	/* Statistics, all cumulative. */
	uint64_t cpu_ns, cost_ns, bursts, branches_recorded, bursts_skipped, blocks_translated, translate_ns;
	uint64_t counted;        /* bursts that an event began */
	uint64_t lost_bursts;    /* had no place in the reservoir */
	uint64_t lost_branches;  /* had no place in the table of edges */
	uint64_t lost_sightings; /* had no place in the table of sites */
	uint64_t ends[PF_END_COUNT];
	uint64_t refusals[PF_REFUSE_COUNT]; /* threads */
	/* Of a whole run: the stream lies in the place of the chunks (stream.h).  The tail is the reader's. */
	uint64_t stream_head, stream_tail;
	uint64_t steps;  /* instructions that the processor ran itself, between bursts */
	uint64_t unseen; /* times that the program ran on natively up to an entry */
	uint64_t left;   /* times that the agent left since the recorder was gone: 0 or 1 */
	uint32_t state;  /* enum pf_wire_state */
	uint32_t weight; /* runs that this one stands for, 1 to PF_WIRE_MOST_WEIGHT */
};

static inline uint64_t pf_wire_burst_size(uint64_t edge_count)
{
	return sizeof(struct pf_wire_burst) + ((edge_count * sizeof(uint32_t) + 7) & ~7ull);
}

/* A burst of a stream. */
static inline uint64_t pf_wire_stream_size(const struct pf_wire_burst *burst)
{
	return pf_wire_burst_size(burst->edge_count) + burst->accesses * sizeof(struct pf_vec_access);
}

static inline bool pf_wire_fits(const struct pf_wire_layout *layout, const struct pf_wire_region *region, uint64_t size)
{
	return region->offset % 8 == 0 && region->offset >= sizeof(struct pf_wire_header) &&
	       region->offset <= layout->section_size &&
	       region->capacity <= (layout->section_size - region->offset) / size;
}

/* Is all that LAYOUT names inside a section, and of a size that can be? */
static inline bool pf_wire_layout_valid(const struct pf_wire_layout *layout)
{
	return layout->first >= PF_WIRE_PAGE && layout->first % PF_WIRE_PAGE == 0 && layout->first < 1u << 30 &&
	       layout->section_size % PF_WIRE_PAGE == 0 && layout->section_size >= PF_WIRE_PAGE &&
	       layout->section_size <= PF_WIRE_MAX_SECTION && layout->sections > 0 &&
	       layout->sections <= PF_WIRE_MAX_SECTIONS && pf_wire_fits(layout, &layout->strings, 1) &&
	       pf_wire_fits(layout, &layout->maps, sizeof(struct pf_wire_map)) &&
	       pf_wire_fits(layout, &layout->edges, sizeof(struct pf_wire_edge)) &&
	       layout->edges.capacity <= PF_WIRE_MAX_EDGES &&
	       pf_wire_fits(layout, &layout->sites, sizeof(struct pf_wire_site)) &&
	       layout->sites.capacity <= PF_WIRE_MAX_SITES &&
	       pf_wire_fits(layout, &layout->tables, 2 * sizeof(struct pf_wire_chunk)) && layout->chunk_size % 8 == 0 &&
	       layout->chunk_size > sizeof(struct pf_wire_burst) && layout->chunk_size <= UINT32_MAX &&
	       pf_wire_fits(layout, &layout->chunks, layout->chunk_size) && layout->chunks.capacity >= 3 &&
	       layout->chunks.capacity <= PF_WIRE_MAX_CHUNKS && layout->chunks.capacity == layout->tables.capacity;
}

#endif
