/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See journal.h.  The hard case is an interruption at any moment: a file is there when it is whole, and what is no such
 * file counts as not there. */
#include "analysis/journal.h"
#include "support/jsontext.h"
#include "support/outfile.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void path_of(const char *folder, const char *step, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s.json", folder, step);
}

static void key_text(uint64_t key, char text[17])
{
	snprintf(text, 17, "%016" PRIx64, key);
}

json_t *pf_journal_read(const char *folder, const char *step, uint64_t key)
{
	char path[PATH_MAX], text[17];
	json_t *root, *result = NULL;
	const char *written;

	path_of(folder, step, path);
	key_text(key, text);
	root = json_load_file(path, 0, NULL);
	written = json_string_value(json_object_get(root, "key"));
	if (written && strcmp(written, text) == 0)
		result = json_incref(json_object_get(root, "result"));
	json_decref(root);
	return result;
}

int pf_journal_write(const char *folder, const char *step, uint64_t key, const json_t *result, struct pf_error *error)
{
	char path[PATH_MAX], text[17], *dump = NULL;
	json_t *root;
	int status;

	path_of(folder, step, path);
	key_text(key, text);
	root = json_pack("{s:s, s:O}", "key", text, "result", result);
	if (root)
		dump = json_dumps(root, JSON_INDENT(1));
	status = dump ? pf_outfile_write(path, dump, strlen(dump), error)
		      : pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	free(dump);
	json_decref(root);
	return status;
}

void pf_journal_forget(const char *folder, const char *step)
{
	char path[PATH_MAX];

	path_of(folder, step, path);
	unlink(path);
}

json_t *pf_journal_text(const char *text)
{
	struct pf_buffer quoted = { 0 };
	json_t *string = NULL;

	pf_json_put_string(&quoted, text);
	if (!quoted.failed)
		string = json_loadb((const char *)quoted.data, quoted.size, JSON_DECODE_ANY, NULL);
	pf_buffer_fini(&quoted);
	return string;
}

time_t pf_journal_date(const char *folder, const char *steps)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	struct stat status;
	time_t newest = 0;
	DIR *directory;

	snprintf(path, sizeof path, "%s/%s", folder, steps);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		const char *end = strrchr(entry->d_name, '.');

		if (end && strcmp(end, ".json") == 0 && fstatat(dirfd(directory), entry->d_name, &status, 0) == 0 &&
		    status.st_mtime > newest)
			newest = status.st_mtime;
	}
	if (directory)
		closedir(directory);
	return newest;
}
