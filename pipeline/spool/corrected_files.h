/* corrected_files.h - corrected records as files, and for later documents. */
#ifndef PIPELINE_SPOOL_CORRECTED_FILES_H
#define PIPELINE_SPOOL_CORRECTED_FILES_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

/* From now on this spool delivers corrected records, and notes them in its archive.
 * `config` must outlive it. */
void corrected_files_begin(struct spool *s, const struct config *config);

#endif
