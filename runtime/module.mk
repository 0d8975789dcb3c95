# SPDX-License-Identifier: GPL-3.0-or-later
# Where an installed recorder library is, if not in ../lib/pathfdo of the command.
$(B)/runtime/soft.o: CPPFLAGS += -DPF_LIBDIR='"$(libdir)"'
