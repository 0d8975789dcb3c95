/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plugin of qemu's user mode that counts how often control went from each translated block to each other, as `pathfdo
 * record --all` does, to compare what both take.  Debian has no header of the interface, so the few of its functions
 * that are used are declared here, as version 1 has them.  At the end it says how many edges there were, and how often
 * they were gone. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum { CALLBACK_READS_NO_REGISTERS };

__attribute__((visibility("default"))) extern int qemu_plugin_version;
int qemu_plugin_version = 1;

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*translated)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*executed)(unsigned int, void *), int flags,
					  void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*ended)(plugin_id, void *), void *data);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

#define SLOTS (1u << 22)

struct edge {
	uint64_t from, to, count;
};

static struct edge *edges;
static uint64_t last, distinct;

static void executed(unsigned int cpu, void *data)
{
	uint64_t to = (uint64_t)(uintptr_t)data;
	uint32_t slot = (uint32_t)((last * 0x9e3779b97f4a7c15 ^ to * 0xc2b2ae3d27d4eb4f) >> 40);

	(void)cpu;
	for (slot %= SLOTS; edges[slot].count; slot = (slot + 1) % SLOTS)
		if (edges[slot].from == last && edges[slot].to == to)
			break;
	if (!edges[slot].count && ++distinct == SLOTS)
		abort();
	edges[slot].from = last;
	edges[slot].to = to;
	edges[slot].count++;
	last = to;
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, CALLBACK_READS_NO_REGISTERS,
					     (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb));
}

static void ended(plugin_id id, void *data)
{
	uint64_t sum = 0;

	(void)id, (void)data;
	for (uint32_t i = 0; i < SLOTS; i++)
		sum += edges[i].count;
	fprintf(stderr, "%" PRIu64 " edges, gone %" PRIu64 " times\n", distinct, sum);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info, (void)argc, (void)argv;
	edges = calloc(SLOTS, sizeof *edges);
	if (!edges)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
