/* ocr_rules.h - removes rules from an image of print. */
#ifndef STAGES_CHILDREN_OCR_OCR_RULES_H
#define STAGES_CHILDREN_OCR_OCR_RULES_H

struct Pix;

/* Paints long thin horizontal and vertical lines that touch no print with
 * `paper`, the grey of the paper: Tesseract takes faint ones for parts of the
 * words next to them. A bar that letters hang from (Devanagari) is kept. */
void ocr_rules_erase(struct Pix *grey, int paper, int dpi);

#endif
