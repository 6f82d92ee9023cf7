/* result.h - the result of an evaluation, value by value.
 *
 * MEMORY  Owned by the result. A right value takes about 80 bytes; texts are
 *         stored only for wrong ones.
 */
#ifndef PIPELINE_EVAL_RESULT_H
#define PIPELINE_EVAL_RESULT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "stages/document/box.h"
#include "vlm/base/arena.h"
#include "vlm/base/text_table.h"

struct result_document {
    const char *name;   /* path below the folder, also used for pairing */
    const char *schema; /* schema name */
    const char *path;   /* path of the document, or NULL: not available */
    const char *failed; /* why it was not read, or NULL */
    const char *sha256; /* of the document, from the record, or "" */
    const char *model;  /* model hash, or its name if it has none */
    const char *schema_hash;
    bool fitted;     /* its confidences were calibrated (calibration.h) */
    bool some_boxes; /* expected places are those a person gave, not all */
    int n_page;
    double seconds, tokens; /* time and tokens of reading it */
    long long n_value, n_exact, n_tolerant;
    long long n_in_order, n_in_order_value; /* exact, and all, if rows are
                                             * compared in order */
    long long n_expected, n_given;          /* values that are not null */
    long long n_hit;                        /* exact values that are not null */
};

struct result_field {
    const char *schema, *name; /* "/items/<*>/price" */
};

/* One leaf (result.c), compared with its expected value. */
struct result_value {
    int document, field;
    bool expected_null, given_null, exact, tolerant, surplus;
    bool true_box;     /* an expected place is known */
    bool placed;       /* the record has a place */
    bool box_hit;      /* the two overlap, IoU at least 0.5 */
    double confidence; /* -1: unknown */
    /* only for wrong values: */
    const char *expected, *given; /* JSON, truncated; NULL: missing */
    const char *pointer;          /* in the record, else in the expected one */
    int page;                     /* page number; 0: unknown */
    struct box box;               /* place on the page; width 0: unknown */
};

struct result {
    struct result_document *document;
    struct result_field *field;
    struct result_value *value;
    int n_document, n_field, n_value;
    struct text_table fields; /* by schema and name */
    struct arena *arena;
};

/* A document to add. */
struct result_source {
    const char *name, *schema, *path; /* copied */
    const cJSON *expected;            /* a value, or a record */
    const cJSON *record;              /* NULL: the document was not read */
    const char *failed;               /* reason, or NULL; copied */
};

/* Returns an empty result; the caller frees it. */
struct result *result_new(void);
void result_free(struct result *r); /* NULL is fine */

/* Adds a document. */
void result_add(struct result *r, const struct result_source *source);

/* The data of a record, or the value itself, which may be NULL. */
const cJSON *result_data(const cJSON *value);

#endif
