/* rows.c - see rows.h. */
#include "stages/children/raster/picture/rows.h"

#include <stdio.h>
#include <string.h>

#include "stages/children/raster/picture/shrink.h"
#include "vlm/base/arena.h"

void rows_draw(const struct rows *rows, const struct job *job,
               struct sheet *sheet, struct err *err)
{
    if (err_failed(err)) return;
    int width, height, n_missing = 0;
    job_fit(job, rows->width, rows->height, &sheet->dpi, &width, &height);
    struct shrink *shrink = shrink_new(rows->width, rows->height,
                                       rows->n_channel, width, height, err);
    if (!shrink) return;
    size_t size = (size_t)rows->width * (size_t)rows->n_channel;
    uint8_t *row = mem_alloc(1, size);
    for (int y = 0; y < rows->height; y++) {
        if (!rows->row(rows->decoder, y, row)) {
            memset(row, 255, size);
            n_missing++;
        }
        shrink_row(shrink, row);
    }
    mem_free(row);
    sheet->image = shrink_finish(shrink);
    if (n_missing == 0) return;
    char what[SHEET_TEXT_MAX];
    snprintf(what, sizeof what, "rows missing or incomplete: %d of %d",
             n_missing, rows->height);
    job_damage(job, sheet, rows->type, what, err);
}
