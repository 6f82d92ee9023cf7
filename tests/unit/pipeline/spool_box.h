/* spool_box.h - a spool in a scratch folder, for unit tests. */
#ifndef TESTS_UNIT_PIPELINE_SPOOL_BOX_H
#define TESTS_UNIT_PIPELINE_SPOOL_BOX_H

#include "pipeline/config/config.h"
#include "pipeline/spool/event.h"
#include "pipeline/spool/spool.h"
#include "tests/support/test.h"

struct spool_box {
    char path[64];
    struct spool spool;
    struct config *config; /* settle 0, engine null */
    struct err err;
    void *more; /* the test's own */
    struct event last;
};

/* cmocka's setup and teardown; *state is the box. */
int spool_box_open(void **state);
int spool_box_close(void **state);

/* Drops in/FOLDER/NAME, and claims it into work/. */
void spool_box_drop(struct spool_box *b, const char *folder, const char *name,
                    const char *bytes);
void spool_box_claim(struct spool_box *b, const char *folder, const char *name,
                     char id[static SPOOL_ID_SIZE]);

/* Is there work/ID/NAME (or done/, failed/)? */
bool spool_box_has(const struct spool_box *b, enum spool_place place,
                   const char *id, const char *name);

#endif
