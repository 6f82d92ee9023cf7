/* rows.h - draws a picture whose decoder gives its rows. */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_ROWS_H
#define STAGES_CHILDREN_RASTER_PICTURE_ROWS_H

#include "stages/children/raster/picture/job.h"

struct rows {
    const char *type; /* as people call it, "BMP" */
    int width, height;
    int n_channel; /* 1 grey, 3 RGB */
    void *decoder;
    /* Writes row y, width * n_channel bytes; y is 0, 1, 2 ... False: the file
     * lacks it, or a part of it. */
    bool (*row)(void *decoder, int y, uint8_t *out);
};

/* Draws the sheet at the size that the job asks for; sheet->dpi is the
 * picture's (0: unknown). Missing rows are white. FAIL: [damaged] if rows are
 * missing, unless lenient; as shrink_new. */
void rows_draw(const struct rows *rows, const struct job *job,
               struct sheet *sheet, struct err *err);

#endif
