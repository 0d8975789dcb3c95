# SPDX-License-Identifier: GPL-3.0-or-later
# The part of the recorder that is loaded into the target.  Handler code must not touch vector registers, and must
# not be built with instrumentation that calls into a run-time library, so its flags are its own.
AGENT_SRC := $(sort $(wildcard runtime/agent/*.c)) runtime/agent/dispatch.S
AGENT_OBJ := $(patsubst %,$(B)/%.o,$(basename $(AGENT_SRC)))
AGENT_CFLAGS := -O2 -g -std=c11 -fPIC -fvisibility=hidden -mgeneral-regs-only -fno-stack-protector \
	-fno-tree-loop-distribute-patterns -ffreestanding -fcf-protection=none -U_FORTIFY_SOURCE

$(B)/runtime/agent/%.o: runtime/agent/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -I. -D_GNU_SOURCE $(AGENT_CFLAGS) $(WARN) -MMD -MP -c $< -o $@

$(B)/runtime/agent/%.o: runtime/agent/%.S
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) -I. -g -MMD -MP -c $< -o $@

$(B)/libpathfdo-recorder.so: $(AGENT_OBJ)
	$(call say,LD)
	$(Q)$(CC) -shared -g -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,-z,defs -Wl,-Bsymbolic -o $@ $^

EXTRA_TARGETS += $(B)/libpathfdo-recorder.so
-include $(AGENT_OBJ:.o=.d)
