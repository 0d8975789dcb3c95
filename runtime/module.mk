# SPDX-License-Identifier: GPL-3.0-or-later
# Where an installed recorder library is, if not in ../lib/pathfdo of the command.
$(B)/runtime/soft.o: CPPFLAGS += -DPF_LIBDIR='"$(libdir)"'

# Files of the agent that need nothing else of it: the recorder outside uses them too, and the unit tests do.
AGENT_SHARED := $(patsubst %,$(B)/agent-shared/%.o,control loadable reservoir section)
LIBOBJS += $(AGENT_SHARED)

$(B)/agent-shared/%.o: runtime/agent/%.c $(CONFIG)
	@mkdir -p $(@D)
	$(call say,CC)
	$(call compile,-fPIC) -c $< -o $@

-include $(AGENT_SHARED:.o=.d)
