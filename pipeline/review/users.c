/* users.c - see users.h. */
#include "pipeline/review/users.h"

#include <crypt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <openssl/crypto.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/base/hash.h"

enum {
    FILE_BYTES_MAX = 1 << 20,
    NAME_MOST = 64,
    PASSWORD_MOST = 512,
    SALT = 32,
    PAUSES = 4096 /* 3 hexadecimal digits */
};

static const double pause_s = 1; /* after a wrong password */

struct user {
    const char *name, *hash;
    enum request_role role;
    struct hash
        known; /* salted, of a password that was right; empty: none yet */
};

struct users {
    struct user *user;
    int n;
    unsigned char salt[SALT]; /* for user.known */
    double next[PAUSES];      /* earliest time for the next hash, by slot */
    struct crypt_data crypt;
    struct arena *arena;
};

/* Only yescrypt and SHA-512: weaker hashes are guessed quickly. */
static bool is_strong(const char *hash)
{
    return !strncmp(hash, "$y$", 3) || !strncmp(hash, "$6$", 3);
}

static struct user *find_user(struct users *u, const char *name)
{
    for (int i = 0; i < u->n; i++)
        if (!strcmp(u->user[i].name, name)) return &u->user[i];
    return NULL;
}

/* Cuts ":ROLE" off the hash; review if there is none. */
static enum request_role cut_role(char *hash)
{
    char *colon = strchr(hash, ':');
    if (!colon) return REQUEST_REVIEW;
    *colon = '\0';
    return request_role_of(colon + 1);
}

static void parse_line(struct users *u, char *line, int number, struct err *err)
{
    char *colon = strchr(line, ':');
    if (!*line || *line == '#') return;
    if (colon) *colon = '\0';
    enum request_role role = colon ? cut_role(colon + 1) : REQUEST_REVIEW;
    if (!colon || !*line || strlen(line) > NAME_MOST) {
        err_set(err, ERR_CONFIG, "line %d: must be NAME:HASH or NAME:HASH:ROLE",
                number);
    } else if (!is_strong(colon + 1)) {
        err_set(err, ERR_CONFIG,
                "line %d: the hash of %s is neither yescrypt ($y$) nor SHA-512 "
                "($6$): mkpasswd -m yescrypt",
                number, line);
    } else if (role == REQUEST_ROLES) {
        err_set(err, ERR_CONFIG,
                "line %d: the role of %s is not upload, review or admin",
                number, line);
    } else if (find_user(u, line)) {
        err_set(err, ERR_CONFIG, "line %d: %s is in the file twice", number,
                line);
    } else {
        *MEM_ADD(u->user, u->n) =
            (struct user){.name = line, .hash = colon + 1, .role = role};
    }
}

static void read_lines(struct users *u, const char *path, struct err *err)
{
    struct span text = file_map_read(path, FILE_BYTES_MAX, u->arena, err);
    char *at = err_failed(err) ? NULL : arena_copy(u->arena, text);
    for (int number = 1; at && !err_failed(err); number++) {
        char *end = strchr(at, '\n');
        if (end) *end = '\0';
        parse_line(u, at, number, err);
        at = end ? end + 1 : NULL;
    }
    if (!u->n) err_set(err, ERR_CONFIG, "has no users");
}

static void check_mode(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        err_errno(err, "cannot open");
    else if (st.st_mode & (S_IWGRP | S_IRWXO))
        err_set(err, ERR_CONFIG,
                "is readable or writable by others: chmod 600 (or 640)");
}

struct users *users_open(const char *path, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct users *u = mem_alloc(1, sizeof *u);
    u->arena = arena_new();
    check_mode(path, err);
    read_lines(u, path, err);
    if (!err_failed(err) && getrandom(u->salt, SALT, 0) != SALT)
        err_set(err, ERR_SYSTEM, "the system provides no random bits");
    err_context(err, "%s", path);
    if (!err_failed(err)) return u;
    users_close(u);
    return NULL;
}

void users_close(struct users *u)
{
    if (!u) return;
    mem_free(u->user);
    arena_free(u->arena);
    OPENSSL_cleanse(u, sizeof *u);
    mem_free(u);
}

static struct hash salted(const struct users *u, const char *name,
                          const char *password)
{
    struct buf text = buf_limit(SALT + NAME_MOST + PASSWORD_MOST + 8);
    buf_add(&text, u->salt, SALT);
    buf_add(&text, name, strlen(name) + 1);
    buf_add_text(&text, password);
    struct hash hash = hash_bytes(buf_span(&text));
    OPENSSL_cleanse(text.data, text.size);
    buf_free(&text);
    return hash;
}

static bool same_text(const char *a, const char *b)
{
    size_t n = strlen(a);
    return n == strlen(b) && CRYPTO_memcmp(a, b, n) == 0;
}

/* Computes a hash for unknown users (NULL) as well, so that they take as
 * long. */
static bool is_right(struct users *u, const struct user *user,
                     const char *password)
{
    const char *hash = user ? user->hash : u->user[0].hash;
    const char *made = crypt_r(password, hash, &u->crypt);
    bool same = made && *made != '*' && same_text(made, hash);
    return same && user;
}

/* Wrong passwords delay only their own client address and user name, so that a
 * client that guesses does not lock others out. Names that do not exist share
 * one slot per address. Slots are chosen by a salted hash, so a client cannot
 * choose another one's. */
static double *pause_slot(struct users *u, const char *client,
                          const struct user *user)
{
    struct hash h = salted(u, client, user ? user->name : "");
    char digits[4] = {h.hex[0], h.hex[1], h.hex[2], '\0'};
    return &u->next[strtoul(digits, NULL, 16)];
}

enum users_verdict users_check(struct users *u, const char *client,
                               const char *name, const char *password,
                               const char **found, enum request_role *role)
{
    if (strlen(name) > NAME_MOST || strlen(password) > PASSWORD_MOST)
        return USERS_WRONG;
    struct user *user = find_user(u, name);
    struct hash asked = salted(u, name, password);
    if (user && *user->known.hex && same_text(asked.hex, user->known.hex)) {
        *found = user->name;
        *role = user->role;
        return USERS_OK;
    }
    double *next = pause_slot(u, client, user);
    if (clock_seconds() < *next) return USERS_LATER;
    if (!is_right(u, user, password)) {
        *next = clock_seconds() + pause_s;
        return USERS_WRONG;
    }
    user->known = asked;
    *found = user->name;
    *role = user->role;
    return USERS_OK;
}
