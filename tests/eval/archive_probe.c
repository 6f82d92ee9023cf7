/* archive_probe.c - compares records with earlier ones, as a worker does.
 *
 *     archive-probe SPOOL SCHEMA: a record on each line of stdin; for each a line of stdout:
 *     microseconds, then for each finding a tab, its kind, its pointer and its text
 *
 * A line "!" opens archive.db, which is made of archive.jsonl if need be.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "pipeline/spool/spool_archive.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { LINE_SIZE = 1 << 16 };

static void ignore_row(void *arg, const struct spool_archive_row *row)
{
    (void)arg;
    (void)row;
}

/* In done/, where the worker's commit would put it. */
static void make_folder(const struct spool *s, const char *id)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/done/%s", s->path, id);
    mkdir(path, 0700);
}

static void compare(struct spool *s, const struct config *config,
                    const struct schema *schema, const char *line,
                    struct err *err)
{
    struct arena *arena = arena_new();
    struct earlier_questions q = earlier_questions_of(schema, arena);
    cJSON *record = json_parse(span_of(line), err);
    const char *id = json_get_text_or_empty(record, "id");
    int n = 0;
    double begun = clock_seconds();
    struct spool_archive *a = spool_archive_new(s, config, false);
    struct earlier_values values = earlier_values_of(&q, record, false, arena);
    struct earlier_finding *f =
        spool_archive_compare(a, id, schema, &q, &values, arena, &n, err);
    spool_archive_commit(a, err);
    spool_archive_free(a);
    printf("%.0f", 1e6 * (clock_seconds() - begun));
    for (int i = 0; i < n; i++)
        printf("\t%s %s %s", f[i].question->unique ? "unique" : "same",
               f[i].question->pointer[0], f[i].text);
    printf("\n");
    make_folder(s, id);
    cJSON_Delete(record);
    arena_free(arena);
}

static void open_database(struct spool *s, const struct config *config,
                          struct err *err)
{
    double begun = clock_seconds();
    struct spool_archive *a = spool_archive_new(s, config, false);
    spool_archive_list(a, "nobody", ignore_row, NULL, err);
    spool_archive_free(a);
    printf("%.0f\n", 1e6 * (clock_seconds() - begun));
}

int main(int argc, char **argv)
{
    static char line[LINE_SIZE];
    struct spool spool;
    struct err err = {0};
    if (argc != 3) return 1;
    struct config *config = config_open(NULL, &err);
    config_finish(config, &err);
    spool_open(&spool, argv[1], true, &err);
    struct schema *schema = schema_load(argv[2], NULL, &err);
    while (!err_failed(&err) && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line == '!')
            open_database(&spool, config, &err);
        else
            compare(&spool, config, schema, line, &err);
        fflush(stdout);
    }
    if (err_failed(&err)) fprintf(stderr, "archive-probe: %s\n", err.text);
    schema_free(schema);
    config_close(config);
    return err_failed(&err);
}
