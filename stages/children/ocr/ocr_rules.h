/* ocr_rules.h - rules taken out of a picture of print. */
#ifndef STAGES_CHILDREN_OCR_OCR_RULES_H
#define STAGES_CHILDREN_OCR_OCR_RULES_H

struct Pix;

/* Paints over the long thin lines of a grey picture at `dpi`, across and down,
 * that stand free of print, with the grey of its paper: Tesseract takes faint ones for parts of the words
 * beside them. A bar that letters hang from (Devanagari) is none. */
void ocr_rules_erase(struct Pix *grey, int paper, int dpi);

#endif
