/* answers_text.c - see answers_text.h. */
#include "stages/engine/answers_text.h"

#include "vlm/base/json.h"

struct answers_text answers_text_of(const struct document *doc)
{
    return (struct answers_text){.n_prompt = doc->n_prompt_tokens,
                                 .n_sampled = doc->n_sampled,
                                 .n_forced = doc->n_forced};
}

/* --- as a line ------------------------------------------------------------ */

static void add_exact(cJSON *list, double value)
{
    cJSON_AddItemToArray(list, json_new_exact(value));
}

static cJSON *field_line(const struct field *f)
{
    cJSON *line = cJSON_CreateArray();
    cJSON_AddItemToArray(line, cJSON_CreateString(f->pointer));
    const double number[] = {
        f->p,       f->p_legal,    f->p_min,        f->p_kin,
        f->n_token, f->unmeasured, f->legal_unknown};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        add_exact(line, number[i]);
    return line;
}

static void add_place(cJSON *list, const struct field_place *p)
{
    add_exact(list, p->page);
    add_exact(list, p->box.x);
    add_exact(list, p->box.y);
    add_exact(list, p->box.w);
    add_exact(list, p->box.h);
    add_exact(list, p->weight);
}

/* The print first, then where was looked. */
static cJSON *look_line(const struct field_look *look)
{
    cJSON *line = cJSON_CreateArray();
    add_place(line, &look->ink);
    for (int i = 0; i < look->n_place; i++)
        add_place(line, &look->place[i]);
    return line;
}

static cJSON *told_line(const struct document_told *told)
{
    cJSON *line = cJSON_CreateArray();
    for (int i = 0; i < told->n; i++) {
        add_exact(line, (double)told->token[i].end);
        add_exact(line, told->token[i].log_p);
    }
    return line;
}

void answers_text_print(const struct answers_text *before,
                        const struct document *doc, struct buf *out)
{
    cJSON *fields = cJSON_CreateArray(), *looks = cJSON_CreateArray();
    cJSON *told = told_line(&doc->told);
    for (int i = 0; i < doc->n_field; i++)
        cJSON_AddItemToArray(fields, field_line(&doc->field[i]));
    for (int i = 0; doc->look && i < doc->n_field; i++)
        cJSON_AddItemToArray(looks, look_line(&doc->look[i]));
    buf_print(out, "\"tokens\":[%d,%d,%d,%d],\"answer\":",
              doc->n_prompt_tokens - before->n_prompt,
              doc->n_sampled - before->n_sampled,
              doc->n_forced - before->n_forced, before->room);
    json_print_string(out, doc->answer);
    buf_add_text(out, ",\"fields\":");
    json_print(out, fields, 0);
    buf_print(out, ",\"looked\":%s,\"look\":", doc->look ? "true" : "false");
    json_print(out, looks, 0);
    buf_add_text(out, ",\"told\":");
    json_print(out, told, 0);
    buf_add_text(out, "}\n");
    cJSON_Delete(fields);
    cJSON_Delete(looks);
    cJSON_Delete(told);
}

/* --- and back -------------------------------------------------------------- */

/* The next number of a list, 0 behind its end; moves on. */
static double next_number(const cJSON **at)
{
    double value = cJSON_IsNumber(*at) ? (*at)->valuedouble : 0;
    if (*at) *at = (*at)->next;
    return value;
}

static struct field take_field(const cJSON *line, struct arena *arena)
{
    const cJSON *at = line->child;
    const char *pointer = cJSON_IsString(at) ? at->valuestring : "";
    struct field f = {.pointer = arena_copy(arena, span_of(pointer))};
    if (at) at = at->next;
    f.p = next_number(&at);
    f.p_legal = next_number(&at);
    f.p_min = next_number(&at);
    f.p_kin = next_number(&at);
    f.n_token = (int)next_number(&at);
    f.unmeasured = next_number(&at) > 0;
    f.legal_unknown = next_number(&at) > 0;
    return f;
}

static struct field_place take_place(const cJSON **at)
{
    struct field_place p;
    p.page = (int)next_number(at);
    p.box.x = next_number(at);
    p.box.y = next_number(at);
    p.box.w = next_number(at);
    p.box.h = next_number(at);
    p.weight = next_number(at);
    return p;
}

static struct field_look take_look(const cJSON *line, struct arena *arena)
{
    const cJSON *at = line->child;
    struct field_look look = {.ink = take_place(&at)};
    int n = cJSON_GetArraySize(line) / 6 - 1;
    struct field_place *place =
        n > 0 ? arena_array(arena, (size_t)n, sizeof *place) : NULL;
    for (int i = 0; i < n; i++)
        place[i] = take_place(&at);
    look.place = place;
    look.n_place = n > 0 ? n : 0;
    return look;
}

static void take_fields(const cJSON *o, struct document *doc)
{
    const cJSON *fields = json_get(o, "fields"), *line = NULL;
    size_t n = (size_t)cJSON_GetArraySize(fields), i = 0;
    doc->field = arena_array(doc->scratch, n, sizeof *doc->field);
    doc->n_field = (int)n;
    cJSON_ArrayForEach(line, fields)
    {
        doc->field[i++] = take_field(line, doc->scratch);
    }
    doc->look = NULL;
    if (!cJSON_IsTrue(json_get(o, "looked"))) return;
    doc->look = arena_array(doc->scratch, n, sizeof *doc->look);
    i = 0;
    cJSON_ArrayForEach(line, json_get(o, "look"))
    {
        if (i < n) doc->look[i++] = take_look(line, doc->scratch);
    }
}

static void take_told(const cJSON *o, struct document *doc)
{
    const cJSON *told = json_get(o, "told"), *at = told ? told->child : NULL;
    int n = cJSON_GetArraySize(told) / 2;
    struct document_token *token =
        arena_array(doc->scratch, (size_t)n, sizeof *token);
    for (int i = 0; i < n; i++) {
        token[i].end = (size_t)next_number(&at);
        token[i].log_p = next_number(&at);
    }
    doc->told = (struct document_told){token, n};
}

bool answers_text_take(struct span line, struct document *doc, int *room)
{
    struct err bad = {0};
    cJSON *o = json_parse(line, &bad);
    const char *answer = json_get_text(o, "answer");
    const cJSON *tokens = json_get(o, "tokens");
    bool whole = answer && cJSON_GetArraySize(tokens) == 4;
    if (whole) {
        const cJSON *at = tokens->child;
        size_t n = strlen(answer);
        doc->n_prompt_tokens += (int)next_number(&at);
        doc->n_sampled += (int)next_number(&at);
        doc->n_forced += (int)next_number(&at);
        *room = (int)next_number(&at);
        doc->answer = (struct span){
            arena_copy(doc->scratch, (struct span){answer, n}), n};
        take_fields(o, doc);
        take_told(o, doc);
    }
    cJSON_Delete(o);
    return whole;
}

void answers_text_page(const struct view *view, const char *pixels,
                       struct buf *out)
{
    const struct page *p = view->page;
    const struct page_shown *s = &p->shown;
    buf_print(
        out, "page %d of %d x %d, %d x %d, %.17g %.17g, %.17g %.17g %.17g",
        p->number, p->width_px, p->height_px, p->fitted_width_px,
        p->fitted_height_px, p->dpi, p->skew_degrees, s->x, s->w, s->scale);
    for (int i = 0; i < s->n_band; i++)
        buf_print(out, " %.17g-%.17g", s->band[i].from, s->band[i].to);
    buf_print(out, "\n%d x %d %d %.17g %s\n", view->image->width_px,
              view->image->height_px, view->image->n_channel, view->top,
              pixels);
}
