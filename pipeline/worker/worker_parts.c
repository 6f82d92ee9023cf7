/* worker_parts.c - see worker_parts.h. */
#include "pipeline/worker/worker_parts.h"

#include <stdio.h>
#include <string.h>

#include "stages/document/page_range.h"
#include "stages/input/split.h"

enum { STEM_MOST = 140 }; /* spool_out.c cuts at 150 */

struct cut {
    const struct document_folder_state *state;
    const char *sha256;
    struct reader *reader;
    struct spool_part part; /* received last */
    struct err *err;
};

/* "stack.pdf" -> "stack-3.pdf"; of_attachment: its own ending, or "". */
static void name_part(const char *name, int number, const char *of_attachment,
                      char out[static FILE_NAME_BYTES_MAX + 1])
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot > name && strlen(dot) <= 5 ? (size_t)(dot - name)
                                                        : strlen(name);
    const char *ending = name + stem;
    if (stem > STEM_MOST) stem = STEM_MOST;
    if (*of_attachment) ending = of_attachment;
    snprintf(out, FILE_NAME_BYTES_MAX + 1, "%.*s-%d%s%s", (int)stem, name,
             number, *of_attachment ? "." : "", ending);
}

/* The separator's schema replaces the folder. With an invalid name the folder
 * stays, and the part is refused when it is read. */
static void fill_part(void *arg, int number, struct spool_part *part,
                      struct spool_part_name *name)
{
    struct cut *cut = arg;
    struct spool_part *found = &cut->part;
    struct page_range pages;
    struct spool_part told = *part; /* by spool_part_make */
    reader_next_part(cut->reader, found, cut->err);
    page_range_parse(&pages, found->pages, cut->err);
    *part = *found;
    memcpy(part->stack, told.stack, sizeof part->stack);
    part->number = told.number;
    part->count = told.count;
    if (!part->is_attachment)
        snprintf(part->sha256, sizeof part->sha256, "%s", cut->sha256);
    name_part(cut->state->name, number, found->ending, name->name);
    snprintf(name->folder, sizeof name->folder, "%.255s",
             split_names_schema(found->schema) ? found->schema
                                               : cut->state->folder);
}

/* Bytes that are only written here, and parsed in readers. */
static void print_bytes(void *arg, struct buf *out, struct err *err)
{
    struct cut *cut = arg;
    if (!err_failed(err)) *err = *cut->err;
    reader_part_bytes(cut->reader, &cut->part, out, err);
    if (err_failed(err)) *cut->err = *err;
}

bool worker_parts_make(struct folder *f,
                       const struct document_folder_state *state,
                       const struct reader_outcome *outcome,
                       struct reader *reader, struct err *err)
{
    struct err own = {0};
    struct cut cut = {
        state, outcome->event.sha256, reader, {.number = 0}, &own};
    if (err_failed(err)) return false;
    spool_part_make(f, outcome->n_part, fill_part, print_bytes, &cut, err);
    if (err_failed(&own)) *err = own;
    return err_failed(&own);
}
