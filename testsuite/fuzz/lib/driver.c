/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A main for fuzz targets where there is no libFuzzer: every file of the corpus, then mutations of them until the time
 * is up.  The mutations are repeatable (fixed seed), so that what fails once fails again; the hard case is telling
 * which input it was when the target dies: the input is written to a file before each run, and removed at the end. */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_SIZE (1u << 20)
#define MAX_FILES 4096
#define SECONDS_FOR_ONE 10

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	uint8_t *data;
	size_t size;
};

static struct input corpus[MAX_FILES];
static size_t corpus_size;
static uint64_t state = 0x9e3779b97f4a7c15u;
static char kept[4096];

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void die(const char *what, const char *name)
{
	fprintf(stderr, "fuzz driver: %s %s\n", what, name);
	exit(2);
}

static void load(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct input *in = &corpus[corpus_size];

	if (!f)
		die("cannot read", path);
	in->data = malloc(MAX_SIZE);
	if (!in->data)
		die("out of memory at", path);
	in->size = fread(in->data, 1, MAX_SIZE, f);
	fclose(f);
	corpus_size++;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Directory order differs between machines: sorted, so that a failure repeats elsewhere. */
static void load_folder(const char *folder)
{
	static char *names[MAX_FILES];
	size_t count = 0;
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		die("there is no corpus", folder);
	while ((entry = readdir(dir)) != NULL && count < MAX_FILES) {
		if (entry->d_name[0] != '.')
			names[count++] = strdup(entry->d_name);
	}
	closedir(dir);
	qsort(names, count, sizeof names[0], by_name);
	for (size_t i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		load(path);
		free(names[i]);
	}
}

/* The input lies in a file of its own while it runs: a crash leaves it there. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1); /* so that one byte too far is out of bounds for ASan */
	FILE *f = fopen(kept, "wb");

	if (!exact || !f)
		die("cannot keep the input in", kept);
	memcpy(exact, data, size);
	fwrite(data, 1, size, f);
	fclose(f);
	alarm(SECONDS_FOR_ONE);
	LLVMFuzzerTestOneInput(exact, size);
	alarm(0);
	free(exact);
}

/* Truncate, flip a bit, plant an extreme value, copy a stretch of another input over. */
static size_t mutate(uint8_t *data, size_t size)
{
	static const uint64_t extremes[] = { 0, 1, 0x7f, 0xff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX };
	size_t at = size ? next_random() % size : 0;
	const struct input *other;
	size_t width;

	if (!size)
		return 0;
	switch (next_random() % 8) {
	case 0:
		return at;
	case 1:
	case 2:
		data[at] ^= 1u << (next_random() % 8);
		return size;
	case 3:
		data[at] = (uint8_t)next_random();
		return size;
	case 4:
	case 5:
	case 6:
		width = (size_t)1 << (next_random() % 4);
		if (width <= size - at)
			memcpy(data + at, &extremes[next_random() % 8], width);
		return size;
	default:
		other = &corpus[next_random() % corpus_size];
		width = next_random() % 64;
		if (width <= size - at && at < other->size && width <= other->size - at)
			memcpy(data + at, other->data + at, width);
		return size;
	}
}

static void mutations(unsigned seconds)
{
	static uint8_t work[MAX_SIZE];
	time_t end = time(NULL) + seconds;
	unsigned long runs = 0;

	while (time(NULL) < end) {
		const struct input *from = &corpus[next_random() % corpus_size];
		size_t size = from->size;

		memcpy(work, from->data, size);
		for (unsigned n = 1 + next_random() % 6; n > 0; n--)
			size = mutate(work, size);
		run(work, size);
		runs++;
	}
	printf("%lu mutations\n", runs);
}

int main(int argc, char **argv)
{
	unsigned seconds = 0;
	int option;

	while ((option = getopt(argc, argv, "s:")) != -1) {
		if (option != 's')
			return 2;
		seconds = (unsigned)strtoul(optarg, NULL, 10);
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: %s [-s SECONDS] CORPUS-FOLDER\n", argv[0]);
		return 2;
	}
	snprintf(kept, sizeof kept, "%s.input", argv[0]);
	load_folder(argv[optind]);
	if (corpus_size == 0)
		die("no file in", argv[optind]);
	for (size_t i = 0; i < corpus_size; i++)
		run(corpus[i].data, corpus[i].size);
	printf("%zu files\n", corpus_size);
	mutations(seconds);
	unlink(kept);
	for (size_t i = 0; i < corpus_size; i++)
		free(corpus[i].data);
	return 0;
}
