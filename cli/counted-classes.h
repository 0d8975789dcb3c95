/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of counted paths and functions, as text and as JSON. */
#ifndef PF_CLI_COUNTED_CLASSES_H
#define PF_CLI_COUNTED_CLASSES_H

#include "analysis/countedclasses.h"
#include "support/buffer.h"

/* Appends lines: the metric, the classes of paths, and those of functions. */
void pf_counted_classes_put(struct pf_buffer *out, const struct pf_counted_classes *classes);

/* Appends the field "classes" of an object that has fields before it. */
void pf_counted_classes_put_json(struct pf_buffer *out, const struct pf_counted_classes *classes);

#endif
