/* chat_test.c - assembled turns against the reference's prompts, tokens and
 * positions.
 */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/json.h"
#include "vlm/base/position.h"
#include "vlm/model/gguf.h"
#include "vlm/text/chat.h"
#include "vlm/text/tokenizer.h"

static struct chat_part words(const char *text)
{
    return (struct chat_part){.text = span_of(text)};
}

/* All pieces as one text, pictures as the template writes them. */
static const char *written(const struct chat_pieces *p, struct arena *arena)
{
    struct buf b = buf_limit(1 << 16);
    for (int i = 0; i < p->n_piece; i++)
        if (p->piece[i].kind == CHAT_IMAGE)
            buf_add_text(&b, "<|vision_start|><|image_pad|><|vision_end|>");
        else
            buf_add(&b, p->piece[i].text.data, p->piece[i].text.size);
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
                 const struct chat_pieces *p, int n_y, int n_x,
                 struct arena *arena)
{
    struct err err = {0};
    for (int i = 0; i < p->n_piece; i++) {
        const struct chat_piece *piece = &p->piece[i];
        if (piece->kind == CHAT_IMAGE) {
            feed_text_token(s, tokenizer_special(t, "<|vision_start|>"));
            feed_image(s, tokenizer_special(t, "<|image_pad|>"), n_y, n_x);
            feed_text_token(s, tokenizer_special(t, "<|vision_end|>"));
            continue;
        }
        struct tokens k = tokenizer_encode(
            t, piece->text, piece->kind == CHAT_MARKUP, arena, &err);
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

static void expect_prompt(const char *name, const struct chat_turn *turn,
                          int n_turn, int n_y, int n_x)
{
    struct err err = {0};
    char path[4096], file[128];
    struct arena *arena = arena_new();
    struct gguf *g =
        gguf_open(test_path(path, "tests/vectors/micro-f32.gguf"), &err);
    struct tokenizer *t = tokenizer_open(g, &err);
    struct chat_pieces p = chat_assemble(turn, n_turn, arena, &err);
    test_ok(&err);
    const char *text = written(&p, arena);
    snprintf(file, sizeof file, "%s.prompt.txt", name);
    expect_file(file, text, strlen(text));

    struct stream *s = arena_take(arena, sizeof *s);
    feed(s, t, &p, n_y, n_x, arena);
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
    struct chat_part picture = {.is_image = true};
    struct chat_part b[] = {
        picture, words("Extract the invoice number, the date and the total "
                       "amount as JSON.")};
    struct chat_turn one = {CHAT_USER, b, 2};
    expect_prompt("micro-f32.image-b", &one, 1, 7, 10);

    struct chat_part system = words(" You are a helpful assistant.\n");
    struct chat_part c[] = {words(" \n"), picture,
                            words("What is the name of the seller? "),
                            words("Answer in one line.\xc2\xa0\n")};
    struct chat_turn two[] = {{CHAT_SYSTEM, &system, 1}, {CHAT_USER, c, 4}};
    expect_prompt("micro-f32.image-c", two, 2, 7, 11);
}

static void pictures_may_stand_anywhere(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct err err = {0};
    struct chat_part p1 = {.is_image = true, .image = 0};
    struct chat_part p2 = {.is_image = true, .image = 1};
    struct chat_part part[] = {words("first "), p1, p2, words(" then "),
                               words("<|im_end|> ")};
    struct chat_part no = words("no"), ask = words("\t");
    struct chat_turn turn[] = {
        {CHAT_USER, part, 5}, {CHAT_ASSISTANT, &no, 1}, {CHAT_USER, &ask, 1}};
    struct chat_pieces p = chat_assemble(turn, 3, arena, &err);
    test_ok(&err);
#define IMAGE "<|vision_start|><|image_pad|><|vision_end|>"
    assert_string_equal(written(&p, arena),
                        "<|im_start|>user\nfirst " IMAGE IMAGE
                        " then <|im_end|><|im_end|>\n"
                        "<|im_start|>assistant\nno<|im_end|>\n"
                        "<|im_start|>user\n<|im_end|>\n"
                        "<|im_start|>assistant\n<think>\n\n</think>\n\n");
    assert_int_equal(p.piece[2].image, 0);
    assert_int_equal(p.piece[3].image, 1);
    assert_int_equal(p.piece[4].kind, CHAT_PLAIN);
    arena_free(arena);
}

static void bad_turns_are_refused(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct chat_part text = words("x"), picture = {.is_image = true};
    struct chat_turn late[] = {{CHAT_USER, &text, 1}, {CHAT_SYSTEM, &text, 1}};
    struct chat_turn drawn[] = {{CHAT_SYSTEM, &picture, 1},
                                {CHAT_USER, &text, 1}};
    const struct chat_turn *turn[] = {late, drawn, drawn, late};
    const int n[] = {2, 2, 1, 0};
    for (int i = 0; i < 4; i++) {
        struct err err = {0};
        struct chat_pieces p = chat_assemble(turn[i], n[i], arena, &err);
        assert_int_equal(err.kind, ERR_ARGS);
        assert_int_equal(p.n_piece, 0);
    }
    arena_free(arena);
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
           cmocka_unit_test(pictures_may_stand_anywhere),
           cmocka_unit_test(bad_turns_are_refused),
           cmocka_unit_test(positions_are_those_of_the_reference))
