/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo cflags`: the compile flags that use a profile, for CFLAGS="-O2 -g $(pathfdo cflags app.pfdo)", or in the
 * form of a build system; or those that have a program count.  Hard case: a compiler that would refuse the
 * plugin, in the midst of a long build; so the compiler is made to load it here. */
#include "cli/commands.h"
#include "cli/compiler.h"
#include "cli/output.h"
#include "profile/pfdo.h"
#include "support/counting.h"
#include "support/installed.h"
#include "support/jsontext.h"
#include "support/outfile.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLUGIN "pathfdo.so"

#define SHOWN(name) ",--export-dynamic-symbol=" PF_COUNTING_TEXT(name)
#define PATHS_LINK "-u," PF_COUNTING_TEXT(paths_enter) SHOWN(paths_modules)
#define CONTEXT_LINK                                                                                                   \
	"-u," PF_COUNTING_TEXT(context_entries) SHOWN(context_entries) SHOWN(context_slot) SHOWN(context_spent)

/* What a program can be made to count. */
struct counting {
	const char *what, *library,
	    *link; /* options with which the linker takes the library, for programs and others */
};

static const struct counting countings[] = {
	{ "paths", "libpathfdo-paths.a", PATHS_LINK },
	{ "paths,cycles", "libpathfdo-paths.a", PATHS_LINK },
	{ "paths,counter", "libpathfdo-paths.a", PATHS_LINK },
	{ "context", "libpathfdo-context.a", CONTEXT_LINK },
	{ "context,cycles", "libpathfdo-context.a", CONTEXT_LINK },
	{ "context,counter", "libpathfdo-context.a", CONTEXT_LINK },
	{ "paths,context", "libpathfdo-context.a", CONTEXT_LINK },
	{ "paths,context,cycles", "libpathfdo-context.a", CONTEXT_LINK },
	{ "paths,context,counter", "libpathfdo-context.a", CONTEXT_LINK },
};

enum form { FORM_LINE, FORM_CMAKE, FORM_MESON, FORM_JSON };

struct options {
	const char *profile, *compiler, *plugin, *report;
	enum form form;
	const struct counting *instrument; /* NULL for a profile */
};

/* What is to be printed: at most the plugin, and its arguments profile, hash and report; or the plugin, what it is to
 * insert, and the library for that. */
struct flags {
	char profile[PATH_MAX], plugin[PATH_MAX], report[PATH_MAX], library[PATH_MAX];
	const struct counting *instrument;
	uint32_t hash;
	char texts[4][PATH_MAX + 64];
	const char *list[4];
	size_t count, link; /* from which on they are the linker's */
};

static const char help[] =
    "usage: pathfdo cflags [OPTION]... FILE.pfdo\n"
    "       pathfdo cflags [OPTION]... --instrument=paths|[paths,]context[,cycles|,counter]\n"
    "\n"
    "Prints the flags with which GCC compiles for a profile, after it has checked that the compiler takes them:\n"
    "    gcc -O2 -g $(pathfdo cflags app.pfdo) -c app.c\n"
    "\n"
    "      --cc CC           the compiler to check, or its release (14 is gcc-14); default: $CC, else gcc\n"
    "      --plugin FILE     the plugin; default: the one that belongs to this command\n"
    "      --instrument=WHAT  have the program count its paths, or its calls by context: flags for compiling and "
    "linking\n"
    "      --report FILE     have each compile append to FILE what became of each function\n"
    "      --cmake           as a script that CMake reads: cmake -C FILE\n"
    "      --meson           as a machine file: meson setup --native-file FILE\n"
    "      --json            as JSON, for other build systems: a list of flags, and what they are made of\n"
    "  -h, --help            this text\n";

static int failure(const char *text)
{
	fprintf(stderr, "pathfdo cflags: %s\n", text);
	return PF_EXIT_FAILURE;
}

/* A line of flags is split at blanks and interpreted by make and the shell, and no quoting survives both.  CMake's
 * strings take quotes for the shell, but make still sees them; what Meson and JSON carry is only held to be one line of
 * text. */
static bool is_special(const char *path, enum form form)
{
	static const char *const specials[] = { [FORM_LINE] = " \t\n\"'`\\$&|;<>(){}[]*?!#",
						[FORM_CMAKE] = "\t\n\"'`\\$;#]",
						[FORM_MESON] = "\n",
						[FORM_JSON] = "" };

	return strpbrk(path, specials[form]) != NULL;
}

/* PATH from the root, since compiles run in other folders; the file need not be there.  False if it is too long. */
static bool make_absolute(const char *path, char absolute[PATH_MAX])
{
	char folder[PATH_MAX] = "";

	if (*path != '/' && !getcwd(folder, sizeof folder))
		return false;
	return snprintf(absolute, PATH_MAX, "%s%s%s", folder, *folder ? "/" : "", path) < PATH_MAX;
}

/* Each compile would say that it cannot write PATH, the report. */
static int check_report(const char *path)
{
	int length = (int)(strrchr(path, '/') - path);
	char folder[PATH_MAX];
	struct stat st;

	snprintf(folder, sizeof folder, "%.*s/", length, path);
	if (!path[length + 1] || (stat(path, &st) == 0 && S_ISDIR(st.st_mode))) {
		fprintf(stderr, "pathfdo cflags: --report=%s: is a folder; name a file\n", path);
		return PF_EXIT_FAILURE;
	}
	if (stat(folder, &st) == 0)
		return 0;
	fprintf(stderr, "pathfdo cflags: --report=%s: there is no folder %.*s; make it first\n", path, length, path);
	return PF_EXIT_FAILURE;
}

/* Opens the profile for its *HASH. */
static int check_profile(const char *path, uint32_t *hash)
{
	struct pf_error error;
	struct pf_pfdo *file;

	if (pf_pfdo_open(path, &file, &error) != PF_OK)
		return failure(error.text);
	uint64_t maximum = pf_pfdo_summary(file)->maximum;
	*hash = pf_pfdo_hash(file);
	pf_pfdo_close(file);
	if (maximum == 0) {
		fprintf(stderr, "pathfdo cflags: %s: the profile holds no counts; record a run that does its work\n",
			path);
		return PF_EXIT_FAILURE;
	}
	return 0;
}

/* Why COMPILER did not take the plugin; what it said itself has been printed. */
static int refuse(const char *compiler, const char *plugin)
{
	char line[256];
	const char *version = pf_compiler_version(compiler, line);

	fprintf(stderr,
		"pathfdo cflags: '%s' (%s) does not take the plugin %s; name the compiler that it was built for with "
		"--cc, or install this one's plugin headers and build pathfdo again\n",
		compiler, *version ? version : "which prints no version", plugin);
	return PF_EXIT_FAILURE;
}

__attribute__((format(printf, 2, 3))) static void add(struct flags *flags, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(flags->texts[flags->count], sizeof flags->texts[0], format, arguments);
	va_end(arguments);
	flags->list[flags->count] = flags->texts[flags->count];
	flags->count++;
}

static void list_flags(struct flags *flags)
{
	add(flags, "-fplugin=%s", flags->plugin);
	if (flags->instrument) {
		add(flags, "-fplugin-arg-pathfdo-instrument=%s", flags->instrument->what);
		flags->link = flags->count;
		/* Flags stand in front of the objects, where nothing needs the library yet. */
		add(flags, "-Wl,%s", flags->instrument->link);
		add(flags, "-Wl,%s", flags->library);
		return;
	}
	add(flags, "-fplugin-arg-pathfdo-profile=%s", flags->profile);
	add(flags, "-fplugin-arg-pathfdo-hash=%08" PRIx32, flags->hash);
	if (*flags->report)
		add(flags, "-fplugin-arg-pathfdo-report=%s", flags->report);
	flags->link = flags->count;
}

/* Whatever the build system: of a plugin's argument GCC drops as many letters as there are = in it, and -Wl parts its
 * own at commas. */
static int check_for_gcc(const struct flags *flags)
{
	static const char handed_on[] = "which GCC does not hand on to a plugin";
	const struct {
		const char *path;
		char bad;
		const char *why;
	} checks[] = { { flags->profile, '=', handed_on },
		       { flags->report, '=', handed_on },
		       { flags->library, ',', "where -Wl would part it" } };

	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
		if (!strchr(checks[i].path, checks[i].bad))
			continue;
		fprintf(stderr, "pathfdo cflags: '%s' has '%c' in it, %s; move it, or give it a link without that\n",
			checks[i].path, checks[i].bad, checks[i].why);
		return PF_EXIT_FAILURE;
	}
	return 0;
}

static int check_paths(const struct flags *flags, enum form form)
{
	const char *const paths[] = { flags->plugin, flags->profile, flags->report, flags->library };

	if (check_for_gcc(flags) != 0)
		return PF_EXIT_FAILURE;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (!is_special(paths[i], form))
			continue;
		fprintf(stderr,
			"pathfdo cflags: '%s' has blanks, quotes or other characters of the shell in it, which %s "
			"cannot have; move it, or give it a link without them\n",
			paths[i], form == FORM_LINE ? "flags in CFLAGS" : "the flags of this build system");
		return PF_EXIT_FAILURE;
	}
	return 0;
}

/* Of each language the user's flags stay: those of the cache, or, where CMake would take them from, the environment. */
static const char cmake_script[] =
    "foreach(language C CXX)\n"
    "\tset(variable CFLAGS)\n"
    "\tif(language STREQUAL CXX)\n"
    "\t\tset(variable CXXFLAGS)\n"
    "\tendif()\n"
    "\tset(own \"$ENV{${variable}}\")\n"
    "\tif(DEFINED CMAKE_${language}_FLAGS)\n"
    "\t\tset(own \"${CMAKE_${language}_FLAGS}\")\n"
    "\tendif()\n"
    "\tif(PATHFDO_FLAGS)\n"
    "\t\tstring(REPLACE \"${PATHFDO_FLAGS}\" \"\" own \"${own}\")\n"
    "\tendif()\n"
    "\tstring(STRIP \"${own}\" own)\n"
    "\tstring(STRIP \"${own} ${flags}\" own)\n"
    "\tset(CMAKE_${language}_FLAGS \"${own}\" CACHE STRING \"Flags for all build types\" FORCE)\n"
    "endforeach()\n"
    "set(PATHFDO_FLAGS \"${flags}\" CACHE INTERNAL \"What the next such script puts its own in the place of\")\n";

/* For `cmake -C`: both languages, each flag quoted for the shell if it has to be. */
static void print_cmake(const struct flags *flags)
{
	printf("set(flags [==[");
	for (size_t i = 0; i < flags->count; i++) {
		const char *quote = is_special(flags->list[i], FORM_LINE) ? "\"" : "";

		printf("%s%s%s%s", i ? " " : "", quote, flags->list[i], quote);
	}
	printf("]==])\n%s", cmake_script);
}

/* For `meson setup --native-file`: strings as Python's. */
static void print_meson_list(const char *language, const char *what, const char *const *list, size_t count)
{
	printf("%s_%s = [", language, what);
	for (size_t i = 0; i < count; i++) {
		printf("%s'", i ? ", " : "");
		for (const char *c = list[i]; *c; c++)
			printf("%s%c", *c == '\'' || *c == '\\' ? "\\" : "", *c);
		printf("'");
	}
	printf("]\n");
}

static void print_meson(const struct flags *flags)
{
	static const char *const languages[] = { "c", "cpp" };

	printf("[built-in options]\n");
	for (size_t l = 0; l < 2; l++) {
		print_meson_list(languages[l], "args", flags->list, flags->link);
		if (flags->link < flags->count)
			print_meson_list(languages[l], "link_args", flags->list + flags->link,
					 flags->count - flags->link);
	}
}

static int print_json(const struct flags *flags, const char *compiler)
{
	struct pf_buffer out = { 0 };
	char line[256];

	for (size_t i = 0; i < flags->count; i++) {
		if (!pf_json_is_exact(flags->list[i]))
			return failure("a path is not UTF-8, which JSON has to be; give it a link that is");
	}
	pf_buffer_printf(&out, "{\"compiler\": ");
	pf_json_put_string(&out, compiler);
	pf_json_put_field(&out, "version", pf_compiler_version(compiler, line));
	pf_json_put_field(&out, "plugin", flags->plugin);
	pf_buffer_printf(&out, ", \"flags\": [");
	for (size_t i = 0; i < flags->count; i++) {
		pf_buffer_printf(&out, "%s", i ? ", " : "");
		pf_json_put_string(&out, flags->list[i]);
	}
	pf_buffer_printf(&out, "]");
	if (flags->instrument) {
		pf_json_put_field(&out, "instrument", flags->instrument->what);
	} else {
		pf_json_put_field(&out, "profile", flags->profile);
		pf_buffer_printf(&out, ", \"hash\": \"%08" PRIx32 "\"", flags->hash);
	}
	pf_buffer_printf(&out, "}\n");
	return pf_output_print("cflags", &out);
}

static int print_flags(const struct options *o, struct flags *flags)
{
	int status = check_paths(flags, o->form);

	if (status != 0)
		return status;
	list_flags(flags);
	if (pf_compiler_is_unfit(o->compiler))
		return PF_EXIT_FAILURE;
	if (!pf_compiler_takes(o->compiler, flags->list, flags->count))
		return refuse(o->compiler, flags->plugin);
	switch (o->form) {
	case FORM_LINE:
		for (size_t i = 0; i < flags->count; i++)
			printf("%s%s", i ? " " : "", flags->list[i]);
		printf("\n");
		break;
	case FORM_CMAKE:
		print_cmake(flags);
		break;
	case FORM_MESON:
		print_meson(flags);
		break;
	case FORM_JSON:
		return print_json(flags, o->compiler);
	}
	return 0;
}

static int find_plugin(const struct options *o, char plugin[PATH_MAX])
{
	if (!o->plugin && !pf_installed_find(PLUGIN, plugin))
		return failure(PLUGIN
			       " is neither beside the pathfdo executable nor in ../lib/pathfdo from there; build "
			       "it with 'make', or name it with --plugin");
	if (o->plugin && !realpath(o->plugin, plugin)) {
		fprintf(stderr, "pathfdo cflags: the plugin %s: %s\n", o->plugin, strerror(errno));
		return PF_EXIT_FAILURE;
	}
	if (o->plugin && !pf_installed_is_file(plugin)) {
		fprintf(stderr, "pathfdo cflags: the plugin %s: is no file that can be read\n", o->plugin);
		return PF_EXIT_FAILURE;
	}
	return 0;
}

static int find_library(const struct counting *counting, char library[PATH_MAX])
{
	if (pf_installed_find(counting->library, library))
		return 0;
	fprintf(
	    stderr,
	    "pathfdo cflags: %s is neither beside the pathfdo executable nor in ../lib/pathfdo from there; build it "
	    "with 'make'\n",
	    counting->library);
	return PF_EXIT_FAILURE;
}

/* NULL, said, if a program cannot count WHAT. */
static const struct counting *find_counting(const char *what)
{
	for (size_t i = 0; i < sizeof countings / sizeof *countings; i++) {
		if (strcmp(what, countings[i].what) == 0)
			return &countings[i];
	}
	fprintf(stderr,
		"pathfdo cflags: --instrument=%s: must be paths, context or paths,context, with ,cycles or ,counter "
		"behind it if these are to be measured\n",
		what);
	return NULL;
}

static int run(const struct options *o)
{
	static struct flags flags;
	struct pf_error error;
	int status =
	    o->instrument ? find_library(o->instrument, flags.library) : check_profile(o->profile, &flags.hash);

	if (status != 0)
		return status;
	flags.instrument = o->instrument;
	/* A link may be there for the very sake of a path without blanks, or without =. */
	if (!o->instrument && (!realpath(o->profile, flags.profile) ||
			       ((is_special(flags.profile, o->form) || strchr(flags.profile, '=')) &&
				!make_absolute(o->profile, flags.profile)))) {
		fprintf(stderr, "pathfdo cflags: %s: %s\n", o->profile, strerror(errno));
		return PF_EXIT_FAILURE;
	}
	if (o->report && !make_absolute(o->report, flags.report))
		return failure("the path of the report is too long; give a shorter one");
	status = o->report ? check_report(flags.report) : 0;
	if (status != 0)
		return status;
	/* Each compile would append to it. */
	if (o->report && pf_outfile_spares(flags.report, flags.profile, &error) < 0)
		return failure(error.text);
	status = find_plugin(o, flags.plugin);
	return status == 0 ? print_flags(o, &flags) : status;
}

static bool is_stream(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && S_ISFIFO(st.st_mode));
}

/* What is wrong with PROFILES, the arguments behind the options; NULL: nothing. */
static const char *find_fault(const struct options *o, char *const *profiles)
{
	if (o->instrument)
		return *profiles || o->report
			   ? "--instrument makes a build that counts: it takes no profile, and no --report"
			   : NULL;
	if (!*profiles)
		return "name the profile that `pathfdo convert` wrote";
	if (profiles[1])
		return "a build has one profile: `pathfdo merge` makes one of several";
	return is_stream(*profiles) ? "each compile reads the profile: name a file, not standard input or a pipe"
				    : NULL;
}

int pf_cmd_cflags(int argc, char **argv)
{
	static const struct option longs[] = { { "cc", required_argument, NULL, 'c' },
					       { "plugin", required_argument, NULL, 'p' },
					       { "report", required_argument, NULL, 'r' },
					       { "instrument", required_argument, NULL, 'i' },
					       { "cmake", no_argument, NULL, 'C' },
					       { "meson", no_argument, NULL, 'M' },
					       { "json", no_argument, NULL, 'J' },
					       { "help", no_argument, NULL, 'h' },
					       { NULL, 0, NULL, 0 } };
	const char *cc = getenv("CC");
	const char *fault;
	struct options o = { .compiler = cc && *cc ? cc : "gcc" };
	char compiler[32];
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
			o.compiler = pf_compiler_command(optarg, compiler);
			break;
		case 'p':
			o.plugin = optarg;
			break;
		case 'r':
			o.report = optarg;
			break;
		case 'i':
			o.instrument = find_counting(optarg);
			if (!o.instrument)
				return PF_EXIT_USAGE;
			break;
		case 'C':
			o.form = FORM_CMAKE;
			break;
		case 'M':
			o.form = FORM_MESON;
			break;
		case 'J':
			o.form = FORM_JSON;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fprintf(stderr, "`pathfdo cflags --help` tells the options.\n");
			return PF_EXIT_USAGE;
		}
	}
	fault = find_fault(&o, argv + optind);
	if (fault) {
		fprintf(stderr, "pathfdo cflags: %s\n`pathfdo cflags --help` tells the options.\n", fault);
		return PF_EXIT_USAGE;
	}
	o.profile = argv[optind];
	return run(&o);
}
