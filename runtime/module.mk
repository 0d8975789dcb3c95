# SPDX-License-Identifier: GPL-3.0-or-later
# In the command with libpfm4; in pathfdo-record (below) without.
$(B)/runtime/eventname.o: CPPFLAGS += -DPF_LIBPFM4

# Files of the agent that need nothing else of it: the recorder outside uses them too, and the unit tests do.
AGENT_SHARED := $(patsubst %,$(B)/agent-shared/%.o,control ldso loadable reservoir section stream thinning)
LIBOBJS += $(AGENT_SHARED)

$(B)/agent-shared/%.o: runtime/agent/%.c $(CONFIG)
	@mkdir -p $(@D)
	$(call say,CC)
	$(call compile,-fPIC) -c $< -o $@

-include $(AGENT_SHARED:.o=.d)

# pathfdo-record, for hosts that only record: `pathfdo record` by itself.  zlib and libzstd are all that it needs besides the
# C library, and the linker keeps that promise.
RECORDER := main eventname
RECORDER-OBJ := $(RECORDER:%=$(B)/recorder/%.o) $(patsubst %,$(B)/cli/%.o,record recordname recordrun recordsum entry)
RECORDER-LIB := $(OBJ-support) $(filter-out %/eventname.o,$(OBJ-runtime)) $(OBJ-perfdata) $(AGENT_SHARED)

$(B)/recorder/main.o: cli/recorder/main.c $(CONFIG)
$(B)/recorder/eventname.o: runtime/eventname.c $(CONFIG)
$(RECORDER:%=$(B)/recorder/%.o):
	@mkdir -p $(@D)
	$(call say,CC)
	$(call compile,-fPIC) -c $< -o $@

$(B)/recorder/libpathfdo.a: $(RECORDER-LIB)
	$(call say,AR)
	@mkdir -p $(@D) && rm -f $@
	$(Q)ar rcs $@ $^

$(B)/pathfdo-record: $(RECORDER-OBJ) $(B)/recorder/libpathfdo.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lzstd -lz -lpthread

EXTRA_TARGETS += $(B)/pathfdo-record
-include $(RECORDER:%=$(B)/recorder/%.d)

# The agent for running processes is a part of the program.
$(B)/runtime/payload.o: CPPFLAGS += -DPF_PAYLOAD='"$(B)/runtime/agent/attached.so"'
$(B)/runtime/payload.o: $(B)/runtime/agent/attached.so
