/* request.c - see request.h. */
#include "pipeline/review/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <microhttpd.h>

#include "stages/document/reason.h"
#include "vlm/json/json.h"

static const char *const roles[] = {"upload", "review", "admin"};

const char *request_role_name(enum request_role role)
{
    return roles[role];
}

enum request_role request_role_of(const char *name)
{
    int i = 0;
    while (i < REQUEST_ROLES && strcmp(roles[i], name) != 0)
        i++;
    return (enum request_role)i;
}

void request_json(struct request_reply *r, unsigned status)
{
    r->head.status = status;
    snprintf(r->head.type, sizeof r->head.type, "application/json");
}

void request_changed(struct request_reply *r, const char *id)
{
    r->head.changed = true;
    snprintf(r->head.id, sizeof r->head.id, "%s", id);
}

/* Refusals that no document fails with. */
static const struct {
    const char *code, *remedy;
} remedies[] = {
    {"bad-request", "Send what GET /api/v1/openapi.json describes."},
    {"not-found", "Look for it with GET /api/v1/documents."},
    {"no-access", "Send a token (platen serve token), or name and password."},
    {"not-allowed", "Ask an administrator for another role."},
    {"foreign", "Send the request from the page, or with a token."},
    {"busy", "Try again in a second."},
    {"not-done", "Wait for its outcome, or retry it if it failed."},
    {"not-failed", "Only a failed document is retried or dismissed."},
    {"changed", "Load the document again."},
    {"not-valid", "Correct the values that findings names."},
    {"unusable", "Run platen fsck."},
    {"no-password", "Enter another password."},
    {"not-there", "Set formats, and retry the document."},
    {"offset", "Go on from the offset of this answer."},
    {"key-reused", "Use another Idempotency-Key for another document."},
    {"of-fleet", "Set passwords or auto_rotate of the fleet."},
    {"is-part", "Delete it with its batch: platen prune."},
    {"ignored-name", "Rename the file."},
    {"too-many", "Try again after the seconds of Retry-After."},
    {"disk-full", "Free some space, or lower min_free_space."},
};

static const char *remedy_of(const char *code)
{
    const struct reason *row = reason_find(code);
    if (row) return row->remedy;
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (!strcmp(remedies[i].code, code)) return remedies[i].remedy;
    return "";
}

static void set_problem(struct request_reply *r, unsigned status,
                        const char *code, const char *detail,
                        const char *remedy)
{
    const char *title = MHD_get_reason_phrase_for(status);
    r->head.status = status;
    snprintf(r->head.type, sizeof r->head.type, "application/problem+json");
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE ||
        status == MHD_HTTP_TOO_MANY_REQUESTS)
        r->head.retry_after = 1;
    buf_cut(&r->text, 0);
    buf_print(&r->text, "{\"status\":%u", status);
    json_print_member(&r->text, "title", title ? title : "");
    json_print_member(&r->text, "code", code);
    json_print_member(&r->text, "detail", detail);
    json_print_member(&r->text, "remedy", remedy);
    buf_add_text(&r->text, "}");
}

void request_refuse(struct request_reply *r, unsigned status, const char *code,
                    const char *fmt, ...)
{
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    set_problem(r, status, code, text, remedy_of(code));
}

void request_fail(struct request_reply *r, unsigned status,
                  const struct err *err)
{
    const struct reason *row = reason_of(err);
    set_problem(r, status, row->code, err->text, row->remedy);
}
