/* warnings.h - what a record warns of: a closed list of codes.
 *
 * One table: code, meaning and remedy; platen-record(5) and docs/errors.md are
 * made of it, and a test compares them. A warning never changes a value: it says where a person, or a program by
 * its code, has to look.
 */
#ifndef STAGES_WARNINGS_H
#define STAGES_WARNINGS_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"

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
    WARN_NO_EVIDENCE,
    WARN_E_INVOICE_DIFFERS,
    WARN_GROUNDED,
    WARN_EVIDENCE_UNKNOWN,
    /* rows and pages */
    WARN_GAPS,
    WARN_ROW_DROPPED,
    WARN_BLANK,
    WARN_PAGE_INCOMPLETE,
    WARN_PAGE_FAULTY,
    WARN_CONTENT_UNREAD,
    WARN_TEXT_LAYER_LOST,
    WARN_E_INVOICE_UNREAD,
    WARN_OCR_FAILED,
    WARN_MODEL_DOUBTFUL,
    WARN_SCRIPT_UNREAD,
    WARN_AUTO_ROTATED,
    WARN_SEPARATORS_DIFFER,
    /* how it was read */
    WARN_CLASSIFICATION_UNMEASURED,
    WARN_RETRIED,
    WARN_TEXT_IGNORED,
    WARN_NOTHING_READ,
    WARN_SANDBOX_PARTIAL,
    WARN_UNSANDBOXED,
    WARNING_CODES
};

/* "low-confidence", what it means, and what a person can do: a sentence each. */
const char *warnings_name(enum warning_code code);
const char *warnings_meaning(enum warning_code code);
const char *warnings_remedy(enum warning_code code);

struct warning {
    enum warning_code code;
    const char *pointer; /* of the value that it is about, or NULL */
    int page;            /* on which, as a person counts; 0: none */
    const char *text;    /* for people, whole without the others */
};

/* Of each code so many are kept, and of the others how many there were: a
 * frequent one cannot crowd out a grave one. */
enum { WARNING_OF_CODE_MAX = 64, WARNING_MORE_SIZE = 80 };

/* All texts are the arena's. */
struct warnings {
    struct arena *arena;
    struct warning *row; /* in the order of their coming */
    int n, room;
    int n_of[WARNING_CODES]; /* kept */
    int more[WARNING_CODES]; /* not kept */
};

/* Empty, and the arena's, which must outlive it. */
struct warnings *warnings_new(struct arena *arena);

/* Keeps a copy unless it is there already; behind WARNING_OF_CODE_MAX of its
 * code it is counted. */
void warnings_add(struct warnings *all, const struct warning *one);
/* All of `from`, with what it counted. */
void warnings_join(struct warnings *all, const struct warnings *from);

/* How many of the code were not kept, in words; false: all were. Takes no
 * memory, so that a record that is out already is not followed by a failure. */
bool warnings_more(const struct warnings *all, enum warning_code code,
                   char text[WARNING_MORE_SIZE]);

/* As the record has them: an array of {code, pointer, page, text} without what
 * is not known, from row `from` on; then for each code of which some were not
 * kept {code, more, text}. The caller's. */
cJSON *warnings_print(const struct warnings *all, int from);
/* The same back, behind what is there; `more` is taken as it stands. What is no
 * warning is left out. */
void warnings_read(struct warnings *all, const cJSON *printed);
/* How many entries warnings_print gives from row 0 on. */
int warnings_count(const struct warnings *all);

#endif
