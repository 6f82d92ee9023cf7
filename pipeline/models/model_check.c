/* model_check.c - see model_check.h. */
#include "pipeline/models/model_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/models/reading_score.h"
#include "vlm/base/memory_limit.h"
#include "vlm/session/vlm_check.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm.h"

enum { PAGES = 2, SHOWN_MOST = 8 };

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

static double reading_loss(void *arg, int layer, struct err *err)
{
    struct err inner = {0};
    (void)err; /* as in text_loss */
    struct reading_score read =
        reading_score_measure(arg, PAGES, layer, &inner);
    return read.n_value && !err_failed(&inner) ? -read.log_p / read.n_value
                                               : INFINITY;
}

static enum weight_sanity check_reading(struct vlm *v, const char *farthest,
                                        struct err *err)
{
    struct err inner = {0};
    struct reading_score read = reading_score_measure(v, PAGES, -1, &inner);
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
