/* config_open.c - reads a configuration from defaults, platen.conf and the
 * environment, and checks it when flags are applied; see config.h. */
#define _GNU_SOURCE 1 /* environ */
#include "pipeline/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "pipeline/config/config_file.h"
#include "pipeline/config/config_schema.h"
#include "pipeline/config/config_table.h"
#include "pipeline/config/fleet_secrets.h"
#include "stages/children/ocr_languages.h"

static const char environment_prefix[] = "PLATEN_";

enum { ENVIRONMENT_NAME = 64 };

static void environment_name(const char *key,
                             char name[static ENVIRONMENT_NAME])
{
    snprintf(name, ENVIRONMENT_NAME, "%s%s", environment_prefix, key);
    for (char *p = name; *p; p++)
        *p = (char)toupper((unsigned char)*p);
}

static void read_environment(struct config *c, struct err *err)
{
    for (size_t i = 0; config_key_at(i) && !err_failed(err); i++) {
        char name[ENVIRONMENT_NAME];
        environment_name(config_key_at(i)->key, name);
        const char *value = getenv(name);
        if (!value) continue;
        config_set(c, config_key_at(i)->key, value, name, err);
        err_context(err, "%s", name);
    }
}

/* PLATEN_CONFIG is known, but not a key. */
static bool is_known_name(const char *key)
{
    for (size_t i = 0; config_key_at(i); i++)
        if (!strcasecmp(config_key_at(i)->key, key)) return true;
    return !strcmp(key, "CONFIG");
}

void config_mistyped_environment(void (*found)(const char *name,
                                               const char *meant))
{
    const size_t n = sizeof environment_prefix - 1;
    for (char **e = environ; e && *e; e++) {
        char key[ENVIRONMENT_NAME] = "", meant[ENVIRONMENT_NAME];
        size_t end = strcspn(*e, "=");
        if (strncmp(*e, environment_prefix, n) != 0 || end >= sizeof key)
            continue;
        memcpy(key, *e, end);
        const char *near = config_nearest(key + n);
        if (!near || is_known_name(key + n)) continue;
        environment_name(near, meant);
        found(key, meant);
    }
}

struct config *config_open(const char *file, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct arena *arena = arena_new();
    struct config *c = arena_alloc(arena, sizeof *c);
    c->arena = arena;
    config_file_hide_key(c, err);
    for (size_t i = 0; config_key_at(i); i++)
        config_set(c, config_key_at(i)->key, config_key_at(i)->by_default,
                   "default", err);
    c->given = file ? arena_copy(arena, span_of(file)) : NULL;
    c->file = config_file_find(file, arena, err);
    if (*c->file) config_file_read(c, c->file, err);
    read_environment(c, err);
    return c;
}

struct config *config_reload(const struct config *first, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct config *c = config_open(first->given, err);
    if (first->environment_key_fd && !c->environment_key_fd) /* was hidden */
        c->environment_key_fd =
            fcntl(first->environment_key_fd, F_DUPFD_CLOEXEC, 3);
    if (first->fleet_fd) /* those of flags and environment were hidden */
        c->fleet_fd = fcntl(first->fleet_fd, F_DUPFD_CLOEXEC, 3);
    for (size_t i = 0; config_key_at(i); i++)
        if (!strcmp(first->origin[i], "flag"))
            config_set(c, config_key_at(i)->key, first->value[i], "flag", err);
    config_finish(c, err);
    return c;
}

void config_close(struct config *c)
{
    if (!c) return;
    config_schema_close(c);
    int fd = c->stage.endpoint_key_fd, shared = c->environment_key_fd;
    if (fd > 0 && fd != shared) close(fd);
    if (shared > 0) close(shared);
    if (c->stage.passwords_fd > 0) close(c->stage.passwords_fd);
    if (c->fleet_fd > 0) close(c->fleet_fd);
    if (c->webhook_secret_fd > 0) close(c->webhook_secret_fd);
    arena_free(c->arena);
}

/* Sets model_sha256 to 64 lower-case digits, from any output of sha256sum:
 * "HEX  FILE", "HEX *FILE", with a backslash in front if the file name is
 * escaped. */
static void parse_model_hash(struct config *c, struct err *err)
{
    const char *text = c->stage.model_sha256;
    text += *text == '\\';
    size_t n = strspn(text, "0123456789abcdefABCDEF");
    bool ends = !text[n] || (isspace((unsigned char)text[n]) && text[n + 1]);
    if (!*text) return;
    if (n != 64 || !ends) {
        err_set(err, ERR_CONFIG,
                "model_sha256: must be 64 hex digits or a line of sha256sum, "
                "found \"%s\"",
                c->stage.model_sha256);
        return;
    }
    char *hex = arena_copy(c->arena, (struct span){text, n});
    for (char *p = hex; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    c->stage.model_sha256 = hex;
}

/* Languages that were configured must be installed. With the default languages,
 * a machine without Tesseract's data simply has no OCR. */
static void check_ocr(const struct config *c, struct err *err)
{
    const char *origin = config_origin(c, "ocr_languages");
    if (!strcmp(origin, "locale") || !strcmp(c->stage.ocr, "off")) return;
    ocr_languages_check(&c->stage, err);
}

/* A hook is an absolute path: $PATH is not searched. */
static void check_hook(const char *key, const char *program, struct err *err)
{
    if (*program && *program != '/')
        err_set(err, ERR_CONFIG, "%s: must be an absolute path, found \"%s\"",
                key, program);
}

static void check_webhook(const struct config *c, struct err *err)
{
    const char *url = c->webhook;
    if (!*url && *c->webhook_secret_file)
        err_set(err, ERR_CONFIG, "webhook_secret_file needs webhook = URL");
    if (!*url) return;
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
        err_set(err, ERR_CONFIG,
                "webhook: must begin with http:// or https://, found \"%s\"",
                url);
    if (*c->on_done || *c->on_failed)
        err_set(err, ERR_CONFIG,
                "webhook and on_done or on_failed exclude each other");
    if (!*c->webhook_secret_file)
        err_set(err, ERR_CONFIG,
                "webhook needs webhook_secret_file: who receives it must be "
                "able to check who sent it");
}

static void check_engine(struct config *c, struct err *err)
{
    if (!strcmp(c->stage.engine, "endpoint") && !*c->stage.endpoint)
        err_set(err, ERR_CONFIG,
                "engine = endpoint needs an address: set endpoint = URL");
    parse_model_hash(c, err);
}

static void finish_schemas(struct config *c, struct err *err)
{
    config_schema_derive(c, err);
    for (struct config_schema *s = c->schema; s && !err_failed(err);
         s = s->next) {
        config_file_engine(s->config, s->reads_key, err);
        check_engine(s->config, err);
        err_context(err, "%s: [schema.%s]", config_schema_place(s), s->name);
    }
    if (!err_failed(err)) config_schema_compare(c);
}

void config_finish(struct config *c, struct err *err)
{
    config_file_defaults(c, err);
    fleet_secrets_hide(c, err);
    if (err_failed(err)) return;
    if (strcmp(c->stage.engine, "endpoint") != 0 &&
        !strcmp(config_origin(c, "endpoint"), "flag"))
        err_set(err, ERR_CONFIG,
                "--endpoint is not used by engine = %s: add --engine endpoint",
                c->stage.engine);
    check_engine(c, err);
    if (*c->fleet && c->formats & FORMATS_OF_WORDS)
        err_set(err, ERR_CONFIG,
                "format: a fleet's workers return records only: choose json, "
                "xml or both");
    check_hook("on_done", c->on_done, err);
    check_hook("on_failed", c->on_failed, err);
    check_webhook(c, err);
    check_ocr(c, err);
    finish_schemas(c, err);
}

static void check_files(const struct config *c, struct err *err)
{
    if (err_failed(err)) return;
    const struct settings *s = &c->stage;
    bool native = settings_have_model(s);
    if (access(s->schemas, R_OK | X_OK) != 0)
        err_set(err, ERR_CONFIG, "schemas: %s: %s", s->schemas,
                strerror(errno));
    else if (access(s->raster_program, X_OK) != 0)
        err_set(err, ERR_CONFIG, "raster_program: %s: %s", s->raster_program,
                strerror(errno));
    else if (native && !*s->model)
        err_reason(err, ERR_MISSING, "model-missing",
                   "model: not set, and no embedded model was found");
    else if (native && access(s->model, R_OK) != 0)
        err_reason(err, ERR_MISSING, "model-missing", "model: %s: %s", s->model,
                   strerror(errno));
    else if (native && (!*s->mmproj || access(s->mmproj, R_OK) != 0))
        err_reason(
            err, ERR_MISSING, "model-missing", "mmproj: %s: %s",
            *s->mmproj ? s->mmproj : "none",
            *s->mmproj
                ? strerror(errno)
                : "no vision file is beside the model; download the model's "
                  "(platen model get) or set mmproj = FILE");
}

void config_check(const struct config *c, struct err *err)
{
    if (err_failed(err)) return;
    check_files(c, err);
    config_check_schemas(c, err);
    for (const struct config *s = config_each_schema(c, c);
         s && !err_failed(err); s = config_each_schema(c, s)) {
        check_files(s, err);
        err_context(err, "%s: [schema.%s]", config_origin(s, "model"),
                    s->of_schema);
    }
}
