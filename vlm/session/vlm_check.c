/* vlm_check.c - see vlm_check.h. */
#include "vlm/session/vlm_check.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "vlm/base/clock.h"
#include "vlm/model/gguf.h"
#include "vlm/session/vlm_inside.h"
#include "vlm/text/tokenizer.h"

enum { BRIEF_TOKENS = 32, NAMED_MOST = 2 };
enum { IDS_MOST = 8192, PAIRS_LEAST = 16, PAIRS_MOST = 256, WORD_MOST = 32 };

static const char text[] =
    "The invoice is dated 14 March 2024 and is payable within thirty days of "
    "receipt. Please transfer the total amount to the account named below and "
    "quote the invoice number with your payment. If you have any questions, do "
    "not hesitate to contact us by telephone or by e-mail. Thank you very much "
    "for your order; we look forward to working with you again.\n";

/* Loss per token on the first words, as a share of ln(vocabulary): 0.25 to 0.4
 * for models of this family, 0.8 and more for gibberish. */
static const double brief_sane = 0.55, brief_broken = 0.75;

/* Time limit for the search for the layer. */
static const double search_most_s = 60;

/* A layer is an outlier if removing it leaves less than this share of the loss.
 * A layer damaged on purpose left 0.6; in sane models at least 0.95 is left. */
static const double outlier_share = 0.8;

/* Mean cosine between embeddings of words with and without a leading space; 0
 * for random rows. */
static const double near_least = 0.1;

/* ---- text ------------------------------------------------------------- */

struct text_run {
    const struct tokens *ids;
    int at, n_vocab;
    double lost; /* nats, sum */
    bool odd;
};

static void add_row(struct text_run *f, const float *row)
{
    double most = (double)row[0], sum = 0;
    for (int i = 0; i < f->n_vocab; i++) {
        if (!isfinite(row[i])) f->odd = true;
        if ((double)row[i] > most) most = (double)row[i];
    }
    for (int i = 0; i < f->n_vocab; i++)
        sum += exp((double)row[i] - most);
    if (++f->at < f->ids->n)
        f->lost += log(sum) + most - (double)row[f->ids->id[f->at]];
}

static void add_rows(void *arg, const float *logits, int n_row)
{
    struct text_run *f = arg;
    for (int i = 0; i < n_row; i++)
        add_row(f, logits + (size_t)i * (size_t)f->n_vocab);
}

struct vlm_perplexity vlm_check_text(struct vlm_session *s, int most,
                                     struct err *err)
{
    struct vlm_perplexity result = {.loss = NAN, .loss_share = NAN};
    if (err_failed(err)) return result;
    struct arena *arena = arena_new();
    struct tokens ids =
        tokenizer_encode(s->v->tokenizer, span_of(text), false, arena, err);
    if (most && ids.n > most) ids.n = most;
    struct text_run f = {.ids = &ids, .n_vocab = s->v->info.n_vocab};
    vlm_watch_logits(s, add_rows, &f);
    vlm_feed_tokens(s, ids.id, ids.n, err);
    vlm_watch_logits(s, NULL, NULL);
    vlm_session_clear(s);
    result.n_token = ids.n;
    result.loss = f.lost / (ids.n > 1 ? ids.n - 1 : 1);
    result.loss_share = result.loss / log(f.n_vocab);
    result.not_finite = f.odd || !isfinite(f.lost);
    arena_free(arena);
    return result;
}

/* ---- the layer -------------------------------------------------------- */

void vlm_check_leave_out(struct vlm_session *s, int layer)
{
    s->left_out = layer + 1;
}

int vlm_check_worst_layer(struct vlm *v, vlm_check_loss *loss, void *arg,
                          double whole, struct err *err)
{
    if (err_failed(err)) return -1;
    int found = -1;
    double least = isfinite(whole) ? outlier_share * whole : INFINITY;
    for (int l = 0; l < v->shape->n_layer && !err_failed(err); l++) {
        double lost = loss(arg, l, err);
        if (!isfinite(lost) || !(lost < least)) continue;
        least = lost;
        found = l;
    }
    return found;
}

static double text_loss(void *arg, int layer, struct err *err)
{
    struct err inner = {0};
    (void)err; /* a broken model has no loss */
    vlm_check_leave_out(arg, layer);
    double lost = vlm_check_text(arg, BRIEF_TOKENS, &inner).loss;
    vlm_check_leave_out(arg, -1);
    return lost;
}

/* ---- random weights --------------------------------------------------- */

static void embedding_row(const struct vlm *v, int32_t id, float *row)
{
    const struct weight *w = &v->weights.embd;
    size_t bytes = quant_row_bytes(w->type, w->n_col);
    quant_decode(w->type, (const char *)w->raw + (size_t)id * bytes, w->n_col,
                 row);
}

/* The token of the same word with a leading space, or -1. */
static int32_t behind_space(const struct vlm *v, int32_t id,
                            struct arena *arena)
{
    struct span word = tokenizer_bytes(v->tokenizer, id);
    char spaced[1 + WORD_MOST] = " ";
    struct err quiet = {0};
    if (tokenizer_type(v->tokenizer, id) != TOKEN_NORMAL || !word.size ||
        word.size > WORD_MOST || !isalpha((unsigned char)word.data[0]))
        return -1;
    memcpy(spaced + 1, word.data, word.size);
    struct tokens t =
        tokenizer_encode(v->tokenizer, (struct span){spaced, word.size + 1},
                         false, arena, &quiet);
    return !err_failed(&quiet) && t.n == 1 ? t.id[0] : -1;
}

static double cosine(const float *a, const float *b, int n)
{
    double aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < n; i++) {
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
        ab += (double)a[i] * (double)b[i];
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* Is this a trained model? Then words with and without a leading space have
 * similar embeddings. */
static bool vlm_check_trained(const struct vlm *v)
{
    struct arena *arena = arena_new();
    int n_col = v->weights.embd.n_col, n = 0;
    float *row = arena_array(arena, 2 * (size_t)n_col, sizeof *row);
    double sum = 0;
    for (int32_t id = 0;
         id < v->info.n_token && id < IDS_MOST && n < PAIRS_MOST; id++) {
        int32_t other = behind_space(v, id, arena);
        if (other < 0) continue;
        embedding_row(v, id, row);
        embedding_row(v, other, row + n_col);
        sum += cosine(row, row + n_col, n_col);
        n++;
    }
    arena_free(arena);
    return n >= PAIRS_LEAST &&
           sum / n > near_least + 4 / sqrt((double)n_col * n);
}

/* ---- the brief check -------------------------------------------------- */

static void check_weight_values(struct vlm_verdict *found, const struct gguf *g,
                                struct arena *arena, struct err *err)
{
    if (!g) return;
    struct weight_sanity_report r = weight_sanity_check(g, arena, err);
    if (err_failed(err) || r.verdict <= found->verdict) return;
    const char *named = "";
    for (int i = 0, n = 0; i < r.n && n < NAMED_MOST; i++)
        if (r.finding[i].verdict == r.verdict)
            named = arena_text(arena, "%s%s%s", named, n++ ? "; " : "",
                               r.finding[i].text);
    *found = (struct vlm_verdict){r.verdict, named};
}

static void check_plain_text(struct vlm_verdict *found, struct vlm_session *s,
                             struct arena *arena, struct err *err)
{
    struct vlm *v = s->v;
    double since = clock_seconds();
    struct vlm_perplexity f = vlm_check_text(s, BRIEF_TOKENS, err);
    double took = clock_seconds() - since;
    const char *format = v->info.prompt_format;
    bool judged =
        (!format || strcmp(format, "outline") != 0) && vlm_check_trained(v);
    if (err_failed(err) ||
        (!f.not_finite && (!judged || f.loss_share <= brief_sane)))
        return;
    found->verdict = f.not_finite || f.loss_share > brief_broken
                         ? WEIGHT_SANITY_BROKEN
                         : WEIGHT_SANITY_DOUBTFUL;
    found->why = f.not_finite ? "the logits of a plain text are NaN or infinite"
                              : arena_text(arena,
                                           "plain English has a perplexity "
                                           "of %.3g",
                                           exp(f.loss));
    if (took * v->shape->n_layer > search_most_s) return;
    int layer = vlm_check_worst_layer(v, text_loss, s, f.loss, err);
    if (layer >= 0)
        found->why = arena_text(arena, "%s; leaving out blk.%d lowers it",
                                found->why, layer);
}

struct vlm_verdict vlm_check_brief(struct vlm_session *s, struct arena *arena,
                                   struct err *err)
{
    struct vlm_verdict found = {.verdict = WEIGHT_SANITY_SANE};
    if (err_failed(err)) return found;
    check_weight_values(&found, s->v->gguf, arena, err);
    check_weight_values(&found, s->v->mmproj, arena, err);
    if (err_failed(err) || found.verdict == WEIGHT_SANITY_BROKEN) return found;
    struct err inner = {0};
    struct vlm_verdict of_text = found;
    check_plain_text(&of_text, s, arena, &inner);
    if (err_failed(&inner) && inner.reason &&
        !strcmp(inner.reason, "engine-error"))
        of_text = (struct vlm_verdict){WEIGHT_SANITY_BROKEN,
                                       arena_text(arena, "%s", inner.text)};
    else if (err_failed(&inner))
        *err = inner;
    return of_text.verdict > found.verdict ? of_text : found;
}
