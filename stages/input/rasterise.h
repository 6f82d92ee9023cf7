/* rasterise.h - pages of a file as pixels, drawn by a sandboxed child.
 *
 * The child is the program platen-raster (stages/children/raster/): document on fd 3,
 * pixels on fd 4, nothing else open, no network, no files but fonts, limits on
 * memory, CPU and time. The pixel protocol is stages/children/wire/raster_protocol.h; every
 * integer is checked here before anything is allocated.
 */
#ifndef STAGES_INPUT_RASTERISE_H
#define STAGES_INPUT_RASTERISE_H

#include "stages/children/child_process.h"
#include "stages/document/document.h"
#include "stages/document/settings.h"
#include "stages/document/words.h"
#include "stages/page/prepare.h"

struct buf;
struct raster;

/* Starts the child. No page comes larger than target->max_pixels (area), nor
 * larger than what the source holds; pictures may have up to four times that
 * area (16 Mpx at most), so that prepare resizes them once. PDF pages are
 * drawn on the grid at once. Sets n_page_source and n_page and makes
 * doc->page. FAIL: reasons of the first two groups of reason.c; [no-sandbox];
 * ERR_MISSING without the program; ERR_CANCELLED once stop says so (now and
 * in rasterise_next; NULL: nobody asks); [no-pages] for an XML file. */
struct raster *rasterise_open(struct document *doc,
                              const struct settings *settings,
                              const struct prepare_target *target,
                              const struct child_process_stop *stop,
                              struct err *err);

/* The same once more, for a document that was opened before: the next page will
 * be doc->page[from]. */
struct raster *rasterise_again(struct document *doc,
                               const struct settings *settings,
                               const struct prepare_target *target, int from,
                               const struct child_process_stop *stop,
                               struct err *err);

/* Reads an XML file (FILE_XML), which has no pages: sets doc->invoice. FAIL: as
 * rasterise_open; [not-e-invoice] for other XML. */
void rasterise_invoice(struct document *doc, const struct settings *settings,
                       const struct child_process_stop *stop, struct err *err);

/* The next page, upright, grey or RGB; fills in doc->page[...]. False at the
 * end or after a failure. The image is the caller's. */
bool rasterise_next(struct raster *r, struct image *page, struct err *err);

/* The words of the page that rasterise_next gave last, where doc->want_words
 * asked for them; none for pictures and for pages without a text layer. Never
 * NULL; valid until the next call of rasterise_next or rasterise_close. */
const struct words *rasterise_words(const struct raster *r);

/* What was drawn is read and kept: document_timeout is counted anew. */
void rasterise_rested(struct raster *r);

/* What the codes on a page say (raster/barcodes.h), and what else is on it. */
struct page_code {
    const char *text; /* printable ASCII; of the document's arena */
    int length;       /* in thousandths of the page's shorter side */
    int top;          /* in thousandths of its height */
};

struct page_codes {
    int number; /* of the page, from 1 */
    struct page_code *code;
    int n_code;
    int marks; /* letters, as it were (raster/separator_sheet.h); counted only where
                    * there are codes */
    bool is_drawn; /* else nothing is known of it */
    bool is_blank; /* nothing but paper */
};

/* As rasterise_open, but the child will only look for codes, at up to 300 dpi
 * whatever the settings say; a page that cannot be drawn does not end it. */
struct raster *rasterise_open_codes(struct document *doc,
                                    const struct settings *settings,
                                    const struct child_process_stop *stop,
                                    struct err *err);

/* The next page's codes. False at the end or after a failure. */
bool rasterise_next_codes(struct raster *r, struct page_codes *codes,
                          struct err *err);

/* As rasterise_open, but the child will only send the files that are attached to a
 * PDF or an e-mail. Sets doc->mail for an e-mail. */
struct raster *rasterise_open_files(struct document *doc,
                                    const struct settings *settings,
                                    const struct child_process_stop *stop,
                                    struct err *err);

/* An attached file, in the document's arena. */
struct raster_file {
    const char *name; /* "" if it has none */
    struct span bytes;
};

/* The next one. False at the end or after a failure; at the end *other names the
 * attachments that were not sent, with the reasons, as text; "" for none. FAIL:
 * as rasterise_next; [too-large] if all have more than max_document_bytes. */
bool rasterise_next_file(struct raster *r, struct raster_file *file,
                         const char **other, struct err *err);

/* Adds the PDF of doc->fd without its encryption to `out`, with a password of the
 * settings. FAIL: [encrypted] if none opens it; [damaged]; as rasterise_open. */
void rasterise_unlock(struct document *doc, const struct settings *settings,
                      struct buf *out, struct err *err);

/* Was the child killed from outside, by a person or a system short of memory?
 * Then it was not what it drew, and may be begun again so often; what opens a
 * child does so by itself. NULL: no. */
enum { RASTERISE_AGAIN_MAX = 2 };
bool rasterise_was_killed(const struct raster *r);

/* Ends the child (kills it where it has not ended). NULL is fine. */
void rasterise_close(struct raster *r);

/* The program, for its other orders (searchable/searchable_pdf.c). */
const struct child_program *rasterise_program(void);

/* What the sandbox offers here, one line a layer, for `platen doctor`: "! "
 * and false where a layer is missing. */
bool rasterise_doctor(const struct settings *settings, struct buf *out);

#endif
