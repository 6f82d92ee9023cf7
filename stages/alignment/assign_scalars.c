/* assign_scalars.c - chooses among several occurrences (assign.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/label.h"
#include "stages/print/thresholds.h"

int assign_only(const struct wanted_value *a, int *n_left)
{
    int only = -1;
    *n_left = 0;
    for (int i = 0; i < a->n_candidate; i++)
        if (!a->candidate[i].away && ++*n_left == 1) only = i;
    return *n_left == 1 ? only : -1;
}

bool assign_is_used(const struct alignment *l, const struct piece *p)
{
    for (int k = l->claim_of[p->token]; k >= 0; k = l->claim[k].next)
        if (l->claim[k].from < p->to && p->from < l->claim[k].to) return true;
    return false;
}

bool assign_is_claimed(const struct alignment *l, const struct occurrence *c)
{
    for (int i = 0; i < c->n_piece; i++)
        if (assign_is_used(l, &c->piece[i])) return true;
    return false;
}

void assign_leave_claimed(const struct alignment *l, struct wanted_value *a)
{
    bool free = false;
    int n_left;
    if (a->any || (assign_only(a, &n_left) >= 0)) return;
    for (int i = 0; i < a->n_candidate && !free; i++)
        free = !a->candidate[i].away && !assign_is_claimed(l, &a->candidate[i]);
    for (int i = 0; i < a->n_candidate && free; i++)
        if (assign_is_claimed(l, &a->candidate[i])) a->candidate[i].away = true;
}

void assign_take(struct alignment *l, struct wanted_value *a, int candidate)
{
    const struct occurrence *c = &a->candidate[candidate];
    a->chosen = candidate;
    a->settled = true;
    for (int i = 0; i < c->n_piece; i++) {
        int *first = &l->claim_of[c->piece[i].token];
        *ARENA_ADD(l->arena, l->claim, l->n_claim) =
            (struct token_claim){c->piece[i].from, c->piece[i].to, *first};
        *first = l->n_claim - 1;
    }
}

/* Rules out candidates that are worse than the best by more than `margin`, if
 * the best is at least `least`. */
static void keep_best(struct wanted_value *a, const double *score, double least,
                      double margin)
{
    double best = least;
    bool any = false;
    for (int i = 0; i < a->n_candidate; i++)
        if (!a->candidate[i].away && score[i] >= best) {
            best = score[i];
            any = true;
        }
    for (int i = 0; any && i < a->n_candidate; i++)
        if (score[i] < best - margin) a->candidate[i].away = true;
}

/* How close an occurrence of a related value is; values are printed in the
 * order of their keys. */
static double nearness(const struct occurrence *c, const struct occurrence *d,
                       bool is_before)
{
    int lines = c->line - d->line;
    bool in_order = is_before ? lines >= 0 : lines <= 0;
    if (abs(lines) > KIN_LINES) return 0;
    double near = abs(lines) <= KIN_CLOSE ? 1 : kin_far;
    return (in_order ? near : kin_backwards * near) +
           kin_aligned * fmax(0, 0.5 - fabs(d->left - c->left));
}

double assign_kin_near(const struct alignment *l, const struct wanted_value *a,
                       const struct occurrence *c)
{
    double sum = 0;
    int page = l->table.token[c->piece->token].page;
    for (int i = 0; *a->kin && i < l->n_asking; i++) {
        const struct wanted_value *other = &l->asking[i];
        double best = 0;
        if (other == a || strcmp(other->kin, a->kin) != 0) continue;
        for (int k = 0; k < other->n_candidate; k++) {
            const struct occurrence *d = &other->candidate[k];
            if (d->away || l->table.token[d->piece->token].page != page ||
                (other->chosen >= 0 && other->chosen != k))
                continue;
            best = fmax(best, nearness(c, d, other < a));
        }
        sum += other->chosen >= 0
                   ? best
                   : best / sqrt((double)(other->n_candidate + 1));
    }
    return sum;
}

/* 1: the occurrence is its whole part of the line; alone_at_end: its end; 0: it is
 * within a text. */
static double stands_alone(const struct alignment *l,
                           const struct occurrence *c)
{
    const struct piece *end = &c->piece[c->n_piece - 1];
    const struct token *last = &l->table.token[end->token];
    int first = c->piece->token;
    if (last->right >= 0 && l->table.token[last->right].part == last->part)
        return 0;
    bool begins = first == l->table.line[c->line].first ||
                  l->table.token[first - 1].part != l->table.token[first].part;
    return begins ? 1 : alone_at_end;
}

static double height_of(const struct alignment *l, const struct occurrence *c)
{
    return l->table.token[c->piece->token].place->h;
}

/* Keeps the first of occurrences with the same label: they are equivalent. */
static void keep_first_of_same(const struct alignment *l,
                               struct wanted_value *a)
{
    int first = -1;
    for (int i = 0; i < a->n_candidate; i++) {
        if (a->candidate[i].away) continue;
        if (first < 0)
            first = i;
        else if (!a->any &&
                 !label_is_same(l, &a->candidate[first], &a->candidate[i]))
            return;
    }
    for (int i = 0; i < a->n_candidate; i++)
        if (i != first) a->candidate[i].away = true;
}

/* Applies one criterion after the other until one occurrence is left. */
static void apply_criteria(struct alignment *l, struct wanted_value *a)
{
    size_t n = (size_t)a->n_candidate;
    double *score = arena_array(l->arena, n, sizeof *score);
    double tall = 0;
    for (size_t i = 0; i < n; i++)
        score[i] = -a->candidate[i].penalty;
    keep_best(a, score, -100, 0.5);
    for (size_t i = 0; i < n; i++)
        score[i] = assign_kin_near(l, a, &a->candidate[i]);
    keep_best(a, score, label_fit_least, kin_clearly);
    for (size_t i = 0; i < n; i++)
        score[i] = label_fit(l, a, &a->candidate[i]);
    keep_best(a, score, label_fit_least, clearly_better);
    keep_first_of_same(l, a);
    for (size_t i = 0; i < n; i++)
        score[i] = stands_alone(l, &a->candidate[i]);
    keep_best(a, score, label_fit_least, clearly_better);
    for (size_t i = 0; i < n; i++)
        tall = a->candidate[i].away
                   ? tall
                   : fmax(tall, height_of(l, &a->candidate[i]));
    for (size_t i = 0; i < n; i++)
        score[i] = height_of(l, &a->candidate[i]);
    keep_best(a, score, 0, tall - tall / taller);
}

/* Tries all undecided values again; true if one was decided. */
static bool choose_once(struct alignment *l)
{
    bool more = false;
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        int n_left;
        if (a->settled || !a->n_candidate) continue;
        for (int k = 0; k < a->n_candidate; k++)
            a->candidate[k].away = false;
        assign_leave_claimed(l, a);
        if (assign_only(a, &n_left) < 0) apply_criteria(l, a);
        int only = assign_only(a, &n_left);
        if (only < 0) continue;
        assign_take(l, a, only);
        more = true;
    }
    return more;
}

void assign_scalars(struct alignment *l)
{
    while (choose_once(l))
        ;
}
