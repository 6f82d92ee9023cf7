/* heads_report.c - see heads_report.h. */
#include "pipeline/models/heads_report.h"

#include <stdio.h>

#include "pipeline/models/heads_find.h"
#include "pipeline/process/atomic_file.h"
#include "stages/engine/retrieval_heads.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/own_folder.h"
#include "vlm/vlm.h"

enum { ROWS = 8, FILE_MOST = 1 << 16 };

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void print_table(const struct heads_found *found)
{
    const int *n = found->n_token;
    printf("%d pages, %d tokens for selection, %d held out; read correctly "
           "without help: %d pages\n",
           2 * found->heads.n_page, n[0], n[1], found->n_read);
    printf("chance: %.1f %% of the tokens\n\n", 100 * found->heads.chance);
    printf("layer  head   hits    held out   attention on the word\n");
    for (int i = 0; i < found->n_score && i < ROWS; i++) {
        const struct heads_score *s = &found->score[i];
        if (!(s->on_word > 0)) continue; /* its layer has no attention */
        printf("%5d %5d  %5.1f %%   %5.1f %%     %5.1f %%\n", s->layer, s->head,
               percent(s->n_hit[0], n[0]), percent(s->n_hit[1], n[1]),
               percent(s->on_word, n[0] + n[1]));
    }
}

static void write_heads(struct vlm *v, const struct heads_found *found,
                        const struct heads_report_options *o, struct err *err)
{
    struct arena *arena = arena_new();
    struct buf text = buf_limit(FILE_MOST);
    const char *hash = vlm_info(v)->hash.hex;
    const char *path =
        o->out ? o->out : retrieval_heads_path(o->cache, hash, arena);
    if (!o->out) own_folder_make(o->cache, err);
    retrieval_heads_print(&found->heads, hash, &text);
    atomic_file_write(path, buf_span(&text), err);
    if (!err_failed(err)) printf("\nwritten to %s\n", path);
    buf_free(&text);
    arena_free(arena);
}

bool heads_report(struct vlm *v, const struct heads_report_options *options,
                  struct err *err)
{
    if (err_failed(err)) return false;
    struct heads_found found = heads_find(v, options->n_page, -1, err);
    if (!err_failed(err)) {
        print_table(&found);
        if (found.heads.n_head)
            printf("\n%d head%s can locate values (at least %.0f %% hits on "
                   "both sets)\n",
                   found.heads.n_head, found.heads.n_head == 1 ? "" : "s",
                   100 * retrieval_heads_hits_least);
        else
            printf("\nno head can locate values (at least %.0f %% hits on both "
                   "sets)\n",
                   100 * retrieval_heads_hits_least);
        write_heads(v, &found, options, err);
    }
    mem_free(found.score);
    return found.heads.n_head > 0 && !err_failed(err);
}
