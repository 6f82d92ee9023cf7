/* heads_find.c - see heads_find.h. */
#include "pipeline/models/heads_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/models/heads_page.h"
#include "stages/engine/prompt.h"
#include "stages/engine/prompt_nuextract.h"
#include "vlm/base/resize.h"
#include "vlm/grammar/grammar.h"
#include "vlm/schema/schema.h"
#include "vlm/session/vlm_check.h"
#include "vlm/text/chat.h"
#include "vlm/vlm.h"

enum { SIDE_LEAST = 256, SIDE_MOST = 640, PROMPT_MOST = 1 << 20 };
enum { POINT_PROMPT };

/* A retrieval head hits at least this many times as often as chance. */
static const double chance_times = 4;

struct finder {
    struct vlm *v;
    struct vlm_session *s;
    struct grammar *grammar;
    struct heads_found *out;
    const struct heads_page *page;
    int held;         /* 1: a held-out page */
    char pointer[32]; /* value being copied */
    size_t at;        /* bytes of it copied so far */
    double chance;    /* sum over held-out tokens */
};

static const struct heads_value *find_value(const struct heads_page *page,
                                            const char *pointer)
{
    for (int i = 0; i < page->n_value; i++)
        if (!strcmp(page->value[i].pointer, pointer)) return &page->value[i];
    return NULL;
}

/* The box of the word that holds the token's first letter, or NULL if no word
 * does. Advances f->at in the value. */
static const struct box *box_of(struct finder *f,
                                const struct vlm_attention *attention)
{
    const struct heads_value *v = find_value(f->page, attention->pointer);
    if (!v) return NULL;
    if (strcmp(f->pointer, attention->pointer) != 0) {
        memcpy(f->pointer, v->pointer, sizeof f->pointer);
        f->at = 0;
    }
    struct span text = attention->text;
    size_t n = 0, first = f->at;
    while (n < text.size && v->text[f->at + n] &&
           v->text[f->at + n] == text.data[n])
        n++;
    f->at += n;
    if (n > 1 && v->text[first] == ' ') first++;
    if (n == 0) return NULL;
    int word = 0;
    while (word + 1 < v->n_word && v->word[word + 1].at <= (int)first)
        word++;
    return &v->word[word].box;
}

/* Does the cell touch the box? */
static bool is_on(const struct vlm_picture *p, int cell, const struct box *b)
{
    double x = cell % p->n_x, y = cell / p->n_x;
    return x < (b->x + b->w) * p->n_x && x + 1 > b->x * p->n_x &&
           y < (b->y + b->h) * p->n_y && y + 1 > b->y * p->n_y;
}

static void count_token(void *arg, const struct vlm_attention *attention)
{
    struct finder *f = arg;
    const struct vlm_picture *p = &attention->picture[0];
    const struct box *box = box_of(f, attention);
    int n_cell = p->n_y * p->n_x, n_on = 0;
    if (!box) return;
    f->out->n_token[f->held]++;
    for (int h = 0; h < attention->n_head; h++) {
        const float *weight =
            attention->weight + (size_t)h * (size_t)attention->n_key;
        int best = 0;
        double on_word = 0;
        n_on = 0;
        for (int i = 0; i < n_cell; i++) {
            if (weight[i] > weight[best]) best = i;
            if (!is_on(p, i, box)) continue;
            on_word += (double)weight[i];
            n_on++;
        }
        struct heads_score *score = &f->out->score[h];
        if (weight[best] > 0 && is_on(p, best, box)) score->n_hit[f->held]++;
        score->on_word += on_word;
    }
    if (f->held) f->chance += (double)n_on / n_cell;
}

static bool is_nuextract(const struct finder *f)
{
    const char *format = vlm_info(f->v)->prompt_format;
    return format && !strcmp(format, "nuextract");
}

static void read_prompt(struct finder *f, const struct schema *schema,
                        struct err *err)
{
    struct buf text = buf_limit(PROMPT_MOST);
    const char *format = vlm_info(f->v)->prompt_format;
    if (format && !strcmp(format, "outline"))
        prompt_outline(schema, &text, err);
    else if (is_nuextract(f))
        prompt_nuextract(schema, "", &text, err);
    else
        prompt_full(schema, "", &text);
    vlm_feed_text(f->s, span_of(CHAT_USER_BEGINS), true, err);
    vlm_feed_text(f->s, buf_span(&text), false, err);
    vlm_mark(f->s, POINT_PROMPT, err);
    buf_free(&text);
}

/* The side of a page that the model sees unscaled. */
static int side_for(const struct vlm_info *info)
{
    int side = (int)sqrt((double)info->max_pixels);
    if (side > SIDE_MOST) side = SIDE_MOST;
    side = side / info->grid * info->grid;
    return side > SIDE_LEAST ? side : SIDE_LEAST;
}

/* Would the model have written this answer unaided? It would if each token is
 * the most probable one. */
static bool answers_right(const struct vlm_answer *answer)
{
    for (int i = 0; i < answer->n_leaf; i++)
        if (answer->leaf[i].p < 0.5) return false;
    return true;
}

/* A probability below 1e-9 counts as 1e-9. */
static void add_log_p(struct heads_found *out, const struct vlm_answer *answer)
{
    for (int i = 0; i < answer->n_leaf; i++)
        out->log_p += log(fmax(answer->leaf[i].p, 1e-9));
    out->n_value += answer->n_leaf;
}

static void measure_page(struct finder *f, struct heads_page *page,
                         struct err *err)
{
    const struct vlm_info *info = vlm_info(f->v);
    struct resize_size size =
        resize_fit(page->image.width_px, page->image.height_px, info->grid,
                   info->min_pixels, info->max_pixels, err);
    struct image fitted =
        resize_bicubic(&page->image, size.width_px, size.height_px, err);
    struct arena *arena = arena_new();
    struct vlm_request request = {.grammar = f->grammar,
                                  .dictated = buf_span(&page->answer),
                                  .max_tokens = info->n_ctx};
    struct vlm_answer answer = {.n_leaf = 0};
    f->page = page;
    *f->pointer = '\0';
    vlm_rewind(f->s, POINT_PROMPT, err);
    vlm_feed_image(f->s, &fitted, err);
    if (is_nuextract(f))
        vlm_feed_text(f->s, span_of(PROMPT_NUEXTRACT_PAGE PROMPT_NUEXTRACT_END),
                      false, err);
    vlm_feed_text(f->s, span_of(CHAT_ANSWER_BEGINS), true, err);
    vlm_generate(f->s, &request, arena, &answer, err);
    f->out->n_read += !err_failed(err) && answers_right(&answer);
    if (!err_failed(err)) add_log_p(f->out, &answer);
    arena_free(arena);
    image_free(&fitted);
}

/* Sorts by hits on the selection pages, most first. */
static int better_first(const void *a, const void *b)
{
    const struct heads_score *one = a, *two = b;
    if (one->n_hit[0] != two->n_hit[0])
        return one->n_hit[0] > two->n_hit[0] ? -1 : 1;
    int by_layer = one->layer - two->layer;
    return by_layer ? by_layer : one->head - two->head;
}

/* Keeps the best heads that hit often enough on both sets of pages. */
static void choose_heads(struct finder *f, int n_page)
{
    struct heads_found *out = f->out;
    struct retrieval_heads *heads = &out->heads;
    qsort(out->score, (size_t)out->n_score, sizeof *out->score, better_first);
    if (!out->n_token[0] || !out->n_token[1]) return;
    heads->n_page = n_page;
    heads->n_token = out->n_token[1];
    heads->chance = f->chance / out->n_token[1];
    double least =
        fmax(retrieval_heads_hits_least, chance_times * heads->chance);
    for (int i = 0; i < out->n_score && heads->n_head < RETRIEVAL_HEADS_MAX;
         i++) {
        const struct heads_score *s = &out->score[i];
        double chosen = (double)s->n_hit[0] / out->n_token[0];
        double held = (double)s->n_hit[1] / out->n_token[1];
        if (chosen < least || held < least) continue;
        heads->head[heads->n_head].layer = s->layer;
        heads->head[heads->n_head].head = s->head;
        heads->head[heads->n_head++].hits = held;
    }
}

static void measure_pages(struct finder *f, int n_page, struct err *err)
{
    const struct vlm_info *info = vlm_info(f->v);
    int n = info->n_layer * info->n_head, side = side_for(info);
    struct vlm_head *head = mem_alloc((size_t)n, sizeof *head);
    f->out->n_score = n;
    f->out->score = mem_alloc((size_t)n, sizeof *f->out->score);
    for (int i = 0; i < n; i++) {
        head[i] = (struct vlm_head){i / info->n_head, i % info->n_head};
        f->out->score[i] =
            (struct heads_score){.layer = head[i].layer, .head = head[i].head};
    }
    vlm_probe_heads(f->s, head, n, count_token, f);
    for (int i = 0; i < 2 * n_page && !err_failed(err); i++) {
        struct heads_page page = heads_page_draw(side, (uint32_t)i, err);
        f->held = i % 2;
        if (!err_failed(err)) measure_page(f, &page, err);
        heads_page_free(&page);
    }
    mem_free(head);
}

struct heads_found heads_find(struct vlm *v, int n_page, int without,
                              struct err *err)
{
    struct heads_found out = {.n_score = 0};
    struct finder f = {.v = v, .out = &out};
    if (err_failed(err)) return out;
    if (!vlm_info(v)->has_vision) {
        err_set(err, ERR_ARGS,
                "heads can only be found in a model with a vision file: add "
                "--mmproj FILE");
        return out;
    }
    struct schema *schema =
        schema_parse(span_of(heads_page_schema), "heads", NULL, err);
    if (!err_failed(err)) f.grammar = grammar_compile(schema, err);
    f.s = err_failed(err) ? NULL : vlm_session_open(v, err);
    if (!err_failed(err)) {
        vlm_check_leave_out(f.s, without);
        read_prompt(&f, schema, err);
        measure_pages(&f, n_page, err);
        choose_heads(&f, n_page);
    }
    vlm_session_close(f.s);
    grammar_free(f.grammar);
    schema_free(schema);
    return out;
}
