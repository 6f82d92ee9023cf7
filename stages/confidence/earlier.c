/* earlier.c - see earlier.h. */
#include "stages/confidence/earlier.h"

#include <stdio.h>
#include <string.h>

#include "stages/document/warnings.h"
#include "stages/print/vocabulary.h"
#include "stages/process/message.h"
#include "vlm/base/buf.h"
#include "vlm/base/exact_sum.h"
#include "vlm/base/text.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

/* --- questions ------------------------------------------------------------ */

bool earlier_is_check(const cJSON *check)
{
    return json_get(check, "unique") || json_get(check, "same");
}

static void add_question(struct earlier_questions *all,
                         struct earlier_question q, const struct schema *schema,
                         struct arena *arena)
{
    struct buf key = buf_limit(4096);
    int n = q.unique ? q.n_pointer : q.example ? 0 : 1;
    if (all->n == EARLIER_MOST) return;
    buf_print(&key, "%s %s", schema_name(schema),
              q.unique    ? "unique"
              : q.example ? "examples"
                          : "same");
    for (int i = 0; i < n; i++)
        buf_print(&key, " %s", q.pointer[i]);
    if (!q.unique) buf_print(&key, " by %s", q.sender);
    q.key = arena_copy(arena, buf_span(&key));
    buf_free(&key);
    *ARENA_ADD(arena, all->question, all->n) = q;
}

static void add_unique(struct earlier_questions *all, const cJSON *list,
                       const struct schema *schema, struct arena *arena)
{
    struct earlier_question q = {.unique = true};
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, list)
    {
        if (cJSON_IsString(each) && q.n_pointer < EARLIER_POINTERS)
            q.pointer[q.n_pointer++] = each->valuestring;
    }
    q.sender = q.pointer[0];
    if (q.n_pointer) add_question(all, q, schema, arena);
}

struct earlier_questions earlier_questions_of(const struct schema *schema,
                                              struct arena *arena)
{
    struct earlier_questions all = {.n = 0};
    const cJSON *check = NULL, *each = NULL;
    cJSON_ArrayForEach(check, json_get(schema_root(schema), "x-platen-check"))
    {
        const char *by = json_get_text(check, "by");
        const cJSON *unique = json_get(check, "unique");
        if (unique) add_unique(&all, unique, schema, arena);
        cJSON_ArrayForEach(each, json_get(check, "same"))
        {
            struct earlier_question q = {.sender = by, .n_pointer = 1};
            q.pointer[0] = each->valuestring;
            if (by && q.pointer[0]) add_question(&all, q, schema, arena);
        }
    }
    if (all.n)
        add_question(&all,
                     (struct earlier_question){
                         .example = true, .sender = all.question[0].sender},
                     schema, arena);
    return all;
}

const struct earlier_question *earlier_example(
    const struct earlier_questions *q)
{
    const struct earlier_question *last = q->n ? &q->question[q->n - 1] : NULL;
    return last && last->example ? last : NULL;
}

/* --- comparison ------------------------------------------------------------ */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

/* Appends the word without punctuation; one between two digits becomes '-', so
 * that 1.15 is not 115. Returns the number of bytes. */
static size_t add_word(const char *word, size_t size, char *out)
{
    size_t n = 0;
    bool dropped = false;
    for (size_t i = 0; i < size; i++) {
        char c = word[i];
        if (!is_letter(c) && !text_is_digit(c)) {
            dropped = true;
            continue;
        }
        if (dropped && n && text_is_digit(c) && text_is_digit(out[n - 1]))
            out[n++] = '-';
        out[n++] = c;
        dropped = false;
    }
    return n;
}

static const char breaks[] = " \t\r\n&+,;/|()";

/* The size without words of company forms at its end, one word at least is
 * left. */
static size_t without_forms(const char *text, const size_t *start, int n_word,
                            size_t size)
{
    while (n_word > 1 &&
           vocabulary_is(text + start[n_word - 1], size - start[n_word - 1],
                         VOCABULARY_COMPANY))
        size = start[--n_word];
    return size;
}

void earlier_fold(const char *text, char out[static EARLIER_TEXT])
{
    char folded[4 * EARLIER_TEXT];
    size_t start[EARLIER_TEXT], n = 0;
    int n_word = 0;
    utf8_fold(text, folded, sizeof folded);
    out[0] = '\0';
    if (strlen(folded) >= EARLIER_TEXT) return;
    for (const char *at = folded + strspn(folded, breaks); *at;) {
        size_t size = strcspn(at, breaks), gap = strspn(at + size, breaks);
        bool figures = n && text_is_digit(out[n - 1]) && text_is_digit(*at) &&
                       !strchr(" \t\r\n", at[-1]);
        if (n + 2 * size + 2 > EARLIER_TEXT) return;
        start[n_word] = n;
        if (figures) out[n++] = '-';
        size_t added = add_word(at, size, out + n);
        n_word += added > 0;
        n += added;
        at += size + gap;
    }
    out[without_forms(out, start, n_word, n)] = '\0';
}

/* A number without zeros at the end of its decimals. */
static void fold_number(const char *number, char out[static EARLIER_TEXT])
{
    struct exact_sum sum;
    struct buf text = buf_limit(EARLIER_TEXT);
    if (exact_sum_read(number, &sum))
        exact_sum_print(exact_sum_shorten(sum), &text);
    else
        buf_add_text(&text, number);
    snprintf(out, EARLIER_TEXT, "%s", text.full ? "" : buf_span(&text).data);
    buf_free(&text);
}

/* A text that is a number counts as one. False: there is nothing to compare. */
static bool fold_value(const cJSON *value, char folded[static EARLIER_TEXT],
                       char text[static EARLIER_TEXT])
{
    struct exact_sum sum;
    bool number = cJSON_IsNumber(value);
    if (!number && !cJSON_IsString(value)) return false;
    const char *read = number ? json_number(value) : value->valuestring;
    snprintf(text, EARLIER_TEXT, "%s", read);
    message_clean(text, EARLIER_TEXT);
    if (number || exact_sum_read(read, &sum))
        fold_number(read, folded);
    else
        earlier_fold(read, folded);
    return *folded;
}

void earlier_sender(const struct earlier_questions *q, const cJSON *data,
                    char out[static EARLIER_TEXT])
{
    char text[EARLIER_TEXT];
    const struct earlier_question *by = earlier_example(q);
    out[0] = '\0';
    if (by) fold_value(json_pointer_find(data, by->sender), out, text);
}

/* --- what is confirmed ------------------------------------------------------ */

static bool is_own_code(const char *code)
{
    return !strcmp(code, warnings_name(WARN_DUPLICATE)) ||
           !strcmp(code, warnings_name(WARN_DIFFERS_FROM_EARLIER));
}

/* Whether a warning of the record says that the value differs from earlier ones (own), or
 * anything else of it. */
static bool is_warned(const cJSON *record, const char *pointer, bool own)
{
    const cJSON *w = NULL;
    bool warned = false;
    cJSON_ArrayForEach(w, json_get(record, "warnings"))
    {
        const char *code = json_get_text_or_empty(w, "code");
        if (!strcmp(json_get_text_or_empty(w, "pointer"), pointer))
            warned |=
                own ? !strcmp(code, warnings_name(WARN_DIFFERS_FROM_EARLIER))
                    : !is_own_code(code);
    }
    return warned;
}

static bool is_of_invoice(const cJSON *field)
{
    const cJSON *e = NULL;
    cJSON_ArrayForEach(e, json_get(field, "evidence"))
    {
        if (!strcmp(json_get_text_or_empty(e, "source"), "e-invoice") &&
            strcmp(json_get_text_or_empty(e, "match"), "different") != 0)
            return true;
    }
    return false;
}

static bool is_confirmed(const cJSON *record, const char *pointer)
{
    const cJSON *field = json_get(json_get(record, "fields"), pointer);
    if (!strcmp(json_get_text_or_empty(field, "source"), "person")) return true;
    return !is_warned(record, pointer, false) &&
           (!strcmp(json_get_text_or_empty(field, "verdict"), "agree") ||
            is_of_invoice(field));
}

/* --- answers ----------------------------------------------------------------- */

struct answering {
    const cJSON *record;
    bool reviewed;
    struct earlier_value *to;
};

/* Takes over the value at the pointer. False: it does not count. */
static bool take(struct answering *a, const char *pointer,
                 char folded[static EARLIER_TEXT],
                 char text[static EARLIER_TEXT])
{
    return (is_confirmed(a->record, pointer) || a->reviewed) &&
           fold_value(json_pointer_find(json_get(a->record, "data"), pointer),
                      folded, text);
}

/* The values after the sender's, joined; nobody reads them. */
static bool take_unique(struct answering *a, const struct earlier_question *q)
{
    char folded[EARLIER_TEXT], text[EARLIER_TEXT];
    struct buf value = buf_limit(EARLIER_TEXT - 1);
    bool all = true;
    for (int i = 1; all && i < q->n_pointer; i++) {
        all = take(a, q->pointer[i], folded, text);
        if (all) buf_print(&value, "%s%s", i > 1 ? "|" : "", folded);
    }
    all = all && !value.full;
    if (all && value.size) memcpy(a->to->value, value.data, value.size);
    buf_free(&value);
    return all;
}

static bool answer(struct answering *a, const struct earlier_question *q)
{
    struct earlier_value *v = a->to;
    if (!take(a, q->sender, v->sender, v->name)) return false;
    if (q->example) return a->reviewed;
    if (q->unique) return take_unique(a, q);
    v->differs = is_warned(a->record, q->pointer[0], true);
    return take(a, q->pointer[0], v->value, v->text);
}

struct earlier_values earlier_values_of(const struct earlier_questions *q,
                                        const cJSON *record, bool reviewed,
                                        struct arena *arena)
{
    struct earlier_values all = {.n = 0};
    for (int i = 0; i < q->n; i++) {
        struct earlier_value v = {.question = i};
        struct answering a = {record, reviewed, &v};
        if (answer(&a, &q->question[i]))
            *ARENA_ADD(arena, all.value, all.n) = v;
    }
    return all;
}

/* --- the record --------------------------------------------------------------- */

static void drop_own(cJSON *warnings)
{
    cJSON *next = NULL;
    for (cJSON *w = warnings->child; w; w = next) {
        next = w->next;
        if (is_own_code(json_get_text_or_empty(w, "code")))
            cJSON_Delete(cJSON_DetachItemViaPointer(warnings, w));
    }
}

/* Where a person looks: a sender has many documents. */
static const char *place_of(const struct earlier_question *q)
{
    return q->pointer[q->n_pointer > 1];
}

cJSON *earlier_warning(const struct earlier_finding *finding)
{
    const struct earlier_question *q = finding->question;
    cJSON *w = cJSON_CreateObject();
    struct buf text = buf_limit(1 << 16);
    buf_print(&text, "review %s: %s", place_of(q), finding->text);
    cJSON_AddStringToObject(
        w, "code",
        warnings_name(q->unique ? WARN_DUPLICATE : WARN_DIFFERS_FROM_EARLIER));
    cJSON_AddStringToObject(w, "pointer", place_of(q));
    cJSON_AddStringToObject(w, "text", buf_span(&text).data);
    buf_free(&text);
    return w;
}

void earlier_amend(cJSON *record, const struct earlier_finding *finding, int n)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(record, "warnings");
    if (!list) list = cJSON_AddArrayToObject(record, "warnings");
    drop_own(list);
    for (int i = 0; i < n; i++)
        cJSON_AddItemToArray(list, earlier_warning(&finding[i]));
    cJSON_ReplaceItemInObjectCaseSensitive(record, "review",
                                           cJSON_CreateTrue());
}
