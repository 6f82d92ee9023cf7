/* warnings.h - the closed list of warning codes, and the warnings of a record.
 *
 * One table: code, meaning, remedy. platen-record(5) and docs/errors.md are
 * generated from it; a test compares them. A warning never changes a value: it
 * tells a person, or a program that reads its code, where to check.
 */
#ifndef STAGES_DOCUMENT_WARNINGS_H
#define STAGES_DOCUMENT_WARNINGS_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"

enum warning_code {
    /* the record */
    WARN_UNREAD,
    WARN_DOUBTFUL,
    /* values */
    WARN_LOW_CONFIDENCE,
    WARN_CHECK_FAILED,
    WARN_PAGES_DIFFER,
    WARN_DEFAULT_USED,
    WARN_VALUE_DROPPED,
    WARN_VALUE_MISFIT,
    WARN_NO_EVIDENCE,
    WARN_E_INVOICE_DIFFERS,
    WARN_E_INVOICE_LACKS,
    WARN_E_INVOICE_INCOMPLETE,
    WARN_E_INVOICE_UNMAPPED,
    WARN_E_INVOICE_UNFIT,
    WARN_E_INVOICE_SEVERAL,
    WARN_CREDIT_NOTE,
    WARN_DUPLICATE,
    WARN_DIFFERS_FROM_EARLIER,
    WARN_FROM_EXAMPLE,
    WARN_EVIDENCE_UNKNOWN,
    /* rows and pages */
    WARN_GAPS,
    WARN_ROW_DROPPED,
    WARN_ROW_REPEATED,
    WARN_BLANK,
    WARN_PAGE_INCOMPLETE,
    WARN_PAGE_FAULTY,
    WARN_CONTENT_UNREAD,
    WARN_XFA_FORM,
    WARN_ATTACHMENTS,
    WARN_HIDDEN_LAYER,
    WARN_PICTURES_UNREAD,
    WARN_HIDDEN_TEXT,
    WARN_TEXT_LAYER_LOST,
    WARN_E_INVOICE_UNREAD,
    WARN_OCR_FAILED,
    WARN_MODEL_DOUBTFUL,
    WARN_SCRIPT_UNREAD,
    WARN_OCR_SCRIPT_UNREAD,
    WARN_OCR_LANGUAGE,
    WARN_AUTO_ROTATED,
    WARN_SEPARATORS_DIFFER,
    /* the run */
    WARN_CLASSIFICATION_UNMEASURED,
    WARN_RETRIED,
    WARN_NOT_SEARCHABLE,
    WARN_TEXT_IGNORED,
    WARN_NOTHING_READ,
    WARN_SANDBOX_PARTIAL,
    WARN_UNSANDBOXED,
    WARNING_CODES
};

/* Code ("low-confidence"), meaning and remedy, the last two a sentence each. */
const char *warnings_name(enum warning_code code);
const char *warnings_meaning(enum warning_code code);
const char *warnings_remedy(enum warning_code code);

struct warning {
    enum warning_code code;
    const char *pointer; /* JSON Pointer of the value, or NULL */
    int page;            /* page number, from 1; 0: none */
    const char *text;    /* for people; complete without the other members */
};

/* At most this many warnings of each code are stored, the rest are counted: a
 * frequent code cannot crowd out a serious one. */
enum { WARNING_OF_CODE_MAX = 64, WARNING_MORE_SIZE = 80 };

struct warnings {
    struct arena *arena; /* owns all texts */
    struct warning *row; /* in the order they were added */
    int n;
    int n_of[WARNING_CODES]; /* stored, for each code */
    int more[WARNING_CODES]; /* only counted, for each code */
};

/* An empty list in the arena, which must outlive it. */
struct warnings *warnings_new(struct arena *arena);

/* Stores a copy, unless an equal one is stored already; beyond
 * WARNING_OF_CODE_MAX of its code it is only counted. WARN_UNREAD comes first. */
void warnings_add(struct warnings *all, const struct warning *one);
/* Removes those of the code about the page; 0: about any page. */
void warnings_drop(struct warnings *all, enum warning_code code, int page);
/* Adds all of `from`, and its counts. */
void warnings_join(struct warnings *all, const struct warnings *from);

/* Writes the texts, one a line. Those about values are only counted if the
 * record is unread: no value of it is to be trusted. */
void warnings_print_text(const struct warnings *all, struct buf *out);

/* The array of the record: {code, pointer, page, text}, without unknown
 * members, from row `from` on; then {code, more, text} for each code with
 * warnings that were only counted. The caller frees it. */
cJSON *warnings_print(const struct warnings *all, int from);
/* Adds the warnings of such an array; `more` replaces the count. Entries of
 * unknown codes are skipped. */
void warnings_read(struct warnings *all, const cJSON *printed);
/* Number of entries of warnings_print from row 0 on. */
int warnings_count(const struct warnings *all);

#endif
