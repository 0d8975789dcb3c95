/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops in which a thread waits for another, known by the `pause` in them. */
#ifndef PF_AGENT_SPIN_H
#define PF_AGENT_SPIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_SPIN_PAUSE 0x90f3 /* `pause`, as a word in memory */

/* Does CODE begin with `pause`?  ROOM bytes of it may be read. */
bool pf_spin_is_pause(const uint8_t *code, size_t room);

/* Does the instruction at CODE stand in such a loop, behind its `pause`, but not at once behind it?  The BEFORE bytes
 * in front of it may be read. */
bool pf_spin_has_paused(const uint8_t *code, size_t before);

#endif
