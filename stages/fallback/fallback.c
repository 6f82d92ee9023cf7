/* fallback.c - see fallback.h. */
#include "stages/fallback/fallback.h"

#include "stages/engine/engine.h"
#include "stages/fallback/auto_rotate.h"
#include "stages/fallback/ground.h"
#include "stages/fallback/ground_lines.h"

static int read_turned(struct document_run *r, const struct fallback_ask *ask,
                       int n_shown)
{
    struct auto_rotate *t = r->auto_rotate;
    if (!auto_rotate_wanted(t)) return n_shown;
    while (auto_rotate_next(t)) {
        ask->one(r, &(struct question){.to = 1});
        auto_rotate_judge(t);
    }
    return auto_rotate_accept(t) ? ask->all(r) : n_shown;
}

static void finish_fallback(struct document_run *r)
{
    ground_document(r);
    auto_rotate_back(r);
}

const struct fallback_steps *fallback_begin(struct document_run *r)
{
    static const struct fallback_steps steps = {.answer = ground_lines_instead,
                                                .may_read_lines =
                                                    ground_lines_may,
                                                .turn = read_turned,
                                                .finish = finish_fallback};
    if (!engine_facts(r->context->engine)->prompt_is_keys) return NULL;
    r->auto_rotate = arena_alloc(r->doc->arena, sizeof *r->auto_rotate);
    auto_rotate_begin(r->auto_rotate, r);
    return &steps;
}
