/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a .pfdo file.  Checksums would stop nearly every mutation at the door, so the first byte says whether
 * they are put right before the file is read: a hostile writer can do that too.  What is read whole must be written
 * and read again as the same bytes, and exported; what is found by name must not crash. */
#include "profile/exporting.h"
#include "profile/pfdo-file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t get(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = size; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

static void put_u32(uint8_t *at, uint32_t value)
{
	for (size_t i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void mend_frames(uint8_t *chunk, uint64_t size)
{
	for (uint64_t at = 0; size - at >= 8;) {
		uint64_t length = get(chunk + at, 4);

		if (length > size - at - 8)
			return;
		put_u32(chunk + at + 4, (uint32_t)crc32_z(0, chunk + at + 8, length));
		at += 8 + length;
	}
}

static void mend_blocks(uint8_t *file, uint64_t size, uint64_t offset, uint64_t length, uint8_t *crc)
{
	uint64_t crcs = (offset + length + 3) & ~(uint64_t)3, blocks = (length + PF_PFDO_BLOCK - 1) / PF_PFDO_BLOCK;

	if (crcs > size || blocks > (size - crcs) / 4)
		return;
	for (uint64_t b = 0; b < blocks; b++) {
		uint64_t at = b * PF_PFDO_BLOCK, left = length - at;

		put_u32(file + crcs + 4 * b,
			(uint32_t)crc32_z(0, file + offset + at, left < PF_PFDO_BLOCK ? left : PF_PFDO_BLOCK));
	}
	put_u32(crc, (uint32_t)crc32_z(0, file + crcs, blocks * 4));
}

/* Puts every checksum right that can be found, and the file size. */
static void mend(uint8_t *file, size_t size)
{
	uint64_t chunks = size >= 32 ? get(file + 12, 4) : 0;

	if (size < 32 || chunks > (size - 32) / PF_PFDO_ENTRY_SIZE)
		return;
	for (uint64_t c = 0; c < chunks; c++) {
		uint8_t *entry = file + 32 + c * PF_PFDO_ENTRY_SIZE;
		uint64_t offset = get(entry + 8, 8), length = get(entry + 16, 8);

		if (offset > size || length > size - offset)
			continue;
		if (entry[4] == PF_CHECK_WHOLE)
			put_u32(entry + 24, (uint32_t)crc32_z(0, file + offset, length));
		else if (entry[4] == PF_CHECK_BLOCKS)
			mend_blocks(file, size, offset, length, entry + 24);
		else
			mend_frames(file + offset, length);
	}
	put_u32(file + 16, (uint32_t)size);
	put_u32(file + 20, 0);
	put_u32(file + 24, (uint32_t)crc32_z(crc32_z(0, file, 24), file + 32, chunks * PF_PFDO_ENTRY_SIZE));
}

static int see(const char *host, void *closure)
{
	*(size_t *)closure += strlen(host);
	return 0;
}

static void find_all(const char *path, const struct pf_profile *names)
{
	static const char *const more[] = { "main", "helper", "leaf", "nobody", "main.c" };
	struct pf_profile *into = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	struct pf_error error;
	struct pf_pfdo *file;
	uint32_t first, found;
	size_t sum = 0;

	if (!into)
		abort();
	if (pf_pfdo_open(path, &file, &error) == PF_OK) {
		for (uint32_t f = 0; names && f < names->function_count && f < 50; f++)
			pf_pfdo_find(file, names->functions[f].name, into, &first, &found, &error);
		for (uint32_t c = 0; names && c < names->compiled_count && c < 50; c++) {
			/* What was read whole is found by name, too. */
			if (pf_pfdo_compiled(file, names->compiled[c], &error) != 1)
				abort();
		}
		for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
			pf_pfdo_find(file, more[i], into, &first, &found, &error);
			pf_pfdo_hosts(file, more[i], see, &sum);
			pf_pfdo_compiled(file, more[i], &error);
		}
		pf_pfdo_close(file);
	}
	pf_profile_free(into);
}

/* What was read is written to PATH and read again. */
static void check_round_trip(struct pf_profile *profile, const char *path)
{
	struct pf_profile *again;
	struct pf_error error;

	if (pf_pfdo_write(profile, path, &error) != PF_OK)
		return;
	if (pf_pfdo_read(path, &again, &error) != PF_OK || again->function_count != profile->function_count ||
	    again->compiled_count != profile->compiled_count)
		abort();
	pf_profile_free(again);
}

static void export_all(const struct pf_profile *profile)
{
	for (const struct pf_export_format *format = pf_export_formats; format->name; format++) {
		struct pf_buffer out = { 0 }, notes = { 0 };
		struct pf_error error = { 0 };

		if (format->write(profile, &out, &notes, &error) == PF_OK ? !out.size : !error.text[0])
			abort();
		pf_buffer_fini(&out);
		pf_buffer_fini(&notes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_profile *profile = NULL;
	struct pf_error error;
	char path[64], copy_path[64];
	uint8_t *copy;
	int fd;

	if (!size)
		return 0;
	copy = malloc(size);
	fd = memfd_create("fuzz", 0);
	if (!copy || fd < 0)
		abort();
	memcpy(copy, data + 1, size - 1);
	if (data[0] & 1)
		mend(copy, size - 1);
	if (write(fd, copy, size - 1) != (ssize_t)(size - 1))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	snprintf(copy_path, sizeof copy_path, "/tmp/fuzz-pfdo.%d", (int)getpid());
	if (pf_pfdo_read(path, &profile, &error) == PF_OK) {
		check_round_trip(profile, copy_path);
		export_all(profile);
	}
	find_all(path, profile);
	pf_profile_free(profile);
	unlink(copy_path);
	close(fd);
	free(copy);
	return 0;
}
