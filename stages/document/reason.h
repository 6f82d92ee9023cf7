/* reason.h - the closed list of reasons why a document failed.
 *
 * One table: code, exit code, fate of the document, meaning, remedy. platen(1)
 * and docs/errors.md are generated from it; a test compares them.
 */
#ifndef STAGES_DOCUMENT_REASON_H
#define STAGES_DOCUMENT_REASON_H

#include <stdbool.h>
#include <stddef.h>

#include "vlm/base/err.h"

/* Exit codes: OCRmyPDF's where the meaning is the same; from 16 on, batches. */
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
    EXIT_ENVIRONMENT = 17, /* no document failed; the queue is on hold */
    EXIT_REVIEW = 18,      /* records need review, and this was asked for */
    EXIT_INTERRUPTED = 130
};

/* What happens to a document that failed. The stages find out what they can: if
 * an endpoint does not answer a request, they send a small test request before
 * they blame the document (endpoint-rejected). Whether FATE_WAIT stops one
 * document or the queue is decided by the pipeline. */
enum fate {
    FATE_REJECT, /* would fail the same way again: to failed/ at once */
    FATE_RETRY,  /* to failed/ after the configured number of attempts */
    FATE_WAIT    /* the environment is the cause: no attempt is counted */
};

struct reason {
    const char *code;
    enum exit_code exit;
    enum fate fate;
    const char *meaning; /* what happened, one sentence */
    const char *remedy;  /* what to do, one sentence */
};

/* reason_find: the row of a code, or NULL. reason_at: the row at an index; NULL
 * at the end of the table. */
const struct reason *reason_find(const char *code);
const struct reason *reason_at(size_t index);

/* The row of a failure; never NULL (one without a code gets the row of its
 * kind). */
const struct reason *reason_of(const struct err *err);

/* Did a process crash, or break its protocol or its time limit? Then the document
 * is tried again later, a few times. */
bool reason_is_crash(const struct reason *row);

/* Makes a text from a process that is not trusted one line of valid UTF-8. */
void reason_clean(char *text);

/* A failure as a message between processes. */
struct reason_message {
    int kind, sys, page;
    char code[24], text[480];
};
void reason_pack(const struct err *err, struct reason_message *out);

/* The failure in a message from a process that is not trusted. An unknown kind
 * or code becomes [internal]; nothing is a failure if `err` has one already. */
void reason_unpack(const struct reason_message *message, struct err *err);

/* Prints the failure to stderr as one line: "platen: text [code]. Remedy." A
 * failure without a code (arguments, configuration) has its remedy in its
 * text. */
void reason_log(const struct err *err);

#endif
