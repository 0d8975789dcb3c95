# SPDX-License-Identifier: GPL-3.0-or-later
# The programs of `pathfdo engine` are data: they lie beside the command, in engine/.
ENGINE := $(notdir $(wildcard analysis/engine/*))

$(B)/engine/%: analysis/engine/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

EXTRA_TARGETS += $(if $(RECORD_ONLY),,$(ENGINE:%=$(B)/engine/%))
