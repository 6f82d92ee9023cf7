/* pointed.c - see pointed.h. */
#include "stages/evidence/pointed.h"

/* The page that most of the looks went to; 0: not known. */
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

static const char *evidence_text(const struct field_place *ink,
                                 struct arena *arena)
{
    const struct box *b = &ink->box;
    return arena_text(arena,
                      "[{\"page\":%d,\"box\":[%.4f,%.4f,%.4f,%.4f],"
                      "\"source\":\"attention\",\"match\":\"position\"}]",
                      ink->page, b->x, b->y, b->w, b->h);
}

void pointed_prove(struct document *doc, int at, bool is_printed, int only_page)
{
    struct field *f = &doc->field[at];
    const struct field_look *look = doc->look ? &doc->look[at] : NULL;
    if (f->evidence) return;
    if (look && look->ink.page && is_printed) {
        f->page = look->ink.page;
        f->evidence = evidence_text(&look->ink, doc->scratch);
        return;
    }
    f->page = look ? page_looked_at(look) : 0;
    if (!f->page) f->page = only_page;
}
