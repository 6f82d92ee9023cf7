/* verdict.h - what the words of its pages, and an e-invoice, say of a value: the
 * only file that sets a field's verdict and doubt.
 *
 *   agree       printed; "doubtful" in the record if a doubt remains
 *   differ      printed with other letters, or the e-invoice has another value
 *   unseen      not printed
 *   overlooked  null, but its label or its cell has print
 *   derived     true or false, which are never printed; one of an enumeration
 *               that is printed in other words ("Gutschrift" for "credit"); a number
 *               that OCR did not read, made of others that it read (derived.c)
 *   unproven    null; or the words do not cover the page
 *
 * The doubt is the first of these that applies: the value is printed outside of
 * its row (place); with another sign or reading (sign, date-order, scale); as a
 * part of a longer print (partial); with wrong check digits (check-digits); where
 * another value may be printed (place); beside another value's label (label);
 * only by words that nobody sees or has checked (layer).
 */
#ifndef STAGES_ALIGNMENT_VERDICT_H
#define STAGES_ALIGNMENT_VERDICT_H

#include "stages/alignment/alignment.h"
#include "stages/document/document.h"

/* What is known of the words of a question's pages. */
struct verdict_words {
    bool partial;       /* they do not cover every page */
    bool any_unchecked; /* those of a page are invisible and were not checked */
    bool page_unchecked; /* those of the value's page are */
};

/* Sets the field's verdict, doubt and page by the print of its value. */
void verdict_of_print(struct field *f, const cJSON *value,
                      const struct aligned_value *found,
                      const struct verdict_words *words);

/* Doubts the field. */
void verdict_doubt(struct field *f, enum field_doubt doubt);

/* The value is null, but print under its own label is decided to be it. */
void verdict_overlook(struct field *f);

/* The e-invoice has the same value: no doubt is left. */
void verdict_confirm(struct field *f);

/* The e-invoice has another value. */
void verdict_deny(struct field *f);

/* The e-invoice has a second value for the field, which came from it. */
void verdict_dispute(struct field *f);

/* The verdict on a value that continues on a second page: the worse one. */
void verdict_join(struct field *both, const struct field *first,
                  const struct field *rest);

#endif
