/* spool_box.c - see spool_box.h. */
#include "tests/unit/pipeline/spool_box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int spool_box_open(void **state)
{
    struct spool_box *b = calloc(1, sizeof *b);
    *state = b;
    snprintf(b->path, sizeof b->path, "/tmp/platen-box.XXXXXX");
    if (!mkdtemp(b->path)) return -1;
    spool_open(&b->spool, b->path, true, &b->err);
    b->config = config_open(NULL, &b->err);
    config_set(b->config, "stable_for", "0", "test", &b->err);
    config_set(b->config, "min_free_space", "1", "test", &b->err);
    config_set(b->config, "engine", "null", "test", &b->err);
    config_finish(b->config, &b->err);
    return err_failed(&b->err) ? -1 : 0;
}

int spool_box_close(void **state)
{
    struct spool_box *b = *state;
    char command[128];
    spool_close(&b->spool);
    config_close(b->config);
    snprintf(command, sizeof command, "rm -rf '%s'", b->path);
    int code = system(command);
    free(b);
    return code;
}

void spool_box_drop(struct spool_box *b, const char *folder, const char *name,
                    const char *bytes)
{
    char path[256];
    snprintf(path, sizeof path, "%s/in/%s", b->path, folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/in/%s/%s", b->path, folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(bytes, f);
    fclose(f);
}

void spool_box_claim(struct spool_box *b, const char *folder, const char *name,
                     char id[static SPOOL_ID_SIZE])
{
    struct folder f = {.fd = -1};
    spool_box_drop(b, folder, name, "");
    struct arena *arena = arena_new();
    struct drops drops = spool_scan(&b->spool, arena, NULL, NULL, &b->err);
    for (size_t i = 0; i < drops.n_drop; i++)
        if (!strcmp(drops.drop[i].name, name))
            assert_true(spool_claim(&b->spool, &drops.drop[i], &f, &b->err));
    arena_free(arena);
    test_ok(&b->err);
    snprintf(id, SPOOL_ID_SIZE, "%s", f.id);
    spool_unlock(&f);
}

bool spool_box_has(const struct spool_box *b, enum spool_place place,
                   const char *id, const char *name)
{
    int fd = spool_folder_fd(&b->spool, place, id);
    bool has = fd >= 0 && spool_exists(fd, name);
    if (fd >= 0) close(fd);
    return has;
}
