/* ctc.h - text from the output of a line recogniser with CTC (connectionist
 * temporal classification): for each step along the line, the probabilities of
 * "nothing", of the characters of a dictionary, and of a space.
 */
#ifndef STAGES_CHILDREN_OCR_CTC_H
#define STAGES_CHILDREN_OCR_CTC_H

#include <stddef.h>

enum { CTC_CHARACTERS_MAX = 1 << 17, CTC_LINE_MAX = 2048 };

/* The characters of a recogniser, in its order; the texts are in one block. */
struct ctc_dictionary {
    char *block;
    const char **character;
    int n;
};

/* From their list, one per line. Free with ctc_dictionary_free. */
struct ctc_dictionary ctc_dictionary_new(const char *list, size_t size);
void ctc_dictionary_free(struct ctc_dictionary *d);

/* A character of the line. */
struct ctc_character {
    const char *text; /* of the dictionary; " " for a space */
    double at;        /* its middle, in steps from the start */
    double p;         /* its highest probability */
};

/* Decodes n_step rows of n_class probabilities into out[CTC_LINE_MAX]: the most
 * probable class of each step, equal neighbours joined. Returns the number of
 * characters; -1 if n_class does not fit the dictionary (n + 1, or n + 2 with a
 * space). */
int ctc_decode(const struct ctc_dictionary *d, const float *p, int n_step,
               int n_class, struct ctc_character *out);

#endif
