/* ask_region.c - one question about a page or a part of one (long_inside.h). */
#include "stages/ask/page_text_prompt.h"
#include "stages/ask/question.h"
#include "stages/long/long_inside.h"

#include "vlm/json/json.h"

enum { CONTEXT_MAX = 4000, PICTURE_TOKENS = 24 };

/* Tells the model what precedes the part, if it understands text. */
static void add_context(struct long_document *w)
{
    struct engine *engine = w->r->context->engine;
    if (!engine->api->context) return;
    /* asked ahead: the end of the page before is not known yet */
    bool knows_last = engine_facts(engine)->n_flight < 2;
    struct buf text = buf_limit(CONTEXT_MAX);
    for (int i = 0; i < w->plan->n_array; i++) {
        const cJSON *header = cJSON_GetArrayItem(w->header, i);
        const cJSON *row = json_get(cJSON_GetArrayItem(w->last, i), "row");
        if (!knows_last) row = NULL;
        if (!cJSON_IsString(header) && !row) continue;
        buf_print(&text, "Before this page, table \"%s\"",
                  w->plan->array[i].window + 1);
        if (cJSON_IsString(header)) {
            buf_add_text(&text, ", headed ");
            json_print(&text, header, 0);
        }
        if (row) {
            buf_add_text(&text, ", ended with this row, which is not to be "
                                "given again: ");
            json_print(&text, row, 0);
        }
        buf_add_text(&text, "\n");
    }
    if (text.size) engine->api->context(engine, text.data, w->r->err);
    buf_free(&text);
}

static const struct schema *schema_of(const struct long_document *w,
                                      const struct part *part)
{
    return part->scalars || !w->plan->rows ? w->plan->first : w->plan->rows;
}

/* Estimated tokens of a question about the part. */
static int tokens_of(const struct long_document *w, const struct part *part)
{
    int64_t area = (int64_t)part->image->width_px * part->image->height_px;
    int64_t side = w->r->target.grid;
    return w->prompt_tokens + CONTEXT_MAX / 4 + PICTURE_TOKENS +
           (int)(area / (side * side));
}

/* The part as a box of the displayed page, over its whole width. */
static struct box heights_of(const struct long_document *w,
                             const struct part *part)
{
    struct box prepared = {0, part->top, 1, part->bottom - part->top};
    return part->depth
               ? prepare_to_page(&w->r->doc->page[part->index], prepared)
               : (struct box){0, 0, 1, 1};
}

/* The question is text (add_text), then the picture of the part (add_picture). */
static void add_text(struct long_document *w)
{
    struct document_run *r = w->r;
    struct engine *engine = r->context->engine;
    page_text_prompt_begin(r);
    engine->api->begin(engine, r->doc, r->err);
    if (!err_failed(r->err)) add_context(w);
}

static void add_picture(struct long_document *w, const struct part *part)
{
    struct document_run *r = w->r;
    struct engine *engine = r->context->engine;
    struct view view = {.image = part->image,
                        .page = &r->doc->page[part->index]};
    page_text_prompt_add(r, part->index, part->top, part->bottom,
                         page_text_prompt_budget(r, 1, tokens_of(w, part)));
    if (!err_failed(r->err)) engine->api->page(engine, r->doc, &view, r->err);
}

static struct question question_of(const struct long_document *w,
                                   const struct part *part)
{
    struct box heights = heights_of(w, part);
    return (struct question){.from = part->index,
                             .to = part->index + 1,
                             .part = true,
                             .top = heights.y,
                             .bottom = heights.y + heights.h,
                             .n_token = tokens_of(w, part)};
}

/* The answer that exists already, or a new one. */
static cJSON *answer_of(struct long_document *w, const struct question *q)
{
    cJSON *given = w->given;
    if (err_failed(w->r->err)) return NULL;
    w->given = NULL;
    return given ? given : question_ask(w->r, q);
}

static cJSON *ask_once(struct long_document *w, const struct part *part)
{
    struct document_run *r = w->r;
    struct question q = question_of(w, part);
    document_run_enter(r, "prompt");
    add_text(w);
    document_run_enter(r, "extract");
    add_picture(w, part);
    return answer_of(w, &q);
}

cJSON *ask_region(struct long_document *w, const struct part *part)
{
    struct document_run *r = w->r;
    struct document *doc = r->doc;
    const struct schema *real = doc->schema;
    doc->schema = schema_of(w, part);
    doc->prompt = w->prompt;
    cJSON *value = ask_once(w, part);
    if (!value && page_text_prompt_was_too_long(r)) {
        value = ask_once(w, part);
        r->no_page_text = false;
    }
    doc->schema = real;
    doc->prompt = w->real_prompt;
    return value;
}

bool ask_region_ask_ahead(struct long_document *w, const struct part *part)
{
    struct document_run *r = w->r;
    struct document *doc = r->doc;
    struct engine *engine = r->context->engine;
    const struct schema *real = doc->schema;
    struct question q = question_of(w, part);
    struct engine_try now = {.attempt = 1,
                             .max_tokens = question_budget(r, &q)};
    if (err_failed(r->err)) return false;
    doc->schema = schema_of(w, part);
    doc->prompt = w->prompt;
    add_text(w);
    add_picture(w, part);
    bool sent = engine->api->ahead(engine, doc, &now, r->err);
    doc->schema = real;
    doc->prompt = w->real_prompt;
    return sent;
}

cJSON *ask_region_ask_lines(struct long_document *w, const struct part *part,
                            const char *lines)
{
    struct document_run *r = w->r;
    struct document *doc = r->doc;
    const struct schema *real = doc->schema;
    struct question q = question_of(w, part);
    q.lines = lines;
    if (err_failed(r->err)) return NULL;
    doc->schema = schema_of(w, part);
    cJSON *value = question_ask(r, &q);
    doc->schema = real;
    question_forgive(r->err);
    return value;
}
