/* deferral.c - see deferral.h. */
#include "pipeline/spool/deferral.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_json.h"
#include "stages/document/reason.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

static const char file_name[] = "attempt.deferred";
static const double wait_first_s = 10, wait_most_s = 900;
enum { TIMES_MAX = 1000000 };

double deferral_wait(int times)
{
    double wait = 0;
    for (int i = 0; i < times && wait < wait_most_s; i++)
        wait = clock_wait_longer(wait, wait_first_s, wait_most_s);
    return wait > 0 ? wait : wait_first_s;
}

static long long integer_of(const cJSON *o, const char *key)
{
    long long value = json_get_integer(o, key);
    return value > 0 ? value : 0;
}

static void copy_text(char *out, size_t size, const cJSON *o, const char *key)
{
    snprintf(out, size, "%s", json_get_text_or_empty(o, key));
}

void deferral_read(int folder_fd, struct deferral *d)
{
    *d = (struct deferral){0};
    cJSON *o = spool_read_json(folder_fd, file_name, SPOOL_JSON_MAX);
    long long times = integer_of(o, "times");
    d->times = (int)(times < TIMES_MAX ? times : TIMES_MAX);
    const cJSON *by_code = json_get(o, "by_code");
    int n = 0;
    for (const cJSON *c = by_code ? by_code->child : NULL;
         c && n < DEFERRAL_CODES; c = c->next) {
        snprintf(d->of[n].code, sizeof d->of[n].code, "%s", c->string);
        d->of[n++].n = (int)integer_of(by_code, c->string);
    }
    d->since = integer_of(o, "since");
    d->not_before = integer_of(o, "not_before");
    const struct reason *row = reason_find(json_get_text(o, "reason"));
    snprintf(d->code, sizeof d->code, "%s", row ? row->code : "internal");
    copy_text(d->stage, sizeof d->stage, o, "stage");
    copy_text(d->text, sizeof d->text, o, "text");
    cJSON_Delete(o);
}

/* The number of deferrals with a code; NULL: there are too many codes. */
static int *count_of(struct deferral *d, const char *code)
{
    for (int i = 0; i < DEFERRAL_CODES; i++) {
        if (!d->of[i].n)
            snprintf(d->of[i].code, sizeof d->of[i].code, "%s", code);
        if (!strcmp(d->of[i].code, code)) return &d->of[i].n;
    }
    return NULL;
}

void deferral_add(struct folder *f, struct deferral *d, const char *code,
                  struct err *err)
{
    if (err_failed(err)) return;
    long long now = clock_utc();
    int *n = count_of(d, code);
    if (n) ++*n;
    snprintf(d->code, sizeof d->code, "%s", code);
    if (d->times == 0) d->since = now;
    if (d->times < TIMES_MAX) d->times++;
    d->not_before = now + (long long)deferral_wait(d->times);
    cJSON *o = cJSON_CreateObject();
    json_add_integer(o, "times", d->times);
    cJSON *by_code = cJSON_AddObjectToObject(o, "by_code");
    for (int i = 0; i < DEFERRAL_CODES && d->of[i].n; i++)
        json_add_integer(by_code, d->of[i].code, d->of[i].n);
    cJSON_AddStringToObject(o, "reason", d->code);
    cJSON_AddStringToObject(o, "stage", d->stage);
    cJSON_AddStringToObject(o, "text", d->text);
    json_add_integer(o, "since", d->since);
    json_add_integer(o, "not_before", d->not_before);
    spool_json_write(f, file_name, o, err);
}

bool deferral_judge(const struct deferral *d, struct err *err)
{
    if (!err_failed(err)) return false;
    const char *code = reason_of(err)->code;
    struct deferral copy = *d;
    const int *count = count_of(&copy, code);
    int n = count ? *count + 1 : d->times;
    if (count && n < DEFERRAL_MOST) return false;
    if (!strcmp(code, "endpoint-invalid")) err->reason = "endpoint-rejected";
    err_context(err,
                "failed like this %d times, while a probe worked each time", n);
    return true;
}

void deferral_clear(struct folder *f, struct err *err)
{
    if (err_failed(err)) return;
    spool_remove(f, file_name, err);
}
