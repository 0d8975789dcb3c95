/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private folders of recorders that were killed: each recorder holds a lock on its own for as long as it lives, so that
 * a later one can tell which nobody will ever read. */
#ifndef PF_RUNTIME_LEFTOVER_H
#define PF_RUNTIME_LEFTOVER_H

/* What mkdtemp makes the names of private folders from. */
#define PF_LEFTOVER_TEMPLATE "pathfdo-record.XXXXXX"

/* Locks FOLDER.  Returns the descriptor that holds the lock until it is closed, or -1 (the file system has no locks:
 * the folder is then never taken for left over, because nobody else can lock it either). */
int pf_leftover_lock(const char *folder);

/* Removes the private folders in PARENT that are this user's, a minute old, and whose recorder is gone. */
void pf_leftover_remove(const char *parent);

/* Gives FOLDER, whose name is made from that, one from the other template, which pf_leftover_remove leaves alone; it
 * stays as it is where that cannot be. */
#define PF_LEFTOVER_KEPT "pathfdo-kept.XXXXXX"
void pf_leftover_keep(char *folder);

/* Removes FOLDER and what is in it, following no link and leaving no file system. */
void pf_leftover_remove_tree(const char *folder);

#endif
