/* model_check.c - see model_check.h. */
#include "pipeline/models/model_check.h"

#include <cairo.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "stages/engine/prompt.h"
#include "stages/engine/prompt_nuextract.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/base/resize.h"
#include "vlm/grammar/grammar.h"
#include "vlm/schema/schema.h"
#include "vlm/session/vlm_check.h"
#include "vlm/text/chat.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm.h"

/* --- check page -------------------------------------------------------- */

/* A small drawn receipt whose right answer is known, for
 * measuring how well a model reads (model_check.c).
 *
 * Words are made up and amounts are random, so that nothing on it can be
 * guessed. The same seed and the same installed fonts give the same page.
 */

struct check_page {
    struct image image; /* RGB */
    struct buf answer;  /* complete, compact JSON, valid for the schema */
};

enum { ITEM_MAX = 10, ANSWER_MOST = 8000, MARGIN = 10 };

static const double pitch = 1.5, gap = 0.28; /* of the letters' size */

/* JSON Schema of the answers. */
static const char page_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"merchant\":{\"type\":\"string\"},"
    "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"price\":{\"type\":\"number\"}},"
    "\"required\":[\"name\",\"price\"],\"additionalProperties\":false}},"
    "\"total\":{\"type\":\"number\"}},"
    "\"required\":[\"merchant\",\"items\",\"total\"],"
    "\"additionalProperties\":false}";

struct pen {
    struct check_page *page;
    cairo_t *cr;
    uint32_t seed;
    double size, y, side;
    struct err *err;
};

static int random_below(struct pen *p, int n)
{
    p->seed = p->seed * 1664525 + 1013904223;
    return (int)((p->seed >> 8) % (uint32_t)n);
}

/* A made-up word such as "Tabiro". */
static void make_word(struct pen *p, char *out, size_t size)
{
    static const char consonant[] = "bcdfghjklmnprstvwz", vowel[] = "aeiou";
    size_t n = 0, most = 4 + 2 * (size_t)random_below(p, 2);
    while (n < most && n + 2 < size) {
        out[n++] = consonant[random_below(p, (int)sizeof consonant - 1)];
        out[n++] = vowel[random_below(p, (int)sizeof vowel - 1)];
    }
    out[0] = (char)(out[0] - 'a' + 'A');
    out[n] = '\0';
}

static double text_width(const struct pen *p, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(p->cr, text, &extents);
    return extents.x_advance;
}

static void draw_word(struct pen *p, double x, const char *word)
{
    cairo_text_extents_t e;
    cairo_text_extents(p->cr, word, &e);
    cairo_move_to(p->cr, x, p->y);
    cairo_show_text(p->cr, word);
    if (!(e.width > 0))
        err_set(p->err, ERR_MISSING,
                "no font to draw pages with: install one, such as "
                "fonts-dejavu-core");
}

/* Draws the words of a value from x on. */
static void draw_value(struct pen *p, double x, const char *text)
{
    for (const char *at = text; *at;) {
        char word[48];
        size_t n = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        draw_word(p, x, word);
        x += text_width(p, word) + gap * p->size;
        at += n + (at[n] == ' ');
    }
}

/* Draws an amount at the right margin and adds it to the answer. */
static void draw_amount(struct pen *p)
{
    char text[16];
    snprintf(text, sizeof text, "%d.%02d", 1 + random_below(p, 98),
             random_below(p, 100));
    draw_value(p, p->side - MARGIN - text_width(p, text), text);
    buf_add_text(&p->page->answer, text);
}

/* A name of one or two words that leaves space for an amount. */
static void make_name(struct pen *p, char *out, size_t size)
{
    char one[20], two[20];
    do {
        make_word(p, one, sizeof one);
        make_word(p, two, sizeof two);
        if (random_below(p, 2))
            snprintf(out, size, "%s", one);
        else
            snprintf(out, size, "%s %s", one, two);
    } while (text_width(p, out) > p->side * 0.6);
}

static void draw_item(struct pen *p, int i)
{
    char name[48];
    make_name(p, name, sizeof name);
    draw_value(p, MARGIN + random_below(p, 6), name);
    buf_print(&p->page->answer, "%s{\"name\":\"%s\",\"price\":", i ? "," : "",
              name);
    draw_amount(p);
    buf_add_text(&p->page->answer, "}");
    p->y += pitch * p->size;
}

static void draw_page(struct pen *p)
{
    char merchant[48];
    int n_line = (int)((p->side - 2 * MARGIN) / (pitch * p->size)) - 4;
    int n_item = 2 + random_below(p, 3);
    if (n_line > 5) n_item += random_below(p, n_line - 4);
    if (n_item > ITEM_MAX) n_item = ITEM_MAX;
    p->y = MARGIN + p->size + random_below(p, 12);
    make_name(p, merchant, sizeof merchant);
    draw_value(p, (p->side - text_width(p, merchant)) / 2, merchant);
    buf_print(&p->page->answer, "{\"merchant\":\"%s\",\"items\":[", merchant);
    p->y += 1.5 * pitch * p->size;
    for (int i = 0; i < n_item; i++)
        draw_item(p, i);
    p->y += random_below(p, 8);
    draw_word(p, MARGIN, "Total");
    buf_add_text(&p->page->answer, "],\"total\":");
    draw_amount(p);
    buf_add_text(&p->page->answer, "}");
}

/* The surface's pixels (32 bits: blue, green, red, none) as RGB. */
static void copy_pixels(cairo_surface_t *surface, struct image *out)
{
    cairo_surface_flush(surface);
    const uint8_t *from = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    for (int y = 0; y < out->height_px; y++) {
        uint8_t *to = image_row(out, y);
        for (int x = 0; x < out->width_px; x++, to += 3) {
            uint32_t pixel;
            memcpy(&pixel, from + (size_t)y * stride + 4 * (size_t)x, 4);
            to[0] = (uint8_t)(pixel >> 16);
            to[1] = (uint8_t)(pixel >> 8);
            to[2] = (uint8_t)pixel;
        }
    }
}

/* Draws a page of `side` x `side` pixels. FAIL: ERR_MISSING if no font is
 * installed. */
static struct check_page check_page_draw(int side, uint32_t seed,
                                         struct err *err)
{
    static const char *const face[] = {"sans-serif", "serif", "monospace"};
    struct check_page page = {.image = {0}};
    if (err_failed(err)) return page;
    page.answer = buf_limit(ANSWER_MOST);
    page.image = image_new(side, side, 3, err);
    if (err_failed(err)) return page;
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, side, side);
    struct pen p = {.page = &page,
                    .cr = cairo_create(surface),
                    .seed = seed * 2654435761u + 1,
                    .side = side,
                    .err = err};
    cairo_set_source_rgb(p.cr, 1, 1, 1);
    cairo_paint(p.cr);
    cairo_set_source_rgb(p.cr, 0.1, 0.1, 0.1);
    cairo_select_font_face(p.cr, face[seed % 3], CAIRO_FONT_SLANT_NORMAL,
                           seed % 5 ? CAIRO_FONT_WEIGHT_NORMAL
                                    : CAIRO_FONT_WEIGHT_BOLD);
    p.size = 16 + random_below(&p, 3);
    cairo_set_font_size(p.cr, p.size);
    draw_page(&p);
    copy_pixels(surface, &page.image);
    cairo_destroy(p.cr);
    cairo_surface_destroy(surface);
    return page;
}

static void check_page_free(struct check_page *page)
{
    image_free(&page->image);
    buf_free(&page->answer);
}

/* --- model check ------------------------------------------------------- */

enum { PAGES = 2, SHOWN_MOST = 8 };
enum { SIDE_LEAST = 256, SIDE_MOST = 640, PROMPT_MOST = 1 << 20 };
enum { POINT_PROMPT };

/* Geometric mean of the values' probabilities: sane from the first on; below
 * the second the model reads noise. */
static const double read_sane = 0.5, read_broken = 0.1;

/* Loss per token of the built-in text, as a part of ln(vocabulary): 0.2 to 0.35
 * for a model of this family, 0.7 and more for one that writes gibberish. */
static const double lost_sane = 0.45, lost_broken = 0.65;

static const char plain[] = "The total is 1,234.50 and payable in 30 days.\n";

static const char scripts[] =
    "Gr\xc3\xb6\xc3\x9f"
    "e 1.234,56 \xe2\x82\xac; \xe5\x90\x88\xe8\xa8\x88 "
    "\xd0\x98\xd1\x82\xd0\xbe\xd0\xb3\xd0\xbe \xd7\xa1\xd7\x94\n\t{\"a\": [1, "
    "2]}";

static enum weight_sanity worse_of(enum weight_sanity a, enum weight_sanity b)
{
    return a > b ? a : b;
}

static const char *verdict_name(enum weight_sanity s)
{
    return s == WEIGHT_SANITY_SANE       ? "sane"
           : s == WEIGHT_SANITY_DOUBTFUL ? "doubtful"
                                         : "broken";
}

static struct weight_sanity_report check_numbers(const struct gguf *g,
                                                 struct arena *arena,
                                                 struct err *err)
{
    struct weight_sanity_report r = weight_sanity_check(g, arena, err);
    if (g && !err_failed(err))
        printf("%-14s%s: %d tensors of %s\n", "numbers",
               verdict_name(r.verdict), r.n_tensor, gguf_path(g));
    for (int i = 0; i < r.n && i < SHOWN_MOST; i++)
        printf("              %s\n", r.finding[i].text);
    if (r.n > SHOWN_MOST)
        printf("              and %d more\n", r.n - SHOWN_MOST);
    return r;
}

/* Does the text equal the bytes of its tokens? */
static bool survives(const struct tokenizer *t, const char *from,
                     struct err *err)
{
    struct arena *arena = arena_new();
    struct tokens ids = tokenizer_encode(t, span_of(from), false, arena, err);
    size_t at = 0, size = strlen(from);
    bool same = !err_failed(err);
    for (int i = 0; i < ids.n && same; i++) {
        struct span piece = tokenizer_bytes(t, ids.id[i]);
        same = piece.size <= size - at &&
               !memcmp(piece.data, from + at, piece.size);
        at += piece.size;
    }
    arena_free(arena);
    return same && at == size;
}

static enum weight_sanity check_tokenizer(const struct gguf *g, struct err *err)
{
    struct tokenizer *t = tokenizer_open(g, err);
    if (err_failed(err)) return WEIGHT_SANITY_BROKEN;
    bool fine = survives(t, plain, err) && survives(t, scripts, err);
    tokenizer_close(t);
    enum weight_sanity verdict =
        fine ? WEIGHT_SANITY_SANE : WEIGHT_SANITY_BROKEN;
    printf("%-14s%s: texts encoded and decoded\n", "tokenizer",
           verdict_name(verdict));
    return verdict;
}

/* Handles a failed measurement; false if it succeeded. An engine error (no
 * finite numbers) means that the model is broken; any other is passed on. */
static bool report_failure(const char *what, struct err *inner, struct err *err)
{
    if (!err_failed(inner)) return false;
    if (inner->reason && !strcmp(inner->reason, "engine-error"))
        printf("%-14sbroken: %s\n", what, inner->text);
    else
        *err = *inner;
    return true;
}

static enum weight_sanity judge_text(const struct vlm_info *info,
                                     const struct vlm_perplexity *f)
{
    /* a model of the "outline" format was not trained on plain English */
    bool judged =
        !info->prompt_format || strcmp(info->prompt_format, "outline") != 0;
    enum weight_sanity verdict =
        f->not_finite                 ? WEIGHT_SANITY_BROKEN
        : !judged                     ? WEIGHT_SANITY_SANE
        : f->loss_share > lost_broken ? WEIGHT_SANITY_BROKEN
        : f->loss_share > lost_sane   ? WEIGHT_SANITY_DOUBTFUL
                                      : WEIGHT_SANITY_SANE;
    printf("%-14s%s: perplexity %.4g over %d tokens of English%s\n", "text",
           verdict_name(verdict), exp(f->loss), f->n_token,
           judged ? "" : " (not judged: trained on its documents only)");
    return verdict;
}

static double text_loss(void *arg, int layer, struct err *err)
{
    struct err inner = {0};
    (void)err; /* a broken model has no known loss */
    vlm_check_leave_out(arg, layer);
    double lost = vlm_check_text(arg, 0, &inner).loss;
    vlm_check_leave_out(arg, -1);
    return lost;
}

/* Names the layer that is probably at fault. */
static void print_layer(struct vlm *v, vlm_check_loss *loss, void *arg,
                        double whole, const char *farthest, struct err *err)
{
    int layer = vlm_check_worst_layer(v, loss, arg, whole, err);
    if (layer >= 0)
        printf("              blk.%d stands out: the result improves without "
               "it\n",
               layer);
    else if (!err_failed(err))
        printf("              no layer stands out: leaving one out improves "
               "nothing\n");
    if (farthest && !err_failed(err)) printf("              %s\n", farthest);
}

static enum weight_sanity check_text(struct vlm *v, const char *farthest,
                                     struct err *err)
{
    struct vlm_session *s = vlm_session_open(v, err);
    enum weight_sanity verdict = WEIGHT_SANITY_BROKEN;
    if (!err_failed(err)) {
        struct err inner = {0};
        struct vlm_perplexity f = vlm_check_text(s, 0, &inner);
        if (!report_failure("text", &inner, err))
            verdict = judge_text(vlm_info(v), &f);
        if (verdict != WEIGHT_SANITY_SANE && !err_failed(err))
            print_layer(v, text_loss, s, f.loss, farthest, err);
    }
    vlm_session_close(s);
    return verdict;
}

/* How well the model reads drawn pages, whose right answer is dictated (vlm.h),
 * so that a model that reads badly can be measured too. */
struct reading_score {
    double log_p; /* sum of ln(p) over the pages' values */
    int n_value;  /* values in that sum */
};

struct page_reading {
    struct vlm *v;
    struct vlm_session *s;
    struct grammar *grammar;
};

static bool is_nuextract(const struct page_reading *r)
{
    const char *format = vlm_info(r->v)->prompt_format;
    return format && !strcmp(format, "nuextract");
}

static void read_prompt(struct page_reading *r, const struct schema *schema,
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

static void read_page(struct page_reading *r, const struct check_page *page,
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

/* Reads the drawn pages, leaving out layer `without` (vlm_check.h; -1: none). */
static struct reading_score measure_reading(struct vlm *v, int without,
                                            struct err *err)
{
    struct reading_score out = {.n_value = 0};
    struct page_reading r = {.v = v};
    if (err_failed(err)) return out;
    struct schema *schema =
        schema_parse(span_of(page_schema), "drawn page", NULL, err);
    if (!err_failed(err)) r.grammar = grammar_compile(schema, err);
    r.s = err_failed(err) ? NULL : vlm_session_open(v, err);
    if (!err_failed(err)) {
        vlm_check_leave_out(r.s, without);
        read_prompt(&r, schema, err);
    }
    for (int i = 0; i < PAGES && !err_failed(err); i++) {
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

static double reading_loss(void *arg, int layer, struct err *err)
{
    struct err inner = {0};
    (void)err; /* as in text_loss */
    struct reading_score read = measure_reading(arg, layer, &inner);
    return read.n_value && !err_failed(&inner) ? -read.log_p / read.n_value
                                               : INFINITY;
}

static enum weight_sanity check_reading(struct vlm *v, const char *farthest,
                                        struct err *err)
{
    struct err inner = {0};
    struct reading_score read = measure_reading(v, -1, &inner);
    if (report_failure("reading", &inner, err) || !read.n_value)
        return WEIGHT_SANITY_BROKEN;
    double p = exp(read.log_p / read.n_value);
    enum weight_sanity verdict = p >= read_sane     ? WEIGHT_SANITY_SANE
                                 : p >= read_broken ? WEIGHT_SANITY_DOUBTFUL
                                                    : WEIGHT_SANITY_BROKEN;
    printf("%-14s%s: %d values on drawn pages, mean probability %.3g\n",
           "reading", verdict_name(verdict), read.n_value, p);
    if (verdict != WEIGHT_SANITY_SANE)
        print_layer(v, reading_loss, v, -read.log_p / read.n_value, farthest,
                    err);
    return verdict;
}

enum weight_sanity model_check(struct vlm *v, const char *model,
                               const char *mmproj, struct err *err)
{
    if (err_failed(err)) return WEIGHT_SANITY_BROKEN;
    struct gguf *g = gguf_open(model, err);
    struct gguf *mmproj_file = mmproj ? gguf_open(mmproj, err) : NULL;
    struct arena *arena = arena_new();
    struct weight_sanity_report r = check_numbers(g, arena, err),
                                vision_report = {0};
    if (mmproj_file) vision_report = check_numbers(mmproj_file, arena, err);
    const char *farthest = r.farthest ? r.farthest : vision_report.farthest;
    enum weight_sanity verdict = worse_of(r.verdict, vision_report.verdict);
    if (!err_failed(err)) verdict = worse_of(verdict, check_tokenizer(g, err));
    if (!err_failed(err))
        verdict = worse_of(verdict, check_text(v, farthest, err));
    if (mmproj_file && !err_failed(err))
        verdict = worse_of(verdict, check_reading(v, farthest, err));
    if (!err_failed(err))
        printf("%s%s\n", verdict_name(verdict),
               mmproj_file ? "" : " (to test reading pages too, add --mmproj)");
    arena_free(arena);
    gguf_close(mmproj_file);
    gguf_close(g);
    return verdict;
}
