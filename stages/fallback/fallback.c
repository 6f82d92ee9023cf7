/* fallback.c - see fallback.h. */
#include "stages/fallback/fallback.h"

#include "stages/engine/engine.h"
#include "stages/fallback/anchor.h"
#include "stages/fallback/anchor_lines.h"
#include "stages/fallback/turn.h"

static int read_turned(struct reading *r, const struct fallback_ask *ask,
                       int n_shown)
{
    struct turning *t = r->turning;
    if (!turn_wanted(t)) return n_shown;
    while (turn_next(t)) {
        ask->one(r, &(struct question){.to = 1});
        turn_judge(t);
    }
    return turn_take(t) ? ask->all(r) : n_shown;
}

static void finish(struct reading *r)
{
    anchor_document(r);
    turn_back(r);
}

const struct fallback_steps *fallback_begin(struct reading *r)
{
    static const struct fallback_steps steps = {.answer = anchor_lines_instead,
                                                .may_read_lines =
                                                    anchor_lines_may,
                                                .turn = read_turned,
                                                .finish = finish};
    if (!engine_facts(r->desk->engine)->outline) return NULL;
    r->turning = arena_take(r->doc->arena, sizeof *r->turning);
    turn_begin(r->turning, r);
    return &steps;
}
