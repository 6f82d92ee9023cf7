/* ctc.c - see ctc.h. */
#include "stages/children/ocr/ctc.h"

#include <string.h>

#include "vlm/base/arena.h"

struct ctc_dictionary ctc_dictionary_new(const char *list, size_t size)
{
    struct ctc_dictionary d = {.n = 0};
    d.block = mem_alloc(size + 1, 1);
    d.character = mem_alloc(CTC_CHARACTERS_MAX, sizeof *d.character);
    memcpy(d.block, list, size);
    for (char *at = d.block; *at && d.n < CTC_CHARACTERS_MAX;) {
        char *end = at + strcspn(at, "\n");
        char *next = *end ? end + 1 : end;
        if (end > at && end[-1] == '\r') end--;
        *end = '\0';
        d.character[d.n++] = at;
        at = next;
    }
    return d;
}

void ctc_dictionary_free(struct ctc_dictionary *d)
{
    mem_free(d->block);
    mem_free(d->character);
    *d = (struct ctc_dictionary){.n = 0};
}

static int likeliest(const float *p, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (p[i] > p[best]) best = i;
    return best;
}

int ctc_decode(const struct ctc_dictionary *d, const float *p, int n_step,
               int n_class, struct ctc_character *out)
{
    int n = 0, before = 0, first = 0;
    if (n_class != d->n + 1 && n_class != d->n + 2) return -1;
    for (int step = 0; step < n_step; step++) {
        const float *row = p + (size_t)step * (size_t)n_class;
        int now = likeliest(row, n_class);
        if (now && now == before) {
            out[n - 1].at = (first + step + 1) / 2.0;
            if ((double)row[now] > out[n - 1].p)
                out[n - 1].p = (double)row[now];
        } else if (now) {
            if (n == CTC_LINE_MAX) break;
            out[n++] = (struct ctc_character){
                now <= d->n ? d->character[now - 1] : " ", step + 0.5,
                (double)row[now]};
            first = step;
        }
        before = now;
    }
    return n;
}
