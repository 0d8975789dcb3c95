/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds of what a conditional jump has compared, on the way on which it is taken. */
#ifndef PF_CONVERTER_SENSE_H
#define PF_CONVERTER_SENSE_H

#include "profile/model.h"

#include <Zydis/Zydis.h>

/* What the flags were set by. */
enum pf_flags {
	PF_FLAGS_UNKNOWN,  /* what tells neither equal from different nor less from greater */
	PF_FLAGS_RESULT,   /* a result, which is 0 or not, or two variables */
	PF_FLAGS_CONSTANT, /* a comparison of something with a constant, which stands second */
};

/* What the flags are set by behind INSN, if they were set by BEFORE in front of it. */
enum pf_flags pf_sense_flags(const ZydisDecodedInstruction *insn, enum pf_flags before);

/* The sense of the conditional jump INSN where it is taken; PF_SENSE_NONE if it is not known. */
enum pf_sense pf_sense_of_jump(const ZydisDecodedInstruction *insn, enum pf_flags flags);

#endif
