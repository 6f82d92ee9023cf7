/* drop_folders.h - creating in/NAME/ for each schema of a spool. */
#ifndef PIPELINE_COMMAND_DROP_FOLDERS_H
#define PIPELINE_COMMAND_DROP_FOLDERS_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

/* Creates in/NAME/ for each schema of the schemas folder, and appends to `out`
 * what to drop where. FAIL: ERR_CONFIG if there is no schema, "disk". */
void drop_folders_make(struct spool *s, const struct config *config,
                       struct buf *out, struct err *err);

#endif
