/* text_markup.h - what hOCR and ALTO have in common: text in XML, and boxes in
 * pixels. */
#ifndef STAGES_SEARCHABLE_TEXT_MARKUP_H
#define STAGES_SEARCHABLE_TEXT_MARKUP_H

#include "stages/document/document.h"
#include "stages/print/kept_words.h"
#include "vlm/base/buf.h"

/* Appends text for an XML element or attribute; what XML cannot hold becomes
 * U+FFFD. */
void text_markup_add(struct buf *out, const char *text);

/* In pixels of the page as displayed; x1 and y1 are beyond the box. */
struct pixel_box {
    int x0, y0, x1, y1;
};

/* The words from..to-1 of a page of this size. */
struct pixel_box text_markup_box(const struct kept_words *page, int from,
                                 int to, const struct page *size);

#endif
