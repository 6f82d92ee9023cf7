/* folder_fuzz.c - any bytes as the files of a document's folder: what is read
 * of them is bounded, and nothing fails. The first byte says which file. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "stages/document/reason.h"

static const char *const files[] = {
    "name.json",   "attempt.1",   "attempt.1.end", "attempt.2.end",
    "reason.json", "record.json", "taken.json"};
enum { N_FILE = sizeof files / sizeof files[0] };

static void put(int folder, const char *name, const void *bytes, size_t size)
{
    int fd =
        openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert(fd >= 0);
    assert(write(fd, bytes, size) == (ssize_t)size);
    close(fd);
}

static void check_state(const struct document_folder_state *s)
{
    assert(*s->name && strlen(s->name) <= FILE_NAME_BYTES_MAX &&
           !strchr(s->name, '/'));
    assert(!strchr(s->folder, '/'));
    assert(s->n_attempt == 2 && s->n_crash_same <= s->n_crash);
    assert(s->n_crash + s->n_model + s->n_death <= s->n_attempt);
    assert(!*s->last_code || reason_find(s->last_code));
}

/* A folder in memory, where there is any; gone at the end of the call. */
static int make_folder(char path[static 64])
{
    snprintf(path, 64, "/dev/shm/platen-fuzz.XXXXXX");
    if (!mkdtemp(path)) snprintf(path, 64, "/tmp/platen-fuzz.XXXXXX");
    if (access(path, F_OK) != 0 && !mkdtemp(path)) return -1;
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void remove_all(int folder, const char *path)
{
    for (size_t i = 0; i < N_FILE; i++)
        unlinkat(folder, files[i], 0);
    unlinkat(folder, "attempt.2", 0);
    unlinkat(folder, "doc", 0);
    close(folder);
    rmdir(path);
}

int folder_fuzz(const uint8_t *data, size_t size)
{
    static const char id[] = "20260101T000000Z-0123456789abcdef";
    struct document_folder_state state;
    char path[64];
    if (!size) return 0;
    int folder = make_folder(path);
    assert(folder >= 0);
    put(folder, "doc", "x", 1);
    put(folder, "attempt.1", "{}", 2);
    put(folder, "attempt.2", "{}", 2);
    put(folder, files[data[0] % N_FILE], data + 1, size - 1);
    document_folder_read(folder, id, &state);
    check_state(&state);
    /* bound to doc by its SHA-256, which no input here can be by chance */
    assert(document_folder_record_fault(folder, id, 1 << 20));
    document_folder_reason_fault(folder, id);
    remove_all(folder, path);
    return 0;
}
