/* cases.h - the documents of a folder and their expected values.
 *
 *   FOLDER/a.pdf  FOLDER/a.json          (or a.pdf.json)
 *   FOLDER/receipt/b.png  FOLDER/receipt/b.json     for the schema receipt
 *
 * An expected file has the value, or a whole record of platen, of which data
 * and places are used.
 */
#ifndef PIPELINE_EVAL_CASES_H
#define PIPELINE_EVAL_CASES_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct cases_one {
    const char *name;     /* "receipt/b.png" */
    const char *document; /* path; NULL: only the expected file exists */
    const char *expected; /* path of the expected file */
    const char *folder;   /* "receipt", or "" */
    const char *stem;     /* "b", the name of its record */
    bool reviewed;        /* from a spool; `expected` is its folder in done/ */
};

struct cases {
    struct cases_one *one; /* sorted by name, folder by folder */
    int n;
};

/* Lists the cases of a folder, in the arena, without the sub-folder `but` (or
 * NULL); without_document: includes expected files without a document.
 * Documents without an expected file are skipped with a warning. FAIL:
 * [unreadable]; ERR_ARGS: no cases, or one expected file for two documents. */
struct cases cases_list(const char *folder, const char *but,
                        bool without_document, struct arena *arena,
                        struct err *err);

/* The path of a case's record in a folder of records, in the arena: in the
 * case's sub-folder, in the folder itself, or in a spool; NULL: there is
 * none. */
const char *cases_record(const struct cases_one *one, const char *records,
                         struct arena *arena);

#endif
