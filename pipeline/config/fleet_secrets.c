/* fleet_secrets.c - see fleet_secrets.h. */
#define _GNU_SOURCE 1 /* explicit_bzero */
#include "pipeline/config/fleet_secrets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/config/config_file.h"
#include "pipeline/config/config_schema.h"
#include "vlm/base/file_map.h"
#include "vlm/base/redact_url.h"

static const char variable[] = "PLATEN_FLEET";

void fleet_secrets_read(int fd, struct fleet_secrets *secrets)
{
    *secrets = (struct fleet_secrets){.conninfo = ""};
    if (fd > 0 && pread(fd, secrets, sizeof *secrets, 0) != sizeof *secrets)
        *secrets = (struct fleet_secrets){.conninfo = ""};
}

static void copy(char *to, size_t size, struct span text, const char *what,
                 struct err *err)
{
    if (text.size >= size) {
        err_set(err, ERR_CONFIG, "%s: longer than %zu bytes", what, size - 1);
        return;
    }
    memcpy(to, text.data, text.size);
    to[text.size] = '\0';
}

/* Moves a variable of the environment; what was moved earlier stays. */
static void take(const char *name, char *to, size_t size, struct err *err)
{
    char *value = getenv(name);
    if (!value) return;
    copy(to, size, span_of(value), name, err);
    explicit_bzero(value, strlen(value));
    unsetenv(name);
}

/* A key as flag or in platen.conf would show in `ps` or in a repository, so it
 * has a file of its own or the variables that all clients use. */
static void read_s3_keys(const struct config *c, struct fleet_secrets *s,
                         struct err *err)
{
    char text[4096];
    struct err local = {0};
    if (!*c->fleet_key_file) {
        memcpy(s->s3_key, s->environment_s3_key, sizeof s->s3_key);
        memcpy(s->s3_secret, s->environment_s3_secret, sizeof s->s3_secret);
        return;
    }
    size_t size =
        file_map_copy(c->fleet_key_file, text, sizeof text - 1, &local);
    text[size] = '\0';
    const char *line = text;
    size_t n = strcspn(line, "\r\n"), gap = strspn(line + n, "\r\n");
    copy(s->s3_key, sizeof s->s3_key, (struct span){line, n}, "a key", &local);
    line += n + gap;
    copy(s->s3_secret, sizeof s->s3_secret,
         (struct span){line, strcspn(line, "\r\n")}, "a key", &local);
    *s->s3_session = '\0';
    explicit_bzero(text, sizeof text);
    if (err_failed(&local) || !*s->s3_secret)
        err_set(err, ERR_CONFIG, "fleet_key_file: %s",
                err_failed(&local) ? local.text : "must have two lines");
}

/* Fills in the address, unless the one in `c` is the hidden one of `s`. */
static void take_conninfo(struct config *c, struct fleet_secrets *s,
                          struct err *err)
{
    struct buf before = buf_limit(1 << 16), shown = buf_limit(1 << 16);
    redact_url_secrets(s->conninfo, &before);
    redact_url_secrets(c->fleet, &shown);
    if (strcmp(c->fleet, buf_span(&before).data) != 0)
        copy(s->conninfo, sizeof s->conninfo, span_of(c->fleet), "fleet", err);
    const char *origin = config_origin(c, "fleet");
    config_set(c, "fleet", buf_span(&shown).data, origin, err);
    char *value = getenv(variable);
    if (value) {
        explicit_bzero(value, strlen(value));
        setenv(variable, buf_span(&shown).data, 1);
    }
    buf_free(&before);
    buf_free(&shown);
}

void fleet_secrets_hide(struct config *c, struct err *err)
{
    struct fleet_secrets s;
    if (err_failed(err) || !*c->fleet) return;
    fleet_secrets_read(c->fleet_fd, &s);
    take("PGPASSWORD", s.password, sizeof s.password, err);
    take("AWS_ACCESS_KEY_ID", s.environment_s3_key, sizeof s.environment_s3_key,
         err);
    take("AWS_SECRET_ACCESS_KEY", s.environment_s3_secret,
         sizeof s.environment_s3_secret, err);
    take("AWS_SESSION_TOKEN", s.s3_session, sizeof s.s3_session, err);
    read_s3_keys(c, &s, err);
    take_conninfo(c, &s, err);
    int fd = config_file_seal((struct span){(const char *)&s, sizeof s},
                              "password of the fleet", err);
    explicit_bzero(&s, sizeof s);
    if (c->fleet_fd > 0) close(c->fleet_fd);
    c->fleet_fd = fd;
}

void config_leave_fleet(struct config *c)
{
    struct err none = {0};
    config_set(c, "fleet", "", "fleet", &none);
    if (c->fleet_fd > 0) close(c->fleet_fd);
    c->fleet_fd = 0;
    c->for_fleet = true;
    config_schema_close(c);
    c->several_models = false;
}
