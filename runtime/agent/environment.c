/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See environment.h.  A program is recorded if ld.so finds the recorder in LD_PRELOAD, and the recorder the recording
 * in PATHFDO_DIR.  Scripts that start servers set LD_PRELOAD for an allocator of theirs, and `env -i` and its like
 * leave nothing: what such a program is given lacks both, and they are put back.  The hard case is who means it.  A
 * recording within this one has a folder of its own, which stays; and a sanitizer that is preloaded has to be the
 * first. */
#include "runtime/agent/environment.h"
#include "runtime/agent/caller.h"
#include "runtime/agent/next.h"

#define PRELOAD "LD_PRELOAD="
#define FOLDER "PATHFDO_DIR="
#define AGAIN PF_AGAIN_NAME "="
#define LONGEST_FOLDER 500 /* each process touches these bytes; what is longer is not put back */

static char own_folder[sizeof FOLDER + LONGEST_FOLDER]; /* the entry; "": nothing to give */

static struct pf_again own_again;

static bool begins(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

const char *pf_environment_value(char *const environment[], const char *name)
{
	size_t length = __builtin_strlen(name);
	for (; *environment; environment++)
		if (begins(*environment, name) && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static bool contains(const char *text, size_t length, const char *what)
{
	size_t wanted = __builtin_strlen(what);
	for (size_t i = 0; i + wanted <= length; i++)
		if (__builtin_memcmp(text + i, what, wanted) == 0)
			return true;
	return false;
}

/* The length of the item of a preload list at AT, up to the next separator. */
static size_t item(const char *at)
{
	size_t length = 0;
	while (at[length] && at[length] != ':' && at[length] != ' ')
		length++;
	return length;
}

static bool is_own(const char *at, size_t length)
{
	const char *own = pf_next_own_name();
	return length && length == __builtin_strlen(own) && __builtin_memcmp(at, own, length) == 0;
}

void pf_environment_begin(const char *folder, const char *again)
{
	const char *own = pf_next_own_name();
	size_t length = __builtin_strlen(folder);
	own_again = pf_again_read(again);
	if (sizeof FOLDER + length > sizeof own_folder || !*own || own[item(own)])
		return;
	__builtin_memcpy(own_folder + sizeof FOLDER - 1, folder, length + 1);
	__builtin_memcpy(own_folder, FOLDER, sizeof FOLDER - 1);
}

/* Finds the recorder in the list of PRELOAD. */
static void find_own(struct pf_environment *e)
{
	const char *at = e->preload + sizeof PRELOAD - 1;
	e->own = NULL;
	for (size_t length; *at && !e->own; at += length + (at[length] != 0)) {
		length = item(at);
		if (is_own(at, length)) {
			e->own = at;
			e->own_length = length;
		}
	}
}

bool pf_environment_sanitizes(const char *list)
{
	bool sanitizes = false;
	for (size_t length; *list; list += length + (list[length] != 0)) {
		length = item(list);
		/* libasan.so.8, libclang_rt.tsan-x86_64.so */
		sanitizes |= contains(list, length, "san.so") || contains(list, length, "libclang_rt.");
	}
	return sanitizes;
}

/* What the loader is asked for beside its work, by the entry at TEXT.  The first says so whatever its value is. */
static void read_wishes(struct pf_environment *e, const char *text)
{
	size_t length = __builtin_strlen(text);
	e->traced |= begins(text, "LD_TRACE_LOADED_OBJECTS=");
	e->shown |= begins(text, "LD_DEBUG=") && length > sizeof "LD_DEBUG=" - 1;
	e->shown |= begins(text, "LD_AUDIT=") && contains(text, length, "sotruss-lib.so");
}

struct pf_environment pf_environment_of(char *const given[])
{
	struct pf_environment e = { .given = given, .last = own_again };
	bool sanitizes = false;
	if (given && !pf_caller_has_list(given))
		return e;
	for (; given && given[e.count]; e.count++) {
		if (!e.folder && begins(given[e.count], FOLDER))
			e.folder = given[e.count];
		if (!e.again && begins(given[e.count], AGAIN)) {
			e.again = given[e.count];
			e.last = pf_again_read(e.again + sizeof AGAIN - 1);
		}
		read_wishes(&e, given[e.count]);
		if (!begins(given[e.count], PRELOAD))
			continue;
		e.preload = given[e.count]; /* of several ld.so takes the last */
		find_own(&e);
		sanitizes = pf_environment_sanitizes(e.preload + sizeof PRELOAD - 1);
	}
	size_t length = __builtin_strlen(own_folder);
	bool is_ours = !e.folder || (begins(e.folder, own_folder) && !e.folder[length]);
	e.lacks = *own_folder && is_ours && !sanitizes && (!e.own || !e.folder);
	return e;
}

const char *pf_environment_folder(const struct pf_environment *e)
{
	const char *entry = e->folder ? e->folder : own_folder;
	return *entry ? entry + sizeof FOLDER - 1 : "";
}

size_t pf_environment_entries(const struct pf_environment *e)
{
	return e->changes ? e->count + 4 : 1; /* three more at most, and the end */
}

size_t pf_environment_bytes(const struct pf_environment *e)
{
	if (!e->changes)
		return 1;
	size_t old = e->preload ? __builtin_strlen(e->preload) : sizeof PRELOAD - 1;
	return old + (e->lacks ? __builtin_strlen(pf_next_own_name()) + 1 + PF_AGAIN_SIZE : 0) + 1;
}

/* Appends SIZE bytes, and leaves room for more. */
static char *append(char *to, const char *from, size_t size)
{
	__builtin_memcpy(to, from, size);
	to[size] = 0;
	return to + size;
}

/* The preload list without the recorder; false if nothing is left of it. */
static bool take_out(const struct pf_environment *e, char *text)
{
	const char *rest = e->own + e->own_length;
	rest += *rest != 0;
	char *end = append(text, e->preload, (size_t)(e->own - e->preload));
	append(end, rest, __builtin_strlen(rest));
	return text[sizeof PRELOAD - 1] != 0;
}

/* The preload list with the recorder in front.  Behind it is the entry that says who has it back. */
static bool put_in(const struct pf_environment *e, char *text)
{
	const char *list = e->preload ? e->preload + sizeof PRELOAD - 1 : "";
	char *end = append(text, PRELOAD, sizeof PRELOAD - 1);
	if (!e->own) {
		end = append(end, pf_next_own_name(), __builtin_strlen(pf_next_own_name()));
		if (*list)
			end = append(end, ":", 1);
	}
	end = append(end, list, __builtin_strlen(list));
	pf_again_write(&e->last, end + 1);
	return true;
}

char *const *pf_environment_make(const struct pf_environment *e, char *list[], char *text)
{
	size_t count = 0;
	if (!e->changes)
		return e->given;
	bool listed = e->lacks ? put_in(e, text) : take_out(e, text);
	for (size_t i = 0; i < e->count; i++) {
		if (e->given[i] == e->again && e->lacks)
			continue;
		if (e->given[i] != e->preload)
			list[count++] = e->given[i];
		else if (listed)
			list[count++] = text;
	}
	if (!e->preload)
		list[count++] = text;
	if (e->lacks && !e->folder)
		list[count++] = own_folder;
	if (e->lacks)
		list[count++] = text + __builtin_strlen(text) + 1;
	list[count] = NULL;
	return list;
}
