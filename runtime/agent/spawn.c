/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads and programs that the program starts.  A new thread passes through here on its way to its routine; a new
 * program gets the environment that the program gives it, without the recorder where that could not be loaded (another
 * C library, a sanitizer, another architecture, a root folder in which it is not), and with it where it was left out
 * (environment.c).  The hard case: all of it may be called in the child of vfork or in a signal handler, so the changed
 * environment is made on the stack. */
#include "runtime/agent/caller.h"
#include "runtime/agent/environment.h"
#include "runtime/agent/exported.h"
#include "runtime/agent/held.h"
#include "runtime/agent/loadable.h"
#include "runtime/agent/ldso.h"
#include "runtime/agent/next.h"
#include "runtime/agent/process.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thinning.h"
#include "runtime/agent/whole.h"
#include "runtime/agent/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>

#define LONGEST_PATH 1024 /* of what is searched for; the stack may be small */

/* Often a copy of the library's, in the program; the loader knows. */
extern char **environ __attribute__((weak));

static void *begin(void *argument)
{
	struct pf_slot *slot = argument;
	void *(*routine)(void *) = slot->start;
	void *value = slot->argument;
	pf_thread_begin(slot);
	pf_whole_enter();
	value = routine(value);
	pf_whole_rest(); /* for good */
	pf_thread_end(slot);
	return value;
}

static struct pf_slot *find_slot(void)
{
	struct pf_slot *slot = pf_thread_slot();
	if (!slot)
		pf_thread_count_refusal(PF_REFUSE_FULL);
	return slot;
}

/* A slot for a thread that is about to be made, where it would be recorded.  *MASK is for pf_signals_after_thread. */
static struct pf_slot *slot_for_thread(uint64_t *mask)
{
	struct pf_slot *slot = NULL;
	bool stepped = pf_whole_rest();
	pf_process_lasts();
	if (pf_process.pid && !pf_process.shut && !pf_process.quiet && pf_process_is_mine())
		slot = find_slot();
	pf_signals_before_thread(mask);
	pf_whole_resume(stepped);
	return slot;
}

PF_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			     void *(*routine)(void *), void *restrict argument)
{
	uint64_t mask;
	struct pf_slot *slot = slot_for_thread(&mask);
	if (slot) {
		slot->start = routine;
		slot->argument = argument;
	}
	int result = PF_NEXT(pthread_create)(thread, attributes, slot ? begin : routine, slot ? slot : argument);
	pf_signals_after_thread(mask);
	if (!slot)
		return result;
	if (result)
		pf_thread_put(slot);
	pf_whole_enter();
	return result;
}

static int begin_c11(void *argument)
{
	struct pf_slot *slot = argument;
	int (*routine)(void *) = slot->start_c11;
	void *value = slot->argument;
	pf_thread_begin(slot);
	pf_whole_enter();
	int result = routine(value);
	pf_whole_rest(); /* for good */
	pf_thread_end(slot);
	return result;
}

/* Who asks whether there is one finds this one, also where glibc, before 2.28, has none. */
PF_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	if (!PF_NEXT(thrd_create))
		return thrd_error;
	uint64_t mask;
	struct pf_slot *slot = slot_for_thread(&mask);
	if (slot) {
		slot->start_c11 = routine;
		slot->argument = argument;
	}
	int result = PF_NEXT(thrd_create)(thread, slot ? begin_c11 : routine, slot ? slot : argument);
	pf_signals_after_thread(mask);
	if (!slot)
		return result;
	if (result != thrd_success)
		pf_thread_put(slot);
	pf_whole_enter();
	return result;
}

/* Are the recorder's library and its recording there, as the new program will see them?  What can be looked up cannot
 * always be opened. */
static bool is_there(const struct pf_environment *e)
{
	const char *folder = pf_environment_folder(e);
	long fd = PF_SYS4(SYS_openat, AT_FDCWD, pf_next_own_name(), O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0)
		PF_SYS1(SYS_close, fd);
	return fd == -EMFILE || (fd >= 0 && (!*folder || pf_control_is_there(folder)));
}

/* Can the recorder be loaded into PATH in FOLDER?  If not, *WHY is the reason for which a program that could take it is
 * executed without. */
static bool can_load(const struct pf_environment *e, int folder, const char *path, int flags, char *const arguments[],
		     enum pf_refusal *why)
{
	struct pf_ldso_task task;
	if (e->traced)
		return false;
	bool held = pf_held(folder, path, flags);
	enum pf_loadable what = held ? PF_LOADABLE_UNREADABLE : pf_loadable(folder, path, flags);
	what = pf_ldso_follow(what, arguments, &task);
	switch (what) {
	case PF_LOADABLE_OTHER_ARCH:
	case PF_LOADABLE_OTHER_LIBC:
	case PF_LOADABLE_SANITIZER:
	case PF_LOADABLE_LOADER:
		return false;
	default:
		break;
	}
	if (!is_there(e))
		*why = what == PF_LOADABLE_UNREADABLE && !held ? PF_REFUSE_NONE : PF_REFUSE_ELSEWHERE;
	else if (task.preload && pf_environment_sanitizes(task.preload))
		return false;
	else if (e->shown && what != PF_LOADABLE_STATIC)
		*why = PF_REFUSE_SHOWN;
	else
		return true;
	return false;
}

static struct pf_command name_of(int folder, const char *path, int flags, char *const arguments[])
{
	/* What a path is in another folder, or where a spawned child has gone first, is not known here. */
	bool known = folder == AT_FDCWD && !flags && arguments;
	return known ? pf_thinning_name(path, arguments) : (struct pf_command) { 0, 0 };
}

/* Can the recorder be loaded into PATH in FOLDER, and is it to be?  Nothing is looked at, and nothing will be executed,
 * where one of them is no memory. */
static bool is_fit(const struct pf_environment *e, int folder, const char *path, int flags, char *const arguments[])
{
	struct pf_command command = { 0, 0 };
	enum pf_refusal why = PF_REFUSE_NONE;
	if (!pf_caller_has_text(path) || (arguments && !pf_caller_has_list(arguments)))
		return true;
	/* A child that was made by a bare clone is nobody of the recording, but is counted in it. */
	bool counts = pf_control && !pf_process.shut && pf_sys_can_write(pf_control);
	if (counts && pf_process.pid)
		command = name_of(folder, path, flags, arguments);
	if (command.program && pf_thinning_decide(pf_control, &command) == 0)
		return false;
	bool fits = can_load(e, folder, path, flags, arguments, &why);
	if (counts && why != PF_REFUSE_NONE)
		pf_control_refuse(pf_control, why);
	return fits;
}

/* Whether PATH is executed without the recorder once more, though it was given it back. */
static bool goes_round(struct pf_environment *e, int folder, const char *path, int flags, char *const arguments[])
{
	struct pf_command command = { 0, 0 };
	if (pf_caller_has_text(path) && arguments && pf_caller_has_list(arguments))
		command = name_of(folder, path, flags, arguments);
	if (pf_again_may(&e->last, &command, (uint32_t)PF_SYS0(SYS_getpid)))
		return false;
	if (pf_sys_can_write(pf_control))
		pf_control_refuse(pf_control, PF_REFUSE_AGAIN);
	return true;
}

/* What GIVEN is to become for PATH in FOLDER. */
static struct pf_environment fit_environment(char *const given[], int folder, const char *path, int flags,
					     char *const arguments[])
{
	struct pf_environment e = pf_environment_of(given);
	e.lacks = e.lacks && pf_control && !pf_process_barred;
	bool fit = (e.own || e.lacks) && is_fit(&e, folder, path, flags, arguments);
	e.lacks = e.lacks && fit && !goes_round(&e, folder, path, flags, arguments);
	e.changes = fit ? e.lacks : e.own != NULL;
	return e;
}

/* The environment for what PATH in FOLDER becomes: the given one, or a changed one on the caller's stack.  To find it
 * takes long, and nothing of it is the program's. */
#define FITTED(given, folder, path, flags, arguments)                                                                  \
	bool stepped = pf_whole_rest();                                                                                \
	pf_process_lasts();                                                                                            \
	struct pf_environment plan = fit_environment(given, folder, path, flags, arguments);                           \
	char *changed[pf_environment_entries(&plan)], text[pf_environment_bytes(&plan)];                               \
	char *const *fitted = pf_environment_make(&plan, changed, text);                                               \
	pf_whole_resume(stepped);                                                                                      \
	uint64_t mask;                                                                                                 \
	pf_signals_before_exec(&mask)

/* The call has failed, or was no exec. */
#define RETURN(result)                                                                                                 \
	__extension__({                                                                                                \
		__typeof__(result) returned = (result);                                                                \
		pf_signals_after_exec(mask);                                                                           \
		pf_whole_enter();                                                                                      \
		return returned;                                                                                       \
	})

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla" /* a child of vfork has nothing but the stack */

PF_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
	FITTED(environment, AT_FDCWD, path, 0, arguments);
	RETURN((int)pf_result(PF_SYS3(SYS_execve, path, arguments, fitted)));
}

PF_EXPORT int execveat(int folder, const char *path, char *const arguments[], char *const environment[], int flags)
{
	FITTED(environment, folder, path, flags, arguments);
	RETURN((int)pf_result(pf_sys(SYS_execveat, folder, (long)path, (long)arguments, (long)fitted, flags, 0)));
}

PF_EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
	FITTED(environment, fd, "", AT_EMPTY_PATH, arguments);
	RETURN(PF_NEXT(fexecve)(fd, arguments, fitted));
}

PF_EXPORT int execv(const char *path, char *const arguments[])
{
	return execve(path, arguments, environ);
}

/* As search below. */
static const char *search_path(const char *name, char path[LONGEST_PATH])
{
	size_t length = __builtin_strlen(name);
	const char *listed = environ ? pf_environment_value(environ, "PATH") : NULL;
	const char *at = listed ? listed : "/bin:/usr/bin";
	for (const char *c = name; *c; c++)
		if (*c == '/')
			return name;
	for (;;) {
		size_t folder = 0;
		while (at[folder] && at[folder] != ':')
			folder++;
		if (folder + length + 2 <= LONGEST_PATH) {
			__builtin_memcpy(path, at, folder);
			path[folder] = '/';
			__builtin_memcpy(path + folder + (folder > 0), name, length + 1);
			if (PF_SYS3(SYS_faccessat, AT_FDCWD, path, 1 /* X_OK */) == 0)
				return path;
		}
		if (!at[folder])
			return name;
		at += folder + 1;
	}
}

/* The file that NAME means on the search path, as execvp looks for it; NAME itself if there is none. */
static const char *search(const char *name, char path[LONGEST_PATH])
{
	bool stepped = pf_whole_rest();
	const char *found = search_path(name, path);
	pf_whole_resume(stepped);
	return found;
}

PF_EXPORT int execvpe(const char *name, char *const arguments[], char *const environment[])
{
	char path[LONGEST_PATH];
	FITTED(environment, AT_FDCWD, search(name, path), 0, arguments);
	RETURN(PF_NEXT(execvpe)(name, arguments, fitted));
}

PF_EXPORT int execvp(const char *name, char *const arguments[])
{
	return execvpe(name, arguments, environ);
}

/* Execs that take their arguments one by one, up to a NULL: CALL gets them as a list on the stack. */
#define LISTED(function, call)                                                                                         \
	PF_EXPORT int function(const char *path, const char *first, ...)                                               \
	{                                                                                                              \
		va_list list;                                                                                          \
		size_t count = 1;                                                                                      \
		va_start(list, first);                                                                                 \
		while (va_arg(list, char *))                                                                           \
			count++;                                                                                       \
		va_end(list);                                                                                          \
		char *arguments[count + 1];                                                                            \
		arguments[0] = (char *)first;                                                                          \
		va_start(list, first);                                                                                 \
		for (size_t i = 1; i <= count; i++)                                                                    \
			arguments[i] = va_arg(list, char *);                                                           \
		int result = call;                                                                                     \
		va_end(list);                                                                                          \
		return result;                                                                                         \
	}

LISTED(execl, execve(path, arguments, environ))
LISTED(execlp, execvpe(path, arguments, environ))
LISTED(execle, execve(path, arguments, va_arg(list, char *const *)))

/* Where the file actions may change the working folder, what a path means there is not known here. */
static char *const *seen_as(const char *path, const posix_spawn_file_actions_t *actions, char *const arguments[])
{
	return actions && (!pf_caller_has_text(path) || *path != '/') ? NULL : arguments;
}

PF_EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
			  const posix_spawn_file_actions_t *restrict actions,
			  const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
			  char *const environment[restrict])
{
	FITTED(environment, AT_FDCWD, path, 0, seen_as(path, actions, arguments));
	RETURN(PF_NEXT(posix_spawn)(pid, path, actions, attributes, arguments, fitted));
}

PF_EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict name,
			   const posix_spawn_file_actions_t *restrict actions,
			   const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
			   char *const environment[restrict])
{
	char path[LONGEST_PATH];
	const char *file = search(name, path);
	FITTED(environment, AT_FDCWD, file, 0, seen_as(file, actions, arguments));
	RETURN(PF_NEXT(posix_spawnp)(pid, name, actions, attributes, arguments, fitted));
}

#define SPAWN_DESCRIPTOR(function)                                                                                     \
	int function(int *restrict pidfd, const char *restrict path,                                                   \
		     const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes, \
		     char *const arguments[restrict], char *const environment[restrict])
SPAWN_DESCRIPTOR(pidfd_spawn);
SPAWN_DESCRIPTOR(pidfd_spawnp);

/* Of glibc 2.39: the same, with a descriptor of the child in place of its number.  Who asks whether there is one finds
 * this one, also where the library has none, and hears what it would say under an old kernel. */
PF_EXPORT SPAWN_DESCRIPTOR(pidfd_spawn)
{
	if (!PF_NEXT(pidfd_spawn))
		return ENOSYS;
	FITTED(environment, AT_FDCWD, path, 0, seen_as(path, actions, arguments));
	RETURN(PF_NEXT(pidfd_spawn)(pidfd, path, actions, attributes, arguments, fitted));
}

PF_EXPORT SPAWN_DESCRIPTOR(pidfd_spawnp)
{
	if (!PF_NEXT(pidfd_spawnp))
		return ENOSYS;
	char place[LONGEST_PATH];
	const char *file = search(path, place);
	FITTED(environment, AT_FDCWD, file, 0, seen_as(file, actions, arguments));
	RETURN(PF_NEXT(pidfd_spawnp)(pidfd, path, actions, attributes, arguments, fitted));
}

#pragma GCC diagnostic pop

/* Is the calling thread the program's only one?  Before 2.32 glibc does not tell. */
static bool is_alone(void)
{
	const char *single = pf_next_find("__libc_single_threaded");
	return single && *single;
}

/* The program's environment while the library gives it to a shell of its own. */
struct loan {
	char **before, **list; /* LIST NULL: it is the program's */
	size_t size;
};

/* Where the shell for TEXT is to have another environment than the program's, that is exchanged meanwhile; not where
 * another thread could see it.  A handler that leaves by longjmp may keep it, so it is not on the stack. */
static struct loan lend(const char *text)
{
	char *arguments[] = { (char *)"sh", (char *)"-c", (char *)text, NULL };
	struct loan loan = { environ, NULL, 0 };
	if (!text || !is_alone())
		return loan;
	struct pf_environment plan = fit_environment(environ, AT_FDCWD, "/bin/sh", 0, arguments);
	size_t entries = pf_environment_entries(&plan) * sizeof *loan.list;
	loan.size = entries + pf_environment_bytes(&plan);
	if (plan.changes)
		loan.list = pf_sys_map(0, loan.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (loan.list)
		environ = (char **)pf_environment_make(&plan, loan.list, (char *)loan.list + entries);
	return loan;
}

/* Unless a handler has changed it, and may have entries of it. */
static void take_back(const struct loan *loan)
{
	if (!loan->list || environ != loan->list)
		return;
	environ = loan->before;
	PF_SYS2(SYS_munmap, loan->list, loan->size);
}

/* The library spawns for these inside of itself. */
#define WITH_SHELL(text, call)                                                                                         \
	bool stepped = pf_whole_rest();                                                                                \
	pf_process_lasts();                                                                                            \
	struct loan loan = lend(text);                                                                                 \
	pf_whole_resume(stepped);                                                                                      \
	uint64_t mask;                                                                                                 \
	pf_signals_before_exec(&mask);                                                                                 \
	__typeof__(call) result = call;                                                                                \
	take_back(&loan);                                                                                              \
	RETURN(result)

PF_EXPORT int system(const char *text)
{
	WITH_SHELL(text, PF_NEXT(system)(text));
}

PF_EXPORT FILE *popen(const char *text, const char *mode)
{
	WITH_SHELL(text, PF_NEXT(popen)(text, mode));
}
