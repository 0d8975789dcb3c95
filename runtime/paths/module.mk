# SPDX-License-Identifier: GPL-3.0-or-later
# The library that counts paths in instrumented programs.  It is linked into each module that was instrumented, and is one
# object, so that who needs any of it gets what writes the file, too.
PATHS_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard runtime/paths/*.c)))
PATHS_CFLAGS := -O2 -g -std=c11 -fPIC -fvisibility=hidden -fno-lto

$(B)/runtime/paths/%.o: runtime/paths/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -I. -D_GNU_SOURCE $(PATHS_CFLAGS) $(WARN) -MMD -MP -c $< -o $@

$(B)/libpathfdo-paths.a: $(PATHS_OBJ)
	$(call say,AR)
	@rm -f $@
	$(Q)$(CC) -r -nostdlib -o $(B)/runtime/paths.o $^
	$(Q)ar rcs $@ $(B)/runtime/paths.o

EXTRA_TARGETS += $(if $(PLUGINS),$(B)/libpathfdo-paths.a)

-include $(PATHS_OBJ:.o=.d)
