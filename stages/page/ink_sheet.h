/* ink_sheet.h - lines of print on a page that nobody read, and their cells.
 *
 * A cell is what stands together on a line, apart from the next by more than the
 * space between words: a value in its column, or a piece of running text. Pixels
 * are the picture's.
 */
#ifndef STAGES_PAGE_INK_SHEET_H
#define STAGES_PAGE_INK_SHEET_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/image.h"

enum { INK_CELLS_MAX = 32 };

struct ink_cell {
    int x, w;
};

struct ink_line {
    int top, foot;
    int page;           /* where several are laid end to end, from 0 */
    const uint8_t *ink; /* of each column of pixels: 1, there is print */
    struct ink_cell cell[INK_CELLS_MAX]; /* from the left */
    int n_cell;
};

struct ink_sheet {
    struct ink_line *line; /* from the top */
    int n_line;
    int width, height;
    double letter; /* usual height of its letters; 0: there are none */
    const struct ink_sheet
        *even; /* the same where all letters are as broad, and
                                   * spaces: cells are further apart */
};

/* The same lines with cells as a print has them whose words are apart by less than
 * `gap` pixels; of a narrow face cells stand closer than its letters' height tells.
 * Lives in the arena, or is the sheet, where its cells are no further apart. */
const struct ink_sheet *ink_sheet_apart(const struct ink_sheet *sheet,
                                        double gap, struct arena *arena);

/* The lines of a picture, dark on light, standing straight; without rules. No
 * lines where it is empty. Lives in the arena. FAIL: ERR_SYSTEM. */
void ink_sheet_read(const struct image *picture, struct arena *arena,
                    struct ink_sheet *out, struct err *err);

#endif
