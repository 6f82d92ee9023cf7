/* reader.h - the process that reads a document for a worker or a command: the
 * only one in which its content is parsed.
 *
 *     caller ──fork──▶ reader: own connections to the servers, then the sandbox
 *     caller ◀──progress, requests for row file and examples, outcome── reader
 *     caller ──print as JSON, XML, ...──▶ reader ──the bytes──▶ caller
 *
 * A reader has descriptors of its document and of the row file, its socket to
 * the caller, and its connections to spawner and model server or fetch process.
 * It opens no file, writes none but the row file, and ends with its document.
 * It is not trusted: messages are checked (stages/process/message.h), and its
 * limits do not depend on what it says.
 */
#ifndef PIPELINE_READER_READER_H
#define PIPELINE_READER_READER_H

#include "pipeline/spool/event.h"
#include "pipeline/spool/spool_part.h"
#include "stages/document/document.h"
#include "stages/document/reason.h"
#include "stages/document/settings.h"

struct classify_list;
struct engine;
struct schema;

enum reader_goal {
    READER_SPLIT,    /* find where its documents begin */
    READER_CLASSIFY, /* let the model choose its schema */
    READER_READ,
    READER_TEST /* no document: test the engine (engine_test) */
};

/* What can be printed besides the formats (settings.h): the record, also of a
 * stack, is JSON; a PDF that cannot be made is empty, and a warning. */
enum reader_print {
    READER_JSON_LINE = FORMAT_ALTO << 1, /* in one line */
    READER_WARNINGS,                     /* one a line */
    READER_CUSTOM                        /* and above: reader_task.print */
};

/* The limit of its size. */
size_t reader_print_most(const struct settings *s, int what);

/* What to do; only read, by the forked process. */
struct reader_task {
    enum reader_goal goal;
    unsigned formats; /* that will be printed, of enum record_format */
    const struct settings *settings;
    const char *id, *name;            /* of the document, as for document_new */
    int document;                     /* its bytes, open for reading; or -1 */
    int unlocked;                     /* as in struct document */
    int turns;                        /* the same */
    const struct spool_part *part;    /* NULL: not a part of a stack */
    const char *archive_number;       /* as in its code, or "" */
    const char *warning;              /* of split, or "" */
    struct engine *engine;            /* NULL to split */
    struct classify_list *choices;    /* to classify */
    const struct document_kind *kind; /* to read: the model's choice; or NULL */
    const struct schema *schema;      /* to read */
    const char *prompt;
    /* called in the process, for what to print from READER_CUSTOM on */
    void (*print)(const struct document *doc, int what, struct buf *out);
    /* called in the caller: */
    bool (*stop)(void *arg); /* polled; true ends the reader */
    void (*progress)(void *arg,
                     const struct event *event); /* only stage, pages */
    int (*open_rows)(void *arg); /* opens the row file (stages.h) */
    /* Finds examples by the words of the document (run_context.h), which the
     * reader says: returns a file with the JSON, or -1. At most once a reader;
     * NULL: none are wanted. */
    int (*find_examples)(void *arg, struct span words, bool whole);
    void *arg;
};

enum { READER_ARCHIVE_NUMBER = 128 };

struct reader_outcome {
    struct reason_message err;
    struct event event; /* counts, costs, schema, stage, sha256, model */
    int n_try;          /* as in struct document */
    unsigned dialect;   /* as in struct engine; see reader_learn_dialect */
    /* READER_SPLIT: */
    bool is_stack;                              /* only its parts are read */
    int n_part;                                 /* parts that follow */
    char archive_number[READER_ARCHIVE_NUMBER]; /* of a single one */
    char warning[SPOOL_PART_TEXT];              /* for its record, or "" */
    /* READER_CLASSIFY: */
    struct document_kind kind; /* its name is `schema` */
    char schema[FILE_NAME_BYTES_MAX + 1];
};

struct reader;

/* Starts the process. FAIL: ERR_SYSTEM; as engine_renew. */
struct reader *reader_start(const struct reader_task *task, struct err *err);

/* Waits for the outcome. FAIL: the outcome's failure; as process_receive
 * (stages/process/process.h), with document_timeout as limit. */
void reader_wait(struct reader *r, struct reader_outcome *outcome,
                 struct err *err);

/* Tests the engine in a reader without a document (READER_TEST), and takes over what
 * it learns of the endpoint's dialect. `stop` is polled. FAIL: as reader_wait. */
void reader_test_engine(const struct settings *settings, struct engine *engine,
                        bool (*stop)(void *arg), void *arg, struct err *err);

/* What a document's reader says about the endpoint's dialect is used for others
 * only if a reader without a document finds the same: asks one before the next
 * document if it is new. */
void reader_learn_dialect(const struct reader_task *task, unsigned dialect);

/* Receives the next of outcome->n_part parts of a stack, all but stack and, of
 * pages, SHA-256. FAIL: [internal], a reader that broke the protocol. */
void reader_next_part(struct reader *r, struct spool_part *part,
                      struct err *err);

/* Adds the bytes of the part that came last, an attached file, to `out`; must be
 * called before the next part. FAIL: as reader_next_part. */
void reader_part_bytes(struct reader *r, const struct spool_part *part,
                       struct buf *out, struct err *err);

/* Has something printed (a format or enum reader_print) and adds it to `out`. Can be
 * repeated. FAIL: as record_json and record_xml. */
void reader_print(struct reader *r, int what, struct buf *out, struct err *err);

/* Ends the process. NULL: does nothing. */
void reader_end(struct reader *r);

#endif
