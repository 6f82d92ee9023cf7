/* reading_score.c - see reading_score.h. */
#include "pipeline/models/reading_score.h"

#include <math.h>
#include <string.h>

#include "pipeline/models/check_page.h"
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

struct reading {
    struct vlm *v;
    struct vlm_session *s;
    struct grammar *grammar;
};

static bool is_nuextract(const struct reading *r)
{
    const char *format = vlm_info(r->v)->prompt_format;
    return format && !strcmp(format, "nuextract");
}

static void read_prompt(struct reading *r, const struct schema *schema,
                        struct err *err)
{
    struct buf text = buf_limit(PROMPT_MOST);
    const char *format = vlm_info(r->v)->prompt_format;
    if (format && !strcmp(format, "outline"))
        prompt_outline(schema, &text, err);
    else if (is_nuextract(r))
        prompt_nuextract(schema, "", &text, err);
    else
        prompt_full(schema, "", &text);
    vlm_feed_text(r->s, span_of(CHAT_USER_BEGINS), true, err);
    vlm_feed_text(r->s, buf_span(&text), false, err);
    vlm_mark(r->s, POINT_PROMPT, err);
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

/* A probability below 1e-9 counts as 1e-9. */
static void add_log_p(struct reading_score *out,
                      const struct vlm_answer *answer)
{
    for (int i = 0; i < answer->n_leaf; i++)
        out->log_p += log(fmax(answer->leaf[i].p, 1e-9));
    out->n_value += answer->n_leaf;
}

static void read_page(struct reading *r, const struct check_page *page,
                      struct reading_score *out, struct err *err)
{
    const struct vlm_info *info = vlm_info(r->v);
    struct resize_size size =
        resize_fit(page->image.width_px, page->image.height_px, info->grid,
                   info->min_pixels, info->max_pixels, err);
    struct image fitted =
        resize_bicubic(&page->image, size.width_px, size.height_px, err);
    struct arena *arena = arena_new();
    struct vlm_request request = {.grammar = r->grammar,
                                  .dictated = buf_span(&page->answer),
                                  .max_tokens = info->n_ctx};
    struct vlm_answer answer = {.n_leaf = 0};
    vlm_rewind(r->s, POINT_PROMPT, err);
    vlm_feed_image(r->s, &fitted, err);
    if (is_nuextract(r))
        vlm_feed_text(r->s, span_of(PROMPT_NUEXTRACT_PAGE PROMPT_NUEXTRACT_END),
                      false, err);
    vlm_feed_text(r->s, span_of(CHAT_ANSWER_BEGINS), true, err);
    vlm_generate(r->s, &request, arena, &answer, err);
    if (!err_failed(err)) add_log_p(out, &answer);
    arena_free(arena);
    image_free(&fitted);
}

struct reading_score reading_score_measure(struct vlm *v, int n_page,
                                           int without, struct err *err)
{
    struct reading_score out = {.n_value = 0};
    struct reading r = {.v = v};
    if (err_failed(err)) return out;
    struct schema *schema =
        schema_parse(span_of(check_page_schema), "drawn page", NULL, err);
    if (!err_failed(err)) r.grammar = grammar_compile(schema, err);
    r.s = err_failed(err) ? NULL : vlm_session_open(v, err);
    if (!err_failed(err)) {
        vlm_check_leave_out(r.s, without);
        read_prompt(&r, schema, err);
    }
    for (int i = 0; i < n_page && !err_failed(err); i++) {
        struct check_page page =
            check_page_draw(side_for(vlm_info(v)), (uint32_t)i, err);
        if (!err_failed(err)) read_page(&r, &page, &out, err);
        check_page_free(&page);
    }
    vlm_session_close(r.s);
    grammar_free(r.grammar);
    schema_free(schema);
    return out;
}
