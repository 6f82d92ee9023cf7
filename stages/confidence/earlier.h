/* earlier.h - what a schema asks of earlier documents, and the values that answer
 * it: "x-platen-check" at the root of a schema.
 *
 *   {"unique": ["/seller/name", "/invoice_number", "/total"]}
 *       no two documents have the same values
 *   {"same": ["/iban", "/seller/tax_id"], "by": "/seller/name"}
 *       documents with one value of "by" have one value each of the others
 *
 * A schema that asks also says who the sender of an example is (ask/examples.h),
 * by its first entry.
 *
 * The first pointer of "unique", and "by", name the sender. Texts are compared
 * without case, accents, punctuation and, at the end, company forms (GmbH, Ltd.);
 * numbers by value. A value counts if it is confirmed: by a person, by an
 * e-invoice, or as `agree` (docs/record.md) without a warning. Null and absent
 * values, and those of more than EARLIER_TEXT bytes, are not compared.
 */
#ifndef STAGES_CONFIDENCE_EARLIER_H
#define STAGES_CONFIDENCE_EARLIER_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "vlm/base/arena.h"
#include "vlm/schema/schema.h"

enum { EARLIER_POINTERS = 8, EARLIER_POINTER_BYTES = 100 };
enum { EARLIER_TEXT = 256, EARLIER_MOST = 512 };

/* One thing to compare: a "unique", or one pointer of a "same". The last one
 * compares nothing: whose examples the reviewed documents are. */
struct earlier_question {
    bool unique, example;
    const char *key; /* "invoice same /iban by /seller/name" */
    const char *sender;
    const char *pointer[EARLIER_POINTERS]; /* of all values */
    int n_pointer;
};

struct earlier_questions {
    struct earlier_question *question;
    int n; /* at most EARLIER_MOST */
};

/* What a document answers to a question. */
struct earlier_value {
    int question;
    bool differs; /* its record has the warning differs-from-earlier for it */
    char sender[EARLIER_TEXT], value[EARLIER_TEXT]; /* for comparison */
    char name[EARLIER_TEXT], text[EARLIER_TEXT];    /* the same, as read */
};

struct earlier_values {
    struct earlier_value *value;
    int n;
};

/* For one document: what to say about it. */
struct earlier_finding {
    const struct earlier_question *question;
    const char *text;
};

/* Is the entry of x-platen-check one of these? checks.h checks it. */
bool earlier_is_check(const cJSON *check);

/* The questions of a schema that checks.h accepts, in the arena; its texts are the
 * schema's. */
struct earlier_questions earlier_questions_of(const struct schema *schema,
                                              struct arena *arena);

/* The answers of a record, in the arena. `reviewed`: a person has looked at all of
 * it, so every value is confirmed. */
struct earlier_values earlier_values_of(const struct earlier_questions *q,
                                        const cJSON *record, bool reviewed,
                                        struct arena *arena);

/* The question about examples, or NULL. */
const struct earlier_question *earlier_example(
    const struct earlier_questions *q);

/* The sender, folded, of a document with this data; "": unknown. */
void earlier_sender(const struct earlier_questions *q, const cJSON *data,
                    char out[static EARLIER_TEXT]);

/* The text in the form for comparison; "" if nothing is left or it is too long. */
void earlier_fold(const char *text, char out[static EARLIER_TEXT]);

/* The finding as a warning: code, pointer and text; the caller's. */
cJSON *earlier_warning(const struct earlier_finding *finding);

/* Adds the findings to the record as warnings, in place of earlier ones, and flags
 * it for review. */
void earlier_amend(cJSON *record, const struct earlier_finding *finding, int n);

#endif
