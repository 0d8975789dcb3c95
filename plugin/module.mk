# SPDX-License-Identifier: GPL-3.0-or-later
# The GCC plugin: C++ glue with GCC's headers, and the C parts that it shares with the unit tests.
PLUGIN-INCLUDE := $(shell $(CC) -print-file-name=plugin)/include
PLUGIN-C := $(sort $(wildcard plugin/*.c))
PLUGIN-CXX := $(sort $(wildcard plugin/*.cc))
PLUGIN-OBJ := $(PLUGIN-C:%.c=$(B)/%.o)
PLUGIN-GLUE := $(PLUGIN-CXX:%.cc=$(B)/%.o)
PLUGIN-SHARED := $(sort $(foreach l,support flow profile,$(OBJ-$(l))))

# Without the compiler's plugin headers the rest of the project builds all the same; configure says so.
ifneq ($(WITH_PLUGIN),no)
EXTRA_TARGETS += $(B)/pathfdo.so
endif

$(B)/libpathfdo.a: $(PLUGIN-OBJ)

$(PLUGIN-GLUE): $(B)/%.o: %.cc
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) -std=gnu++17 -I. -isystem $(PLUGIN-INCLUDE) -O2 -g -Wall -Wextra -fno-rtti -fno-exceptions -fPIC \
		-fvisibility=hidden -fno-semantic-interposition -MMD -MP -c $< -o $@

# The C parts keep their default visibility in the archive; the version script hides them here.  The file changes at
# once: a compile that runs meanwhile loads the old plugin or the new one.
$(B)/pathfdo.so: $(PLUGIN-GLUE) $(PLUGIN-OBJ) $(PLUGIN-SHARED) plugin/pathfdo.map
	$(call say,LD)
	$(Q)$(CXX) -shared -static-libgcc -Wl,--version-script=plugin/pathfdo.map -o $@.new $(filter %.o,$^) -lz
	$(Q)mv $@.new $@

-include $(PLUGIN-OBJ:.o=.d) $(PLUGIN-GLUE:.o=.d)
