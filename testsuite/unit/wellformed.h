/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a page is well-formed XML, as far as a page of ours goes: tags nest and close, attributes are quoted and come
 * once, references are of the five that XML knows or numbers, identifiers are unique, no character is forbidden. */
#ifndef PF_TEST_WELLFORMED_H
#define PF_TEST_WELLFORMED_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct page {
	const char *start, *at;
	char open[64][24]; /* the tags that are open */
	size_t depth;
	char *wrong;
	size_t wrong_size;
};

static inline bool page_wrong(struct page *page, const char *what)
{
	snprintf(page->wrong, page->wrong_size, "%s at byte %zu: %.60s", what, (size_t)(page->at - page->start),
		 page->at);
	return false;
}

static inline size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	while ((text = strstr(text, part)) != NULL) {
		count++;
		text += strlen(part);
	}
	return count;
}

/* One character of content or of an attribute's value. */
static inline bool page_character(struct page *page)
{
	static const char *const references[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&#39;" };
	unsigned char c = (unsigned char)*page->at;

	if (c < ' ' && c != '\n')
		return page_wrong(page, "a control character");
	if (c != '&') {
		page->at++;
		return true;
	}
	for (size_t i = 0; i < sizeof references / sizeof *references; i++)
		if (strncmp(page->at, references[i], strlen(references[i])) == 0) {
			page->at += strlen(references[i]);
			return true;
		}
	return page_wrong(page, "a bare ampersand");
}

static inline bool page_name(struct page *page, char name[24])
{
	size_t length = strspn(page->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");

	if (!length || length >= 24)
		return page_wrong(page, "no name");
	memcpy(name, page->at, length);
	name[length] = 0;
	page->at += length;
	return true;
}

/* The id is unique if nothing before it, from the start of the page, is the same. */
static inline bool page_unique(struct page *page, const char *value, size_t length)
{
	char whole[128];

	snprintf(whole, sizeof whole, " id=\"%.*s\"", (int)length, value);
	return count_of(page->start, whole) == 1 || page_wrong(page, "an id that is not unique");
}

static inline bool page_attributes(struct page *page)
{
	char names[16][24];
	size_t count = 0;

	while (*page->at == ' ') {
		const char *value;

		page->at++;
		if (count == 16 || !page_name(page, names[count]))
			return page_wrong(page, "an attribute without name, or too many");
		for (size_t i = 0; i < count; i++)
			if (strcmp(names[i], names[count]) == 0)
				return page_wrong(page, "an attribute that comes twice");
		if (strncmp(page->at, "=\"", 2) != 0)
			return page_wrong(page, "an attribute without quotes");
		value = page->at += 2;
		while (*page->at && *page->at != '"' && *page->at != '<')
			if (!page_character(page))
				return false;
		if (*page->at != '"')
			return page_wrong(page, "an attribute that does not end");
		if (strcmp(names[count], "id") == 0 && !page_unique(page, value, (size_t)(page->at - value)))
			return false;
		page->at++;
		count++;
	}
	return true;
}

static inline bool page_tag(struct page *page)
{
	char name[24];
	bool closes = page->at[1] == '/';

	page->at += closes ? 2 : 1;
	if (!page_name(page, name))
		return false;
	if (closes) {
		if (*page->at != '>' || !page->depth || strcmp(page->open[page->depth - 1], name) != 0)
			return page_wrong(page, "a tag is closed that is not the one open");
		page->depth--;
	} else {
		if (!page_attributes(page))
			return false;
		if (*page->at == '/')
			page->at++;
		else if (page->depth == 64)
			return page_wrong(page, "too deep");
		else
			strcpy(page->open[page->depth++], name);
		if (*page->at != '>')
			return page_wrong(page, "a tag that does not end");
	}
	page->at++;
	return true;
}

/* WRONG gets what is the matter, if something is. */
static inline bool is_wellformed(const char *text, char *wrong, size_t size)
{
	static const char doctype[] = "<!DOCTYPE html>\n";
	struct page page = { .start = text, .at = text, .wrong = wrong, .wrong_size = size };

	if (strncmp(text, doctype, sizeof doctype - 1) != 0)
		return page_wrong(&page, "no doctype");
	page.at += sizeof doctype - 1;
	while (*page.at) {
		if (*page.at == '<' ? !page_tag(&page) : !page_character(&page))
			return false;
		if (!page.depth && *page.at && *page.at != '\n')
			return page_wrong(&page, "something behind the page's end");
	}
	return !page.depth || page_wrong(&page, "the end, with tags open");
}

#endif
