/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries that come and go at the same address with other code in them: agent-dlopen LIBRARY LIBRARY.  Each is
 * opened, used, closed, and the other takes its place. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	uint64_t sum = 0, same = 0;
	void *last = NULL;
	if (argc < 3)
		return 2;
	for (int i = 0; i < 400; i++) {
		void *handle = dlopen(argv[1 + i % 2], RTLD_NOW | RTLD_LOCAL);
		if (!handle) {
			printf("%s\n", dlerror());
			return 1;
		}
		uint64_t (*compute)(uint64_t, uint64_t) = (uint64_t(*)(uint64_t, uint64_t))dlsym(handle, "compute");
		same += (void *)compute == last;
		last = (void *)compute;
		sum = compute(sum, 300000);
		dlclose(handle);
	}
	printf("sum %lu\n", sum);
	fprintf(stderr, "%s\n", same > 300 ? "same address" : "addresses differ");
	return 0;
}
