/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pathfdo.so, which is the same for every compiler: it loads the plugin that was built for the one it runs in,
 * pathfdo-NN.so beside it, and hands over.  The plugin itself cannot say that it is for another release, because the
 * dynamic linker refuses it first: names in the compiler come and go.
 *
 * The hard case is therefore to run in a compiler of which nothing is known.  Nothing of it is used but one function,
 * which need not be there; of the interface, only what has been as it is since GCC 4.5 brought plugins. */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The beginnings of two structures of gcc-plugin.h. */
struct plugin_name_args {
	char *base_name;
	const char *full_name;
};
struct plugin_gcc_version {
	const char *basever;
};

typedef int plugin_entry(struct plugin_name_args *arguments, struct plugin_gcc_version *version);

#define EXPORT __attribute__((visibility("default")))

/* GCC's own: where -fplugin=NAME looks. */
extern const char *default_plugin_dir_name(void) __attribute__((weak));

EXPORT int plugin_is_GPL_compatible;
EXPORT plugin_entry plugin_init;

/* What follows "pathfdo: " is one finished sentence; GCC adds that the plugin failed. */
static void say(const char *sentence)
{
	fprintf(stderr, "error: pathfdo: %s\n", sentence);
}

static bool begun; /* the compiler has asked for the plugin */

/* Clang loads what -fplugin names as well, finds nothing in it that is for clang, and compiles on in silence. */
__attribute__((destructor)) static void tell_of_others(void)
{
	if (!begun)
		fputs("warning: pathfdo: the compiler that -fplugin was given to has loaded the plugin and not begun "
		      "it: it is not GCC, and compiles without the profile\n",
		      stderr);
}

/* The folder that this very file is in, links resolved. */
static bool own_folder(const struct plugin_name_args *arguments, char folder[PATH_MAX])
{
	char *slash;

	if (!realpath(arguments->full_name, folder))
		return false;
	slash = strrchr(folder, '/');
	*slash = '\0';
	return true;
}

static bool is_number(const char *text, size_t length)
{
	return length > 0 && strspn(text, "0123456789") == length;
}

/* Adds the releases for which there is a plugin in FOLDER, as "GCC 12, 13". */
static void list_releases(const char *folder, char *list, size_t size)
{
	static const char head[] = "pathfdo-", tail[] = ".so";
	DIR *entries = opendir(folder);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		const char *number = entry->d_name + strlen(head);
		size_t length = strlen(entry->d_name), used = strlen(list);

		if (strncmp(entry->d_name, head, strlen(head)) != 0 || length < strlen(head) + strlen(tail))
			continue;
		length -= strlen(head) + strlen(tail);
		if (is_number(number, length) && strcmp(number + length, tail) == 0)
			snprintf(list + used, size - used, "%s%.*s", used ? ", " : "GCC ", (int)length, number);
	}
	if (entries)
		closedir(entries);
}

/* There is no plugin for RELEASE in FOLDER: tells what is there, and where the right one is or comes from. */
static void explain(const char *folder, const char *version, const char *release)
{
	char list[256] = "", installed[PATH_MAX] = "", sentence[3 * PATH_MAX];
	const char *plugins = default_plugin_dir_name ? default_plugin_dir_name() : NULL;

	list_releases(folder, list, sizeof list);
	if (plugins)
		snprintf(installed, sizeof installed, "%s/pathfdo-%s.so", plugins, release);
	if (plugins && access(installed, R_OK) == 0)
		snprintf(sentence, sizeof sentence,
			 "the plugin in %s is for %s, and this is GCC %s; the one that fits is in %s: give "
			 "-fplugin=pathfdo",
			 folder, *list ? list : "no release of GCC", version, plugins);
	else
		snprintf(sentence, sizeof sentence,
			 "the plugin in %s is for %s, and this is GCC %s; compile with one that fits, install "
			 "the package gcc-%s-plugin-pathfdo, or this one's plugin headers (Debian: gcc-%s-plugin-dev) "
			 "and build pathfdo again",
			 folder, *list ? list : "no release of GCC", version, release, release);
	say(sentence);
}

static plugin_entry *load(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *entry = plugin ? dlsym(plugin, "plugin_init") : NULL;
	plugin_entry *function = NULL;

	if (entry)
		memcpy(&function, &entry, sizeof function);
	else
		say(dlerror());
	return function;
}

int plugin_init(struct plugin_name_args *arguments, struct plugin_gcc_version *version)
{
	char folder[PATH_MAX], path[PATH_MAX + 32], release[16] = "";
	plugin_entry *entry;

	begun = true;
	snprintf(release, sizeof release, "%.*s", (int)strcspn(version->basever, "."), version->basever);
	if (!own_folder(arguments, folder)) {
		say("the plugin's file was removed while the compiler loaded it; build pathfdo again");
		return 1;
	}
	snprintf(path, sizeof path, "%s/pathfdo-%s.so", folder, release);
	if (access(path, R_OK) != 0) {
		explain(folder, version->basever, release);
		return 1;
	}
	entry = load(path);
	return entry ? entry(arguments, version) : 1;
}
