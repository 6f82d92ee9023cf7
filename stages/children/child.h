/* child.h - a sandboxed child process: start, messages (wire/frame.h), and
 * an explanation of its end.
 *
 * The only place that starts platen-raster, platen-ocr and platen-annotate for
 * work, limits their time and reports why they died. Children are not trusted:
 * the magic number, type and size of each message are checked here, and no
 * message is read beyond its size or left unread. The caller checks what the
 * numbers in a message mean.
 *
 * LIFE  child_init .. child_close, child_start any number of times between.
 * THREADS  One thread.
 */
#ifndef STAGES_CHILDREN_CHILD_H
#define STAGES_CHILDREN_CHILD_H

#include "stages/children/child_process.h"
#include "stages/children/wire/frame.h"
#include "stages/document/document.h"
#include "stages/document/settings.h"

/* What a FAIL message means; code NULL: no reason code. */
struct child_status {
    enum err_kind kind;
    const char *code;
};

/* A type of child. */
struct child_program {
    const char *called;           /* name in messages: "the rasteriser" */
    const char *crash, *protocol; /* reason codes, or NULL */
    const struct child_status *status;
    uint32_t n_status;
};

struct child {
    const struct child_program *program;
    const struct settings *settings;
    struct child_process process;
    double left_s;          /* time left */
    int allowed_s;          /* time granted by child_allow */
    const char *allowed_by; /* configuration key of that limit */
    uint64_t unread;        /* bytes left of the current message */
    unsigned layers, landlock_abi;
    bool killed; /* died of SIGKILL, but not for lack of memory */
};

/* Initialises a child that is not started yet. `stop` is polled during waits;
 * NULL: waits cannot be cancelled. */
void child_init(struct child *c, const struct child_program *program,
                const struct settings *settings,
                const struct child_process_stop *stop);

/* Starts the job; document: the child's descriptor 3; -1: the child receives
 * orders there. FAIL: as child_process_open. */
void child_start(struct child *c, const struct spawn_job *job, int document,
                 struct err *err);

/* Limits the child's time from now until the next call; `key` is the
 * configuration key named in the error. page_timeout seconds without a byte are
 * always too long. */
void child_allow(struct child *c, int seconds, const char *key);

/* Reads HELLO: the active sandbox layers. FAIL: as child_read. */
void child_greet(struct child *c, struct err *err);

/* FAIL: [no-sandbox] with neither Landlock nor seccomp among the layers, unless
 * sandbox = best. With only one of them `doc` (NULL: none) gets a
 * warning: "WHAT in a sandbox without ...". */
void child_check_layers(unsigned layers, const char *called,
                        const struct settings *settings, struct document *doc,
                        const char *what, struct err *err);

/* The same for the layers that the child greeted with. */
void child_check_walls(const struct child *c, struct document *doc,
                       const char *what, struct err *err);

/* Reads the header of the next message. FAIL: the failure and page in a FAIL
 * message; broken protocol, timeout, a crash ([resource-cpu],
 * [resource-memory], [sandbox-violation], the program's own); ERR_CANCELLED. */
void child_read(struct child *c, struct child_frame *f, struct err *err);

/* The same; any other type is a protocol error. */
void child_expect(struct child *c, uint32_t type, struct child_frame *f,
                  struct err *err);

/* Reads the next bytes of the message. */
void child_read_bytes(struct child *c, void *data, uint64_t size,
                      struct err *err);

/* Reads the rest of the message, text of at most `most` bytes, into
 * out[most + 1]; unprintable bytes are replaced. */
void child_read_text(struct child *c, size_t most, char *out, struct err *err);

/* Checks that the message has been read completely. FAIL: as child_read. */
void child_expect_end(struct child *c, struct err *err);

/* Sends the header of an order (the magic number is filled in); f.size bytes
 * must follow through child_write_bytes. FAIL: as child_read. */
void child_write(struct child *c, struct child_frame f, struct err *err);
void child_write_bytes(struct child *c, const void *data, size_t size,
                       struct err *err);

/* FAIL: always, with the program's reason code for a protocol error. */
void child_broke_protocol(const struct child *c, const char *what,
                          struct err *err);

/* Ends the child if it is still running. */
void child_close(struct child *c);

#endif
