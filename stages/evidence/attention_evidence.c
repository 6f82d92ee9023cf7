/* attention_evidence.c - see attention_evidence.h. */
#include "stages/evidence/attention_evidence.h"

/* The page with most of the attention; 0: unknown. */
static int page_looked_at(const struct field_look *look)
{
    int page = 0;
    double most = 0;
    for (int i = 0; i < look->n_place; i++) {
        double sum = 0;
        for (int k = 0; k < look->n_place; k++)
            if (look->place[k].page == look->place[i].page)
                sum += look->place[k].weight;
        if (sum <= most) continue;
        most = sum;
        page = look->place[i].page;
    }
    return page;
}

static void set_evidence(struct field *f, const struct field_place *ink,
                         struct arena *arena)
{
    struct evidence *one = arena_alloc(arena, sizeof *one);
    *one = (struct evidence){.page = ink->page,
                             .box = ink->box,
                             .source = EVIDENCE_ATTENTION,
                             .match = EVIDENCE_POSITION};
    f->evidence = one;
    f->n_evidence = 1;
}

void attention_evidence_prove(struct document *doc, int at, bool is_printed,
                              int only_page)
{
    struct field *f = &doc->field[at];
    const struct field_look *look = doc->look ? &doc->look[at] : NULL;
    if (f->n_evidence) return;
    if (look && look->ink.page && is_printed) {
        f->page = look->ink.page;
        set_evidence(f, &look->ink, doc->scratch);
        return;
    }
    f->page = look ? page_looked_at(look) : 0;
    if (!f->page) f->page = only_page;
}
