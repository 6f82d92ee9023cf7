/* finding.c - description of errors, for people and for the retry prompt; see
 * validate.h. */
#include <stdarg.h>
#include <stdio.h>

#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/validate.h"

static void add_step(struct buf *out, const struct place *place)
{
    if (!place) return;
    add_step(out, place->parent);
    if (place->name)
        json_pointer_add(out, place->name);
    else
        json_pointer_add_index(out, place->index);
}

static const char *move_text(struct arena *arena, struct buf *text)
{
    const char *copy = arena_copy(arena, buf_span(text));
    buf_free(text);
    return copy;
}

const char *finding_place(struct arena *arena, const struct place *place)
{
    struct buf text = buf_limit(1 << 20);
    add_step(&text, place);
    return move_text(arena, &text);
}

const char *finding_value(struct validation *r, const cJSON *value)
{
    if (!r->list) return "";
    /* a long value stops printing early, but its end must be whole UTF-8 */
    struct buf text = buf_limit(1 << 16);
    json_print_stream(&text, value, 0, r->stream);
    if (text.size > VALIDATE_FOUND_MOST) {
        buf_cut(&text, utf8_cut(text.data, VALIDATE_FOUND_MOST - 3));
        buf_add_text(&text, "...");
    }
    return move_text(r->scratch, &text);
}

const char *finding_names(struct validation *r, const cJSON *list)
{
    if (!r->list) return "";
    struct buf text = buf_limit(VALIDATE_WANTED_MOST);
    for (const cJSON *x = list ? list->child : NULL; x; x = x->next) {
        struct buf one = buf_limit(1 << 16);
        if (cJSON_IsObject(list))
            json_print_string(&one, span_of(x->string));
        else
            json_print(&one, x, 0);
        if (text.size + one.size + 16 > text.most) {
            buf_add_text(&text, ", ...");
            buf_free(&one);
            break;
        }
        buf_print(&text, "%s%s", text.size ? x->next ? ", " : " or " : "",
                  one.data);
        buf_free(&one);
    }
    return move_text(r->scratch, &text);
}

bool finding_add(struct validation *r, const struct node *node,
                 const struct keyword_rule *rule, const struct spot *spot,
                 enum rank rank, const char *wanted, ...)
{
    if (!r->list || r->list->n_finding >= VALIDATE_FINDING_MAX) return false;
    char text[VALIDATE_WANTED_MOST + 100];
    va_list args;
    va_start(args, wanted);
    vsnprintf(text, sizeof text, wanted, args);
    va_end(args);
    r->list->finding[r->list->n_finding++] = (struct finding){
        .instance = finding_place(r->keep, spot->place),
        .schema = arena_text(r->keep, "%s%s%s", node->pointer, rule ? "/" : "",
                             rule ? keyword_name(rule->id) : ""),
        .found = arena_copy(r->keep, span_of(finding_value(r, spot->value))),
        .wanted = arena_copy(r->keep, span_of(text)),
        .rank = (int)rank};
    return false;
}

void finding_sort(struct finding *finding, int n)
{
    /* insertion sort: few items, and equal ranks keep their order */
    for (int i = 1; i < n; i++) {
        struct finding moved = finding[i];
        int k = i;
        for (; k > 0 && finding[k - 1].rank > moved.rank; k--)
            finding[k] = finding[k - 1];
        finding[k] = moved;
    }
}
