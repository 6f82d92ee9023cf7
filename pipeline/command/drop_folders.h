/* drop_folders.h - in/NAME/ for each schema of a spool, and what to drop where. */
#ifndef PIPELINE_COMMAND_DROP_FOLDERS_H
#define PIPELINE_COMMAND_DROP_FOLDERS_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

/* Is there a spool at this path already? */
bool drop_folders_is_spool(const char *path);

/* Makes in/NAME/ for each schema of the folder of schemas, and appends to `out` what
 * to drop where. FAIL: ERR_CONFIG where there is no schema, "disk". */
void drop_folders_make(struct spool *s, const struct config *config,
                       struct buf *out, struct err *err);

#endif
