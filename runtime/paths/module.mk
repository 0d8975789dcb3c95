# SPDX-License-Identifier: GPL-3.0-or-later
# The libraries of instrumented programs: libpathfdo-paths.a counts paths, libpathfdo-context.a calling contexts.  They are
# linked into each module that was instrumented.  What belongs to one is one object, so that who needs any of it gets what
# writes the file, too; writing itself, tables of counts, and counters of the processor are others, which a module with both has once.
COUNTING_OBJ = $(patsubst %.c,$(B)/%.o,$(sort $(wildcard runtime/$(1)/*.c)))
COUNTING_CFLAGS := -O2 -g -std=c11 -fPIC -fvisibility=hidden -fno-lto -ftls-model=initial-exec
COUNTING_SHARED := $(addprefix $(B)/runtime/paths/,countfile.o metric.o pathtable.o)

$(call COUNTING_OBJ,paths) $(call COUNTING_OBJ,context): $(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -I. -D_GNU_SOURCE $(COUNTING_CFLAGS) $(WARN) -MMD -MP -c $< -o $@

$(B)/libpathfdo-paths.a: $(call COUNTING_OBJ,paths)
$(B)/libpathfdo-context.a: $(call COUNTING_OBJ,context) $(COUNTING_SHARED)
$(B)/libpathfdo-paths.a $(B)/libpathfdo-context.a: $(B)/libpathfdo-%.a:
	$(call say,AR)
	@rm -f $@
	$(Q)$(CC) -r -nostdlib -o $(B)/runtime/$*.o $(filter-out $(COUNTING_SHARED),$^)
	$(Q)ar rcs $@ $(B)/runtime/$*.o $(COUNTING_SHARED)

EXTRA_TARGETS += $(if $(PLUGINS),$(B)/libpathfdo-paths.a $(B)/libpathfdo-context.a)

-include $(patsubst %.o,%.d,$(call COUNTING_OBJ,paths) $(call COUNTING_OBJ,context))
