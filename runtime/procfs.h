/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel tells of a running process and its threads in /proc. */
#ifndef PF_RUNTIME_PROCFS_H
#define PF_RUNTIME_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of /proc/PID/status, or of a thread's.  What the kernel does not say is 0. */
struct pf_proc_status {
	char name[64];
	char state;
	pid_t parent, tracer;
	pid_t process;             /* that it is a thread of */
	pid_t inner;               /* its number in its own PID namespace */
	uint32_t seccomp, filters; /* mode and number */
	uint64_t pending, blocked, ignored,
	    caught; /* signals, the first in bit 0; PENDING: the process's and the thread's */
	bool shadow_stack;
	bool locked; /* some of its memory is locked */
};

/* Where a thread is, by its /proc/PID/task/TID/syscall. */
struct pf_proc_place {
	bool running;
	int64_t call; /* the system call it sleeps in, -1: in none */
	uint64_t arguments[6], sp, pc;
};

/* Reads what TEXT, SIZE bytes of a status file, says. */
void pf_procfs_parse_status(struct pf_proc_status *status, const char *text, size_t size);
/* A line of /proc/PID/maps, which is changed: PATH points into it, without the kernel's mark for a file that is no
 * more. False if it is none. */
bool pf_procfs_parse_mapping(char *line, uint64_t *start, uint64_t *length, uint64_t *offset, uint32_t *protection,
			     const char **path);
/* The same for a syscall file; false if it is none. */
bool pf_procfs_parse_place(struct pf_proc_place *place, const char *text);
/* pf_procfs_is_worker, by the stat files of a thread and of its process. */
bool pf_procfs_parse_worker(const char *stat, const char *first);

/* The file NAME of process PID, or of its thread TID if that is not 0, into TEXT, ended by a zero.  Bytes read;
 * negative: -errno. */
ssize_t pf_procfs_read(pid_t pid, pid_t tid, const char *name, char *text, size_t size);

/* False: it is gone, or may not be looked at. */
bool pf_procfs_status(pid_t pid, pid_t tid, struct pf_proc_status *status);
bool pf_procfs_place(pid_t pid, pid_t tid, struct pf_proc_place *place);
/* Has thread TID ended?  That /proc does not tell of it (descriptors or memory may be too few) does not mean so. */
bool pf_procfs_is_gone(pid_t pid, pid_t tid);
/* ...or is it about to, has given its memory back, and shows no program any more? */
bool pf_procfs_is_ending(pid_t pid, pid_t tid);

/* Is thread TID one of the kernel's that works for the process (io_uring, vhost), and never comes to its program? */
bool pf_procfs_is_worker(pid_t pid, pid_t tid);

/* CPU time that the thread has used, in nanoseconds; 0 if that cannot be told. */
uint64_t pf_procfs_cpu_ns(pid_t pid, pid_t tid);
/* ...that all threads of the process have used, those that ended included. */
uint64_t pf_procfs_process_cpu_ns(pid_t pid);
/* The process that thread NUMBER is one of, which is NUMBER itself of a process; also where nothing has that number. */
pid_t pf_procfs_process(pid_t number);
/* Where the stack of its program began; 0 if that cannot be told. */
uint64_t pf_procfs_stack(pid_t pid);
/* Has the process children, or has it had some that it waited for? */
bool pf_procfs_starts_others(pid_t pid);
/* The process that PID is a child of; 0 if that is none, or PID is not there any more. */
pid_t pf_procfs_parent(pid_t pid);
/* When the process started, in the kernel's ticks since boot: with the number it names a process for good. */
uint64_t pf_procfs_start(pid_t pid);
/* A mark of the program that PID runs: another one when it has executed a program, be it the same again, for the kernel
 * puts that elsewhere (where it has not been told not to).  A child has its parent's until then.  0: it cannot be told.
 */
uint64_t pf_procfs_image(pid_t pid);
/* A thread of PID that can tell what the process runs and has mapped: not the first one, which has forgotten, if it has
 * ended before the others.  PID, if all have. */
pid_t pf_procfs_witness(pid_t pid);

/* The threads of PID, in *LIST, malloc's; their count, 0 if it is gone. */
size_t pf_procfs_threads(pid_t pid, pid_t **list);
/* All processes that can be seen. */
size_t pf_procfs_processes(pid_t **list);

#endif
