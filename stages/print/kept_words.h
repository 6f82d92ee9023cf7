/* kept_words.h - the words of all pages of a document, kept until its end for
 * files that have the whole text (searchable/).
 */
#ifndef STAGES_PRINT_KEPT_WORDS_H
#define STAGES_PRINT_KEPT_WORDS_H

#include "stages/document/document.h"
#include "stages/document/words.h"

struct kept_words {
    bool known;         /* else the page was not read */
    bool has_layer;     /* the file has them, or better ones, as text */
    int quarter_turns;  /* of the page, clockwise, as it was read; the boxes are
                         * of that page */
    struct words words; /* in reading order; hidden: the file has it as text */
};

/* The entry of doc->page[index]; NULL: the document's words are not kept
 * (doc->want_kept_words), or its pages are unknown yet. */
struct kept_words *kept_words_of(struct document *doc, int index);

/* Copies the words into the entry, in place of earlier ones, and turns the page
 * of the entry further as they want (words->turns). Where `layer` has a
 * word (the file's, which lacks others), they are marked as hidden; NULL:
 * none. */
void kept_words_set(struct document *doc, int index, const struct words *words,
                    const struct words *layer, bool has_layer);

/* Whether the words of all pages are known. */
bool kept_words_are_complete(struct document *doc);

#endif
