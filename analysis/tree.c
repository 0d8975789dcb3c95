/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tree.h.  The hard case is a source tree that says the same in another order: entries are sorted by name before
 * they count, and times, owners and inode numbers never do. */
#include "analysis/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t pf_digest_bytes(uint64_t digest, const void *bytes, size_t size)
{
	const uint8_t *b = bytes;

	for (size_t i = 0; i < size; i++)
		digest = (digest ^ b[i]) * 0x100000001b3u;
	return digest;
}

uint64_t pf_digest_string(uint64_t digest, const char *string)
{
	return string ? pf_digest_bytes(digest, string, strlen(string) + 1) : pf_digest_bytes(digest, "\xff\xff", 2);
}

int pf_digest_file(uint64_t *digest, const char *path, struct pf_error *error)
{
	uint8_t block[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t size = 0;
	ssize_t got;

	if (fd < 0)
		return pf_fail(error, PF_EIO, "%s: cannot read: %s", path, strerror(errno));
	while ((got = read(fd, block, sizeof block)) > 0) {
		*digest = pf_digest_bytes(*digest, block, (size_t)got);
		size += (uint64_t)got;
	}
	close(fd);
	if (got < 0)
		return pf_fail(error, PF_EIO, "%s: cannot read: %s", path, strerror(errno));
	*digest = pf_digest_bytes(*digest, &size, sizeof size);
	return PF_OK;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static FTS *open_tree(const char *path, struct pf_error *error)
{
	char *const roots[] = { (char *)path, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);

	if (!fts)
		pf_fail(error, PF_EIO, "%s: cannot read: %s", path, strerror(errno));
	return fts;
}

static int digest_link(uint64_t *digest, const char *path)
{
	char target[4096];
	ssize_t length = readlink(path, target, sizeof target);

	*digest = pf_digest_bytes(*digest, target, length > 0 ? (size_t)length : 0);
	return PF_OK;
}

static int digest_entry(uint64_t *digest, FTS *fts, FTSENT *e, size_t root, struct pf_error *error)
{
	bool runs = e->fts_info == FTS_F && (e->fts_statp->st_mode & S_IXUSR);

	if (e->fts_info == FTS_DP)
		return PF_OK;
	if (e->fts_info == FTS_D && strcmp(e->fts_name, ".git") == 0) {
		fts_set(fts, e, FTS_SKIP);
		return PF_OK;
	}
	*digest = pf_digest_string(*digest, e->fts_path + root);
	*digest = pf_digest_bytes(*digest, runs ? "x" : "-", 1);
	switch (e->fts_info) {
	case FTS_F:
		return pf_digest_file(digest, e->fts_path, error);
	case FTS_SL:
	case FTS_SLNONE:
		return digest_link(digest, e->fts_path);
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return pf_fail(error, PF_EIO, "%s: cannot read: %s", e->fts_path, strerror(e->fts_errno));
	default:
		return PF_OK;
	}
}

int pf_digest_tree(uint64_t *digest, const char *path, struct pf_error *error)
{
	FTS *fts = open_tree(path, error);
	int status = fts ? PF_OK : PF_EIO;
	FTSENT *e;

	while (status == PF_OK && (e = fts_read(fts)))
		status = digest_entry(digest, fts, e, strlen(path), error);
	if (fts)
		fts_close(fts);
	return status;
}

int pf_tree_make(const char *path, struct pf_error *error)
{
	char part[4096];
	struct stat st;

	if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
		return pf_fail(error, PF_EIO, "%s: the path is too long", path);
	for (char *slash = part + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(part, 0777);
	}
	if (mkdir(path, 0777) != 0 && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
		return pf_fail(error, PF_EIO, "%s: cannot make the folder: %s", path, strerror(errno));
	return PF_OK;
}

int pf_tree_remove(const char *path, struct pf_error *error)
{
	struct stat st;
	FTSENT *e;
	FTS *fts;
	int status = PF_OK;

	if (lstat(path, &st) != 0)
		return PF_OK;
	fts = open_tree(path, error);
	if (!fts)
		return PF_EIO;
	while (status == PF_OK && (e = fts_read(fts))) {
		int failed = 0;

		if (e->fts_info == FTS_D)
			chmod(e->fts_path, 0700);
		else
			failed = e->fts_info == FTS_DP ? rmdir(e->fts_path) : unlink(e->fts_path);
		if (failed != 0)
			status = pf_fail(error, PF_EIO, "%s: cannot remove: %s", e->fts_path, strerror(errno));
	}
	fts_close(fts);
	return status;
}

int pf_tree_renew(const char *path, struct pf_error *error)
{
	int status = pf_tree_remove(path, error);

	return status == PF_OK ? pf_tree_make(path, error) : status;
}

int pf_tree_walk(const char *path, int (*visit)(void *context, const char *path), void *context, struct pf_error *error)
{
	FTS *fts = open_tree(path, error);
	int status = fts ? PF_OK : PF_EIO;
	FTSENT *e;

	while (status == PF_OK && (e = fts_read(fts))) {
		if (e->fts_info == FTS_F)
			status = visit(context, e->fts_path);
	}
	if (fts)
		fts_close(fts);
	return status;
}

bool pf_tree_has(const char *path)
{
	return access(path, F_OK) == 0;
}
