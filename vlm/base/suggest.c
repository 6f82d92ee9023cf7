/* suggest.c - see suggest.h. */
#include "vlm/base/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { MOST = 48 }; /* letters compared */

static int letter(char c)
{
    return c == '-' ? '_' : tolower((unsigned char)c);
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Damerau's distance without repeated edits; rows of the last two letters. */
static size_t distance(const char *a, const char *b)
{
    size_t row[3][MOST + 1];
    size_t m = strnlen(a, MOST), n = strnlen(b, MOST);
    for (size_t j = 0; j <= n; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3];
        const size_t *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            bool same = letter(a[i - 1]) == letter(b[j - 1]);
            bool swapped = i > 1 && j > 1 &&
                           letter(a[i - 1]) == letter(b[j - 2]) &&
                           letter(a[i - 2]) == letter(b[j - 1]);
            now[j] = least_of(last[j], now[j - 1]) + 1;
            now[j] = least_of(now[j], last[j - 1] + !same);
            if (swapped) now[j] = least_of(now[j], before[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

struct suggest suggest_begin(const char *wanted)
{
    size_t most = strnlen(wanted, MOST) / 3;
    return (struct suggest){.wanted = wanted, .least = (most ? most : 1) + 1};
}

void suggest_try(struct suggest *n, const char *name)
{
    size_t d = distance(n->wanted, name);
    if (d >= n->least || (d && d >= strlen(name))) return;
    n->least = d;
    n->best = name;
}
