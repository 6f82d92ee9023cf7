/* label.h - the words beside and above an occurrence, compared with the names of a
 * value. */
#ifndef STAGES_ALIGNMENT_LABEL_H
#define STAGES_ALIGNMENT_LABEL_H

#include "stages/alignment/alignment_inside.h"
#include "stages/print/thresholds.h"

/* Whether the token is a word of a label: a known one, or a name of a value
 * that is asked for. */
bool label_is_word(const struct alignment *l, int token);

/* Whether the token ends with a word for a number: what it ends is a label in
 * full, "Avoir no", "Police-Nr.", "Org.nr". */
bool label_names_number(const struct alignment *l, int token);

/* Whether the token is the word "page" in a language that is known. */
bool label_is_page(const struct alignment *l, int token);

/* Whether the token is the number of a box before its label: "22 Currency". */
bool label_is_box_number(const struct alignment *l, int token);

/* Whether a label begins at the token: its words, up to a colon or a figure. */
bool label_begins_at(const struct alignment *l, int token);

/* Whether the token is of the value's own name: "Origin DE" in a row. */
bool label_names(const struct alignment *l, const struct wanted_value *a,
                 int token);

/* Adds the first `size` bytes of the token (0: all) to the label. */
void label_add(const struct alignment *l, struct label_words *p, int token,
               int size);

/* Ends the label, of tokens first..last: "bill to" and "Rechnung an" name a
 * customer, not an invoice. */
void label_end(const struct alignment *l, struct label_words *p, int first,
               int last);

/* How well the words left of the occurrence, or above it, name the value:
 * 0..1. */
double label_fit(const struct alignment *l, const struct wanted_value *a,
                 const struct occurrence *c);

/* How well words above it, on lines before `first`, name the value: 0..1. */
double label_head_fit(const struct alignment *l, const struct wanted_value *a,
                      const struct occurrence *c, int first);

/* The same for all words above it, on lines `from` to before `to`. */
double label_heading_fit(const struct alignment *l,
                         const struct wanted_value *a,
                         const struct occurrence *c, int from, int to);

/* Whether two occurrences have the same label. */
bool label_is_same(const struct alignment *l, const struct occurrence *a,
                   const struct occurrence *b);

/* Fills in l->labels. */
void labelled_read(struct alignment *l);

/* Whether the occurrence is in the labelled print. */
bool labelled_covers(const struct labelled *item, const struct occurrence *c);

/* Whether a decided value uses a word of the print. */
bool labelled_is_taken(const struct alignment *l, const struct labelled *item);

/* The first token of the cell, and the index after its last one. */
int label_cell_start(const struct alignment *l, int token);
int label_cell_end(const struct alignment *l, int token);

/* Whether two tokens begin lines of one block, one below the other. */
bool labelled_are_close(const struct alignment *l, int upper, int lower);

/* Whether it is in the heading or on the lines of a table's rows. */
bool labelled_is_of_table(const struct alignment *l,
                          const struct labelled *item);

/* The figure of the kind in the print, or NULL; `free`: that no value uses. */
const struct table_figure *labelled_figure(const struct alignment *l,
                                           const struct labelled *item,
                                           unsigned kind, bool free);

/* Whether label and print are words of one phrase: "Finanzamt Leipzig". */
bool labelled_is_one_phrase(const struct alignment *l,
                            const struct labelled *item);

/* Whether the print can be a value of the kind; a sentence is no code and no text. */
bool labelled_can_be(const struct alignment *l, const struct labelled *item,
                     unsigned kind);

#endif
