/* log_once.h - logs a warning once, not at each scan. */
#ifndef PIPELINE_PROCESS_LOG_ONCE_H
#define PIPELINE_PROCESS_LOG_ONCE_H

#include "vlm/base/arena.h"

enum { LOG_ONCE_MAX = 1000 };

struct log_once {
    struct arena *arena;
    const char *logged[LOG_ONCE_MAX];
    int n;
};

/* Remembers warnings until log_once_close. */
void log_once_open(struct log_once *o);
void log_once_close(struct log_once *o);

/* Warns about a name of in/, which is escaped here. */
void log_once_warn_name(struct log_once *o, const char *folder,
                        const char *name, const char *what);

/* Warns about a folder that cannot be listed ("NAME: why", escaped). */
void log_once_warn_unlisted(struct log_once *o, const char *where,
                            const char *name);

#endif
