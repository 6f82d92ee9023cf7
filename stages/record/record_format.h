/* record_format.h - the version of a record. It changes where a member goes or
 * means something else, not where one is added.
 */
#ifndef STAGES_RECORD_RECORD_FORMAT_H
#define STAGES_RECORD_RECORD_FORMAT_H

#include <cjson/cJSON.h>

#include "vlm/base/err.h"

#define RECORD_FORMAT       "platen-record/2" /* the member `format` */
#define RECORD_STACK_FORMAT "platen-stack/2"  /* of what a stack was cut into */

/* Fails where what was read back from a file is neither. NULL is fine: it is up to the
 * caller. FAIL: ERR_UNSUPPORTED: another version, which is named; ERR_INPUT: it is
 * no object. */
void record_check_format(const cJSON *record, struct err *err);

#endif
