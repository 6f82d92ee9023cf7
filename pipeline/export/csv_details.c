/* csv_details.c - see csv_details.h. */
#include "pipeline/export/csv_details.h"

#include <string.h>

#include "pipeline/export/csv_cells.h"
#include "stages/record/review_items.h"
#include "vlm/base/arena.h"
#include "vlm/base/text_table.h"
#include "vlm/json/json.h"

enum { CONFIDENCE, PAGE, VERDICT, REVIEW, N_WORD };

static const char *const words[N_WORD] = {"confidence", "page", "verdict",
                                          "review"};

struct csv_details {
    bool on[N_WORD];
    struct arena *arena; /* for the current record */
    const cJSON *record;
    bool unread;
    double review_threshold;
    const struct csv_dialect *dialect;
    struct text_table field;  /* by pointer */
    struct text_table warned; /* pointers that a warning names */
};

static bool is_word(const char *word, struct span text)
{
    return strlen(word) == text.size && !memcmp(word, text.data, text.size);
}

static void enable_detail(struct csv_details *w, struct span text,
                          struct err *err)
{
    int i = 0;
    while (i < N_WORD && !is_word(words[i], text))
        i++;
    if (i == N_WORD)
        err_set(err, ERR_ARGS,
                "--with %.*s: choose from confidence, page, verdict, review",
                (int)text.size, text.data);
    else
        w->on[i] = true;
}

struct csv_details *csv_details_new(const char *list, double review_threshold,
                                    const struct csv_dialect *dialect,
                                    struct err *err)
{
    if (err_failed(err)) return NULL;
    struct csv_details *w = mem_alloc(1, sizeof *w);
    w->arena = arena_new();
    w->dialect = dialect;
    w->review_threshold = review_threshold;
    for (const char *at = list; !err_failed(err);) {
        size_t n = strcspn(at, ",");
        enable_detail(w, (struct span){at, n}, err);
        if (!at[n]) break;
        at += n + 1;
    }
    if (!err_failed(err)) return w;
    csv_details_free(w);
    return NULL;
}

void csv_details_free(struct csv_details *w)
{
    if (!w) return;
    arena_free(w->arena);
    mem_free(w);
}

void csv_details_record_header(const struct csv_details *w, struct buf *out)
{
    if (w->on[VERDICT]) buf_print(out, "%s#verdict", w->dialect->separator);
    if (w->on[REVIEW]) buf_print(out, "%s#review", w->dialect->separator);
}

void csv_details_header(const struct csv_details *w, const char *name,
                        struct buf *out)
{
    struct buf text = buf_limit(1 << 21);
    for (int i = 0; i < N_WORD; i++) {
        if (!w->on[i]) continue;
        buf_cut(&text, 0);
        buf_print(&text, "%s#%s", name, words[i]);
        buf_add_text(out, w->dialect->separator);
        csv_cells_text(out, buf_span(&text).data);
    }
    buf_free(&text);
}

/* --- the current record -------------------------------------------------- */

void csv_details_set_record(struct csv_details *w, const cJSON *record)
{
    const cJSON *field = NULL, *warning = NULL;
    arena_reset(w->arena);
    w->record = record;
    w->unread = !strcmp(json_get_text_or_empty(record, "verdict"), "unread");
    w->field = w->warned = (struct text_table){0};
    cJSON_ArrayForEach(field, json_get(record, "fields"))
    {
        text_table_put(&w->field, w->arena, field->string,
                       (void *)(uintptr_t)field);
    }
    cJSON_ArrayForEach(warning, json_get(record, "warnings"))
    {
        const char *pointer = json_get_text(warning, "pointer");
        if (pointer)
            text_table_put(&w->warned, w->arena, pointer,
                           (void *)(uintptr_t)warning);
    }
}

/* Details of a value, or of all values in it. */
struct csv_known {
    const cJSON *confidence, *page;
    int verdict; /* rank; 0: none */
    bool warned;
};

static int rank_of(const char *verdict)
{
    static const char *const rank[] = {"derived",    "agree",  "doubtful",
                                       "overlooked", "unseen", "differ"};
    for (int i = 0; verdict && i < 6; i++)
        if (!strcmp(rank[i], verdict)) return i + 1;
    return 0;
}

static const char *verdict_of(int rank)
{
    static const char *const verdict[] = {
        "", "derived", "agree", "doubtful", "overlooked", "unseen", "differ"};
    return verdict[rank];
}

static void add_field(const struct csv_details *w, struct csv_known *k,
                      const cJSON *field)
{
    const cJSON *c = json_get(field, "confidence");
    const cJSON *page = json_get(field, "page");
    int rank = rank_of(json_get_text(field, "verdict"));
    if (c && (!k->confidence || c->valuedouble < k->confidence->valuedouble))
        k->confidence = c;
    if (page && (!k->page || page->valuedouble < k->page->valuedouble))
        k->page = page;
    if (rank > k->verdict) k->verdict = rank;
    /* only so many warnings of a code are kept */
    k->warned |=
        review_items_why(field, NULL, w->unread, w->review_threshold) != NULL;
}

static bool is_inside(const char *pointer, const char *top)
{
    size_t n = strlen(top);
    return pointer && !strncmp(pointer, top, n) &&
           (!pointer[n] || pointer[n] == '/');
}

static struct csv_known details_of(const struct csv_details *w,
                                   const char *pointer, const cJSON *value)
{
    struct csv_known k = {.warned = text_table_find(&w->warned, pointer)};
    const cJSON *own = text_table_find(&w->field, pointer), *each = NULL;
    if (own) add_field(w, &k, own);
    if (!value->child) return k;
    cJSON_ArrayForEach(each, json_get(w->record, "fields"))
    {
        if (is_inside(each->string, pointer)) add_field(w, &k, each);
    }
    cJSON_ArrayForEach(each, json_get(w->record, "warnings"))
    {
        k.warned |= is_inside(json_get_text(each, "pointer"), pointer);
    }
    return k;
}

static void add_number(const struct csv_details *w, const cJSON *number,
                       struct buf *out)
{
    buf_add_text(out, w->dialect->separator);
    if (cJSON_IsNumber(number))
        csv_cells_number(w->dialect, json_number(number), out);
}

void csv_details_record_cells(const struct csv_details *w, struct buf *out)
{
    static const char *const verdicts[] = {"read", "doubtful", "unread"};
    const char *verdict = json_get_text_or_empty(w->record, "verdict");
    const cJSON *review = json_get(w->record, "review");
    if (w->on[VERDICT]) buf_add_text(out, w->dialect->separator);
    for (int i = 0; w->on[VERDICT] && i < 3; i++)
        if (!strcmp(verdicts[i], verdict)) buf_add_text(out, verdict);
    if (w->on[REVIEW])
        buf_print(out, "%s%s", w->dialect->separator,
                  !cJSON_IsBool(review)  ? ""
                  : cJSON_IsTrue(review) ? "true"
                                         : "false");
}

void csv_details_cells(const struct csv_details *w, const char *pointer,
                       const cJSON *value, struct buf *out)
{
    struct csv_known k = {0};
    bool there = value != NULL;
    if (there) k = details_of(w, pointer, value);
    if (w->on[CONFIDENCE]) add_number(w, k.confidence, out);
    if (w->on[PAGE]) add_number(w, k.page, out);
    if (w->on[VERDICT])
        buf_print(out, "%s%s", w->dialect->separator, verdict_of(k.verdict));
    if (w->on[REVIEW])
        buf_print(out, "%s%s", w->dialect->separator,
                  !there     ? ""
                  : k.warned ? "true"
                             : "false");
}
