/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as the text form of a profile.  What is read must, printed and read again, print as the same text. */
#include "profile/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_profile *profile, *again;
	struct pf_buffer text = { 0 }, text_again = { 0 };
	struct pf_error error = { 0 };
	int status = pf_text_read("fuzz", (const char *)data, size, &profile, &error);

	if (status < 0) {
		if (profile || error.code != status || !*error.text)
			abort();
		return 0;
	}
	pf_text_put_profile(&text, profile);
	if (pf_text_read("again", (const char *)text.data, text.size, &again, &error) != PF_OK)
		abort();
	pf_text_put_profile(&text_again, again);
	if (text.size != text_again.size || memcmp(text.data, text_again.data, text.size) != 0)
		abort();
	pf_buffer_fini(&text);
	pf_buffer_fini(&text_again);
	pf_profile_free(profile);
	pf_profile_free(again);
	return 0;
}
