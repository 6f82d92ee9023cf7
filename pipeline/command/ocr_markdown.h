/* ocr_markdown.h - platen ocr --to markdown: pages with headings, lists and
 * tables, as the model writes them. */
#ifndef PIPELINE_COMMAND_OCR_MARKDOWN_H
#define PIPELINE_COMMAND_OCR_MARKDOWN_H

#include "pipeline/config/command.h"

/* Writes each file of the command line, to DIR/<name>.md (`out`), or one to
 * stdout (NULL); stderr tells for each page how many words OCR has, too. Returns
 * the exit status. FAIL: ERR_ARGS for several files on stdout; as extract_files_open
 * and, for a single file, extract_files_read. */
int ocr_markdown_write(const struct command_line *line, const char *out,
                       struct err *err);

#endif
