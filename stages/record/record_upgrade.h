/* record_upgrade.h - records of an earlier version, read as those of today. */
#ifndef STAGES_RECORD_RECORD_UPGRADE_H
#define STAGES_RECORD_RECORD_UPGRADE_H

#include <cjson/cJSON.h>

#include "vlm/base/err.h"

/* The record in the present version: of version 1 (without `format`) the
 * warnings, which were texts, get the code "unclassified", and the values of
 * conflicts, which were JSON text, are values. What version 1 did not know is
 * not there. `record` (NULL is fine) is no longer the caller's; the result is.
 * FAIL: ERR_UNSUPPORTED, NULL: a format that this platen does not know. */
cJSON *record_upgrade(cJSON *record, struct err *err);

#endif
