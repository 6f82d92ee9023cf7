/* split.h - finds where the documents in a stack begin and end.
 *
 * THE RULES
 *   PATCHT         (paperless-ngx's separator) a new document begins
 *   PLATEN:NAME    the same, and NAME is its schema
 *   ASN00123       (archive_prefix, at least one digit) the page is the first
 *                  of a new document with this archive number; a page that
 *                  repeats the current document's number continues it
 *   sheet          a page with a separator and little else is dropped: it
 *                  belongs to no document
 *   sticker        a page with a separator and more content is kept: it is the
 *                  first of the new document
 *   back           a blank page directly after a sheet is the sheet's back
 *                  (duplex scanners) and is dropped; one with any ink is kept
 * "platen:" is accepted as well, and blanks after the colon are skipped; NAME
 * and PATCHT (not ours) are case-sensitive. A new document without pages is
 * none: of successive sheets, a later one overrides only what it states. A page
 * that cannot be drawn has no codes.
 *
 * ATTACHMENTS
 *   e-mail         each attached PDF or picture is a document; its text is none
 *   PDF            with the setting attachments: likewise, after the documents
 *                  on its pages; those of the attached file are only named
 *   e-invoice      likewise, if it is XML
 */
#ifndef STAGES_INPUT_SPLIT_H
#define STAGES_INPUT_SPLIT_H

#include "stages/children/child_process.h"
#include "stages/document/document.h"
#include "stages/document/settings.h"
#include "stages/input/rasterise.h"

enum { SPLIT_FILES_MAX = 100 }; /* attached files of a mail or PDF */

struct split_part {
    const char *pages;          /* pages of the file, "4-6"; "": all */
    const char *schema;         /* as in the separator; "" if it names none */
    const char *archive_number; /* as in its code; "" for none */
    const char *warning;        /* a contradiction between codes, or "" */
    const char *attachment;     /* its name, "" if it has none; NULL: no
                                 * attached file, but pages of this one */
    struct span bytes;          /* of an attached file */
    struct hash sha256;
    const char *ending; /* as for a file of its type, "pdf" */
};

struct split_sheet { /* a dropped page */
    int page;
    const char *text; /* of its code, or of the one on its other side */
    int marks;        /* other marks on it (raster/separator_sheet.h) */
    bool is_back;     /* the blank back of the sheet before it */
};

struct split {
    struct split_part *part;
    struct split_sheet *sheet;
    int n_part, n_sheet;
    int n_attached;     /* parts that are attached files */
    const char *unread; /* attachments that were not read, as text; or "" */
};

/* Whether a file of this name can hold several documents: by the settings, or as
 * an e-mail. */
bool split_is_wanted(const struct settings *settings, const char *name);

/* Whether the file is a stack. If not, all its pages are one document without a
 * schema of its own; part[0] can still hold its archive number. */
bool split_is_stack(const struct split *split);

/* Applies the rules to the codes of n_page > 0 pages; the result lives in the
 * arena. Never fails. */
struct split split_plan(const struct page_codes *page, int n_page,
                        const char *archive_prefix, struct arena *arena);

/* Identifies the document, reads the codes on the pages selected in the
 * settings and the attachments, and applies the rules. The document owns the
 * result. FAIL: as identify_document and rasterise_open; [no-pages] if there are
 * only sheets; [no-attachment] for a mail without any. */
struct split split_find(struct document *doc, const struct settings *settings,
                        const struct child_process_stop *stop, struct err *err);

/* For a part: identifies the document, whose content must be that of its stack.
 * FAIL: as identify_document; [damaged] if the SHA-256 differs. */
void split_check(struct document *doc, const struct settings *settings,
                 const char *sha256, struct err *err);

/* Whether it is a valid schema name: letters, digits, '.', '_', '-'; no
 * path. */
bool split_names_schema(const char *text);

/* The texts of separator codes. */
extern const char split_patch[], split_prefix[];

#endif
