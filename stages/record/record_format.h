/* record_format.h - the version of a record. It changes when a member is
 * removed or changes its meaning, not when one is added.
 */
#ifndef STAGES_RECORD_RECORD_FORMAT_H
#define STAGES_RECORD_RECORD_FORMAT_H

#include <cjson/cJSON.h>

#include "vlm/base/err.h"

#define RECORD_FORMAT       "platen-record/2" /* the member `format` */
#define RECORD_STACK_FORMAT "platen-stack/2"  /* of a stack's list of parts */

/* Checks that JSON read from a file has one of these formats. NULL is accepted:
 * the caller reports it. FAIL: ERR_UNSUPPORTED: another version, which is
 * named; ERR_INPUT: not an object. */
void record_check_format(const cJSON *record, struct err *err);

#endif
