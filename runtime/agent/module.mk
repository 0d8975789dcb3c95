# SPDX-License-Identifier: GPL-3.0-or-later
# The part of the recorder that is loaded into the target.  Handler code must not touch vector registers, and must
# not be built with instrumentation that calls into a run-time library, so its flags are its own.  It needs no other
# library: what there is of the C library it finds by itself (next.c).  Each start of a small program pays for each of its
# segments, for each change of their protection, and for each page that it touches: so there are two, and none, and what is
# large lies on pages of its own, beside all that is small.
# There are two: a library that the dynamic loader loads, which stands in for library calls, and an image that is put into a
# running process, which needs neither symbols nor thread-local storage: the linker and a look at its relocations keep that.
AGENT_SRC := $(sort $(wildcard runtime/agent/*.c runtime/agent/*.S))
AGENT_ALL := $(patsubst %,$(B)/%.o,$(basename $(AGENT_SRC)))
ONLY_ATTACHED := $(patsubst %,$(B)/runtime/agent/%.o,attached visit)
ONLY_LOADED := $(patsubst %,$(B)/runtime/agent/%.o,belief caller calling comeback environment held intercept ldso loadable loaded resting spawn start switched switching syscall watch)
AGENT_OBJ := $(filter-out $(ONLY_ATTACHED),$(AGENT_ALL))
ATTACHED_OBJ := $(filter-out $(ONLY_LOADED),$(AGENT_ALL))
# What only GCC can build, the fuzz targets of clang take from GCC.
AGENT_CC := $(if $(findstring clang,$(CC)),gcc,$(CC))
AGENT_CFLAGS := -O2 -g -std=c11 -fPIC -fvisibility=hidden -mgeneral-regs-only -fno-stack-protector \
	-fno-tree-loop-distribute-patterns -ffreestanding -fdata-sections -fcf-protection=none -U_FORTIFY_SOURCE
AGENT_LDFLAGS := -shared -g -nostdlib -Wl,-z,now -Wl,-z,norelro -Wl,-z,noseparate-code -Wl,-z,nodelete -Wl,-z,defs -Wl,-Bsymbolic \
	-Wl,--sort-section=alignment -Wl,--hash-style=gnu -Wl,--version-script=runtime/agent/exports.map

$(B)/runtime/agent/%.o: runtime/agent/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(AGENT_CC) -I. -D_GNU_SOURCE $(AGENT_CFLAGS) $(WARN) -MMD -MP -c $< -o $@

$(B)/runtime/agent/%.o: runtime/agent/%.S
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(AGENT_CC) -I. -g -MMD -MP -c $< -o $@

$(B)/libpathfdo-recorder.so: $(AGENT_OBJ) runtime/agent/exports.map runtime/agent/module.mk
	$(call say,LD)
	$(Q)$(AGENT_CC) $(AGENT_LDFLAGS) -o $@ $(AGENT_OBJ)

ATTACHED_LDFLAGS := -shared -s -nostdlib -nostartfiles -Wl,-z,now -Wl,-z,norelro -Wl,-z,noseparate-code -Wl,-z,defs \
	-Wl,-Bsymbolic -Wl,--sort-section=alignment -Wl,--hash-style=gnu -Wl,--build-id=none -Wl,-e,pf_attached

$(B)/runtime/agent/attached.so: $(ATTACHED_OBJ) runtime/agent/module.mk
	$(call say,LD)
	$(Q)$(AGENT_CC) $(ATTACHED_LDFLAGS) -o $@ $(ATTACHED_OBJ)
	$(Q)! readelf -Wlr $@ | grep -E 'R_X86_64_|TLS' | grep -v R_X86_64_RELATIVE

EXTRA_TARGETS += $(B)/libpathfdo-recorder.so
-include $(AGENT_ALL:.o=.d)

# The translator by itself, without signals: what the unit test runs.
TRANSLATOR := $(patsubst %,$(B)/runtime/agent/%.o,access cache decode loaded modules next string-slots run segments spin tablejump translate vector zones)
UNIT_EXTRA-agent-translate := $(TRANSLATOR)
$(B)/unit/agent-translate: $(TRANSLATOR)
UNIT_EXTRA-agent-check := $(B)/runtime/agent/run.o
$(B)/unit/agent-check: $(B)/runtime/agent/run.o
UNIT_EXTRA-agent-segments := $(B)/runtime/agent/segments.o
$(B)/unit/agent-segments: $(B)/runtime/agent/segments.o
UNIT_EXTRA-agent-vector := $(B)/runtime/agent/vector.o
$(B)/unit/agent-vector: $(B)/runtime/agent/vector.o
