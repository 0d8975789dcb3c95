/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See plan.h.  The hard case is a project's own build system: each is told the compiler and the flags in its own way,
 * and those of CMake and Meson that would add an -O of their own must be kept from it. */
#include "analysis/plan.h"
#include "analysis/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const system_names[] = { "auto", "command", "make", "configure", "cmake", "meson" };

#define OWN_FOLDER "pathfdo-build" /* of CMake and Meson, which do not build among the sources */

/* LDFLAGS is left to the environment: on make's command line it would undo what the Makefile itself puts there. */
#define MAKE                                                                                                           \
	"make -j \"$(nproc)\" CC=\"$CC\" CXX=\"$CXX\" FC=\"$FC\" CFLAGS=\"$CFLAGS\" CXXFLAGS=\"$CXXFLAGS\" "           \
	"FFLAGS=\"$FFLAGS\" FCFLAGS=\"$FCFLAGS\""

static const char *const build_commands[] = {
	[PF_BUILD_MAKE] = MAKE,
	[PF_BUILD_CONFIGURE] = "./configure && make -j \"$(nproc)\"",
	[PF_BUILD_CMAKE] = "cmake -S . -B " OWN_FOLDER " -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=\"$CFLAGS\" "
			   "-DCMAKE_CXX_FLAGS=\"$CXXFLAGS\" -DCMAKE_Fortran_FLAGS=\"$FFLAGS\" "
			   "-DCMAKE_EXE_LINKER_FLAGS=\"$LDFLAGS\" -DCMAKE_SHARED_LINKER_FLAGS=\"$LDFLAGS\" && "
			   "cmake --build " OWN_FOLDER " -j \"$(nproc)\"",
	[PF_BUILD_MESON] = "meson setup --buildtype=plain " OWN_FOLDER " && meson compile -C " OWN_FOLDER,
};

unsigned pf_build_variant(unsigned build)
{
	return build % PF_BUILDS_EACH;
}

unsigned pf_build_recording(unsigned build)
{
	return build / PF_BUILDS_EACH;
}

unsigned pf_build_beside(unsigned build, unsigned variant)
{
	return pf_build_recording(build) * PF_BUILDS_EACH + variant;
}

const char *pf_variant_name(unsigned build)
{
	static char names[PF_BUILDS][16];
	unsigned variant = pf_build_variant(build), recording = pf_build_recording(build);

	if (variant == PF_GENERATE)
		return "generate";
	if (recording == 0)
		return pf_variant_names[variant];
	snprintf(names[build], sizeof names[build], "%s.%u", pf_variant_names[variant], recording + 1);
	return names[build];
}

bool pf_variant_is_recorded(unsigned build)
{
	unsigned variant = pf_build_variant(build);

	return variant == PF_VARIANT_CLOCK || variant == PF_VARIANT_SOFT || variant == PF_VARIANT_LBR;
}

bool pf_plan_has(const struct pf_plan *plan, unsigned build)
{
	unsigned variant = pf_build_variant(build);
	bool sampled = pf_variant_is_recorded(build) || variant == PF_VARIANT_O3_SOFT || variant == PF_VARIANT_AFDO;

	return variant != PF_GENERATE && plan->wanted[variant] &&
	       pf_build_recording(build) < (sampled ? plan->recordings : 1);
}

uint64_t pf_plan_runs(const struct pf_plan *plan)
{
	uint64_t builds = 0, lists;

	for (unsigned b = 0; b < PF_BUILDS; b++)
		builds += pf_plan_has(plan, b);
	/* What several recordings led to stands there for each, and as their mean. */
	for (unsigned v = 0; v < PF_VARIANTS; v++)
		builds += pf_plan_has(plan, v) && pf_plan_has(plan, v + PF_BUILDS_EACH);
	lists = 2 * (1 + PF_COUNTERS) * builds * plan->reference_count + 2 * builds + 2;
	return plan->times ? lists * plan->pairs : 0;
}

static unsigned find_variant(const char *name, size_t length)
{
	for (unsigned v = 0; v < PF_VARIANTS; v++) {
		if (strlen(pf_variant_names[v]) == length && memcmp(pf_variant_names[v], name, length) == 0)
			return v;
	}
	return PF_VARIANTS;
}

int pf_plan_variants(const char *list, bool wanted[PF_VARIANTS], struct pf_error *error)
{
	memset(wanted, 0, PF_VARIANTS * sizeof *wanted);
	wanted[PF_VARIANT_BASE] = true;
	while (*list) {
		size_t length = strcspn(list, ",");
		unsigned v = find_variant(list, length);

		if (v == PF_VARIANTS)
			return pf_fail(error, PF_EINVAL, "there is no variant '%.*s'; there are " PF_VARIANT_LIST,
				       (int)length, list);
		wanted[v] = true;
		list += length;
		list += *list == ',';
	}
	return PF_OK;
}

int pf_plan_system(const char *name, enum pf_build_system *system, struct pf_error *error)
{
	for (int s = PF_BUILD_AUTO; s <= PF_BUILD_MESON; s++) {
		if (s != PF_BUILD_COMMAND && strcmp(system_names[s], name) == 0) {
			*system = (enum pf_build_system)s;
			return PF_OK;
		}
	}
	return pf_fail(error, PF_EINVAL, "there is no build system '%s'; there are auto, make, configure, cmake, meson",
		       name);
}

int pf_plan_detect(struct pf_plan *plan, struct pf_error *error)
{
	static const struct {
		const char *file;
		enum pf_build_system system;
	} marks[] = {
		{ "GNUmakefile", PF_BUILD_MAKE },     { "makefile", PF_BUILD_MAKE },
		{ "Makefile", PF_BUILD_MAKE },        { "configure", PF_BUILD_CONFIGURE },
		{ "CMakeLists.txt", PF_BUILD_CMAKE }, { "meson.build", PF_BUILD_MESON },
	};
	char path[PATH_MAX];
	bool any = plan->system == PF_BUILD_AUTO;

	if (plan->build) {
		plan->system = PF_BUILD_COMMAND;
		return PF_OK;
	}
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", plan->source, marks[i].file);
		if ((any || marks[i].system == plan->system) && pf_tree_has(path)) {
			plan->system = marks[i].system;
			return PF_OK;
		}
	}
	if (any)
		return pf_fail(
		    error, PF_ENOTFOUND,
		    "%s has no Makefile, configure, CMakeLists.txt or meson.build; say how to build with --build",
		    plan->source);
	return pf_fail(error, PF_ENOTFOUND, "%s has nothing for --build-from=%s", plan->source,
		       system_names[plan->system]);
}

const char *pf_plan_build_command(const struct pf_plan *plan)
{
	return plan->system == PF_BUILD_COMMAND ? plan->build : build_commands[plan->system];
}

const char *pf_plan_output_folder(const struct pf_plan *plan)
{
	return plan->system == PF_BUILD_CMAKE || plan->system == PF_BUILD_MESON ? "/" OWN_FOLDER : "";
}

static uint64_t digest_environment(uint64_t digest)
{
	static const char *const names[] = { "CC", "CXX", "FC", "LDFLAGS", "CPPFLAGS", "PATH", "MAKEFLAGS" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		digest = pf_digest_string(digest, getenv(names[i]));
	return digest;
}

int pf_plan_digest(const struct pf_plan *plan, uint64_t *digest, struct pf_error *error)
{
	*digest = digest_environment(PF_DIGEST_START);
	*digest = pf_digest_string(*digest, pf_plan_build_command(plan));
	*digest = pf_digest_string(*digest, plan->program);
	*digest = pf_digest_string(*digest, plan->cflags);
	return pf_digest_tree(digest, plan->source, error);
}

void pf_plan_path(const struct pf_plan *plan, const char *part, const char *rest, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, rest ? "%s/%s/%s" : "%s/%s", plan->work, part, rest);
}
