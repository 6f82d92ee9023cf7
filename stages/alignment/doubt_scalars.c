/* doubt_scalars.c - values outside of tables that are exchanged (doubt.h).
 *
 * Both are printed, but each label names the other value, no text, clearly better; or, with the
 * same name in two objects, each is among the values of the other object.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/doubt.h"
#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"

enum { LABELS_MOST = 4 }; /* of one place */

/* A value outside of tables, its place, and the labels of that. */
struct placed {
    int asked;
    const struct occurrence *at;
    const struct label_words *label[LABELS_MOST];
    int n_label;
};

static void read_labels(const struct alignment *l, struct placed *p)
{
    for (int i = 0; i < l->labels.n && p->n_label < LABELS_MOST; i++)
        if (labelled_covers(&l->labels.item[i], p->at))
            p->label[p->n_label++] = &l->labels.item[i].label;
}

/* How well the labels of a place name the value. */
static double fit(const struct wanted_value *a, const struct placed *place)
{
    double best = 0;
    for (int i = 0; i < place->n_label; i++)
        best = fmax(best, wanted_fit(a, place->label[i]));
    return best;
}

static bool have_same_name(const struct wanted_value *a,
                           const struct wanted_value *b)
{
    const char *one = strrchr(a->asked->pointer, '/');
    const char *two = strrchr(b->asked->pointer, '/');
    return *a->kin && *b->kin && strcmp(a->kin, b->kin) != 0 &&
           !strcmp(one, two);
}

/* Whether the values of its object are nearer to the other place than to its own. */
static bool is_nearer(const struct alignment *l, const struct wanted_value *a,
                      const struct occurrence *other,
                      const struct occurrence *own)
{
    return assign_kin_near(l, a, other) >
           assign_kin_near(l, a, own) + clearly_better;
}

static bool are_exchanged(const struct alignment *l, const struct placed *p,
                          const struct placed *q)
{
    const struct wanted_value *a = &l->asking[p->asked];
    const struct wanted_value *b = &l->asking[q->asked];
    if (a->kind != b->kind) return false;
    if (have_same_name(a, b))
        return is_nearer(l, a, q->at, p->at) && is_nearer(l, b, p->at, q->at);
    if (a->kind == KIND_TEXT) return false; /* a heading is that of a block */
    double other = fmin(fit(a, q), fit(b, p)), own = fmax(fit(a, p), fit(b, q));
    return other >= label_named && other > own + clearly_better;
}

void doubt_scalars(const struct alignment *l, bool *exchanged)
{
    int n = 0;
    struct placed *placed =
        arena_array(l->arena, (size_t)l->n_asking + 1, sizeof *placed);
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        if (a->table >= 0 || a->any || !chosen_occurrence(a)) continue;
        placed[n] = (struct placed){.asked = i, .at = chosen_occurrence(a)};
        read_labels(l, &placed[n++]);
    }
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            if (are_exchanged(l, &placed[i], &placed[k]))
                exchanged[placed[i].asked] = exchanged[placed[k].asked] = true;
}
