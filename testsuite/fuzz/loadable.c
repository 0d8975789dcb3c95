/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a program that is asked about, as it would be executed by its descriptor.  The answer must be one that
 * there is, and the descriptor stays open. */
#include "runtime/agent/loadable.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	enum pf_loadable what;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	what = pf_loadable(fd, "", AT_EMPTY_PATH);
	if (what < PF_LOADABLE_OK || what >= PF_LOADABLE_COUNT || fcntl(fd, F_GETFD) < 0)
		abort();
	close(fd);
	return 0;
}
