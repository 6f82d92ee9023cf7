/* rasterise_inside.h - one child that draws, as rasterise.c and
 * rasterise_codes.c see it. */
#ifndef STAGES_INPUT_RASTERISE_INSIDE_H
#define STAGES_INPUT_RASTERISE_INSIDE_H

#include "stages/children/child.h"
#include "stages/children/raster/raster_protocol.h"
#include "stages/input/rasterise.h"

struct raster {
    struct document *doc;
    const struct settings *settings;
    struct child child;
    int64_t pixels_max;  /* of a page */
    int n_read;          /* pages */
    struct words words;  /* of the page read last */
    struct arena *arena; /* owns them */
    bool at_end;
};

/* rasterise_again, or for codes in place of pages (--codes). FAIL: as
 * rasterise_open. */
struct raster *rasterise_child(struct document *doc,
                               const struct settings *settings,
                               const struct prepare_target *target, int from,
                               const struct jail_stop *stop, bool codes,
                               struct err *err);

/* The same without a second try; *killed: it may be begun again. */
struct raster *rasterise_child_once(struct document *doc,
                                    const struct settings *settings,
                                    const struct prepare_target *target,
                                    int from, const struct jail_stop *stop,
                                    bool codes, bool *killed, struct err *err);

/* The e-invoice in the file, where doc->want_invoice asked for it, or a warning
 * why it is not used. FAIL: as child_read. */
void rasterise_read_invoice(struct raster *r, struct err *err);

/* Nothing may follow the last page. */
void rasterise_expect_end(struct raster *r, struct err *err);

#endif
