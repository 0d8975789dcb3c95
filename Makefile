# SPDX-License-Identifier: GPL-3.0-or-later
# One non-recursive Makefile.  It picks up each folder's *.c by itself; what is special about a folder (the agent and the
# plugin, which are shared objects of their own) is in its module.mk, which appends to EXTRA_TARGETS, INSTALL_PLUGIN...
# Its hard case is a fresh checkout: the goals in SETUP_GOALS run without config.mk, and those that promise all the
# set-up install first and then start make again.  All paths are relative to the source folder, where make always runs;
# a build folder elsewhere hands its own name over as B.
B ?= build
CONFIG := $(B)/config.mk
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

SETUP_GOALS := help deps clean distclean check check-torture check-systems check-servers check-nasty check-howto demo bench fuzz
GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out $(SETUP_GOALS),$(GOALS)),)
include $(CONFIG)
endif

VERSION := $(shell sed -n 's/^.define PF_VERSION "\(.*\)"/\1/p' support/version.h)
PREFIX ?= $(prefix)
override CPPFLAGS += -I. -D_GNU_SOURCE $(PF_CPPFLAGS)
WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow -Wvla
LIBS = $(PF_LIBS)
LAYERS := support flow profile perfdata runtime converter analysis cli

# One line a file; V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1) $(@:$(B)/%=%)")

# $(call compile,FLAGS): one C source with its dependencies.
compile = $(Q)$(CC) -std=c11 $(CPPFLAGS) $(CFLAGS) $(WARN) $(SANITIZE) -MMD -MP $(1)

all:
EXTRA_TARGETS :=

define layer
SRC-$(1) := $$(sort $$(wildcard $(1)/*.c))
OBJ-$(1) := $$(SRC-$(1):%.c=$(B)/%.o)
OBJS += $$(OBJ-$(1))
endef
$(foreach l,$(LAYERS),$(eval $(call layer,$(l))))
LIBOBJS := $(filter-out $(OBJ-cli),$(OBJS))

include $(wildcard */module.mk runtime/*/module.mk)

all: $(if $(RECORD_ONLY),,$(B)/pathfdo) $(EXTRA_TARGETS)

$(B)/%.o: %.c $(CONFIG)
	@mkdir -p $(@D)
	$(call say,CC)
	$(call compile,-fPIC) -c $< -o $@

$(B)/libpathfdo.a: $(LIBOBJS)
	$(call say,AR)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/pathfdo: $(OBJ-cli) $(B)/libpathfdo.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS) -lstdc++ -lpthread

# --- configuration -------------------------------------------------------------------------------------------------

$(CONFIG): configure build-aux/config.mk.in
	@mkdir -p $(B)
	@if test -x $(B)/config.status; then cd $(B) && ./config.status -q --recheck && ./config.status -q; \
	elif test $(B) = build && test -x config.status; then ./config.status -q --recheck && ./config.status -q; \
	else cd $(B) && "$(CURDIR)/configure" $(CONFIGURE_ARGS); fi
	@touch $@

configure: configure.ac $(wildcard m4/*.m4) support/version.h
	@command -v autoconf >/dev/null || { echo "autoconf is missing: \`make deps\` installs it." >&2; exit 1; }
	autoconf -o $@
	@rm -rf autom4te.cache

deps:
	@build-aux/deps

# --- tests ---------------------------------------------------------------------------------------------------------

UNIT := $(patsubst testsuite/unit/%.c,$(B)/unit/%,$(sort $(wildcard testsuite/unit/*.c)))
FUZZ := $(patsubst testsuite/fuzz/%.c,$(B)/fuzz/%,$(sort $(wildcard testsuite/fuzz/*.c)))
TOOLS := $(patsubst testsuite/tools/%.c,$(B)/tools/%,$(sort $(wildcard testsuite/tools/*.c)))
ifeq ($(WITH_CHECK),no)
UNIT :=
endif

$(B)/unit/%: testsuite/unit/%.c $(B)/libpathfdo.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(call compile) $(LDFLAGS) -o $@ $< $(UNIT_EXTRA-$*) $(B)/libpathfdo.a $(CHECK_LIBS) $(LIBS) -ldl

# Without libFuzzer: a main that runs every file of a corpus, and mutations of it, through the target.
$(B)/fuzz/%: testsuite/fuzz/%.c testsuite/fuzz/lib/driver.c $(B)/libpathfdo.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(call compile) $(LDFLAGS) -o $@ $< testsuite/fuzz/lib/driver.c $(B)/libpathfdo.a $(LIBS) -lpthread

$(B)/tools/%: testsuite/tools/%.c $(B)/libpathfdo.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(call compile) $(LDFLAGS) -o $@ $< $(B)/libpathfdo.a $(LIBS) -lpthread

# What must be fast: each program prints its times and exits with 1 when they are beyond what the design promises.
SPEED := $(patsubst testsuite/bench/%.c,$(B)/speed/%,$(sort $(wildcard testsuite/bench/*.c)))
$(B)/speed/%: testsuite/bench/%.c $(B)/libpathfdo.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(call compile) $(LDFLAGS) -o $@ $< $(B)/libpathfdo.a $(LIBS) -lpthread
bench-speed: $(SPEED)
	@status=0; for p in $^; do $$p || status=1; done; exit $$status

unit-build: $(UNIT)
	@:
fuzz-build: $(FUZZ)
	@:
tools: $(TOOLS)
	@:

unit: $(UNIT)
	@testsuite/run -B $(B) unit

SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
sanitized:
	@$(MAKE) B=$(B)/san CONFIG=$(CONFIG) SANITIZE="$(SAN)" CFLAGS="-O1 -g" unit-build fuzz-build

# What `make check` runs once everything is installed and configured.
check-run: all unit-build tools sanitized
	@CC="$(CC)" CXX="$(CXX)" testsuite/run -B $(B) all

check:
	@build-aux/deps
	@$(MAKE) -j2 check-run

check-torture:
	@build-aux/deps
	@build-aux/deps csmith libcsmith-dev
	@$(MAKE) all tools
	@CC="$(CC)" CXX="$(CXX)" B="$(abspath $(B))" testsuite/torture/run all
	@CC="$(CC)" CXX="$(CXX)" B="$(abspath $(B))" testsuite/torture/run csmith

# In bare systems of their own; needs root and the network, and most of an hour.
check-systems:
	@testsuite/check-systems $(SYSTEM)

# All programs that were written to break the recorder, in all ways, ROUNDS times.
ROUNDS ?= 1
check-nasty:
	@build-aux/deps
	@$(MAKE) all
	@B="$(abspath $(B))" testsuite/nasty/run -r $(ROUNDS)

check-servers:
	@testsuite/servers/run -i
	@$(MAKE) all tools
	@B="$(abspath $(B))" testsuite/servers/run

# The commands of doc/server.md, as they stand there; needs the network.
check-howto:
	@build-aux/deps
	@$(MAKE) all
	@B="$(abspath $(B))" testsuite/check-howto

# A libFuzzer session for each target (FUZZ_SECONDS each), with clang.
fuzz:
	@build-aux/deps
	@$(MAKE) fuzz-run
FUZZ_SECONDS ?= 60
fuzz-run:
	@command -v clang >/dev/null || { echo "libFuzzer needs clang: apt-get install clang" >&2; exit 1; }
	@$(MAKE) B=$(B)/libfuzzer CONFIG=$(CONFIG) CC=clang CFLAGS="-O1 -g" SANITIZE="$(SAN) -fsanitize=fuzzer-no-link" libfuzzer
libfuzzer: $(B)/libpathfdo.a
	@mkdir -p $(B)/fuzz
	@for t in $(notdir $(FUZZ)); do mkdir -p $(B)/new/$$t; \
	$(patsubst @%,%,$(call compile)) -fsanitize=fuzzer $(LDFLAGS) -o $(B)/fuzz/$$t testsuite/fuzz/$$t.c $(B)/libpathfdo.a $(LIBS) && \
	$(B)/fuzz/$$t -max_total_time=$(FUZZ_SECONDS) -timeout=10 $(B)/new/$$t testsuite/fuzz/corpus/$$t || exit 1; done

# --- the demo and the measurements -----------------------------------------------------------------------------------

demo:
	@build-aux/deps
	@$(MAKE) -s -j2 all tools
	@B="$(abspath $(B))" demo/run

bench:
	@build-aux/deps
	@$(MAKE) -s -j2 all tools
	@B="$(abspath $(B))" testsuite/bench/run $(BENCH_ARGS)

# --- installation --------------------------------------------------------------------------------------------------

# What is not for people to call is in one folder, ../lib/pathfdo from the command, which finds it by that alone.  Links to the
# plugin are put where each compiler looks for -fplugin=NAME, if that can be written to; PLUGIN_LINKS=no leaves them out.
PLUGIN_LINKS ?= yes
# doc/NAME.md whose first line is `% NAME(SECTION)` is a manual page.
MAN := $(if $(RECORD_ONLY),$(B)/man/pathfdo-record.1,$(foreach n,1 5 7,$(patsubst doc/%.md,$(B)/man/%.$(n),$(shell grep -lE '^% .*\($(n)\)' doc/*.md))))
.SECONDEXPANSION:
$(B)/man/%: doc/$$(basename $$*).md build-aux/man.awk support/version.h
	@mkdir -p $(@D)
	@awk -v version=$(VERSION) -f build-aux/man.awk $< >$@
man: $(MAN)
# A folder of configure's under the PREFIX of the command line, and DESTDIR.
at = $(DESTDIR)$(patsubst $(prefix)/%,$(PREFIX)/%,$(1))
BIN = $(call at,$(bindir))
PRIVATE = $(BIN)/../lib/pathfdo
SHARE = $(call at,$(datarootdir))
PROGRAMS := $(if $(RECORD_ONLY),,pathfdo) pathfdo-record
LIBRARIES := libpathfdo-recorder.so $(if $(PLUGINS),pathfdo.so $(PLUGINS:%=pathfdo-%.so) libpathfdo-paths.a libpathfdo-context.a)
# doc/README.md is what a list of that folder shows; beside README.md it would take its place.
PAGES := $(if $(RECORD_ONLY),,$(wildcard README.md NEWS COPYING $(filter-out doc/README.md,$(wildcard doc/*.md))))
# $(call links,install|remove)
links = $(foreach p,$(PLUGINS),build-aux/plugin-links $(1) "$(PRIVATE)" "$(DESTDIR)" "$(PLUGIN_DIR-$(p))" $(p) &&) :

install: all man
	install -d "$(BIN)" "$(PRIVATE)"
	for f in $(PROGRAMS); do install -m 755 $(B)/$$f "$(BIN)/$$f" || exit 1; done
	for f in $(LIBRARIES); do install -m 755 $(B)/$$f "$(PRIVATE)/$$f" || exit 1; done
	for m in $(notdir $(MAN)); do d="$(call at,$(mandir))/man$${m##*.}"; \
	install -d "$$d" && install -m 644 $(B)/man/$$m "$$d/$$m" || exit 1; done
ifeq ($(RECORD_ONLY),)
	install -d "$(PRIVATE)/engine" "$(SHARE)/pkgconfig" "$(SHARE)/cmake/pathfdo" "$(SHARE)/doc/pathfdo" \
		"$(SHARE)/bash-completion/completions" "$(SHARE)/zsh/site-functions"
	for f in $(ENGINE); do install -m 644 $(B)/engine/$$f "$(PRIVATE)/engine/$$f" || exit 1; done
	for f in $(PAGES); do install -m 644 $$f "$(SHARE)/doc/pathfdo" || exit 1; done
	sed 's/@VERSION@/$(VERSION)/' build-aux/pathfdo.pc.in >"$(SHARE)/pkgconfig/pathfdo.pc"
	chmod 644 "$(SHARE)/pkgconfig/pathfdo.pc"
	install -m 644 build-aux/pathfdo-config.cmake "$(SHARE)/cmake/pathfdo"
	install -m 644 build-aux/completion.bash "$(SHARE)/bash-completion/completions/pathfdo"
	install -m 644 build-aux/completion.zsh "$(SHARE)/zsh/site-functions/_pathfdo"
endif
	$(if $(filter yes,$(PLUGIN_LINKS)),$(call links,install))
	@build-aux/installed "$(BIN)" "$(SHARE)" "$(DESTDIR)" $(firstword $(PROGRAMS))

uninstall:
	$(call links,remove)
	for f in $(PROGRAMS); do rm -f "$(BIN)/$$f"; done
	for f in $(LIBRARIES); do rm -f "$(PRIVATE)/$$f"; done
	for f in $(ENGINE); do rm -f "$(PRIVATE)/engine/$$f"; done
	for m in $(notdir $(MAN)); do rm -f "$(call at,$(mandir))/man$${m##*.}/$$m"; done
	for f in $(notdir $(PAGES)); do rm -f "$(SHARE)/doc/pathfdo/$$f"; done
	rm -f "$(SHARE)/pkgconfig/pathfdo.pc" "$(SHARE)/cmake/pathfdo/pathfdo-config.cmake" \
		"$(SHARE)/bash-completion/completions/pathfdo" "$(SHARE)/zsh/site-functions/_pathfdo"
	-rmdir "$(PRIVATE)/engine" "$(PRIVATE)" "$(SHARE)/doc/pathfdo" "$(SHARE)/cmake/pathfdo"

# --- distribution --------------------------------------------------------------------------------------------------

DIST := pathfdo-$(VERSION)
# The files of a checkout are git's; a tarball brings its own list.
dist: configure
	@mkdir -p $(B)/dist && rm -rf $(B)/dist/$(DIST)
	@if test -e .git; then git ls-files | while read -r f; do test ! -e "$$f" || echo "$$f"; done; \
	else cat MANIFEST; fi >$(B)/dist/MANIFEST
	@test -s $(B)/dist/MANIFEST || { echo "git lists no files here, so there is nothing to give away" >&2; exit 1; }
	@mkdir $(B)/dist/$(DIST) && tar -cf - -T $(B)/dist/MANIFEST configure | tar -xf - -C $(B)/dist/$(DIST)
	@cp $(B)/dist/MANIFEST $(B)/dist/$(DIST)/MANIFEST
	@touch $(B)/dist/$(DIST)/configure
	tar --sort=name --owner=0 --group=0 --numeric-owner -C $(B)/dist -czf $(B)/$(DIST).tar.gz $(DIST)

distcheck: dist
	@build-aux/distcheck "$(abspath $(B)/$(DIST).tar.gz)" $(DIST) "$(abspath $(B)/distcheck)"

clean:
	rm -rf $(filter-out %/config.mk %/config.status %/config.log %/Makefile,$(wildcard $(B)/*))

distclean: clean
	rm -rf $(B)/config.mk $(B)/config.status $(B)/config.log $(B)/Makefile config.status config.log autom4te.cache
	@if test -e .git; then rm -f configure; fi
	@test $(B) != build || rm -rf $(B)

help:
	@sed -n 's/^# help: //p' Makefile
# help: make               build/pathfdo, build/pathfdo.so and pathfdo-NN.so, build/pathfdo-record and its library
# help: make deps          install what is missing (Debian packages; says which)
# help: make check         all tests, after all set-up; last line: N passed, N failed, N skipped
# help: make unit          unit tests alone
# help: make check-torture all of GCC's own programs that run, and 500 of csmith's, compiled with the plugin
# help: make check-systems make demo and make check in bare Debian 13 and unstable; SYSTEM=trixie for one of them
# help: make check-servers nginx, redis, PostgreSQL, Java and others under the software recorder and load (root only)
# help: make check-nasty   all programs of testsuite/nasty in all modes, ROUNDS=1 times
# help: make check-howto   the commands of doc/server.md: nginx from its source to a faster one
# help: make fuzz          libFuzzer on each target, FUZZ_SECONDS=60 each
# help: make demo          a real program, recorded and rebuilt; under five minutes
# help: make bench         the tables of doc/measurements.md; BENCH_ARGS="speed --programs lua"
# help: make bench-speed   the time to open a profile and to infer counts, against what is promised
# help: make install       PREFIX=/usr/local DESTDIR= PLUGIN_LINKS=yes (links in the compilers' own plugin folders)
# help: make uninstall, clean, distclean, dist, distcheck

-include $(OBJS:.o=.d) $(UNIT:%=%.d) $(FUZZ:%=%.d) $(TOOLS:%=%.d) $(SPEED:%=%.d)
.PHONY: all deps unit unit-build fuzz-build tools sanitized check-run check check-torture check-systems check-servers check-nasty check-howto fuzz \
	fuzz-run libfuzzer demo bench bench-speed man install uninstall dist distcheck clean distclean help
