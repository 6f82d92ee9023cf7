/* reason.h - the closed list of reasons why a document failed.
 *
 * One table: code, exit code, what becomes of the document, meaning, remedy.
 * platen(1) and docs/errors.md are made of it; a test compares them.
 */
#ifndef STAGES_REASON_H
#define STAGES_REASON_H

#include <stddef.h>

#include "vlm/base/err.h"

/* Exit codes: OCRmyPDF's where the meaning agrees, above 15 for batches. */
enum exit_code {
    EXIT_OK = 0,
    EXIT_ARGS = 1,
    EXIT_INPUT = 2,
    EXIT_DEPENDENCY = 3,
    EXIT_OUTPUT = 4,
    EXIT_ACCESS = 5,
    EXIT_CHILD = 7,
    EXIT_ENCRYPTED = 8,
    EXIT_CONFIG = 9,
    EXIT_OTHER = 15,
    EXIT_SOME_FAILED = 16,
    EXIT_WEATHER = 17, /* the environment: nothing failed, the queue waits */
    EXIT_INTERRUPTED = 130
};

/* Whose doing it is. The stages decide as far as one document can: an endpoint
 * that does not answer a request is sent a small test request
 * before the document is charged (endpoint-rejected). What FATE_WAIT stops (one
 * document or the queue) is for the pipeline to find out. */
enum fate {
    FATE_REJECT, /* the document's, and the same again: to failed/, at once */
    FATE_RETRY,  /* to failed/ after the attempts that the table grants */
    FATE_WAIT    /* the environment is to blame: no attempt is charged */
};

struct reason {
    const char *code;
    enum exit_code exit;
    enum fate fate;
    const char *meaning; /* what happened, one sentence */
    const char *remedy;  /* what a person can do, one sentence */
};

/* The row of a code, or NULL; reason_at walks the table (NULL at its end). */
const struct reason *reason_find(const char *code);
const struct reason *reason_at(size_t index);

/* The row that a failure belongs to; never NULL (a failure without a code is
 * filed by its kind). */
const struct reason *reason_of(const struct err *err);

/* The failure on stderr in one line: "platen: text [code]. Remedy." A failure
 * without a code (arguments, configuration) names its remedy in its text. */
void reason_log(const struct err *err);

#endif
