/* verdict.c - see verdict.h. */
#include "stages/alignment/verdict.h"

#include "stages/alignment/doubt.h"
#include "stages/alignment/find.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"

/* --- doubts --------------------------------------------------------------- */

/* The doubt of a value whose print is compared with that of all others. */
static enum field_doubt doubt_of(const struct alignment *l,
                                 struct wanted_value *a)
{
    if (a->misplaced) return DOUBT_PLACE;
    bool part = unit_is_part_everywhere(l, a);
    enum field_doubt doubt = find_figure_doubt(l, a);
    if (doubt || part) return doubt ? doubt : DOUBT_PARTIAL;
    if (a->n_candidate && wanted_fails_check_digits(a))
        return DOUBT_CHECK_DIGITS;
    return a->table >= 0 && doubt_place(l, a) ? DOUBT_PLACE : DOUBT_NONE;
}

void verdict_find_doubts(struct alignment *l)
{
    size_t room = (size_t)l->n_asking + 1;
    bool *off_row = arena_array(l->arena, room, sizeof *off_row);
    bool *exchanged = arena_array(l->arena, room, sizeof *exchanged);
    doubt_columns(l, exchanged);
    doubt_scalars(l, exchanged);
    const struct table_figure *left[LEFT_OVER_MOST];
    if (left_over_find(l, LEFT_AMOUNT, left)) l->left_over = *left;
    for (int i = 0; i < l->n_asking; i++)
        l->asking[i].doubt = doubt_of(l, &l->asking[i]);
    off_row_find(l, off_row);
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        if (!a->doubt && exchanged[i]) a->doubt = DOUBT_LABEL;
        if (!a->doubt && off_row[i]) a->doubt = DOUBT_PLACE;
    }
    derived_find(l);
}

/* --- verdicts ------------------------------------------------------------- */

static bool is_unsure(const struct print_place *place)
{
    for (int i = 0; i < place->n_line; i++)
        if (place->line[i].confidence < (float)ocr_sure_least) return true;
    return false;
}

/* A value that was not found may be on a part that was not read. */
static enum field_verdict verdict_of(const cJSON *value,
                                     const struct aligned_value *found,
                                     bool partial)
{
    if (cJSON_IsBool(value) || found->derived || found->meant)
        return FIELD_DERIVED;
    if (cJSON_IsNull(value))
        return found->overlooked ? FIELD_OVERLOOKED : FIELD_UNPROVEN;
    if (!found->n_place) return partial ? FIELD_UNPROVEN : FIELD_UNSEEN;
    bool alike = found->place->match != PRINT_SIMILAR;
    return alike || is_unsure(found->place) ? FIELD_AGREE : FIELD_DIFFER;
}

void verdict_of_print(struct field *f, const cJSON *value,
                      const struct aligned_value *found,
                      const struct verdict_words *words)
{
    f->verdict = verdict_of(value, found, words->partial);
    f->doubt = found->doubt;
    f->confirmed = found->derived;
    f->page = found->n_place ? found->place->page : 0;
    if (f->verdict == FIELD_AGREE && !f->doubt && words->page_unchecked)
        f->doubt = DOUBT_LAYER;
    /* words that nobody sees or has checked do not count against it */
    if (words->any_unchecked &&
        (f->verdict == FIELD_UNSEEN || f->verdict == FIELD_DIFFER))
        f->verdict = FIELD_UNPROVEN;
}

void verdict_doubt(struct field *f, enum field_doubt doubt)
{
    f->doubt = doubt;
}

void verdict_overlook(struct field *f)
{
    f->verdict = FIELD_OVERLOOKED;
}

void verdict_confirm(struct field *f)
{
    f->verdict = FIELD_AGREE;
    f->confirmed = true;
    f->doubt = DOUBT_NONE;
}

void verdict_deny(struct field *f)
{
    f->verdict = FIELD_DIFFER;
    f->denied = true;
}

void verdict_dispute(struct field *f)
{
    f->denied = true;
    f->print_p = 0;
}

void verdict_join(struct field *both, const struct field *first,
                  const struct field *rest)
{
    both->doubt = first->doubt ? first->doubt : rest->doubt;
    both->confirmed = first->confirmed && rest->confirmed;
    both->denied = first->denied || rest->denied;
    both->verdict =
        first->verdict == FIELD_AGREE ? rest->verdict : first->verdict;
}
