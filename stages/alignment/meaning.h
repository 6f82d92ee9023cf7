/* meaning.h - what words of labels and names mean.
 *
 * A word is its own meaning, except for common words of business documents,
 * which have the same meaning in several languages (print/vocabulary.h). Some
 * meanings are roles: they tell values of one kind apart. */
#ifndef STAGES_ALIGNMENT_MEANING_H
#define STAGES_ALIGNMENT_MEANING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEANINGS_MAX = 12 /* of a label's words */ };

/* Kinds of values that labels tell apart. */
enum { KIND_DATE = 1, KIND_CODE = 2, KIND_AMOUNT = 4, KIND_TEXT = 8 };

/* Roles, as bits: those of a document itself ("invoice"), of one of two partners
 * ("your", "our"), of what is no longer valid ("opening", "former"). */
static const unsigned role_own = 1, role_yours = 6, role_former = 8;

/* The words of a label. */
struct label_words {
    uint32_t meaning[MEANINGS_MAX];
    int n_meaning;
};

/* The meaning of a folded word, without the vocabulary. */
uint32_t meaning_of(const char *word);

/* The size of a folded word without its ending, whose hash is the meaning of a word that
 * the vocabulary does not know: "arrival" and "arrive", "departure" and "depart" are
 * one. */
size_t meaning_stem_size(const char *word, size_t size);

/* The number of pairs of equal meanings. */
int meaning_shared(const uint32_t *a, int n_a, const uint32_t *b, int n_b);

/* The meanings of a name ("invoiceNo", "Rechnungs-Nr.") or text; their
 * number. */
int meaning_of_text(const char *text, bool name, int least, uint32_t *out);

/* The same for one folded word. */
int meaning_of_folded(const char *word, size_t size, uint32_t *out);

/* Adds a meaning, unless it is known or there are MEANINGS_MAX. */
void meaning_add(uint32_t *out, int *n, uint32_t meaning);

/* "Total before tax" means a subtotal, "total with tax" a total: joins such
 * meanings. */
void meaning_join(uint32_t *meaning, int *n);

/* Whether the meaning tells values of one kind apart, like "invoice" and
 * "order". */
bool meaning_is_role(uint32_t meaning);

/* The roles among the meanings, as bits, and those of them that tell values of
 * the kind apart. */
unsigned meaning_roles(const uint32_t *meaning, int n);
unsigned meaning_roles_of_kind(unsigned found, unsigned kind);

/* The roles that a label gives to values of the kind. "Amount due" is a
 * total. */
unsigned meaning_roles_of_label(const struct label_words *p, unsigned kind);

/* How well the words of a label fit the meanings: 0..1. */
double meaning_fit(const uint32_t *meaning, int n, const struct label_words *p);

/* Whether both have words of their own, and share none but those of a kind: "sort code",
 * "Gas Safe no." */
bool meaning_is_other(const uint32_t *meaning, int n,
                      const struct label_words *p);

#endif
