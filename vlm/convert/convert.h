/* convert.h - conversion of a checkpoint folder to a model file and a vision
 * file.
 *
 * MEMORY  A few megabytes for pieces of rows, and the importance of one tensor,
 *         whatever the size of the model; the tokenizer is converted first.
 */
#ifndef VLM_CONVERT_CONVERT_H
#define VLM_CONVERT_CONVERT_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct convert_options {
    const char *folder;
    const char *out;     /* model file; the vision file is mmproj-NAME */
    const char *type;    /* a name of type_mix.h */
    const char *imatrix; /* importance matrix file (imatrix.h), or NULL */
    int n_thread;        /* 0: cpu_count() */

    /* Progress callback, called before each tensor; or NULL. */
    void (*tell)(void *arg, const char *tensor, int done, int all);
    void *tell_arg;
};

/* Writes the files; each is opened as a model as a test before it gets its
 * name. Returns the path of the vision file, in the arena, or NULL if the
 * checkpoint has no vision encoder. FAIL: ERR_ARGS for the type; ERR_MISSING,
 * ERR_CONFIG, ERR_UNSUPPORTED for the folder, with file and tensor;
 * ERR_SYSTEM. */
const char *convert_run(const struct convert_options *o, struct arena *arena,
                        struct err *err);

#endif
