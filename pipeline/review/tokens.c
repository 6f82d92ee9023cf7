/* tokens.c - see tokens.h. */
#include "pipeline/review/tokens.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "vlm/base/hash.h"

enum { FILE_BYTES_MAX = 1 << 20, HEX = 64 };

static const char file_name[] = "tokens", start[] = "platen_";

struct tokens_line {
    struct tokens_user user;
    char hash[HEX + 1];
};

struct tokens_file {
    const struct spool *spool;
    struct stat seen;
    struct tokens_line *line;
    size_t n;
};

/* --- the file -------------------------------------------------------------- */

static bool is_name(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    size_t n = strlen(name);
    return n > 0 && n < TOKENS_NAME_SIZE && strspn(name, allowed) == n;
}

static bool parse_line(const char *text, struct tokens_line *line)
{
    char role[16];
    int end = 0;
    bool whole = sscanf(text, "%64[^:\n]:%15[a-z]:%64[0-9a-f]%n",
                        line->user.name, role, line->hash, &end) == 3 &&
                 !text[end] && strlen(line->hash) == HEX &&
                 is_name(line->user.name);
    line->user.role = whole ? request_role_of(role) : REQUEST_ROLES;
    return line->user.role != REQUEST_ROLES;
}

/* Reads all lines. FAIL: ERR_CONFIG. */
static void read_lines(const struct spool *s, struct tokens_line **list,
                       size_t *n, struct err *err)
{
    struct arena *arena = arena_new();
    struct span text = spool_read(s->root, file_name, FILE_BYTES_MAX, arena);
    char *at = text.data ? arena_copy(arena, text) : NULL;
    if (!text.data && spool_exists(s->root, file_name))
        err_set(err, ERR_CONFIG, "cannot be read");
    for (int number = 1; at && !err_failed(err); number++) {
        struct tokens_line line;
        char *end = strchr(at, '\n');
        if (end) *end = '\0';
        bool whole = *n < TOKENS_MAX && parse_line(at, &line);
        if (whole)
            *MEM_ADD(*list, *n) = line;
        else if (*at && *at != '#')
            err_set(err, ERR_CONFIG, "line %d: must be NAME:ROLE:SHA-256",
                    number);
        at = end ? end + 1 : NULL;
    }
    err_context(err, "%s/%s", s->path, file_name);
    arena_free(arena);
}

void tokens_each(const struct spool *s,
                 void (*one)(void *arg, const struct tokens_user *user),
                 void *arg, struct err *err)
{
    struct tokens_line *list = NULL;
    size_t n = 0;
    if (err_failed(err)) return;
    read_lines(s, &list, &n, err);
    for (size_t i = 0; i < n && !err_failed(err); i++)
        one(arg, &list[i].user);
    mem_free(list);
}

/* --- looking --------------------------------------------------------------- */

struct tokens_file *tokens_new(const struct spool *s)
{
    struct tokens_file *t = mem_alloc(1, sizeof *t);
    t->spool = s;
    return t;
}

void tokens_free(struct tokens_file *t)
{
    if (!t) return;
    mem_free(t->line);
    mem_free(t);
}

/* A damaged file lets nobody in. */
static void look_again(struct tokens_file *t)
{
    struct stat now = {0};
    struct err err = {0};
    if (fstatat(t->spool->root, file_name, &now, AT_SYMLINK_NOFOLLOW) != 0)
        now = (struct stat){0};
    if (now.st_ino == t->seen.st_ino &&
        now.st_mtim.tv_sec == t->seen.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == t->seen.st_mtim.tv_nsec &&
        now.st_size == t->seen.st_size)
        return;
    mem_free(t->line);
    t->line = NULL;
    t->n = 0;
    t->seen = now;
    read_lines(t->spool, &t->line, &t->n, &err);
    if (err_failed(&err)) t->n = 0;
}

bool tokens_find(struct tokens_file *t, const char *token,
                 struct tokens_user *user)
{
    bool found = false;
    size_t n = strlen(token);
    if (n >= TOKENS_SIZE) return false;
    look_again(t);
    struct hash hash = hash_bytes((struct span){token, n});
    for (size_t i = 0; i < t->n; i++) {
        if (CRYPTO_memcmp(t->line[i].hash, hash.hex, HEX) != 0) continue;
        *user = t->line[i].user;
        found = true;
    }
    return found;
}

/* --- changes --------------------------------------------------------------- */

/* Writes the lines and one more (or NULL), without those of `gone`. */
static void write_lines(struct folder *f, const struct tokens_line *list,
                        size_t n, const char *gone,
                        const struct tokens_line *more, struct err *err)
{
    struct buf text = buf_limit(FILE_BYTES_MAX);
    if (err_failed(err)) return;
    buf_add_text(&text, "# NAME:ROLE:SHA-256 of the token; platen serve token "
                        "changes this file\n");
    for (size_t i = 0; i <= n; i++) {
        const struct tokens_line *line = i < n ? &list[i] : more;
        if (!line || (gone && !strcmp(line->user.name, gone))) continue;
        buf_print(&text, "%s:%s:%s\n", line->user.name,
                  request_role_name(line->user.role), line->hash);
    }
    spool_write(f, file_name, buf_span(&text), err);
    buf_free(&text);
}

/* The spool's own folder, locked: two commands change the file one after the
 * other. */
static void open_root(struct spool *s, struct folder *f, struct err *err)
{
    *f = (struct folder){.spool = s, .id = "tokens"};
    f->fd = openat(s->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->fd < 0 || flock(f->fd, LOCK_EX) != 0)
        err_errno(err, "cannot lock %s", s->path);
}

static bool has_name(const struct tokens_line *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i].user.name, name)) return true;
    return false;
}

static void make_token(char token[static TOKENS_SIZE], struct err *err)
{
    unsigned char bits[HEX / 2];
    size_t n = sizeof start - 1;
    memcpy(token, start, sizeof start);
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        err_set(err, ERR_SYSTEM, "the system provides no random bits");
    for (size_t i = 0; i < sizeof bits; i++)
        snprintf(token + n + 2 * i, 3, "%02x", bits[i]);
}

void tokens_add(struct spool *s, const struct tokens_user *user,
                char token[static TOKENS_SIZE], struct err *err)
{
    struct folder f;
    struct tokens_line *list = NULL, line = {.user = *user};
    size_t n = 0;
    if (err_failed(err)) return;
    if (!is_name(user->name))
        err_set(err, ERR_ARGS,
                "the name of a token has 1 to 64 letters, digits, '-', '_' "
                "and '.'");
    if (!err_failed(err)) make_token(token, err);
    if (err_failed(err)) return;
    open_root(s, &f, err);
    read_lines(s, &list, &n, err);
    if (has_name(list, n, user->name))
        err_set(err, ERR_ARGS,
                "there is a token %s: revoke it, or choose another name",
                user->name);
    if (n == TOKENS_MAX) err_set(err, ERR_ARGS, "there are too many tokens");
    snprintf(line.hash, sizeof line.hash, "%s", hash_bytes(span_of(token)).hex);
    write_lines(&f, list, n, NULL, &line, err);
    if (f.fd >= 0) close(f.fd);
    mem_free(list);
}

void tokens_revoke(struct spool *s, const char *name, struct err *err)
{
    struct folder f;
    struct tokens_line *list = NULL;
    size_t n = 0;
    if (err_failed(err)) return;
    open_root(s, &f, err);
    read_lines(s, &list, &n, err);
    if (!err_failed(err) && !has_name(list, n, name))
        err_set(err, ERR_ARGS, "there is no token %s", name);
    write_lines(&f, list, n, name, NULL, err);
    if (f.fd >= 0) close(f.fd);
    mem_free(list);
}
