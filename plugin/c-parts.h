/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the project that are C, for the plugin's C++. */
#ifndef PF_PLUGIN_C_PARTS_H
#define PF_PLUGIN_C_PARTS_H

extern "C" {
#include "flow/equivalence.h"
#include "flow/exttsp.h"
#include "flow/graph.h"
#include "flow/infer.h"
#include "flow/pathchords.h"
#include "flow/superblock.h"
#include "plugin/bodies.h"
#include "plugin/figures.h"
#include "plugin/estimate.h"
#include "plugin/graft.h"
#include "plugin/heat.h"
#include "plugin/limit.h"
#include "plugin/match.h"
#include "plugin/pieces.h"
#include "plugin/vote.h"
#include "profile/model.h"
#include "profile/saturate.h"
#include "profile/value-list.h"
#include "support/buffer.h"
#include "support/counting.h"
#include "support/jsontext.h"
#include "support/error.h"
#include "support/filename.h"
#include "support/version.h"
}

#endif
