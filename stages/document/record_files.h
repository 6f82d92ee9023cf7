/* record_files.h - the files that a document can be delivered as: one table of
 * names in settings, in its folder and in out/. */
#ifndef STAGES_DOCUMENT_RECORD_FILES_H
#define STAGES_DOCUMENT_RECORD_FILES_H

#include <stddef.h>

#include "stages/document/settings.h"

struct record_file {
    unsigned format;    /* enum record_format */
    const char *key;    /* in settings: "pdf" */
    const char *name;   /* in the document's folder: "record.searchable.pdf" */
    const char *ending; /* of the name for consumers: ".searchable.pdf" */
};

/* Row i of the table; NULL after the last. In the order in which files are
 * written: a PDF that cannot be made is a warning of the records, and
 * record.json makes an outcome of all of them. */
const struct record_file *record_files_at(size_t i);

/* The row of a format; NULL if it is none. */
const struct record_file *record_files_of(unsigned format);

#endif
