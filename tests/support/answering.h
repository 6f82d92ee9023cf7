/* answering.h - a model of random weights that answers under a schema, for tests. */
#ifndef TESTS_SUPPORT_ANSWERING_H
#define TESTS_SUPPORT_ANSWERING_H

#include "vlm/grammar/grammar.h"
#include "vlm/schema/schema.h"
#include "vlm/vlm.h"

struct answering {
    struct vlm *v;
    struct schema *schema;
    struct grammar *grammar;
    struct arena *arena;
};

/* `model` below the root; `adjust` as golden_open's. The test fails where anything
 * is refused. */
struct answering answering_open(const char *model, const char *schema,
                                void (*adjust)(struct vlm_options *o));
void answering_close(struct answering *b);

/* A session with question i, the caller's. */
struct vlm_session *answering_fed(const struct answering *b, int i);

#endif
