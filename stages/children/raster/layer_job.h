/* layer_job.h - the child's job of making a searchable PDF (pdf/pdf_layer.h)
 * from its orders (raster_protocol.h). */
#ifndef STAGES_CHILDREN_RASTER_LAYER_JOB_H
#define STAGES_CHILDREN_RASTER_LAYER_JOB_H

#include "stages/children/raster/job.h"

/* Reads the orders and sends the file. FAIL: [damaged], [encrypted],
 * [unsupported-image], [too-large]; [resource-memory]. */
void layer_job_run(const struct job *job, struct err *err);

#endif
