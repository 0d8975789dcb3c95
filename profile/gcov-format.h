/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants of GCC's AutoFDO file, versions 2 and 3 (doc/afdo-format). */
#ifndef PF_PROFILE_GCOV_FORMAT_H
#define PF_PROFILE_GCOV_FORMAT_H

#define GCOV_MAGIC 0x67636461u /* "gcda", in the byte order of the machine */
#define GCOV_VERSION_12 2u     /* GCC 12 to 15 */
#define GCOV_VERSION_16 3u

#define GCOV_TAG_SUMMARY 0xa8000000u /* version 3; without a length */
#define GCOV_TAG_NAMES 0xaa000000u
#define GCOV_TAG_FUNCTIONS 0xac000000u
#define GCOV_TAG_MODULES 0xae000000u
#define GCOV_TAG_WORKING_SET 0xaf000000u

#define GCOV_NO_FILE UINT32_MAX

#define GCOV_CALL_TARGET 7u /* kind of value: HIST_TYPE_INDIR_CALL_TOPN, the only one */

#define GCOV_WORKING_SETS 128u
#define GCOV_INSTRUCTIONS_A_BLOCK 10u /* the working set counts blocks, which are thought to have so many */

#endif
