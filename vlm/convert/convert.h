/* convert.h - a checkpoint's folder becomes a model file and a vision file.
 *
 * MEMORY  Pieces of rows: a few megabytes and the importance of one tensor,
 *         whatever the size of the model. The tokenizer is read before.
 */
#ifndef VLM_CONVERT_CONVERT_H
#define VLM_CONVERT_CONVERT_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct convert_options {
    const char *folder;
    const char *out;     /* the model file; mmproj-NAME beside it */
    const char *type;    /* a name of type_mix.h */
    const char *imatrix; /* a file of imatrix.h, or NULL */
    int n_thread;        /* 0: cpu_count() */

    /* Told before each tensor, or NULL. */
    void (*tell)(void *arg, const char *tensor, int done, int all);
    void *tell_arg;
};

/* Writes the files, and opens them as a model before they get their names.
 * The vision file's path, in the arena, or NULL where the checkpoint has no
 * eyes. FAIL: ERR_ARGS for the type; ERR_MISSING, ERR_CONFIG, ERR_UNSUPPORTED
 * for the folder, naming file and tensor; ERR_SYSTEM. */
const char *convert_run(const struct convert_options *o, struct arena *arena,
                        struct err *err);

#endif
