/* spool_examples.c - see spool_examples.h. */
#include "pipeline/spool/spool_examples.h"

#include <string.h>
#include <unistd.h>

#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/example_choice.h"
#include "stages/ask/examples.h"
#include "vlm/base/text_table.h"
#include "vlm/json/json.h"

/* Of a sender, the latest; of all senders that the words name. */
enum { LATEST = 20, CANDIDATES = 100 };

struct example_search {
    struct spool_archive *archive;
    struct spool *spool;
    const struct earlier_question *q;
    struct text_table looked_up; /* names of before */
    struct example_candidate *candidate;
    int n;
    struct arena *arena;
    struct err *err;
};

static void add_candidate(struct example_search *s, const char *sender,
                          const char *id)
{
    int fd = spool_folder_fd(s->spool, SPOOL_DONE, id);
    struct span words = {NULL, 0};
    if (fd >= 0)
        words = spool_read(fd, SPOOL_WORDS, EXAMPLES_WORDS_MOST, s->arena);
    if (fd >= 0) close(fd);
    if (words.data && s->n < CANDIDATES)
        *ARENA_ADD(s->arena, s->candidate, s->n) =
            (struct example_candidate){.id = arena_copy(s->arena, span_of(id)),
                                       .sender = sender,
                                       .words = words};
}

static void look_up(void *arg, const char *name)
{
    struct example_search *s = arg;
    char id[LATEST][SPOOL_ID_SIZE];
    if (err_failed(s->err) || text_table_find(&s->looked_up, name)) return;
    name = arena_copy(s->arena, span_of(name));
    text_table_put(&s->looked_up, s->arena, name, s);
    int n = spool_archive_examples(s->archive, s->q, name, id, LATEST, s->err);
    for (int i = 0; i < n; i++)
        add_candidate(s, name, id[i]);
}

/* Appends it if it is reviewed, still. */
static bool print(struct example_search *s, const struct config *config,
                  const struct example_candidate *e, struct buf *out)
{
    struct corrected_record_review review = {.n_line = 0};
    struct err own = {0};
    int fd = spool_folder_fd(s->spool, SPOOL_DONE, e->id);
    cJSON *record =
        fd < 0 ? NULL : corrected_record_record(fd, config, &review, &own);
    size_t size = out->size;
    if (record && review.reviewed)
        example_choice_print(e, json_get(record, "data"), out);
    if (out->full) buf_cut(out, size); /* its value is too long */
    out->full = false;
    cJSON_Delete(record);
    if (fd >= 0) close(fd);
    return out->size > size;
}

void spool_examples_find(struct spool *spool, const struct config *config,
                         const struct schema *schema, struct span words,
                         int most, struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct earlier_questions q = earlier_questions_of(schema, arena);
    struct example_search s = {
        .spool = spool, .q = earlier_example(&q), .arena = arena, .err = err};
    if (s.q) {
        int n_told = 0;
        s.archive = spool_archive_new(spool, config, true);
        spool_archive_fill(s.archive, schema, &q, err);
        example_choice_names(words, look_up, &s);
        int n = example_choice_rank(words, s.candidate, s.n);
        for (int i = 0; i < n && n_told < most && !err_failed(err); i++)
            n_told += print(&s, config, &s.candidate[i], out);
        example_choice_end(out);
        spool_archive_free(s.archive);
    }
    arena_free(arena);
}
