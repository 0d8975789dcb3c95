# SPDX-License-Identifier: GPL-3.0-or-later
# One non-recursive Makefile: it includes one fragment a folder (module.mk), each of which names its sources.
B := build
CC ?= gcc
CXX ?= g++
CFLAGS ?= -O2 -g
CPPFLAGS += -I. -D_GNU_SOURCE
WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow -Wvla
LIBS := -ldwarf -lelf -lZydis -lpfm -lz -lzstd -lm

all: $(B)/pathfdo

LAYERS := support flow profile perfdata runtime converter analysis cli

define layer
SRC-$(1) := $$(sort $$(wildcard $(1)/*.c))
OBJ-$(1) := $$(SRC-$(1):%.c=$(B)/%.o)
OBJS += $$(OBJ-$(1))
endef
$(foreach l,$(LAYERS),$(eval $(call layer,$(l))))
LIBOBJS := $(filter-out $(OBJ-cli),$(OBJS))

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CPPFLAGS) $(CFLAGS) $(WARN) -fPIC -MMD -MP -c $< -o $@

$(B)/libpathfdo.a: $(LIBOBJS)
	rm -f $@; ar rcs $@ $^

$(B)/pathfdo: $(OBJ-cli) $(B)/libpathfdo.a
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

# Unit tests: one libcheck program a file, named unit/<layer>-<topic>.c.
UNIT := $(patsubst testsuite/unit/%.c,$(B)/unit/%,$(wildcard testsuite/unit/*.c))
$(B)/unit/%: testsuite/unit/%.c $(B)/libpathfdo.a
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -o $@ $< $(B)/libpathfdo.a -lcheck -lsubunit -lrt -lpthread $(LIBS)
unit: $(UNIT)
	@for t in $(UNIT); do $$t || exit 1; done

-include $(wildcard */module.mk)
-include $(OBJS:.o=.d) $(UNIT:%=%.d)

clean:
	rm -rf $(B)
.PHONY: all clean unit
