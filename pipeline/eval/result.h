/* result.h - what came of the documents of an evaluation, value by value.
 *
 * MEMORY  All of it is the result's. A value that is right takes some 80 bytes;
 *         texts are kept of those that are wrong.
 */
#ifndef PIPELINE_EVAL_RESULT_H
#define PIPELINE_EVAL_RESULT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "stages/page/box.h"
#include "vlm/base/arena.h"
#include "vlm/base/text_table.h"

struct result_document {
    const char *name;   /* below the folder, for people and for pairing */
    const char *schema; /* its name */
    const char *path;   /* of the document, or NULL: it is not there */
    const char *failed; /* why it was not read, or NULL */
    const char *sha256; /* of the document, as the record has it, or "" */
    const char *model;  /* its hash, or its name where it has none */
    const char *schema_hash;
    bool fitted;     /* its confidences were moved (calibration.h) */
    bool some_boxes; /* persons gave places: of values without, none is known */
    int n_page;
    double seconds, tokens; /* that reading it took */
    long long n_value, n_exact, n_tolerant,
        n_in_order; /* rows in order: exact */
    long long n_in_order_value;
    long long n_expected, n_given, n_hit; /* that are not null; exact */
};

struct result_field {
    const char *schema, *name; /* "/items/<*>/price" */
};

/* One leaf (score.h), held against what the record says of it. */
struct result_value {
    int document, field;
    bool expected_null, given_null, exact, tolerant, surplus;
    bool true_box, placed, box_hit; /* expected at a place; has one; IoU 0.5 */
    double confidence;              /* or -1 */
    const char *expected,
        *given;          /* JSON of a wrong one, cut; NULL: not there */
    const char *pointer; /* of a wrong one: as it was read, or wanted */
    int page;            /* of a wrong one, from 1; 0: not known */
    struct box box;      /* there; no width: not known */
};

struct result {
    struct result_document *document;
    struct result_field *field;
    struct result_value *value;
    int n_document, n_field, n_value;
    int room_document, room_field, room_value;
    struct text_table fields; /* by schema and name */
    struct arena *arena;
};

/* What is known of a document before its values are. */
struct result_source {
    const char *name, *schema, *path; /* copied */
    const cJSON *expected;            /* a value, or a record */
    const cJSON *record;              /* what was read; NULL: nothing was */
    const char *failed;               /* why, or NULL; copied */
};

/* An empty one; the caller frees it. */
struct result *result_new(void);
void result_free(struct result *r); /* NULL is fine */

/* Adds a document. */
void result_add(struct result *r, const struct result_source *source);

/* The data of a record, or the value itself, which may be NULL. */
const cJSON *result_data(const cJSON *value);

#endif
