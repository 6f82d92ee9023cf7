/* rasterise_inside.h - one child that draws, as rasterise.c and
 * rasterise_codes.c see it. */
#ifndef STAGES_RASTERISE_INSIDE_H
#define STAGES_RASTERISE_INSIDE_H

#include "stages/raster/protocol.h"
#include "stages/rasterise.h"

struct raster {
    struct document *doc;
    const struct settings *settings;
    struct jail jail;
    int64_t pixels_max;  /* of a page */
    double waited_s;     /* for the child, so far */
    int n_read;          /* pages */
    struct words words;  /* of the page read last */
    struct arena *arena; /* owns them */
    bool at_end;
    bool killed; /* it died of SIGKILL, and not of its memory */
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
 * why it is not used. FAIL: as rasterise_read_frame. */
void rasterise_read_invoice(struct raster *r, struct err *err);

/* Takes bytes behind a frame. FAIL: as rasterise_read_frame. */
void rasterise_read_bytes(struct raster *r, void *data, size_t size,
                          struct err *err);

/* The next frame; a FAIL frame is the failure that it tells of. FAIL: also
 * [raster-protocol], [raster-crash], [resource-cpu], [resource-memory]. */
void rasterise_read_frame(struct raster *r, struct raster_frame *f,
                          struct err *err);

/* Text of a frame, made printable, into out[RASTER_TEXT_MAX + 1]. */
void rasterise_read_text(struct raster *r, uint32_t size, char *out,
                         struct err *err);

/* Nothing may follow the last page. */
void rasterise_expect_end(struct raster *r, struct err *err);

/* FAIL: [raster-protocol]. */
void rasterise_bad_protocol(const char *what, struct err *err);

#endif
