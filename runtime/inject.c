/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See inject.h.  The image is mapped by system calls that one held thread makes, written from outside, and called in
 * threads that are held; the program's other threads run on.  The recording's file comes by a socket pair, as neither a
 * path nor a descriptor of ours means anything in a container; three descriptors are there for less than a
 * millisecond.  The hard case is to leave: a thread may be anywhere in the image.  Once there is no timer, no handler
 * and no waiting signal none can come there any more; one that sleeps elsewhere, or is stopped once and found
 * elsewhere, is therefore outside for good, so no two threads have to be held at a time. */
#include "runtime/inject.h"

#include "runtime/bundled.h"
#include "runtime/payload.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST_TRIES 2000      /* of a millisecond */
#define MOST_CLOSED 50       /* of these, in which a thread that blocks all may be about to go back to its mask */
#define MOST_CODE (1u << 26) /* that is searched in a mapping */
#define WORD(member) (injection->words + offsetof(struct pf_attached, member))

static bool get(const struct pf_injection *injection, uint64_t address, void *to, size_t size)
{
	return pread(injection->memory, to, size, (off_t)address) == (ssize_t)size;
}

static bool put(const struct pf_injection *injection, uint64_t address, const void *from, size_t size)
{
	return pwrite(injection->memory, from, size, (off_t)address) == (ssize_t)size;
}

static void rest(void)
{
	static const struct timespec pause = { 0, 1000000 };

	nanosleep(&pause, NULL);
}

/* A syscall instruction in the mapping from START to END, which can be as long as its process likes. */
static uint64_t find_gate(const struct pf_injection *injection, uint64_t start, uint64_t end)
{
	static const uint8_t instruction[] = { 0x0f, 0x05 };
	uint8_t code[1u << 14];

	end = end - start > MOST_CODE ? start + MOST_CODE : end;
	while (end - start >= sizeof instruction) {
		size_t size = end - start < sizeof code ? end - start : sizeof code;
		const uint8_t *at = get(injection, start, code, size) ? memmem(code, size, instruction, 2) : NULL;

		if (at)
			return start + (uint64_t)(at - code);
		start += size - 1; /* one may lie across the end of this piece */
	}
	return 0;
}

/* In the kernel's own page for it, or any other code. */
static uint64_t look_for_gate(const struct pf_injection *injection)
{
	uint64_t gate = 0, start, end;
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", injection->pid);
	maps = fopen(path, "re");
	while (maps && getline(&line, &room, maps) > 0) {
		char *at;

		start = strtoull(line, &at, 16);
		end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
		if (strncmp(at, " r-x", 4) == 0 && (!gate || strstr(at, "[vdso]")) && !strstr(at, "[vsyscall]")) {
			uint64_t found = find_gate(injection, start, end);

			gate = found ? found : gate;
		}
	}
	if (maps)
		fclose(maps);
	free(line);
	return gate;
}

static uint64_t auxiliary(const struct pf_injection *injection, uint64_t type)
{
	for (int i = 0; i < PF_ATTACHED_AUXILIARY && injection->entry.auxiliary[i][0] != AT_NULL; i++) {
		if (injection->entry.auxiliary[i][0] == type)
			return injection->entry.auxiliary[i][1];
	}
	return 0;
}

/* Where the loader's list is, as debuggers find it: by the program's dynamic section.  False: that has no place for it;
 * a place that holds 0 is filled in by the loader when it begins. */
static bool find_debug(struct pf_injection *injection)
{
	uint64_t headers = auxiliary(injection, AT_PHDR), count = auxiliary(injection, AT_PHNUM), bias = 0, dynamic = 0;
	Elf64_Phdr segment;
	Elf64_Dyn entry;

	for (uint64_t i = 0;
	     i < count && i < PN_XNUM && get(injection, headers + i * sizeof segment, &segment, sizeof segment); i++) {
		if (segment.p_type == PT_PHDR)
			bias = headers - segment.p_vaddr;
		if (segment.p_type == PT_DYNAMIC)
			dynamic = segment.p_vaddr;
	}
	if (!dynamic)
		return false;
	for (dynamic += bias; get(injection, dynamic, &entry, sizeof entry) && entry.d_tag != DT_NULL;
	     dynamic += sizeof entry) {
		injection->entry.debug = entry.d_un.d_ptr;
		if (entry.d_tag == DT_DEBUG)
			return true;
	}
	return false;
}

/* *BUNDLED: its loader was told to run the program, and may not have begun to. */
static int open_memory(struct pf_injection *injection, bool *bundled, struct pf_error *error)
{
	char path[64];
	ssize_t size;

	snprintf(path, sizeof path, "/proc/%d/mem", injection->pid);
	injection->memory = open(path, O_RDWR | O_CLOEXEC);
	if (injection->memory < 0 && (errno == ENOENT || errno == ESRCH))
		return pf_fail(error, PF_ENOTFOUND, "%d: the process has ended", injection->pid);
	if (injection->memory < 0)
		return pf_fail(error, PF_EUNSUPPORTED,
			       "%d: its memory cannot be reached: %s; be its user, or root with the capabilities "
			       "CAP_SYS_PTRACE and CAP_DAC_OVERRIDE",
			       injection->pid, strerror(errno));
	injection->handle = (int)syscall(SYS_pidfd_open, injection->pid, 0);
	if (injection->handle < 0)
		return pf_fail(error, errno == ESRCH ? PF_ENOTFOUND : PF_EUNSUPPORTED, "%d: cannot be held: %s",
			       injection->pid, strerror(errno));
	size = pf_procfs_read(injection->pid, 0, "auxv", (char *)injection->entry.auxiliary,
			      sizeof injection->entry.auxiliary);
	if (size <= 0)
		return pf_fail(error, PF_ENOTFOUND, "%d: the process has ended", injection->pid);
	*bundled =
	    pf_bundled_vector(injection->pid, injection->memory, injection->entry.auxiliary, PF_ATTACHED_AUXILIARY);
	return PF_OK;
}

int pf_inject_open(struct pf_injection *injection, pid_t pid, struct pf_error *error)
{
	bool bundled = false, listed;
	int status;

	/* The mark comes first: whatever of the rest is of a later program does not go with it. */
	*injection = (struct pf_injection) { .pid = pid, .memory = -1, .handle = -1, .image = pf_procfs_image(pid) };
	status = open_memory(injection, &bundled, error);
	if (status < 0)
		return status;
	listed = find_debug(injection);
	if (!listed && !bundled)
		return pf_fail(error, PF_EUNSUPPORTED, "%d: it has no dynamic loader; record it with --source=clock",
			       pid);
	if (!listed || !injection->entry.debug)
		return pf_fail(error, PF_EINVAL,
			       "%d: its dynamic loader has not finished; record it again, or with "
			       "--source=clock",
			       pid);
	injection->gate = look_for_gate(injection);
	if (!injection->gate)
		return pf_fail(error, PF_EUNSUPPORTED,
			       "%d: no system call can be made in it; record it with --source=clock", pid);
	return PF_OK;
}

void pf_inject_close(struct pf_injection *injection)
{
	if (injection->memory >= 0)
		close(injection->memory);
	if (injection->handle >= 0)
		close(injection->handle);
	injection->memory = injection->handle = -1;
}

static bool has_token(const struct pf_injection *injection, int memory)
{
	uint8_t token[PF_ATTACHED_TOKEN];

	return injection->words &&
	       pread(memory, token, sizeof token, (off_t)injection->words) == (ssize_t)sizeof token &&
	       memcmp(token, injection->entry.token, sizeof token) == 0;
}

bool pf_inject_is_there(const struct pf_injection *injection)
{
	return injection->there && has_token(injection, injection->memory);
}

/* Memory that its process has given up cannot be read.  That of a child of vfork is its parent's, and stays. */
bool pf_inject_is_current(const struct pf_injection *injection)
{
	uint16_t gate;

	return get(injection, injection->gate, &gate, sizeof gate) &&
	       pf_procfs_image(injection->pid) == injection->image;
}

/* What the image has of its process is cleared in children, so there is no process's number in it. */
bool pf_inject_is_heir(const struct pf_injection *injection, int memory)
{
	struct {
		uint32_t lock;
		int32_t pid;
	} process;

	return has_token(injection, memory) &&
	       pread(memory, &process, sizeof process, (off_t)(uint64_t)injection->entry.process) ==
		   (ssize_t)sizeof process &&
	       process.pid == 0;
}

void pf_inject_inherit(struct pf_injection *injection, const struct pf_injection *parent)
{
	injection->there = true;
	injection->base = parent->base;
	injection->size = parent->size;
	injection->words = parent->words;
	injection->control = parent->control;
	injection->entry = parent->entry;
}

/* Is the thread where it may be made to do something else: not in the image, nor in a burst? */
static bool is_fit(const struct pf_injection *injection, const struct pf_tracee *t)
{
	uint32_t busy = 0;

	if (t->before.cs != 0x33 || t->dispatched || !pf_tracee_is_whole(t, injection->memory))
		return false;
	/* Held it executes nothing any more; until now it could. */
	if (!injection->there)
		return pf_inject_is_current(injection);
	return t->before.rip - injection->base >= injection->size &&
	       get(injection, (uint64_t)injection->entry.process, &busy, sizeof busy) && !busy;
}

/* Holds TID at a fit place.  PF_EINVAL: it was at none. */
static int hold(const struct pf_injection *injection, struct pf_tracee *t, pid_t tid, struct pf_error *error)
{
	int status = pf_tracee_hold(t, injection->pid, tid, error);

	if (status < 0 || is_fit(injection, t))
		return status;
	pf_tracee_release(t);
	return PF_EINVAL;
}

/* One system call in the held thread.  PF_EUNSUPPORTED: the kernel refuses, *RESULT says why. */
static int remote(const struct pf_injection *injection, struct pf_tracee *t, long number, const uint64_t arguments[6],
		  int64_t *result, struct pf_error *error)
{
	int status = pf_tracee_syscall(t, injection->gate, number, arguments, result, error);

	if (status < 0 || *result >= 0 || *result < -4095)
		return status;
	return pf_fail(error, PF_EUNSUPPORTED, "%d: its system call %ld fails: %s; record it with --source=clock",
		       injection->pid, number, strerror((int)-*result));
}

#define REMOTE(number, ...) remote(injection, t, number, (const uint64_t[6]) { __VA_ARGS__ }, &result, error)

static int unmap(const struct pf_injection *injection, struct pf_tracee *t, uint64_t address, uint64_t size)
{
	struct pf_error *error = NULL;
	int64_t result;

	return address ? REMOTE(SYS_munmap, address, size) : PF_OK;
}

static int call(const struct pf_injection *injection, struct pf_tracee *t, const void *function, uint64_t argument,
		int64_t *result, struct pf_error *error)
{
	const struct pf_tracee_visit visit = { injection->memory, (uint64_t)injection->entry.enter,
					       (uint64_t)injection->entry.landed, (uint64_t)injection->entry.parting };

	return pf_tracee_call(t, &visit, (uint64_t)function, argument, result, error);
}

/* Takes the words that were filled in before over into the image's own. */
static void fill_in(struct pf_injection *injection, struct pf_attached *words)
{
	if (getrandom(words->token, sizeof words->token, 0) != (ssize_t)sizeof words->token)
		memcpy(words->token, &injection->base, sizeof injection->base);
	words->debug = injection->entry.debug;
	memcpy(words->auxiliary, injection->entry.auxiliary, sizeof words->auxiliary);
	injection->entry = *words;
}

static int write_image(struct pf_injection *injection, const char *exe, uint64_t *code_end, struct pf_error *error)
{
	struct pf_payload payload;
	int status = pf_payload_make(&payload, injection->base, error);

	if (status < 0)
		return status;
	injection->words = payload.words;
	*code_end = payload.code_end;
	fill_in(injection, pf_payload_words(&payload));
	if (!put(injection, injection->base, payload.bytes, payload.size) ||
	    !put(injection, (uint64_t)injection->entry.exe, exe, strlen(exe) + 1))
		status =
		    pf_fail(error, PF_EIO, "%d: its memory cannot be written: %s", injection->pid, strerror(errno));
	pf_payload_fini(&payload);
	return status;
}

/* Sends FILE through the end of the pair that is THEIRS in the process. */
static int send_file(const struct pf_injection *injection, int theirs, int file, struct pf_error *error)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof file)];
	} control = { .header = {
			  .cmsg_len = CMSG_LEN(sizeof file), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec byte = { "", 1 };
	struct msghdr message = {
		.msg_iov = &byte, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
	};
	int end = (int)syscall(SYS_pidfd_getfd, injection->handle, theirs, 0), status = PF_OK;

	memcpy(CMSG_DATA(&control.header), &file, sizeof file);
	if (end < 0 || sendmsg(end, &message, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
		status = pf_fail(error, PF_EIO, "%d: the recording's file cannot be handed over: %s", injection->pid,
				 strerror(errno));
	if (end >= 0)
		close(end);
	return status;
}

/* A message's parts in the image's scratch memory, as the process sees them. */
struct inbox {
	struct msghdr message;
	struct iovec part;
	char byte[8];
	char control[CMSG_SPACE(sizeof(int))];
};

static int receive_file(const struct pf_injection *injection, struct pf_tracee *t, int socket, int *file,
			struct pf_error *error)
{
	uint64_t place = WORD(scratch);
	struct inbox inbox = { .message = { .msg_iov = (void *)(place + offsetof(struct inbox, part)),
					    .msg_iovlen = 1,
					    .msg_control = (void *)(place + offsetof(struct inbox, control)),
					    .msg_controllen = sizeof inbox.control },
			       .part = { (void *)(place + offsetof(struct inbox, byte)), 1 } };
	int64_t result;
	int status;

	if (!put(injection, place, &inbox, sizeof inbox))
		return pf_fail(error, PF_EIO, "%d: its memory cannot be written: %s", injection->pid, strerror(errno));
	status = REMOTE(SYS_recvmsg, (uint64_t)socket, place, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (status < 0)
		return status;
	if (!get(injection, place, &inbox, sizeof inbox) || inbox.message.msg_controllen < CMSG_LEN(sizeof *file))
		return pf_fail(
		    error, PF_EUNSUPPORTED,
		    "%d: no descriptor is free in it (see its limit on open files); record it with --source=clock",
		    injection->pid);
	memcpy(file, CMSG_DATA((struct cmsghdr *)(void *)inbox.control), sizeof *file);
	return PF_OK;
}

static int map_control(struct pf_injection *injection, struct pf_tracee *t, int file, struct pf_error *error)
{
	int pair[2], theirs = -1, status;
	int64_t result;

	status = REMOTE(SYS_socketpair, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, WORD(scratch));
	if (status < 0)
		return status;
	if (!get(injection, WORD(scratch), pair, sizeof pair))
		return pf_fail(error, PF_EIO, "%d: its memory cannot be read: %s", injection->pid, strerror(errno));
	status = send_file(injection, pair[1], file, error);
	if (status == PF_OK)
		status = receive_file(injection, t, pair[0], &theirs, error);
	if (status == PF_OK)
		status = REMOTE(SYS_mmap, 0, PF_WIRE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, (uint64_t)theirs, 0);
	if (status == PF_OK)
		injection->control = injection->entry.control = (uint64_t)result;
	for (int i = 0; i < 3; i++) {
		const int each[] = { pair[0], pair[1], theirs };

		if (each[i] >= 0)
			remote(injection, t, SYS_close, (const uint64_t[6]) { (uint64_t)each[i] }, &result, NULL);
	}
	return status;
}

/* Memory that the process gets is locked, all of it fetched at once: it has asked for that (mlockall). */
static bool is_locked(const struct pf_injection *injection)
{
	char path[64], *line = NULL;
	bool ours = false, locked = false;
	size_t room = 0;
	FILE *smaps;

	snprintf(path, sizeof path, "/proc/%d/smaps", injection->pid);
	smaps = fopen(path, "re");
	while (smaps && !locked && getline(&line, &room, smaps) > 0) {
		char *at;
		uint64_t start = strtoull(line, &at, 16);

		if (*at == '-')
			ours = start <= injection->base && strtoull(at + 1, NULL, 16) > injection->base;
		else if (ours && strncmp(line, "VmFlags:", 8) == 0)
			locked = strstr(line, " lo") != NULL;
	}
	if (smaps)
		fclose(smaps);
	free(line);
	return locked;
}

/* Why the code that was put there may not be executed. */
static int explain_code(const struct pf_injection *injection, int64_t result, int status, struct pf_error *error)
{
	if (status != PF_EUNSUPPORTED || (result != -EACCES && result != -EPERM))
		return status;
	return pf_fail(error, PF_EUNSUPPORTED,
		       "%d: it may not make memory executable (MemoryDenyWriteExecute= of systemd, SELinux); record it "
		       "with --source=clock",
		       injection->pid);
}

static int enter(struct pf_injection *injection, struct pf_tracee *t, int file, const char *exe, struct pf_error *error)
{
	uint64_t code_end = 0;
	int64_t result;
	int status;

	injection->control = 0;
	status = REMOTE(SYS_mmap, 0, pf_payload_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			(uint64_t)-1, 0);
	if (status < 0)
		return status;
	injection->there = true;
	injection->base = (uint64_t)result;
	injection->size = pf_payload_size();
	if (is_locked(injection))
		status =
		    pf_fail(error, PF_EUNSUPPORTED,
			    "%d: it locks all its memory (mlockall); record it with --source=clock", injection->pid);
	if (status == PF_OK)
		status = write_image(injection, exe, &code_end, error);
	if (status == PF_OK)
		status = REMOTE(SYS_mprotect, injection->base, code_end, PROT_READ | PROT_EXEC);
	status = explain_code(injection, result, status, error);
	if (status == PF_OK)
		status = map_control(injection, t, file, error);
	return status;
}

static void take_out(struct pf_injection *injection, struct pf_tracee *t)
{
	unmap(injection, t, injection->control, PF_WIRE_PAGE);
	unmap(injection, t, injection->base, injection->size);
	injection->there = injection->begun = false;
}

static int begin(struct pf_injection *injection, struct pf_tracee *t, enum pf_refusal *refusal, struct pf_error *error)
{
	uint64_t name = (uint64_t)injection->pid;
	int64_t result = 0;
	int status;

	if (!put(injection, WORD(control), &injection->control, sizeof injection->control) ||
	    !put(injection, WORD(name), &name, sizeof name))
		return pf_fail(error, PF_EIO, "%d: its memory cannot be written: %s", injection->pid, strerror(errno));
	status = call(injection, t, (const void *)injection->entry.begin, 0, &result, error);
	*refusal = (enum pf_refusal)result;
	injection->begun = status == PF_OK && result == PF_REFUSE_NONE;
	return status;
}

/* The process is not to be recorded.  A child has its parent's handlers. */
static void refuse(struct pf_injection *injection, struct pf_tracee *t)
{
	int64_t result;

	if (injection->control)
		call(injection, t, (const void *)injection->entry.leave, 0, &result, NULL);
	take_out(injection, t);
}

int pf_inject_adopt(struct pf_injection *injection, pid_t tid, int file, const char *exe, enum pf_refusal *refusal,
		    uint64_t *blocked, struct pf_error *error)
{
	int64_t result = PF_REFUSE_NONE;
	struct pf_tracee t;
	int status = hold(injection, &t, tid, error);

	*refusal = status == PF_EINVAL && t.dispatched ? PF_REFUSE_DISPATCH : PF_REFUSE_NONE;
	*blocked = 0;
	if (status < 0)
		return *refusal == PF_REFUSE_NONE ? status : PF_OK;
	if (!injection->there)
		status = enter(injection, &t, file, exe, error);
	if (status == PF_OK && !injection->begun)
		status = begin(injection, &t, refusal, error);
	if (status == PF_OK && injection->begun)
		status = call(injection, &t, (const void *)injection->entry.adopt, (uint64_t)tid, &result, error);
	if (status == PF_OK && injection->begun && result > 0)
		*refusal = (enum pf_refusal)result;
	if (status == PF_OK && injection->begun && result == 0 && t.mask & PF_INJECT_SIGNAL_BIT)
		*blocked = t.mask;
	if (*blocked)
		t.parting_mask = t.mask & ~PF_INJECT_SIGNAL_BIT;
	if (!injection->begun && injection->there && status != PF_ENOTFOUND)
		refuse(injection, &t);
	pf_tracee_release(&t);
	return status;
}

void pf_inject_block(struct pf_injection *injection, pid_t tid, uint64_t mask)
{
	struct pf_tracee t;
	int status = PF_EINVAL;

	/* In a burst the mask is the handler's, and would be given back at its end; as would be what the C library
	 * blocks while it makes a thread. */
	for (int tries = 0; tries < MOST_TRIES && status == PF_EINVAL; tries++) {
		status = hold(injection, &t, tid, NULL);
		if (status == PF_OK && t.mask & PF_INJECT_SIGNAL_BIT && tries < MOST_CLOSED) {
			pf_tracee_release(&t);
			status = PF_EINVAL;
		}
		if (status == PF_EINVAL)
			rest();
	}
	if (status < 0)
		return;
	if ((t.mask | PF_INJECT_SIGNAL_BIT) == mask)
		t.parting_mask = mask;
	pf_tracee_release(&t);
}

/* Is thread TID, which nothing can bring into the image any more, outside of it, or gone? */
static bool is_outside(const struct pf_injection *injection, pid_t tid)
{
	struct pf_proc_place place;
	struct pf_tracee t;
	bool outside;

	if (!pf_procfs_place(injection->pid, tid, &place))
		return pf_procfs_is_gone(injection->pid, tid);
	if (!place.running)
		return place.pc - injection->base >= injection->size;
	if (pf_procfs_is_worker(injection->pid, tid))
		return true;
	if (pf_tracee_hold(&t, injection->pid, tid, NULL) < 0)
		return pf_procfs_is_gone(injection->pid, tid);
	outside = t.before.rip - injection->base >= injection->size;
	pf_tracee_release(&t);
	return outside;
}

/* Are all threads?  There are always some while the process is. */
static bool are_outside(const struct pf_injection *injection)
{
	pid_t *threads;
	size_t count = pf_procfs_threads(injection->pid, &threads), i;

	for (i = 0; i < count; i++) {
		int tries = MOST_TRIES;

		while (tries && !is_outside(injection, threads[i])) {
			tries--;
			rest();
		}
		if (!tries)
			break;
	}
	free(threads);
	return count && i == count;
}

/* Nothing can bring a thread into the image any more. */
static int shut(struct pf_injection *injection, struct pf_tracee *t, struct pf_error *error)
{
	int64_t result = 0;
	int status = call(injection, t, (const void *)injection->entry.leave, 0, &result, error);

	return status == PF_OK && result == PF_ATTACHED_BUSY ? PF_EINVAL : status;
}

/* No thread is in it any more. */
static int clear(struct pf_injection *injection, struct pf_tracee *t, struct pf_error *error)
{
	int64_t result = 0;
	int status = call(injection, t, (const void *)injection->entry.free, 0, &result, error);

	if (status == PF_OK)
		take_out(injection, t);
	return status;
}

/* The thread to do it: best one that can be interrupted without a trace. */
static pid_t choose_vehicle(const struct pf_injection *injection, bool calm, int round)
{
	pid_t *threads, chosen = 0;
	size_t count = pf_procfs_threads(injection->pid, &threads);

	for (size_t i = 0; i < count && !chosen; i++) {
		pid_t tid = threads[(i + (size_t)round) % count];
		struct pf_proc_place place;

		if (pf_procfs_place(injection->pid, tid, &place) && (!calm || pf_tracee_is_calm(&place)))
			chosen = tid;
	}
	free(threads);
	return chosen;
}

/* Has some thread of the process do STEP, which is to be tried again as long as it gives PF_EINVAL. */
static int have_done(struct pf_injection *injection,
		     int (*step)(struct pf_injection *, struct pf_tracee *, struct pf_error *), struct pf_error *error)
{
	int status = PF_EINVAL;

	for (int round = 0; round < MOST_TRIES && status == PF_EINVAL; round++) {
		struct pf_tracee t;
		pid_t tid = choose_vehicle(injection, round < MOST_TRIES / 4, round);

		if (!pf_inject_is_there(injection))
			return pf_fail(error, PF_ENOTFOUND, "%d: the process has ended", injection->pid);
		if (tid && hold(injection, &t, tid, error) == PF_OK) {
			status = step(injection, &t, error);
			pf_tracee_release(&t);
		}
		if (status == PF_EINVAL)
			rest();
	}
	return status == PF_EINVAL
		   ? pf_fail(error, PF_EIO,
			     "%d: no thread of it was to be caught at a fit place; the recorder leaves it by "
			     "itself within seconds, and its memory stays there, of no effect",
			     injection->pid)
		   : status;
}

int pf_inject_withdraw(struct pf_injection *injection, struct pf_error *error)
{
	int status = have_done(injection, shut, error);

	if (status == PF_OK && !are_outside(injection) && pf_inject_is_there(injection))
		return pf_fail(error, PF_EIO,
			       "%d: a thread stays in the recorder; its memory is left there, of no effect",
			       injection->pid);
	return status == PF_OK ? have_done(injection, clear, error) : status;
}
