/* cases.h - documents of a folder with what is expected of them.
 *
 *   FOLDER/a.pdf  FOLDER/a.json          (or a.pdf.json)
 *   FOLDER/receipt/b.png  FOLDER/receipt/b.json     read by the schema receipt
 *
 * An expected file holds the value, or a whole record of platen's, of which data
 * and places count.
 */
#ifndef PIPELINE_EVAL_CASES_H
#define PIPELINE_EVAL_CASES_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct cases_one {
    const char *name; /* "receipt/b.png" */
    const char
        *document; /* its path, or NULL: only the expected file is there */
    const char *expected; /* path */
    const char *folder;   /* "receipt", or "" */
    const char *stem;     /* "b", as records are called */
    bool reviewed;        /* a spool's: `expected` is its folder in done/ */
};

struct cases {
    struct cases_one *one; /* in order of names, folder by folder */
    int n, room;
};

/* The cases of a folder, in the arena; `but` (or NULL) is a sub-folder that is
 * none of it. Expected files without a document are among them where
 * `without_document`. What has no expected file is named in a warning. FAIL:
 * [unreadable]; ERR_ARGS where there is none at all, or one file is expected of
 * two documents. */
struct cases cases_list(const char *folder, const char *but,
                        bool without_document, struct arena *arena,
                        struct err *err);

/* Where the record of a case is in a folder of records, in the arena: below the
 * case's own sub-folder or in it itself; in the spool it is of; NULL: nowhere. */
const char *cases_record(const struct cases_one *one, const char *records,
                         struct arena *arena);

#endif
