/* spool_sqlite.c - see spool_sqlite.h. */
#include "pipeline/spool/spool_sqlite.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 64, PATH_SIZE = 4200 };

static const char *const ending[] = {"", "-wal", "-shm"};
enum { N_ENDING = sizeof ending / sizeof *ending };

/* SQLite gives -wal and -shm the same mode. */
static void make_private(const struct spool *s, const char *name)
{
    char path[NAME_SIZE];
    int fd =
        openat(s->root, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
    for (size_t i = 0; i < N_ENDING; i++) {
        struct stat st;
        snprintf(path, sizeof path, "%s%s", name, ending[i]);
        bool open = fstatat(s->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISREG(st.st_mode) && (st.st_mode & (S_IRWXG | S_IRWXO));
        if (open && fchmodat(s->root, path, st.st_mode & S_IRWXU, 0) != 0)
            return; /* another user's */
    }
}

bool spool_sqlite_open(const struct spool *s, const char *name, sqlite3 **db)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", s->path, name);
    make_private(s, name);
    return sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                           NULL) == SQLITE_OK;
}

void spool_sqlite_drop(const struct spool *s, const char *name)
{
    char path[NAME_SIZE];
    for (size_t i = 0; i < N_ENDING; i++) {
        snprintf(path, sizeof path, "%s%s", name, ending[i]);
        unlinkat(s->root, path, 0);
    }
}

bool spool_sqlite_is_damaged(int code)
{
    return code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
}

bool spool_sqlite_run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

void spool_sqlite_bind(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

const char *spool_sqlite_text(sqlite3_stmt *s, int at)
{
    const unsigned char *t = sqlite3_column_text(s, at);
    return t ? (const char *)t : "";
}
