/* settle_columns.c - whether a table's columns stand as its head says
 * (settle_bands.h).
 *
 * A reader who takes one column for another errs alike in all rows: whatever he is
 * asked again he says again. But the columns of a table are known by their ink,
 * and its head was read by itself. Where two of the values' names stand in it the
 * other way round, a person has to look.
 */
#include "stages/window/settle_bands.h"

#include <string.h>

#include "vlm/base/json.h"

enum { NAMES_MOST = INK_KEYS_MAX };

/* Where a name stands in the head, and its values on the page. */
struct named_column {
    const char *name;
    long at;
    double edge;
};

static char plain(char c)
{
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c == '_' || c == '-' ? ' ' : c;
}

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

/* Where the name stands in the text as words of its own, once; else -1. */
static long find_words(const char *text, const char *name)
{
    size_t n = strlen(name);
    long found = -1;
    for (size_t i = 0; n && text[i]; i++) {
        size_t k = 0;
        while (k < n && text[i + k] && plain(text[i + k]) == plain(name[k]))
            k++;
        if (k < n || is_of_word(plain(text[i + n])) ||
            (i > 0 && is_of_word(plain(text[i - 1]))))
            continue;
        if (found >= 0) return -1;
        found = (long)i;
    }
    return found;
}

static int find_named(const struct inking *s, const char *head,
                      struct named_column *out)
{
    const struct ink_table *t = &s->found.table;
    const cJSON *row = json_get(s->entries->child, "row"), *m = NULL;
    int n = 0;
    cJSON_ArrayForEach(m, row)
    {
        long at = m->string ? find_words(head, m->string) : -1;
        for (int c = 0; at >= 0 && c < t->n_column && n < NAMES_MOST; c++)
            if (t->column[c].key == ink_key(m->string))
                out[n++] =
                    (struct named_column){m->string, at, t->column[c].edge};
    }
    return n;
}

/* Most rows are not as broad as what is printed on their lines. */
void settle_odd(struct inking *s)
{
    const char *pointer = s->w->plan->array[s->array].pointer;
    document_warn(
        s->w->r->doc,
        &(struct warning){.code = WARN_COLUMNS_DIFFER, .pointer = pointer},
        "review %s: most rows are printed otherwise than they were "
        "read; its columns may be taken for each other",
        pointer);
}

void settle_columns(struct inking *s)
{
    struct named_column column[NAMES_MOST];
    const cJSON *head = cJSON_GetArrayItem(s->w->header, s->array);
    const char *pointer = s->w->plan->array[s->array].pointer;
    if (!cJSON_IsString(head) || !s->entries->child) return;
    int n = find_named(s, head->valuestring, column);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const struct named_column *a = &column[i], *b = &column[k];
            if (a->at >= b->at || a->edge <= b->edge) continue;
            document_warn(s->w->r->doc,
                          &(struct warning){.code = WARN_COLUMNS_DIFFER,
                                            .pointer = pointer},
                          "review %s: %s was read right of %s, and the "
                          "table's head has it left of it",
                          pointer, a->name, b->name);
        }
}
