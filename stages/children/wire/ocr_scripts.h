/* ocr_scripts.h - which scripts an OCR model reads, by its characters, and which
 * of them Tesseract's names of languages need.
 */
#ifndef STAGES_CHILDREN_WIRE_OCR_SCRIPTS_H
#define STAGES_CHILDREN_WIRE_OCR_SCRIPTS_H

#include <stdbool.h>
#include <stdint.h>

/* The name of script i, as Tesseract detects it; NULL: there is no such. */
const char *ocr_scripts_name(int i);

/* A letter of it, which is in the dictionary of each model that reads it. */
const char *ocr_scripts_letter(int i);

/* The bits (1 << i) of the scripts of ocr_languages ("eng+kan"); those of
 * languages that are not listed are Latin. */
uint32_t ocr_scripts_of(const char *languages);

/* Whether a script that was detected on a page is among the scripts; true for
 * one that is not listed. */
bool ocr_scripts_has(uint32_t scripts, const char *name);

#endif
