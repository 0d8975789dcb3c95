# SPDX-License-Identifier: GPL-3.0-or-later
# The GCC plugin: C++ glue with GCC's headers, and the C parts that it shares with the unit tests.  The glue is compiled
# for each compiler that configure found headers of, into pathfdo-NN.so; pathfdo.so is the loader that chooses.
# A package's CXXFLAGS and LDFLAGS hold here too, but for -flto: a compiler is no place to find out what that does.
PLUGIN-C := $(sort $(wildcard plugin/*.c))
PLUGIN-CXX := $(sort $(wildcard plugin/*.cc))
PLUGIN-OBJ := $(PLUGIN-C:%.c=$(B)/%.o)
PLUGIN-LOADER := $(B)/plugin/loader/loader.o
PLUGIN-SHARED := $(sort $(foreach l,support flow profile,$(OBJ-$(l))))
PLUGIN-PRODUCTS := $(if $(PLUGINS),$(B)/pathfdo.so $(foreach p,$(PLUGINS),$(B)/pathfdo-$(p).so))

EXTRA_TARGETS += $(PLUGIN-PRODUCTS)

$(B)/libpathfdo.a: $(PLUGIN-OBJ)

# A file changes at once: a compile that runs meanwhile loads the old plugin or the new one.  What the plugin calls is the
# compiler's that loads it: of a package's LDFLAGS, --no-undefined cannot hold.
PLUGIN-LINK = -shared -static-libgcc $(LDFLAGS) -Wl,--unresolved-symbols=ignore-all -Wl,--version-script=plugin/pathfdo.map -o $@.new $(filter %.o,$^)

# $(call plugin,RELEASE).  The C parts keep their default visibility in the archive; the version script hides them.
define plugin
$$(PLUGIN-CXX:plugin/%.cc=$$(B)/plugin/gcc-$(1)/%.o): $$(B)/plugin/gcc-$(1)/%.o: plugin/%.cc $$(CONFIG)
	@mkdir -p $$(@D)
	$$(call say,CXX)
	$$(Q)$$(CXX) -std=gnu++17 -I. -isystem $$(PLUGIN_DIR-$(1))/include $$(PF_CPPFLAGS) $$(CXXFLAGS) -Wall -Wextra -fno-rtti \
		-fno-exceptions -fno-lto -fPIC -fvisibility=hidden -fno-semantic-interposition -MMD -MP -c $$< -o $$@

$$(B)/pathfdo-$(1).so: $$(PLUGIN-CXX:plugin/%.cc=$$(B)/plugin/gcc-$(1)/%.o) $$(PLUGIN-OBJ) $$(PLUGIN-SHARED) plugin/pathfdo.map
	$$(call say,LD)
	$$(Q)$$(CXX) $$(PLUGIN-LINK) -lz
	$$(Q)mv $$@.new $$@

-include $$(PLUGIN-CXX:plugin/%.cc=$$(B)/plugin/gcc-$(1)/%.d)
endef
$(foreach p,$(PLUGINS),$(eval $(call plugin,$(p))))

$(B)/pathfdo.so: $(PLUGIN-LOADER) plugin/pathfdo.map
	$(call say,LD)
	$(Q)$(CC) $(PLUGIN-LINK) -ldl
	$(Q)mv $@.new $@

-include $(PLUGIN-OBJ:.o=.d) $(PLUGIN-LOADER:.o=.d)
