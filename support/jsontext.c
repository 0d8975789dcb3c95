/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See jsontext.h.  Hard case: names of files and functions are bytes of unknown encoding and JSON is UTF-8, so what is
 * not is replaced, byte by byte, and the rest of the name stays. */
#include "support/jsontext.h"

#include <inttypes.h>

/* Length of the UTF-8 character at AT, which ends with a NUL; 0 when it is none. */
static size_t utf8_length(const unsigned char *at)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = { { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };

	for (size_t length = 1; length <= 4; length++) {
		uint32_t value = *at & (unsigned char)~forms[length - 1].mask;
		size_t i = 1;

		if ((*at & forms[length - 1].mask) != forms[length - 1].lead)
			continue;
		for (; i < length && (at[i] & 0xc0) == 0x80; i++)
			value = value << 6 | (at[i] & 0x3f);
		return i == length && value >= forms[length - 1].least && value <= 0x10ffff &&
			       (value < 0xd800 || value > 0xdfff)
			   ? length
			   : 0;
	}
	return 0;
}

void pf_json_put_string(struct pf_buffer *out, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;

	pf_buffer_u8(out, '"');
	while (*at) {
		size_t length = utf8_length(at);

		if (*at == '"' || *at == '\\')
			pf_buffer_printf(out, "\\%c", *at);
		else if (*at < ' ')
			pf_buffer_printf(out, "\\u%04x", *at);
		else if (!length)
			pf_buffer_printf(out, "\\ufffd");
		else
			pf_buffer_bytes(out, at, length);
		at += length ? length : 1;
	}
	pf_buffer_u8(out, '"');
}

bool pf_json_is_exact(const char *string)
{
	for (const unsigned char *at = (const unsigned char *)string; *at;) {
		size_t length = utf8_length(at);

		if (length == 0)
			return false;
		at += length;
	}
	return true;
}

void pf_json_put_field(struct pf_buffer *out, const char *key, const char *value)
{
	pf_buffer_printf(out, ", \"%s\": ", key);
	pf_json_put_string(out, value);
}

void pf_json_put_count(struct pf_buffer *out, const char *key, uint64_t value)
{
	pf_buffer_printf(out, ", \"%s\": %" PRIu64, key, value);
}

void pf_json_put_flag(struct pf_buffer *out, const char *key, bool value)
{
	pf_buffer_printf(out, ", \"%s\": %s", key, value ? "true" : "false");
}
