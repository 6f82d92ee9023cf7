/* once.h - says a thing once, not at every look. */
#ifndef PIPELINE_WORK_ONCE_H
#define PIPELINE_WORK_ONCE_H

#include "vlm/base/arena.h"

enum { ONCE_MAX = 1000 };

struct once {
    struct arena *arena;
    const char *said[ONCE_MAX];
    int n;
};

/* Starts with nothing said; what is said is kept until once_close. */
void once_open(struct once *o);
void once_close(struct once *o);

/* The same about a name of in/, which is escaped here. */
void once_warn_name(struct once *o, const char *folder, const char *name,
                    const char *what);

/* A folder that cannot be listed ("NAME: why", escaped). */
void once_warn_unlisted(struct once *o, const char *where, const char *name);

#endif
