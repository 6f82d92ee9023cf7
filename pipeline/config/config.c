/* config.c - see config.h. */
#define _GNU_SOURCE 1 /* environ */
#include "pipeline/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "pipeline/config/config_schema.h"
#include "pipeline/config/config_table.h"
#include "stages/document/page_range.h"
#include "stages/document/record_files.h"
#include "vlm/base/suggest.h"
#include "vlm/device/device_name.h"
#include "vlm/device/gpu/gpu_remedy.h"

/* '-' and '_' are equal, and case is ignored, as for environment variables. */
static bool same_key(const char *a, const char *b)
{
    for (;; a++, b++) {
        char x = *a == '-' ? '_' : (char)tolower((unsigned char)*a);
        char y = *b == '-' ? '_' : (char)tolower((unsigned char)*b);
        if (x != y) return false;
        if (!x) return true;
    }
}

static const struct config_key *find_key(const char *key)
{
    for (size_t i = 0; config_key_at(i); i++)
        if (same_key(config_key_at(i)->key, key)) return config_key_at(i);
    return NULL;
}

bool config_has(const char *key, bool *is_switch)
{
    const struct config_key *k = find_key(key);
    *is_switch = k && k->type == KEY_SWITCH;
    return k != NULL;
}

const char *config_origin(const struct config *c, const char *key)
{
    const struct config_key *k = find_key(key);
    return k ? c->origin[config_key_row(k)] : NULL;
}

const char *config_value(const struct config *c, const char *key)
{
    const struct config_key *k = find_key(key);
    return k ? c->value[config_key_row(k)] : NULL;
}

const char *config_nearest(const char *key)
{
    struct suggest near = suggest_begin(key);
    for (size_t i = 0; config_key_at(i); i++)
        suggest_try(&near, config_key_at(i)->key);
    return near.best;
}

static void *setting_address(struct config *c, const struct config_key *k)
{
    return (char *)c + k->offset;
}

/* "200M": the number and its unit; NAN for anything else. */
static double parse_number(const struct config_key *k, const char *text)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || errno || !isfinite(value)) return (double)NAN;
    if (k->type == KEY_BYTES && *end) {
        static const char units[] = "KMGT";
        const char *u = strchr(units, toupper((unsigned char)*end));
        if (!u) return (double)NAN;
        for (const char *p = units; p <= u; p++)
            value *= 1024;
        end++;
    }
    if (k->type == KEY_SECONDS && *end == 's') end++;
    if (*end || (k->type != KEY_REAL && k->type != KEY_SECONDS &&
                 value != floor(value)))
        return (double)NAN;
    return value;
}

static bool set_number(struct config *c, const struct config_key *k,
                       const char *text)
{
    double value = parse_number(k, text);
    if (!(value >= k->least && value <= k->most)) return false;
    void *at = setting_address(c, k);
    if (k->type == KEY_INT)
        *(int *)at = (int)value;
    else if (k->type == KEY_INT64 || k->type == KEY_BYTES)
        *(int64_t *)at = (int64_t)value;
    else
        *(double *)at = value;
    return true;
}

static bool set_switch(struct config *c, const struct config_key *k,
                       const char *text)
{
    static const char *const yes[] = {"yes", "true", "on", "1"};
    static const char *const no[] = {"no", "false", "off", "0"};
    for (size_t i = 0; i < 4; i++) {
        if (strcasecmp(text, yes[i]) && strcasecmp(text, no[i])) continue;
        *(bool *)setting_address(c, k) = !strcasecmp(text, yes[i]);
        return true;
    }
    return false;
}

static bool set_formats(struct config *c, const char *text)
{
    unsigned formats = 0;
    while (*text) {
        size_t n = strcspn(text, ",");
        const struct record_file *file = NULL;
        for (size_t i = 0; (file = record_files_at(i)); i++)
            if (n == strlen(file->key) && !strncmp(text, file->key, n)) break;
        if (!file) return false;
        formats |= file->format;
        text += n + (text[n] == ',');
    }
    c->formats = formats;
    return formats != 0;
}

/* Is text one of the choices of "native|endpoint|null"? */
static bool is_choice(const char *choices, const char *text)
{
    size_t n = strlen(text);
    for (const char *w = choices; *w; w += strcspn(w, "|"), w += *w == '|')
        if (strcspn(w, "|") == n && !strncmp(w, text, n)) return true;
    return false;
}

static void wanted_text(const struct config_key *k, char *out, size_t size)
{
    switch (k->type) {
    case KEY_SWITCH: snprintf(out, size, "yes or no"); break;
    case KEY_FORMATS:
        snprintf(out, size, "a list of json, xml, pdf, hocr, alto");
        break;
    case KEY_CHOICE: snprintf(out, size, "one of %s", k->choices); break;
    case KEY_TEXT: snprintf(out, size, "a text"); break;
    case KEY_DEVICE: snprintf(out, size, "auto, cpu or cuda:N"); break;
    case KEY_PAGES:
        snprintf(out, size, "numbers and ranges from 1, as 1-3,7");
        break;
    case KEY_BYTES:
        snprintf(out, size, "a number of bytes (K, M, G) from %.0f to %.0f",
                 k->least, k->most);
        break;
    case KEY_REAL:
    case KEY_SECONDS:
        snprintf(out, size, "a number from %g to %g%s", k->least, k->most,
                 k->type == KEY_SECONDS ? " seconds" : "");
        break;
    case KEY_INT:
    case KEY_INT64:
        snprintf(out, size, "a whole number from %.0f to %.0f", k->least,
                 k->most);
        break;
    }
}

static bool set_pages(struct config *c, const struct config_key *k,
                      const char *text)
{
    struct page_range pages;
    struct err err = {0};
    page_range_parse(&pages, text, &err);
    *(const char **)setting_address(c, k) = text;
    return !err_failed(&err);
}

static bool set_value(struct config *c, const struct config_key *k,
                      const char *value)
{
    switch (k->type) {
    case KEY_SWITCH: return set_switch(c, k, value);
    case KEY_FORMATS: return set_formats(c, value);
    case KEY_CHOICE:
        if (!is_choice(k->choices, value)) return false;
        *(const char **)setting_address(c, k) = value;
        return true;
    case KEY_DEVICE:
        if (device_name_read(value) == DEVICE_NAME_BAD) return false;
        *(const char **)setting_address(c, k) = value;
        return true;
    case KEY_TEXT: *(const char **)setting_address(c, k) = value; return true;
    case KEY_PAGES: return set_pages(c, k, value);
    case KEY_INT:
    case KEY_INT64:
    case KEY_BYTES:
    case KEY_REAL:
    case KEY_SECONDS: return set_number(c, k, value);
    }
    return false;
}

/* A password is not kept in the memory that all processes inherit. */
static void wipe_text(const char *text)
{
    if (text) explicit_bzero((void *)(uintptr_t)text, strlen(text));
}

void config_set(struct config *c, const char *key, const char *value,
                const char *origin, struct err *err)
{
    if (err_failed(err)) return;
    const struct config_key *k = find_key(key);
    if (!k) {
        const char *near = config_nearest(key);
        err_set(err, ERR_CONFIG, "%s: no such key%s%s%s", key,
                near ? "; did you mean " : "", near ? near : "",
                near ? "?" : "");
        return;
    }
    const char *kept = arena_copy(c->arena, span_of(value));
    if (!set_value(c, k, kept)) {
        char wanted[120];
        wanted_text(k, wanted, sizeof wanted);
        err_set(err, ERR_CONFIG, "%s: must be %s, found \"%s\"", k->key, wanted,
                value);
        return;
    }
    size_t row = config_key_row(k);
    if (!strcmp(k->unit, "conninfo")) wipe_text(c->value[row]);
    c->origin[row] = arena_copy(c->arena, span_of(origin));
    c->value[row] = kept;
}

/* As configured. */
static bool asks_to_share(const struct config *c)
{
    bool shared = !strcmp(c->stage.share_model, "on") ||
                  (!strcmp(c->stage.share_model, "auto") && c->jobs != 1);
    return shared && settings_have_model(&c->stage);
}

/* Documents are read in forked processes, which cannot use CUDA. */
static bool may_use_gpu(const struct config *c)
{
    int device = device_name_read(c->stage.device);
    /* of a driver; on WSL; on Jetson */
    static const char *const node[] = {GPU_REMEDY_FILE, "/dev/dxg",
                                       "/dev/nvmap"};
    bool found = device >= 0; /* asked for by its number */
    for (size_t i = 0; i < sizeof node / sizeof *node; i++)
        found |= access(node[i], F_OK) == 0;
    return found && device != DEVICE_NAME_CPU;
}

bool config_shares_model(const struct config *c)
{
    return asks_to_share(c) || (settings_have_model(&c->stage) &&
                                (c->several_models || may_use_gpu(c)));
}

const struct config *config_for(const struct config *c, const char *schema)
{
    for (const struct config_schema *s = c->schema; s; s = s->next)
        if (!strcmp(s->name, schema)) return s->config;
    return c;
}

const struct config *config_each_schema(const struct config *c,
                                        const struct config *before)
{
    const struct config_schema *s = c->schema;
    while (before != c && s->config != before)
        s = s->next;
    if (before != c) s = s->next;
    return s ? s->config : NULL;
}

static int jobs_of(const struct config *c)
{
    if (c->jobs > 0) return c->jobs;
    if (asks_to_share(c)) return CONFIG_SHARED_JOBS;
    return !strcmp(c->stage.engine, "endpoint") ? c->stage.endpoint_parallel
                                                : 1;
}

int config_examples(const struct config *c)
{
    return !strcmp(c->examples, "auto") ? CONFIG_EXAMPLES : atoi(c->examples);
}

int config_jobs(const struct config *c)
{
    int most = jobs_of(c);
    for (const struct config *s = config_each_schema(c, c); s;
         s = config_each_schema(c, s))
        if (jobs_of(s) > most) most = jobs_of(s);
    return most;
}

static void flag_of(const struct config_key *k, char flag[static 48])
{
    snprintf(flag, 48, "%s", k->key);
    for (char *p = flag; *p; p++)
        if (*p == '_') *p = '-';
}

void config_each(void (*one)(void *arg, const char *flag, const char *choices,
                             const char *help),
                 void *arg)
{
    char flag[48];
    for (size_t i = 0; config_key_at(i); i++) {
        const struct config_key *k = config_key_at(i);
        flag_of(k, flag);
        one(arg, flag, k->type == KEY_SWITCH ? "yes|no" : k->choices, k->help);
    }
}

void config_help(struct buf *out)
{
    const char *section = "";
    for (size_t i = 0; config_key_at(i); i++) {
        const struct config_key *k = config_key_at(i);
        if (strcmp(section, k->section) != 0)
            buf_print(out, "%s%s\n", *section ? "\n" : "", k->section);
        section = k->section;
        char flag[48];
        flag_of(k, flag);
        buf_print(out, "  --%-20s %s", flag, k->help);
        if (*k->by_default) buf_print(out, " (%s)", k->by_default);
        buf_add_text(out, "\n");
    }
}

/* One clause or sentence per line, as is usual in mdoc source. */
static void add_clauses(struct buf *out, const char *text)
{
    for (; *text; text++) {
        buf_add(out, text, 1);
        if (!strchr(";,.", text[0])) continue;
        if (text[1] != ' ') continue;
        buf_add_text(out, "\n");
        text++;
    }
}

void config_manual(struct buf *out)
{
    const char *section = "";
    for (size_t i = 0; config_key_at(i); i++) {
        const struct config_key *k = config_key_at(i);
        if (strcmp(section, k->section) != 0) {
            if (*section) buf_add_text(out, ".El\n");
            buf_print(out, ".Ss %s\n.Bl -tag -width Ds\n", k->section);
            section = k->section;
        }
        char wanted[120];
        wanted_text(k, wanted, sizeof wanted);
        buf_print(out, ".It Cm %s No = Ar %s\n", k->key, k->unit);
        add_clauses(out, k->help);
        buf_add_text(out, ".\n");
        if (config_key_of_schema(k))
            buf_add_text(out, "Can be set for a schema.\n");
        if (k->type != KEY_TEXT) buf_print(out, "Value: %s.\n", wanted);
        if (*k->by_default) buf_print(out, "Default: %s.\n", k->by_default);
    }
    buf_add_text(out, ".El\n");
}
