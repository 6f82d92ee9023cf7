/* vocab.c - see vocab.h. */
#include "tests/synth/vocab.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "tests/synth/blocks.h"
#include "vlm/text/tokenizer.h"

enum { FIRST_ADDED = 248044, ADDED_ROOM = 64, MERGE_MAX = 192 };

static const char *const added[] = {
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|object_ref_start|>",
    "<|object_ref_end|>",
    "<|box_start|>",
    "<|box_end|>",
    "<|quad_start|>",
    "<|quad_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
    "<tool_call>",
    "</tool_call>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|fim_pad|>",
    "<|repo_name|>",
    "<|file_sep|>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
};

static const char words[] =
    "the invoice number date total amount currency name address seller buyer "
    "item price tax Extract these fields of this document as JSON object with "
    "keys null where there is no value system user assistant type string "
    "properties required array question image page table row column";

/* UTF-8 of the code point that stands for a byte. */
static const char *byte_symbol(int b, struct arena *arena)
{
    int code = 0x100;
    bool prints = false;
    for (int i = 0; i <= b; i++) {
        prints = (i >= 33 && i <= 126) || (i >= 161 && i <= 172) ||
                 (i >= 174 && i <= 255);
        if (!prints && i < b) code++;
    }
    if (prints) code = b;
    char *s = arena_alloc(arena, 3);
    if (code < 0x80) {
        s[0] = (char)code;
    } else {
        s[0] = (char)(0xc0 | code >> 6);
        s[1] = (char)(0x80 | (code & 63));
    }
    return s;
}

static int find(const struct vocab *v, const char *text)
{
    for (int i = 0; i < v->n; i++)
        if (!strcmp(v->text[i], text)) return i;
    return -1;
}

static void add(struct vocab *v, const char *text, enum token_type type)
{
    v->text[v->n] = text;
    v->type[v->n++] = (uint8_t)type;
}

/* Each word grows letter by letter: t + h, th + e. Words begin with a space,
 * which the alphabet writes as U+0120. */
static void add_words(struct vocab *v, struct arena *arena)
{
    char word[32];
    int used;
    for (const char *p = words; sscanf(p, " %31s%n", word, &used) == 1;
         p += used) {
        const char *grown = "\xc4\xa0";
        for (const char *c = word; *c && v->n_merge < MERGE_MAX; c++) {
            const char *next = arena_text(arena, "%s%c", grown, *c);
            if (find(v, next) < 0) {
                v->merge[v->n_merge++] = arena_text(arena, "%s %c", grown, *c);
                add(v, next, TOKEN_NORMAL);
            }
            grown = next;
        }
    }
}

static void add_extra(struct vocab *v, struct span bytes, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < bytes.size; i++)
        text = arena_text(arena, "%s%s", text,
                          byte_symbol((unsigned char)bytes.data[i], arena));
    if (*text && find(v, text) < 0) add(v, text, TOKEN_NORMAL);
}

struct vocab vocab_make(int n, uint64_t seed, const struct span *extra,
                        int n_extra, struct arena *arena)
{
    assert(n >= 512);
    struct vocab v = {0};
    v.text = arena_array(arena, (size_t)n, sizeof *v.text);
    v.type = arena_array(arena, (size_t)n, 1);
    v.merge = arena_array(arena, MERGE_MAX, sizeof *v.merge);
    int first = n > FIRST_ADDED + ADDED_ROOM ? FIRST_ADDED : n - ADDED_ROOM;
    for (int b = 0; b < 256; b++)
        add(&v, byte_symbol(b, arena), TOKEN_NORMAL);
    add_words(&v, arena);
    assert(v.n <= first);
    for (int i = 0; i < n_extra && v.n < first; i++)
        add_extra(&v, extra[i], arena);
    struct blocks_random r = blocks_seed(seed, "vocabulary");
    while (v.n < first) { /* no merge leads to filler */
        char filler[16] = "";
        int length = 3 + (int)(blocks_next(&r) % 6);
        for (int i = 0; i < length; i++)
            filler[i] = (char)('a' + (int)(blocks_next(&r) % 26));
        add(&v, arena_text(arena, "%s%d", filler, v.n), TOKEN_NORMAL);
    }
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        if (!strcmp(added[i], "<|im_end|>")) v.end = v.n;
        add(&v, added[i],
            strstr(added[i], "|") ? TOKEN_CONTROL : TOKEN_USER_DEFINED);
    }
    while (v.n < n)
        add(&v, arena_text(arena, "[PAD%d]", v.n), TOKEN_UNUSED);
    return v;
}
