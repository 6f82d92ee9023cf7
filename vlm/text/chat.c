/* chat.c - see chat.h. */
#include "vlm/text/chat.h"

#include <stddef.h>
#include <utf8proc.h>

static const char *const open_turn[] = {
    [CHAT_SYSTEM] = "<|im_start|>system\n",
    [CHAT_USER] = "<|im_start|>user\n",
    [CHAT_ASSISTANT] = "<|im_start|>assistant\n",
};
static const char close_turn[] = "<|im_end|>\n";
static const char open_answer[] =
    "<|im_start|>assistant\n<think>\n\n</think>\n\n";

/* What Python's strip() removes: the reference strips turns with it. */
static bool is_space(utf8proc_int32_t c)
{
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 ||
           c == 0x2028 || c == 0x2029 ||
           (c > 0x20 && utf8proc_category(c) == UTF8PROC_CATEGORY_ZS);
}

static struct span strip_front(struct span s)
{
    while (s.size) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s.data,
                                              (utf8proc_ssize_t)s.size, &c);
        if (n < 1 || !is_space(c)) break;
        s.data += n;
        s.size -= (size_t)n;
    }
    return s;
}

static struct span strip_back(struct span s)
{
    while (s.size) {
        size_t at = s.size - 1;
        while (at > 0 && ((unsigned char)s.data[at] & 0xc0) == 0x80)
            at--;
        utf8proc_int32_t c;
        utf8proc_ssize_t n =
            utf8proc_iterate((const utf8proc_uint8_t *)s.data + at,
                             (utf8proc_ssize_t)(s.size - at), &c);
        if (n < 1 || (size_t)n != s.size - at || !is_space(c)) break;
        s.size = at;
    }
    return s;
}

static void add(struct chat_pieces *out, enum chat_kind kind, struct span text,
                int image)
{
    if (kind != CHAT_IMAGE && text.size == 0) return;
    out->piece[out->n_piece++] =
        (struct chat_piece){.kind = kind, .text = text, .image = image};
}

/* Neighbouring texts of a turn are one text: tokens may span their seam. */
static struct span join(const struct chat_part *part, int n,
                        struct arena *arena)
{
    if (n == 1) return part->text;
    size_t size = 0;
    for (int i = 0; i < n; i++)
        size += part[i].text.size;
    char *data = arena_take(arena, size + 1);
    size_t at = 0;
    for (int i = 0; i < n; at += part[i].text.size, i++)
        if (part[i].text.size)
            memcpy(data + at, part[i].text.data, part[i].text.size);
    return (struct span){data, size};
}

/* A turn's text begins behind its first character that is no space; when only
 * spaces stand before a picture, nothing of them is left. */
static void add_turn(struct chat_pieces *out, const struct chat_turn *turn,
                     struct arena *arena)
{
    add(out, CHAT_MARKUP, span_of(open_turn[turn->role]), 0);
    for (int i = 0; i < turn->n_part;) {
        if (turn->part[i].is_image) {
            add(out, CHAT_IMAGE, (struct span){"", 0}, turn->part[i].image);
            i++;
            continue;
        }
        int end = i;
        while (end < turn->n_part && !turn->part[end].is_image)
            end++;
        struct span text = join(turn->part + i, end - i, arena);
        if (i == 0) text = strip_front(text);
        if (end == turn->n_part) text = strip_back(text);
        add(out, CHAT_PLAIN, text, 0);
        i = end;
    }
    add(out, CHAT_MARKUP, span_of(close_turn), 0);
}

struct chat_pieces chat_assemble(const struct chat_turn *turn, int n_turn,
                                 struct arena *arena, struct err *err)
{
    struct chat_pieces out = {0};
    if (err_failed(err)) return out;
    size_t n = 1;
    bool asked = false;
    for (int i = 0; i < n_turn; i++) {
        n += 2 + (size_t)turn[i].n_part;
        asked = asked || turn[i].role == CHAT_USER;
        if (turn[i].role == CHAT_SYSTEM && i > 0)
            err_set(err, ERR_ARGS, "the system turn must be the first");
        for (int k = 0; k < turn[i].n_part; k++)
            if (turn[i].role == CHAT_SYSTEM && turn[i].part[k].is_image)
                err_set(err, ERR_ARGS, "a system turn cannot hold a picture");
    }
    if (!asked) err_set(err, ERR_ARGS, "a chat needs a user turn");
    if (err_failed(err)) return out;
    out.piece = arena_array(arena, n, sizeof *out.piece);
    for (int i = 0; i < n_turn; i++)
        add_turn(&out, &turn[i], arena);
    add(&out, CHAT_MARKUP, span_of(open_answer), 0);
    return out;
}
