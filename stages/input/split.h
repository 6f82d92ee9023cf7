/* split.h - where one document of a stack ends and the next begins.
 *
 * THE RULES
 *   PATCHT         (what paperless-ngx calls a separator) a new document begins
 *   PLATEN:NAME    the same, and NAME is its schema
 *   ASN00123       (archive_prefix, at least one digit) its page is the first
 *                  of a new document, which has this archive number; a page
 *                  that repeats the number of the document at hand goes on
 *   sheet          a page that holds a separator and little else is no page of
 *                  any document
 *   sticker        on a page that holds more, the separator leaves the page
 *                  where it is: the first of the new document
 * "platen:" is known as well, and blanks behind the colon are skipped; NAME is
 * taken as it is written, and so is PATCHT, which is not ours.
 *   back           a blank page directly behind a sheet is its other side, as a
 *                  feeder for both sides gives it, and no page of any document;
 *                  what has any ink on it is one
 * A new document that gets no page is none: sheets may follow one another, and
 * what a later one does not say stays as the earlier one said it. A page that
 * cannot be drawn has no codes.
 */
#ifndef STAGES_INPUT_SPLIT_H
#define STAGES_INPUT_SPLIT_H

#include "stages/children/jail.h"
#include "stages/document.h"
#include "stages/input/rasterise.h"
#include "stages/settings.h"

struct split_part {
    const char *pages;  /* of the file, "4-6" */
    const char *schema; /* as the separator has it; "" where it names none */
    const char *archive_number; /* as its code has it, "" for none */
    const char *warning;        /* what was contradictory, or "" */
};

struct split_sheet { /* a page that belongs to no document */
    int page;
    const char *text; /* of its code, or of that on its other side */
    int marks;        /* what else was on it (raster/separator_sheet.h) */
    bool is_back;     /* the blank other side of the sheet before it */
};

struct split {
    struct split_part *part;
    struct split_sheet *sheet;
    int n_part, n_sheet;
};

/* Is it a stack? Else it is one document of all its pages that names no schema
 * of its own; part[0] may still hold its archive number. */
bool split_is_stack(const struct split *split);

/* Applies the rules to the codes of n_page > 0 pages; everything is the
 * arena's. Never fails. */
struct split split_plan(const struct page_codes *page, int n_page,
                        const char *archive_prefix, struct arena *arena);

/* Identifies the document, looks for codes on the pages that the settings
 * choose and applies the rules; owned by the document. FAIL: as
 * identify_document and rasterise_open; [no-pages] when there is nothing but
 * sheets. */
struct split split_find(struct document *doc, const struct settings *settings,
                        const struct jail_stop *stop, struct err *err);

/* For a part: identifies the document, whose bytes must be those of its stack.
 * FAIL: as identify_document; [damaged] for another SHA-256. */
void split_check(struct document *doc, const struct settings *settings,
                 const char *sha256, struct err *err);

/* May this be a schema's name? Letters, digits, '.', '_' and '-', and no path. */
bool split_names_schema(const char *text);

/* The texts of separators. */
extern const char split_patch[], split_prefix[];

#endif
