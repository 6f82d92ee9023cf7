/* checker.h - checks a record in work/ before its commit, in a sandboxed
 * process of its own: the text comes from a reader, which is not trusted. */
#ifndef PIPELINE_WORKER_CHECKER_H
#define PIPELINE_WORKER_CHECKER_H

#include "pipeline/spool/spool.h"
#include "stages/document/settings.h"

struct schema;

struct checker_result {
    char fault[200]; /* what is wrong with the record, or "" */
    bool review;     /* the record needs review */
    bool unread;     /* and its verdict is unread */
    int n_warning;
    int n_part; /* documents of a stack; 0: it is none */
    char schema[FILE_NAME_BYTES_MAX + 1]; /* that the record names, or "" */
};

/* Is the record, the file `name` in the locked folder, complete, of this document and its bytes,
 * whose SHA-256 is `sha256` ("": it is calculated, which reads them all)?
 * Is it valid against `record`, the schema of its records (NULL: not checked),
 * and record.xml, if there is one, the same record? FAIL: ERR_SYSTEM; as
 * process_receive, if the process dies, or takes longer than page_timeout. */
void checker_run(const struct folder *f, const char *name,
                 const struct schema *record, const char *sha256,
                 const struct settings *settings, struct checker_result *result,
                 struct err *err);

#endif
