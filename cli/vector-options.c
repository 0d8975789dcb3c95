/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See vector-options.h. */
#include "cli/vector-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BRANCHES 1000000u

bool pf_vector_number(const struct pf_vector_options *o, const char *name, const char *text, uint32_t most,
		      uint32_t *value)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && !*end && number >= 1 && number <= most) {
		*value = (uint32_t)number;
		return true;
	}
	fprintf(stderr, "pathfdo %s: --%s=%s: must be a number from 1 to %u\n", o->command, name, text, most);
	return false;
}

bool pf_vector_weight(const char *command, const char *text, enum pf_weighting *weighting)
{
	static const char *const names[] = {
		[PF_WEIGHT_RATE] = "rate", [PF_WEIGHT_PERIOD] = "period", [PF_WEIGHT_NONE] = "none"
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(text, names[i]) == 0) {
			*weighting = (enum pf_weighting)i;
			return true;
		}
	}
	fprintf(stderr, "pathfdo %s: --weight=%s: must be rate, period or none\n", command, text);
	return false;
}

bool pf_vector_option(struct pf_vector_options *o, int option)
{
	switch (option) {
	case 'b':
		o->binary = optarg;
		return true;
	case PF_OPTION_DEBUG_DIR:
		o->debug_dir = optarg;
		return true;
	case PF_OPTION_SYMFS:
		o->symfs = optarg;
		return true;
	case PF_OPTION_AGAINST:
		o->against = optarg;
		return true;
	case PF_OPTION_WEIGHT:
		return pf_vector_weight(o->command, optarg, &o->weighting);
	case PF_OPTION_LENGTH:
		return pf_vector_number(o, "length", optarg, MOST_BRANCHES, &o->length);
	case PF_OPTION_EVERY:
		return pf_vector_number(o, "every", optarg, MOST_BRANCHES, &o->every);
	case PF_OPTION_JSON:
		return o->json = true;
	case 'h':
		return o->help = true;
	default:
		return false;
	}
}

bool pf_vector_options_complete(const struct pf_vector_options *o, int count)
{
	if (o->binary && count > 0)
		return true;
	fprintf(stderr, "pathfdo %s: %s\n", o->command,
		o->binary ? "no recording named" : "no binary named; -b FILE is the program or library that ran");
	return false;
}
