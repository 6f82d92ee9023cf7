/* child.h - a sandboxed child: started, spoken with in messages of
 * stages/children/sandbox/frame.h, its end explained.
 *
 * This is the one place that starts platen-raster, platen-ocr and platen-annotate
 * for work, watches their time and says what they died of. Nothing that they say
 * is believed: the mark, type and size of a message are checked here, and no
 * message is read beyond its size or left before its end; what its numbers mean
 * is for the caller to check.
 *
 * LIFE  child_init .. child_close, child_start any number of times between.
 * THREADS  One thread.
 */
#ifndef STAGES_CHILDREN_CHILD_H
#define STAGES_CHILDREN_CHILD_H

#include "stages/children/jail.h"
#include "stages/children/sandbox/frame.h"
#include "stages/document.h"
#include "stages/settings.h"

/* What a FAIL message means; code NULL: it has no reason code. */
struct child_status {
    enum err_kind kind;
    const char *code;
};

/* A kind of child. */
struct child_program {
    const char *name;             /* its argument 0 */
    const char *called;           /* in messages: "the rasteriser" */
    const char *crash, *protocol; /* reason codes, or NULL */
    const struct child_status *status;
    uint32_t n_status;
};

struct child {
    const struct child_program *program;
    const struct settings *settings;
    struct jail jail;
    double left_s;          /* that it may still take, */
    int allowed_s;          /* of so much, */
    const char *allowed_by; /* by this key */
    uint64_t unread;        /* of the message that was begun */
    unsigned layers, landlock_abi;
    bool killed; /* it died of SIGKILL, and not of its memory */
};

/* A child that is not started yet; `stop` is asked while it is waited for (NULL:
 * nobody asks). */
void child_init(struct child *c, const struct child_program *program,
                const struct settings *settings, const struct jail_stop *stop);

/* Starts `path` with the limits of the settings and `argument` (NULL at the end),
 * the document as its descriptor 3; -1: it will be sent orders. FAIL:
 * ERR_MISSING, ERR_SYSTEM. */
void child_start(struct child *c, const char *path, const char *const *argument,
                 int document, struct err *err);

/* From now on it may take so many seconds, by this key of the configuration,
 * until it is said again; page_timeout without a byte is too long, whatever this
 * says. */
void child_allow(struct child *c, int seconds, const char *key);

/* Reads HELLO: which layers of the sandbox stand. FAIL: as child_read. */
void child_greet(struct child *c, struct err *err);

/* FAIL: [no-sandbox] where neither Landlock nor seccomp stands, and
 * allow_unsandboxed is not set. Without one of them it is a warning on the
 * document (NULL: none): "WHAT in a sandbox without ...". */
void child_check_walls(const struct child *c, struct document *doc,
                       const char *what, struct err *err);

/* The next message, of any type but FAIL: that is the failure that it tells of,
 * with its page. FAIL: also broken protocol, time, a crash ([resource-cpu],
 * [resource-memory], [sandbox-violation], the program's own); ERR_CANCELLED. */
void child_read(struct child *c, struct child_frame *f, struct err *err);

/* The same where only this type may come. */
void child_expect(struct child *c, uint32_t type, struct child_frame *f,
                  struct err *err);

/* The next bytes of the message. */
void child_read_bytes(struct child *c, void *data, uint64_t size,
                      struct err *err);

/* The rest of the message, a text of at most `most` bytes, made printable, into
 * out[most + 1]. */
void child_read_text(struct child *c, size_t most, char *out, struct err *err);

/* Nothing may follow the message. FAIL: as child_read. */
void child_expect_end(struct child *c, struct err *err);

/* Sends an order but for its mark; f.size bytes must follow by
 * child_write_bytes. FAIL: as child_read. */
void child_write(struct child *c, struct child_frame f, struct err *err);
void child_write_bytes(struct child *c, const void *data, size_t size,
                       struct err *err);

/* FAIL: always, with the program's reason code. */
void child_broke_protocol(const struct child *c, const char *what,
                          struct err *err);

/* Ends it, where it has not ended. */
void child_close(struct child *c);

#endif
