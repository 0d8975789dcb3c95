/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PF_SUPPORT_VERSION_H
#define PF_SUPPORT_VERSION_H

#define PF_VERSION "0.1.0"

#endif
