/* confidence.h - the verdict on a record, and the confidence of each value.
 *
 * Probabilities alone are not enough: a model that cannot read a page at all is
 * sure of its nulls. All values together, OCR and the checks of sums are taken
 * into account; docs/notes/confidence.md explains how, with measurements.
 *
 * ORDER  confidence_note_check while sums are checked, then
 *        confidence_document, then confidence_value for each field, any number
 *        of times.
 */
#ifndef STAGES_CONFIDENCE_CONFIDENCE_H
#define STAGES_CONFIDENCE_CONFIDENCE_H

#include "stages/confidence/calibration.h"
#include "stages/document/document.h"

struct engine_facts;

enum confidence_verdict {
    CONFIDENCE_READ,     /* the model could read the pages */
    CONFIDENCE_DOUBTFUL, /* much was guessed, more than half of the values are
                          * below review_threshold, or it is unknown */
    CONFIDENCE_UNREAD    /* the values are invented; nulls prove nothing */
};

/* Values that take part in checks: pointers, in which a token can be a star. */
struct confidence_places {
    struct confidence_place {
        const char *pointer;
        int check; /* number of the broken check, from 0 */
    } * place;
    int n, capacity;
    bool sorted;
};

struct confidence {
    enum confidence_verdict verdict;
    bool review;             /* a person should check the record */
    double review_threshold; /* values with less confidence are reviewed */
    double token_p; /* geometric mean over the tokens of all values that are not
                     * null, or 0 */
    double log_p, n_token; /* sums that token_p is calculated from */
    bool measured;         /* the engine gives probabilities */
    bool is_seen;          /* words of the pages were compared with values */
    long long n_value, n_null, n_dropped, n_agree, n_differ, n_unseen, n_low;
    long long n_field, n_row;              /* a row can have no field */
    struct confidence_places broken;       /* without stars */
    struct confidence_places broken_stars; /* with stars */
    struct confidence_places held;         /* with and without */
    bool *explained; /* for each broken check: a value in it is doubtful by
                      * itself, so those that OCR confirms are not blamed */
    int n_broken;
    const struct confidence_model *model;
    struct calibration fit; /* id "": none */
};

/* "read", "doubtful", "unread". */
const char *confidence_verdict_name(enum confidence_verdict verdict);

/* Notes that the values at these n pointers (copied; a star is every element)
 * take part in a check that holds, or in a broken one. */
void confidence_note_check(struct document *doc, const char *const *pointer,
                           int n, bool holds);

/* Sets the fit that calibrates confidences; before confidence_document. */
void confidence_use_fit(struct document *doc, const struct calibration *fit);

/* A struct confidence for values of this model before any is counted. */
struct confidence confidence_of_answer(const struct engine_facts *facts,
                                       double review_threshold);

/* The confidence of the document so far, without its checks: values are counted
 * and `verdict` is set. */
struct confidence confidence_so_far(struct document *doc,
                                    const struct engine_facts *facts);

/* Is the document, so far, unread, or do the page's words confirm fewer of its
 * values than they do not? */
bool confidence_is_guessed(struct document *doc,
                           const struct engine_facts *facts);

/* Rates the document, whose data is final, and sets doc->trust. Warns if the
 * record was not read, and of each value with a confidence below
 * review_threshold. Rows in a file are read twice. */
void confidence_document(struct document *doc, const struct engine_facts *facts,
                         double review_threshold);

/* The probability that the value, or the null, is right, 0..1. trust NULL: from
 * the field alone. */
double confidence_value(const struct field *field,
                        const struct confidence *trust);

#endif
