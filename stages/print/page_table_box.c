/* page_table_box.c - the boxes of pieces of words (page_table.h). */
#include <string.h>

#include "stages/print/page_table.h"
#include "vlm/base/utf8.h"

/* The approximate width of a character relative to others of its word. */
static double width_of(uint32_t c)
{
    if (c >= 0x80) return 1;
    if (strchr("iljI.,:;'|!()[]", (int)c)) return 0.5;
    if (strchr("frt-/ ", (int)c)) return 0.65;
    if (strchr("mMwW@%", (int)c)) return 1.5;
    return c >= 'A' && c <= 'Z' ? 1.25 : 1;
}

/* The part of a word's box under a piece of it. */
static struct box box_in(const struct word *word, const struct piece *piece)
{
    struct box box = {word->x, word->y, word->w, word->h};
    double before = 0, inside = 0, all = 0;
    bool turned = word->h > 1.5 * word->w && utf8_count(word->text) > 2;
    if ((piece->from == 0 && !word->text[piece->to]) || turned) return box;
    for (const char *at = word->text; *at;) {
        int from = (int)(at - word->text);
        double wide = width_of(utf8_take(&at));
        all += wide;
        if (from < piece->from)
            before += wide;
        else if (from < piece->to)
            inside += wide;
    }
    box.x += word->w * before / all;
    box.w = word->w * inside / all;
    return box;
}

struct box page_table_box(const struct page_table *table,
                          const struct piece *piece)
{
    const struct table_line *line =
        &table->line[table->token[piece->token].line];
    return box_in(&line->print->word[piece->token - line->first], piece);
}

double page_table_right(const struct page_table *table,
                        const struct table_figure *figure)
{
    struct box box = page_table_box(table, &figure->piece[figure->n_piece - 1]);
    return box.x + box.w;
}

struct box page_table_place(const struct page_table *table,
                            const struct piece *piece)
{
    return box_in(table->token[piece->token].place, piece);
}
