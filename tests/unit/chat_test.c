/* chat_test.c - turns against the reference's prompts, tokens and
 * positions.
 */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/position.h"
#include "vlm/json/json.h"
#include "vlm/model/gguf.h"
#include "vlm/text/chat.h"
#include "vlm/text/tokenizer.h"

/* What is fed, in order: our markup, text from outside, a picture. */
enum kind { END, MARKUP, PLAIN, PICTURE };

struct piece {
    enum kind kind;
    const char *text;
};

/* All pieces as one text, pictures as the template writes them. */
static const char *written(const struct piece *p, struct arena *arena)
{
    struct buf b = buf_limit(1 << 16);
    for (; p->kind; p++)
        buf_add_text(&b, p->kind == PICTURE
                             ? "<|vision_start|><|image_pad|><|vision_end|>"
                             : p->text);
    char *out = arena_copy(arena, buf_span(&b));
    buf_free(&b);
    return out;
}

/* Tokens and positions of all pieces, as the engine feeds them. */
struct stream {
    int32_t id[512], t[512], h[512], w[512];
    int n;
    int32_t p;
};

static void feed_token(struct stream *s, int32_t id, struct position at)
{
    assert_true(s->n < 512);
    s->id[s->n] = id;
    s->t[s->n] = at.t;
    s->h[s->n] = at.h;
    s->w[s->n++] = at.w;
}

static void feed_image(struct stream *s, int32_t pad, int n_y, int n_x)
{
    for (int y = 0; y < n_y; y++)
        for (int x = 0; x < n_x; x++)
            feed_token(s, pad, position_image(s->p, y, x));
    s->p = position_after_image(s->p, n_y, n_x);
}

static void feed_text_token(struct stream *s, int32_t id)
{
    feed_token(s, id, position_text(s->p++));
}

static void feed(struct stream *s, const struct tokenizer *t,
                 const struct piece *piece, int n_y, int n_x,
                 struct arena *arena)
{
    struct err err = {0};
    for (; piece->kind; piece++) {
        if (piece->kind == PICTURE) {
            feed_text_token(s, tokenizer_special(t, "<|vision_start|>"));
            feed_image(s, tokenizer_special(t, "<|image_pad|>"), n_y, n_x);
            feed_text_token(s, tokenizer_special(t, "<|vision_end|>"));
            continue;
        }
        struct tokens k = tokenizer_encode(t, span_of(piece->text),
                                           piece->kind == MARKUP, arena, &err);
        test_ok(&err);
        for (int j = 0; j < k.n; j++)
            feed_text_token(s, k.id[j]);
    }
}

static void expect_file(const char *name, const void *got, size_t size)
{
    char file[256], path[4096];
    snprintf(file, sizeof file, "tests/vectors/vision/%s", name);
    size_t n;
    char *want = test_read(test_path(path, file), &n);
    assert_int_equal(n, size);
    assert_memory_equal(got, want, size);
    test_give(want);
}

static void expect_prompt(const char *name, const struct piece *piece, int n_y,
                          int n_x)
{
    struct err err = {0};
    char path[4096], file[128];
    struct arena *arena = arena_new();
    struct gguf *g =
        gguf_open(test_path(path, "tests/vectors/micro-f32.gguf"), &err);
    struct tokenizer *t = tokenizer_open(g, &err);
    test_ok(&err);
    const char *text = written(piece, arena);
    snprintf(file, sizeof file, "%s.prompt.txt", name);
    expect_file(file, text, strlen(text));

    struct stream *s = arena_alloc(arena, sizeof *s);
    feed(s, t, piece, n_y, n_x, arena);
    size_t n = (size_t)s->n;
    snprintf(file, sizeof file, "%s.tokens.i32", name);
    expect_file(file, s->id, n * 4);
    int32_t *pos = arena_array(arena, 3 * n, sizeof *pos);
    memcpy(pos, s->t, n * 4);
    memcpy(pos + n, s->h, n * 4);
    memcpy(pos + 2 * n, s->w, n * 4);
    snprintf(file, sizeof file, "%s.pos.i32", name);
    expect_file(file, pos, 3 * n * 4);
    tokenizer_close(t);
    gguf_close(g);
    arena_free(arena);
}

static void prompts_are_those_of_the_reference(void **state)
{
    (void)state;
    static const struct piece one[] = {
        {MARKUP, CHAT_USER_BEGINS},
        {PICTURE, ""},
        {PLAIN, "Extract the invoice number, the date and the total amount as "
                "JSON."},
        {MARKUP, CHAT_ANSWER_BEGINS},
        {END, ""}};
    expect_prompt("micro-f32.image-b", one, 7, 10);

    static const struct piece two[] = {
        {MARKUP, "<|im_start|>system\n"},
        {PLAIN, "You are a helpful assistant."},
        {MARKUP, "<|im_end|>\n" CHAT_USER_BEGINS},
        {PICTURE, ""},
        {PLAIN, "What is the name of the seller? Answer in one line."},
        {MARKUP, CHAT_ANSWER_BEGINS},
        {END, ""}};
    expect_prompt("micro-f32.image-c", two, 7, 11);
}

static void expect_list(const cJSON *want, const int32_t *got, int n)
{
    assert_int_equal(cJSON_GetArraySize(want), n);
    const cJSON *v = want->child;
    for (int i = 0; i < n; i++, v = v->next)
        assert_int_equal(got[i], (int32_t)v->valuedouble);
}

static void positions_are_those_of_the_reference(void **state)
{
    (void)state;
    struct err err = {0};
    char path[4096];
    size_t size;
    char *data =
        test_read(test_path(path, "tests/vectors/vision/index.json"), &size);
    cJSON *all = json_parse((struct span){data, size}, &err);
    test_ok(&err);
    const cJSON *c;
    int n_case = 0;
    cJSON_ArrayForEach(c, json_get(all, "positions"))
    {
        struct stream s = {0};
        const cJSON *grid = json_get(c, "merged_grids_rows_columns")->child;
        for (const char *k = json_get(c, "stream")->valuestring; *k; k++) {
            if (*k == 'T') {
                feed_text_token(&s, 0);
                continue;
            }
            feed_image(&s, 0, (int)grid->child->valuedouble,
                       (int)grid->child->next->valuedouble);
            grid = grid->next;
        }
        expect_list(json_get(c, "t"), s.t, s.n);
        expect_list(json_get(c, "h"), s.h, s.n);
        expect_list(json_get(c, "w"), s.w, s.n);
        assert_int_equal(s.p, (int)json_get(c, "next_position")->valuedouble);
        n_case++;
    }
    assert_int_equal(n_case, 5);
    cJSON_Delete(all);
    test_give(data);
}

TEST_GROUP(chat, cmocka_unit_test(prompts_are_those_of_the_reference),
           cmocka_unit_test(positions_are_those_of_the_reference))
