/* vlm_forced.h - what a grammar leaves no choice about, as tokens. */
#ifndef VLM_VLM_FORCED_H
#define VLM_VLM_FORCED_H

#include "vlm/text/tokenizer.h"
#include "vlm/vlm_inside.h"

struct constraint;

/* The tokens of what is forced where `c` stands, in the arena, as the model would
 * write them: the last one stays out where a longer token could cover it and what
 * follows. At most `room`, then `cut`. None where there is a choice. `c` is as it
 * was. */
struct vlm_forced {
    struct tokens tokens;
    bool cut;
};
struct vlm_forced vlm_forced(const struct vlm *v, struct constraint *c,
                             int room, struct arena *arena);

#endif
