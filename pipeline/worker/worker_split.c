/* worker_split.c - see worker_split.h. */
#include "pipeline/worker/worker_split.h"

#include <stdio.h>
#include <string.h>

#include "stages/input/page_range.h"
#include "stages/input/split.h"

enum { STEM_MOST = 140 }; /* spool_out.c cuts at 150 */

struct cut {
    const struct document_folder_state *state;
    const char *sha256;
    struct reader *reader;
    struct err *err;
};

/* "stack.pdf" -> "stack-3.pdf". */
static void name_part(const char *name, int number,
                      char out[static FILE_NAME_BYTES_MAX + 1])
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot > name && strlen(dot) <= 5 ? (size_t)(dot - name)
                                                        : strlen(name);
    const char *ending = name + stem;
    if (stem > STEM_MOST) stem = STEM_MOST;
    snprintf(out, FILE_NAME_BYTES_MAX + 1, "%.*s-%d%s", (int)stem, name, number,
             ending);
}

/* The separator's schema replaces the folder. With an invalid name the folder
 * stays, and the part is refused when it is read. */
static void fill_part(void *arg, int number, struct spool_part *part,
                      struct spool_part_name *name)
{
    struct cut *cut = arg;
    struct spool_part found = {.number = 0};
    struct page_range pages;
    reader_next_part(cut->reader, &found, cut->err);
    page_range_parse(&pages, found.pages, cut->err);
    snprintf(part->sha256, sizeof part->sha256, "%s", cut->sha256);
    snprintf(part->pages, sizeof part->pages, "%s", found.pages);
    snprintf(part->schema, sizeof part->schema, "%s", found.schema);
    snprintf(part->archive_number, sizeof part->archive_number, "%s",
             found.archive_number);
    snprintf(part->warning, sizeof part->warning, "%s", found.warning);
    name_part(cut->state->name, number, name->name);
    snprintf(name->folder, sizeof name->folder, "%.255s",
             split_names_schema(found.schema) ? found.schema
                                              : cut->state->folder);
}

void worker_split_write(struct folder *f,
                        const struct document_folder_state *state,
                        const struct reader_outcome *outcome,
                        struct reader *reader, struct err *err)
{
    struct err own = {0};
    struct cut cut = {state, outcome->event.sha256, reader, &own};
    if (err_failed(err)) return;
    spool_part_make(f, outcome->n_part, fill_part, &cut, err);
    if (err_failed(&own)) *err = own;
}
