# SPDX-License-Identifier: GPL-3.0-or-later
# The GCC plugin: C++ glue with GCC's headers, and the C parts that it shares with the unit tests.
PLUGIN-INCLUDE := $(shell $(CC) -print-file-name=plugin)/include
PLUGIN-C := $(sort $(wildcard plugin/*.c))
PLUGIN-CXX := $(sort $(wildcard plugin/*.cc))
PLUGIN-OBJ := $(PLUGIN-C:%.c=$(B)/%.o)
PLUGIN-GLUE := $(PLUGIN-CXX:%.cc=$(B)/%.o)
PLUGIN-SHARED := $(sort $(foreach l,support flow profile,$(OBJ-$(l))))

EXTRA_TARGETS += $(B)/pathfdo.so

$(B)/libpathfdo.a: $(PLUGIN-OBJ)

$(PLUGIN-GLUE): $(B)/%.o: %.cc
	@mkdir -p $(@D)
	$(CXX) -std=gnu++17 -I. -isystem $(PLUGIN-INCLUDE) -O2 -g -Wall -Wextra -fno-rtti -fno-exceptions -fPIC \
		-fvisibility=hidden -fno-semantic-interposition -MMD -MP -c $< -o $@

# The C parts keep their default visibility in the archive; the version script hides them here.
$(B)/pathfdo.so: $(PLUGIN-GLUE) $(PLUGIN-OBJ) $(PLUGIN-SHARED) plugin/pathfdo.map
	$(CXX) -shared -static-libgcc -Wl,--version-script=plugin/pathfdo.map -Wl,-z,defs -Wl,--unresolved-symbols=ignore-all \
		-o $@ $(filter %.o,$^) -lz

-include $(PLUGIN-OBJ:.o=.d) $(PLUGIN-GLUE:.o=.d)
