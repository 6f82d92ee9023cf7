/* model_imatrix.c - runs documents through a model and collects its columns'
 * statistics. */
#include "pipeline/models/model_imatrix.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/config/config.h"
#include "pipeline/models/image_file.h"
#include "vlm/base/file_map.h"
#include "vlm/base/text.h"
#include "vlm/convert/imatrix.h"
#include "vlm/text/chat.h"
#include "vlm/vlm.h"

enum { TEXT_MOST = 64 << 20, MARKUP = 64 };

struct column_count {
    struct vlm_session *session;
    const struct vlm_info *info;
    struct gather *gather;
    struct err *err;
    int n_page;
};

static void add_product(void *arg, const struct vlm_product *p)
{
    struct column_count *r = arg;
    imatrix_gather_add(r->gather, p->tensor, p->matrix, p->n_matrix, p->x, p->n,
                       p->n_col);
}

/* Starts a prompt like an extraction's; end_prompt takes it up to the
 * answer. */
static void begin_prompt(struct column_count *r)
{
    vlm_session_clear(r->session);
    vlm_feed_text(r->session, span_of(CHAT_USER_BEGINS), true, r->err);
    r->n_page++;
}

static void end_prompt(struct column_count *r)
{
    vlm_feed_text(r->session, span_of(CHAT_ANSWER_BEGINS), true, r->err);
}

static void feed_page(void *arg, const struct image *page)
{
    struct column_count *r = arg;
    begin_prompt(r);
    vlm_feed_image(r->session, page, r->err);
    end_prompt(r);
}

/* Size of the first piece: `most` bytes or fewer, to the end of a line or else
 * of a character. */
static size_t piece_size(struct span text, size_t most)
{
    if (text.size <= most) return text.size;
    size_t n = most;
    while (n && text.data[n - 1] != '\n')
        n--;
    if (n) return n;
    for (n = most; n > 1 && ((unsigned char)text.data[n] & 0xc0) == 0x80;)
        n--;
    return n;
}

/* A token is at least one byte, so half a context of bytes always fits. */
static void feed_text(struct column_count *r, struct span text)
{
    size_t most = (size_t)(r->info->n_ctx - MARKUP) / 2;
    if (most > 8192) most = 8192;
    while (text.size && !err_failed(r->err)) {
        size_t n = piece_size(text, most);
        begin_prompt(r);
        vlm_feed_text(r->session, (struct span){text.data, n}, false, r->err);
        end_prompt(r);
        text.data += n;
        text.size -= n;
    }
}

static void feed_document(struct column_count *r,
                          const struct command_line *line, const char *path)
{
    if (err_failed(r->err)) return;
    if (text_stem(path, ".txt")) {
        struct arena *arena = arena_new();
        feed_text(r, file_map_read(path, TEXT_MOST, arena, r->err));
        err_context(r->err, "%s", path);
        arena_free(arena);
        return;
    }
    if (!r->info->has_vision) {
        err_set(r->err, ERR_ARGS,
                "%s: documents need --mmproj FILE; text files end in .txt",
                path);
        return;
    }
    image_file_pages(path, &line->config->stage, r->info, feed_page, r, r->err);
}

static void read_all(struct column_count *r, const struct command_line *line,
                     const struct vlm_options *options, int first)
{
    struct vlm_options o = *options;
    o.product = add_product;
    o.product_arg = r;
    struct vlm *v = vlm_open(&o, r->err);
    r->session = err_failed(r->err) ? NULL : vlm_session_open(v, r->err);
    r->info = v ? vlm_info(v) : NULL;
    for (int i = first; i < line->n_operand && !err_failed(r->err); i++)
        feed_document(r, line, line->operand[i]);
    if (!err_failed(r->err))
        imatrix_gather_write(r->gather, command_value(line, "out"),
                             line->operand[first], r->n_page, r->info->n_ctx,
                             r->err);
    vlm_session_close(r->session);
    vlm_close(v);
}

void model_imatrix(const struct command_line *line,
                   const struct vlm_options *options, int first,
                   struct err *err)
{
    if (err_failed(err)) return;
    if (first >= line->n_operand || !command_value(line, "out")) {
        err_set(err, ERR_ARGS,
                "usage: platen model imatrix FILE DOCUMENT... --out FILE.gguf");
        return;
    }
    struct column_count r = {.gather = imatrix_gather_new(), .err = err};
    read_all(&r, line, options, first);
    if (!err_failed(err))
        printf("%s: %d pages and pieces of text, %lld rows\n",
               command_value(line, "out"), r.n_page,
               (long long)imatrix_gather_rows(r.gather));
    imatrix_gather_free(r.gather);
}
