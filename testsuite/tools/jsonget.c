/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jsonget FILE [KEY]...: prints what is in a JSON file under a path of keys and array indices: a string or number as it
 * is, anything else as JSON.  `length` after an array is its number of elements.  Status 1 if there is no such thing.
 */
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *step(const json_t *at, const char *key)
{
	if (json_is_array(at) && isdigit((unsigned char)*key))
		return json_array_get(at, strtoul(key, NULL, 10));
	return json_object_get(at, key);
}

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *root = argc > 1 ? json_load_file(argv[1], 0, &error) : NULL;
	const json_t *at = root;

	for (int i = 2; at && i < argc; i++) {
		if (json_is_array(at) && strcmp(argv[i], "length") == 0) {
			printf("%zu\n", json_array_size(at));
			json_decref(root);
			return 0;
		}
		at = step(at, argv[i]);
	}
	if (json_is_string(at))
		puts(json_string_value(at));
	else if (at && json_dumpf(at, stdout, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) == 0)
		puts("");
	json_decref(root);
	return at ? 0 : 1;
}
