/* ocr_files.h - platen ocr --to pdf, hocr or alto: files with their whole text,
 * read without a model. */
#ifndef PIPELINE_COMMAND_OCR_FILES_H
#define PIPELINE_COMMAND_OCR_FILES_H

#include "pipeline/command/command.h"

/* The format of a value of --to (settings.h); 0: it is none of these. */
unsigned ocr_files_format(const char *to);

/* Writes each file of the command line in the format: to the folder `out`, or
 * one file to stdout (NULL). Returns the exit status; FAIL: ERR_ARGS for
 * several files on stdout, or a PDF on a terminal; as document_work_run for a
 * single file. */
int ocr_files_write(const struct command_line *line, unsigned format,
                    const char *out, struct err *err);

#endif
