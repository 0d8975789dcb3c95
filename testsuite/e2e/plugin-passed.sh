#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Conditions that ran more often than their jump.  A switch becomes comparisons, and behind that by which most values go to
# `default` a test of the same value there is decided; `a || b` behind many ways that have decided `a` has copies of the
# jump of `b`, each with the discriminator of the block that it was joined to.  The counts are near gcov's all the same.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >passed.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long written;
__attribute__((noinline)) void put(const char *s, size_t n)
{
	written += n ? n + (unsigned char)s[n - 1] : 0;
}

__attribute__((noinline)) void escape(const unsigned char *s, size_t length, int solidus)
{
	size_t begin = 0, end = 0;
	char hex[3] = "";

	while (end < length) {
		const char *escaped = NULL;
		switch (s[end]) {
		case '\r': escaped = "\\r"; break;
		case '\n': escaped = "\\n"; break;
		case '\\': escaped = "\\\\"; break;
		case '/': if (solidus) escaped = "\\/"; break;
		case '"': escaped = "\\\""; break;
		case '\f': escaped = "\\f"; break;
		case '\b': escaped = "\\b"; break;
		case '\t': escaped = "\\t"; break;
		default:
			if (s[end] < 32) {
				hex[0] = "0123456789ABCDEF"[s[end] >> 4];
				hex[1] = "0123456789ABCDEF"[s[end] & 15];
				escaped = hex;
			}
			break;
		}
		if (escaped != NULL) {
			put((const char *)s + begin, end - begin);
			put(escaped, strlen(escaped));
			begin = ++end;
		} else {
			++end;
		}
	}
	put((const char *)s + begin, end - begin);
}

struct lexer { unsigned in_use, error; size_t offset, length; const unsigned char *token; };
enum { OPEN, CLOSE, COMMA, NUMBER, END_OF_TEXT, WRONG, STRING };

__attribute__((noinline)) int lex(struct lexer *l, const unsigned char *s, size_t length)
{
	int token = WRONG;
	size_t start = l->offset;

	for (;;) {
		if (l->offset >= length) {
			token = END_OF_TEXT;
			goto lexed;
		}
		switch (s[l->offset++]) {
		case '{': token = OPEN; goto lexed;
		case '}': token = CLOSE; goto lexed;
		case ',': token = COMMA; goto lexed;
		case ' ': start++; break;
		case '"':
			while (l->offset < length && s[l->offset] != '"')
				l->offset++;
			if (l->offset++ >= length) {
				token = END_OF_TEXT;
				goto lexed;
			}
			token = STRING;
			goto lexed;
		case '0': case '1': case '2': case '3': case '4': case '5':
			while (l->offset < length && s[l->offset] >= '0' && s[l->offset] <= '9')
				l->offset++;
			token = NUMBER;
			goto lexed;
		default:
			l->error = 5;
			token = WRONG;
			goto lexed;
		}
	}
lexed:
	if (token == END_OF_TEXT || l->in_use) {
		if (!l->in_use)
			put("", 0);
		l->in_use = 1;
		put((const char *)s + start, l->offset - start);
		if (token != END_OF_TEXT)
			l->in_use = 0;
	} else if (token != WRONG) {
		l->token = s + start;
		l->length = l->offset - start;
	}
	return token;
}

int main(int argc, char **argv)
{
	static unsigned char text[] = "{12,345 , \"some words that are longer\"} {\"a/b\" ,7,4} {{5,123},\"x\"}";
	unsigned long all = 0;

	for (long n = 20 * atol(argv[argc - 1]); n > 0; n--) {
		struct lexer l = { 0 };

		while (lex(&l, text, sizeof text - 1) < END_OF_TEXT)
			all += l.length;
		escape(text, sizeof text - 1, n % 2);
	}
	printf("%lu %lu\n", all, written);
	return 0;
}
END
error=$(truth passed escape block_error)
check_within "block error of escape" "$error" 0 0.2
error=$(sed -n 's/^{"truth":"lex".*"block_error":\([0-9.]*\).*/\1/p' report)
check_within "block error of lex" "$error" 0 0.2
