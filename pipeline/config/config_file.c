/* config_file.c - see config_file.h. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "pipeline/config/config_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ini.h>

#include "pipeline/config/config_schema.h"
#include "stages/children/ocr_languages.h"
#include "vlm/base/file_map.h"

enum {
    LINE_BYTES_MAX = 200,
    SECTION_BYTES_MAX = 49, /* longer ones are cut by inih */
    KEY_BYTES_MAX = 4096,
    PASSWORD_BYTES_MAX = 65536 /* as in raster/pdf/pdf_password.h */
};

const char *config_file_find(const char *given, struct arena *arena,
                             struct err *err)
{
    if (err_failed(err)) return "";
    const char *asked = given ? given : getenv("PLATEN_CONFIG");
    if (asked && *asked) {
        if (access(asked, F_OK) != 0)
            err_set(err, ERR_CONFIG, "%s: %s", asked, strerror(errno));
        return arena_copy(arena, span_of(asked));
    }
    if (asked) return ""; /* PLATEN_CONFIG= : no configuration file */
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const char *const places[] = {
        "platen.conf",
        xdg && *xdg ? arena_text(arena, "%s/platen/platen.conf", xdg)
        : home      ? arena_text(arena, "%s/.config/platen/platen.conf", home)
                    : "",
        "/etc/platen/platen.conf",
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (*places[i] && access(places[i], F_OK) == 0) return places[i];
    return "";
}

struct line_reader {
    struct config *config;
    FILE *file;
    const char *path;
    int line;
    struct err *err;
};

/* For inih, which asks for one line at a time; counts them. */
static char *read_line(char *text, int size, void *stream)
{
    struct line_reader *r = stream;
    if (err_failed(r->err) || !fgets(text, size, r->file)) return NULL;
    r->line++;
    size_t n = strlen(text);
    if (n + 1 >= (size_t)size && text[n - 1] != '\n') {
        err_set(r->err, ERR_CONFIG, "%s:%d: line longer than %d bytes", r->path,
                r->line, size - 2);
        return NULL;
    }
    return text;
}

static void set_for_schema(struct line_reader *r, const char *section,
                           const char *name, const char *value,
                           const char *origin)
{
    static const char prefix[] = "schema.";
    const size_t n = sizeof prefix - 1;
    if (strncmp(section, prefix, n) != 0)
        err_set(r->err, ERR_CONFIG, "[%s]: no such section; only [schema.NAME]",
                section);
    else if (strlen(section) >= SECTION_BYTES_MAX)
        err_set(r->err, ERR_CONFIG,
                "[%s...]: a schema in a heading has at most %zu letters",
                section, SECTION_BYTES_MAX - 1 - n);
    config_schema_set(r->config, section + n, name, value, origin, r->err);
    err_context(r->err, "%s", origin);
}

static int set_key(void *user, const char *section, const char *name,
                   const char *value)
{
    struct line_reader *r = user;
    if (err_failed(r->err)) return 1;
    char origin[4200];
    snprintf(origin, sizeof origin, "%.4096s:%d", r->path, r->line);
    if (strchr(section, '.')) {
        set_for_schema(r, section, name, value, origin);
        return 1;
    }
    /* other headings have no effect: keys are unique */
    const char *before = config_origin(r->config, name);
    size_t n = strlen(r->path);
    if (before && !strncmp(before, r->path, n) && before[n] == ':')
        err_set(r->err, ERR_CONFIG, "%s is already set in line %s", name,
                before + n + 1);
    config_set(r->config, name, value, origin, r->err);
    err_context(r->err, "%s", origin);
    return 1;
}

/* Opens without blocking: open() of a FIFO would wait for a writer. */
static FILE *open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && !f) close(fd);
    return f;
}

/* The file decides which programs platen runs and where it sends pages, so only
 * root and the user may write it. */
static void check_owner(FILE *f, const char *path, struct err *err)
{
    struct stat s;
    if (fstat(fileno(f), &s) != 0) {
        err_set(err, ERR_CONFIG, "%s: %s", path, strerror(errno));
        return;
    }
    if (!S_ISREG(s.st_mode))
        err_set(err, ERR_CONFIG, "%s: is not a regular file", path);
    else if (s.st_uid != geteuid() && s.st_uid != 0)
        err_set(err, ERR_CONFIG,
                "%s: belongs to user %u, neither to root nor to you", path,
                (unsigned)s.st_uid);
    else if ((s.st_mode & S_IWOTH) ||
             ((s.st_mode & S_IWGRP) && s.st_uid != geteuid()))
        err_set(err, ERR_CONFIG, "%s: is writable by other users: chmod go-w",
                path);
}

/* The parser's lines were there, and one may hold a password. */
static __attribute__((noinline)) void wipe_stack(void)
{
    char below[16 << 10];
    explicit_bzero(below, sizeof below);
}

void config_file_read(struct config *c, const char *path, struct err *err)
{
    if (err_failed(err)) return;
    FILE *f = open_file(path);
    if (!f) {
        err_set(err, ERR_CONFIG, "%s: %s", path, strerror(errno));
        return;
    }
    check_owner(f, path, err);
    char buffer[BUFSIZ]; /* own, to be wiped */
    setvbuf(f, buffer, _IOFBF, sizeof buffer);
    struct line_reader reader = {c, f, path, 0, err};
    ini_allow_multiline = false;
    int bad = err_failed(err)
                  ? 0
                  : ini_parse_stream(read_line, &reader, set_key, &reader);
    if (bad > 0)
        err_set(err, ERR_CONFIG,
                "%s:%d: must be [section], \"key = value\" or a comment", path,
                bad);
    fclose(f);
    explicit_bzero(buffer, sizeof buffer);
    wipe_stack();
}

/* --- defaults ----------------------------------------------------------- */

static bool path_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The folder of the program, links resolved. */
static const char *program_folder(struct arena *arena)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) return ".";
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
    return arena_copy(arena, span_of(path));
}

enum part { PART_MODEL, PART_VISION, PART_MTP };

static enum part gguf_part(const char *name)
{
    return strstr(name, "mmproj")          ? PART_VISION
           : !strncasecmp(name, "mtp-", 4) ? PART_MTP
                                           : PART_MODEL;
}

/* The first GGUF file of that kind in the folder, by name; or "". */
static const char *find_gguf(const char *folder, enum part part,
                             struct arena *arena)
{
    DIR *d = opendir(folder);
    const char *found = "";
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 6 || strcmp(e->d_name + n - 5, ".gguf") != 0) continue;
        if (gguf_part(e->d_name) != part) continue;
        if (*found && strcmp(e->d_name, strrchr(found, '/') + 1) > 0) continue;
        found = arena_text(arena, "%s/%s", folder, e->d_name);
    }
    if (d) closedir(d);
    return found;
}

static void set_default(struct config *c, const char *key, const char *value,
                        const char *origin, struct err *err)
{
    if (*value) config_set(c, key, value, origin, err);
}

/* In the folder of platen in a source tree, else where make install puts it. */
static void default_program(struct config *c, const char *key, const char *name,
                            const char *bin, struct err *err)
{
    const char *path = arena_text(c->arena, "%s/%s", bin, name);
    if (!path_exists(path))
        path = arena_text(c->arena, "%s/../libexec/platen/%s", bin, name);
    set_default(c, key, path, "beside platen", err);
}

static void default_model(struct config *c, const char *share, struct err *err)
{
    struct arena *a = c->arena;
    if (!*c->stage.model) {
        const char *folder = arena_text(a, "%s/vlm/embedded", share);
        if (!path_exists(folder)) folder = arena_text(a, "%s/embedded", share);
        set_default(c, "model", find_gguf(folder, PART_MODEL, a), "embedded",
                    err);
        if (!*c->stage.mmproj)
            set_default(c, "mmproj", find_gguf(folder, PART_VISION, a),
                        "embedded", err);
        return;
    }
    const char *slash = strrchr(c->stage.model, '/');
    const char *folder =
        !slash ? "."
               : arena_copy(a, (struct span){c->stage.model,
                                             (size_t)(slash - c->stage.model)});
    if (!*c->stage.mmproj)
        set_default(c, "mmproj", find_gguf(folder, PART_VISION, a),
                    "beside the model", err);
    if (!*c->stage.mtp)
        set_default(c, "mtp", find_gguf(folder, PART_MTP, a),
                    "beside the model", err);
}

/* Shown as the target of links in /proc/self/fd. */
static const char sealed_name[] = "platen-key";

void config_close_secrets(int keep)
{
    DIR *d = opendir("/proc/self/fd");
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[64], target[64] = "";
        int fd = atoi(e->d_name);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        bool is_link = readlink(path, target, sizeof target - 1) > 0;
        if (is_link && fd != keep && strstr(target, sealed_name)) close(fd);
    }
    if (d) closedir(d);
}

int config_file_seal(struct span secret, const char *what, struct err *err)
{
    if (err_failed(err) || !secret.size) return 0;
    int fd = memfd_create(sealed_name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
    if (fd == 0) fd = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* 0 means none */
    if (fd > 0 && write(fd, secret.data, secret.size) == (ssize_t)secret.size &&
        !fcntl(fd, F_ADD_SEALS, seals))
        return fd;
    err_errno(err, "cannot keep the %s", what);
    if (fd > 0) close(fd);
    return 0;
}

static const char endpoint_key[] = "key of the endpoint";

/* Seals the first line: a header cannot hold a line end, and files and
 * variables often have one at their end. FAIL: ERR_CONFIG for other control
 * characters. */
static int seal_key(struct span text, const char *from, const char *what,
                    struct err *err)
{
    size_t n = 0;
    while (n < text.size && text.data[n] != '\0' && text.data[n] != '\r' &&
           text.data[n] != '\n') {
        unsigned char c = (unsigned char)text.data[n++];
        if (c < 0x20 || c == 0x7f)
            err_set(err, ERR_CONFIG, "%s: the key has a control character",
                    from);
    }
    return config_file_seal((struct span){text.data, n}, what, err);
}

void config_file_hide_key(struct config *c, struct err *err)
{
    if (err_failed(err)) return;
    char *key = getenv("OPENAI_API_KEY");
    if (!key) return;
    c->environment_key_fd =
        seal_key(span_of(key), "OPENAI_API_KEY", endpoint_key, err);
    explicit_bzero(key, strlen(key));
    unsetenv("OPENAI_API_KEY");
}

/* A key as flag or in platen.conf would show in `ps` or in a repository, so it
 * has a file of its own. */
static int seal_file(const char *path, const char *what, const char *setting,
                     struct err *err)
{
    char text[KEY_BYTES_MAX];
    struct err local = {0};
    size_t n = file_map_copy(path, text, sizeof text, &local);
    int fd = seal_key((struct span){text, n}, path, what, &local);
    explicit_bzero(text, sizeof text);
    if (err_failed(&local))
        err_set(err, ERR_CONFIG, "%s: %s", setting, local.text);
    return fd;
}

/* It can also be in the variable that all clients use. */
static void read_endpoint_key(struct config *c, struct err *err)
{
    c->stage.endpoint_key_fd = c->environment_key_fd;
    if (*c->endpoint_key_file)
        c->stage.endpoint_key_fd = seal_file(c->endpoint_key_file, endpoint_key,
                                             "endpoint_key_file", err);
}

static void read_keys(struct config *c, struct err *err)
{
    read_endpoint_key(c, err);
    if (*c->webhook_secret_file)
        c->webhook_secret_fd =
            seal_file(c->webhook_secret_file, "key of the webhook",
                      "webhook_secret_file", err);
}

/* Opens a file that holds secrets. As for private keys in PostgreSQL: one of
 * root may be readable by a group, so that a service can read it. FAIL:
 * ERR_CONFIG. */
static int open_private(const char *path, struct err *err)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0)
        err_set(err, ERR_CONFIG, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(s.st_mode))
        err_set(err, ERR_CONFIG, "%s: is not a regular file", path);
    else if (s.st_mode & (s.st_uid == 0 ? 027 : 077))
        err_set(err, ERR_CONFIG,
                "%s: others can read or write it: chmod 600 %s", path, path);
    if (!err_failed(err)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

/* They stay in sealed memory: only the rasteriser of an encrypted PDF reads
 * them. */
static void read_passwords(struct config *c, struct err *err)
{
    char text[PASSWORD_BYTES_MAX + 1];
    size_t n = 0;
    if (err_failed(err) || !*c->passwords) return;
    int fd = open_private(c->passwords, err);
    for (ssize_t got = 1;
         fd >= 0 && got > 0 && n<sizeof text; n += got> 0 ? (size_t)got : 0) {
        got = read(fd, text + n, sizeof text - n);
        if (got < 0)
            err_set(err, ERR_CONFIG, "%s: %s", c->passwords, strerror(errno));
    }
    if (fd >= 0) close(fd);
    if (n > PASSWORD_BYTES_MAX)
        err_set(err, ERR_CONFIG, "%s: longer than %d bytes", c->passwords,
                PASSWORD_BYTES_MAX);
    else if (!err_failed(err) && n == 0)
        err_set(err, ERR_CONFIG, "%s: is empty", c->passwords);
    if (c->stage.passwords_fd > 0) close(c->stage.passwords_fd);
    c->stage.passwords_fd =
        config_file_seal((struct span){text, n}, "passwords of PDFs", err);
    explicit_bzero(text, sizeof text);
    err_context(err, "passwords");
}

/* The language of the system's messages, as setlocale(3) finds it. */
static const char *locale_name(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return value;
    }
    return NULL;
}

/* build/MODE/platen of a source tree, else PREFIX/bin/platen */
static const char *share_folder(const char *bin, struct arena *a)
{
    const char *share = arena_text(a, "%s/../..", bin);
    if (!path_exists(arena_text(a, "%s/schemas/README.md", share)) ||
        !path_exists(arena_text(a, "%s/vlm", share)))
        share = arena_text(a, "%s/../share/platen", bin);
    char real[4096];
    if (strlen(share) < sizeof real && realpath(share, real))
        share = arena_copy(a, span_of(real));
    return share;
}

void config_file_engine(struct config *c, bool key, struct err *err)
{
    if (err_failed(err)) return;
    default_model(c, share_folder(program_folder(c->arena), c->arena), err);
    if (key) read_endpoint_key(c, err);
}

void config_file_defaults(struct config *c, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *a = c->arena;
    const char *bin = program_folder(a);
    const char *share = share_folder(bin, a);
    if (!*c->stage.schemas)
        set_default(c, "schemas", arena_text(a, "%s/schemas", share),
                    "beside platen", err);
    if (!*c->stage.raster_program)
        default_program(c, "raster_program", "platen-raster", bin, err);
    if (!*c->stage.ocr_program)
        default_program(c, "ocr_program", "platen-ocr", bin, err);
    if (!*c->stage.annotate_program)
        default_program(c, "annotate_program", "platen-annotate", bin, err);
    const char *data = arena_text(a, "%s/tessdata", share);
    if (!*c->stage.ocr_data && path_exists(data)) /* of a bundle */
        set_default(c, "ocr_data", data, "beside platen", err);
    const char *models = arena_text(a, "%s/ocr", share);
    if (!*c->stage.ocr_models && path_exists(models)) /* of a bundle */
        set_default(c, "ocr_models", models, "beside platen", err);
    if (!*c->stage.cache) {
        const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
        set_default(c, "cache",
                    xdg && *xdg     ? arena_text(a, "%s/platen", xdg)
                    : home && *home ? arena_text(a, "%s/.cache/platen", home)
                                    : "", /* then without one */
                    "default", err);
    }
    if (!*c->stage.ocr_languages)
        set_default(c, "ocr_languages",
                    ocr_languages_of_locale(&c->stage, locale_name(), a),
                    "locale", err);
    default_model(c, share, err);
    read_keys(c, err);
    read_passwords(c, err);
}
