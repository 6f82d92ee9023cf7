/* print_height.c - see print_height.h. */
#include "stages/page/print_height.h"

#include "stages/page/lines.h"
#include "vlm/base/sort.h"

static int letters_of(const struct line *line)
{
    return line->turned || line->n_word < LINE_LETTERS_LEAST ? 0 : line->n_word;
}

double print_height(const struct image *page, struct err *err)
{
    if (err_failed(err)) return 0;
    struct arena *arena = arena_new();
    struct lines lines;
    int n = 0, room = 0;
    lines_of_ink(page, arena, &lines, err);
    for (int i = 0; i < lines.n_line; i++)
        room += letters_of(&lines.line[i]);
    double *height = arena_array(arena, (size_t)room + 1, sizeof *height);
    for (int i = 0; i < lines.n_line; i++)
        for (int k = 0; k < letters_of(&lines.line[i]); k++)
            height[n++] = lines.line[i].word[k].h * page->height_px;
    sort_doubles(height, (size_t)n);
    double high = n ? height[n * 3 / 4] : 0;
    arena_free(arena);
    return high;
}
