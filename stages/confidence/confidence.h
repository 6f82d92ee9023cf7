/* confidence.h - how far to believe a record, and each value of it.
 *
 * A probability alone is not enough: a model that cannot read a page at all is
 * sure of its nulls. What is known of all values together, of OCR
 * and of the sums is weighed here; docs/notes/confidence.md says how, with the figures.
 *
 * ORDER  confidence_note_check while sums are checked, then confidence_document, then
 *        confidence_value for each field, as often as wanted.
 */
#ifndef STAGES_CONFIDENCE_CONFIDENCE_H
#define STAGES_CONFIDENCE_CONFIDENCE_H

#include "stages/confidence/calibration.h"
#include "stages/document.h"

struct engine_facts;

enum confidence_verdict {
    CONFIDENCE_READ,     /* the page was read, as far as anybody can tell */
    CONFIDENCE_DOUBTFUL, /* much of it was guessed, more than half of its values are
                     * below review_threshold, or nobody can tell */
    CONFIDENCE_UNREAD /* what it holds is made up; its nulls prove nothing */
};

/* Values that stand in checks: pointers, in which a token may be a star. */
struct confidence_places {
    struct confidence_place {
        const char *pointer;
        int check; /* number of the broken one, from 0 */
    } * place;
    int n, room;
    bool sorted;
};

struct confidence {
    enum confidence_verdict verdict;
    bool review;             /* a person should look at the record */
    double review_threshold; /* confidence of values that are to be looked at */
    double token_p; /* geometric mean over the tokens of values that are not
                     * null, or 0 */
    double log_p, n_token;  /* of it */
    bool measured, is_seen; /* by the engine, by OCR */
    long long n_value, n_null, n_dropped, n_agree, n_differ, n_unseen, n_low,
        n_anchored;
    long long n_field, n_row; /* a row may have no field */
    struct confidence_places broken, broken_stars, held; /* held: stars, too */
    bool *explained; /* of each broken check: a value in it is doubtful in
                      * itself, and what OCR confirms is not */
    int n_broken;
    const struct confidence_model *model;
    struct calibration fit; /* id "": none */
};

/* "read", "doubtful", "unread". */
const char *confidence_verdict_name(enum confidence_verdict verdict);

/* The values at these pointers (`n` of them, copied; a star is every element)
 * are in a check that holds, or one that is broken. */
void confidence_note_check(struct document *doc, const char *const *pointer,
                           int n, bool holds);

/* Confidences are moved by this fit, to be said before confidence_document. */
void confidence_use_fit(struct document *doc, const struct calibration *fit);

/* What is known before all answers are there: whose they are. */
struct confidence confidence_of_answer(const struct engine_facts *facts,
                                       double review_threshold);

/* What is known of the document by now, but for its checks: its values are
 * counted, and `verdict` is what they say. */
struct confidence confidence_so_far(struct document *doc,
                                    const struct engine_facts *facts);

/* Is the document, as far as it is known by now, unread, or does OCR
 * not see half of its values? */
bool confidence_is_guessed(struct document *doc,
                           const struct engine_facts *facts);

/* Weighs the document, whose data is final, into doc->trust, and warns of what
 * a person should look at: the record, if it was not read, and each value whose
 * confidence is below `review_threshold`. Rows in a file are looked at twice. */
void confidence_document(struct document *doc, const struct engine_facts *facts,
                         double review_threshold);

/* How probably the value is right, 0..1, or the null. trust NULL: as in a
 * document of which nothing else is known. */
double confidence_value(const struct field *field,
                        const struct confidence *trust);

#endif
