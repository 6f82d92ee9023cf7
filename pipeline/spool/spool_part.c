/* spool_part.c - see spool_part.h. */
#define _GNU_SOURCE
#include "pipeline/spool/spool_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool_json.h"
#include "vlm/base/buf.h"
#include "vlm/base/hash.h"
#include "vlm/json/json.h"

static const char parts_name[] = "parts", making_name[] = "parts.tmp";
static const char part_file[] = "part.json";

enum { TIME_SIZE = 17, DIGEST_SIZE = 11 }; /* of an id: "20261122T010203Z-" */

void spool_part_id(const char *stack, int number, char id[static SPOOL_ID_SIZE])
{
    struct hash hash = hash_bytes(span_of(stack));
    snprintf(id, SPOOL_ID_SIZE, "%.*s%.*s%05x", TIME_SIZE, stack, DIGEST_SIZE,
             hash.hex, (unsigned)number & 0xfffff);
}

bool spool_part_is_stack(int folder_fd)
{
    return spool_exists(folder_fd, parts_name);
}

void spool_part_describe(const struct spool_part *part, struct document *doc)
{
    struct document_part *own = arena_alloc(doc->arena, sizeof *own);
    *own = (struct document_part){
        part->stack, part->number, part->count, part->pages,
        part->is_attachment ? part->attachment : NULL};
    doc->part = own;
    doc->attachments_read = part->attachments_read;
    if (!part->is_mail) return;
    struct document_mail *mail = arena_alloc(doc->arena, sizeof *mail);
    *mail =
        (struct document_mail){part->mail_from, part->mail_date, part->mail_id,
                               part->mail_subject, part->mail_attachments};
    doc->mail = mail;
}

/* --- part.json ---------------------------------------------------------- */

static void copy_text(const cJSON *o, const char *key, char *out, size_t size)
{
    snprintf(out, size, "%s", json_get_text_or_empty(o, key));
}

bool spool_part_read(int folder_fd, struct spool_part *part)
{
    *part = (struct spool_part){.number = 0};
    if (!spool_exists(folder_fd, part_file)) return false;
    cJSON *o = spool_read_json(folder_fd, part_file, SPOOL_JSON_MAX);
    const cJSON *number = json_get(o, "number"), *count = json_get(o, "count");
    copy_text(o, "stack", part->stack, sizeof part->stack);
    copy_text(o, "sha256", part->sha256, sizeof part->sha256);
    copy_text(o, "pages", part->pages, sizeof part->pages);
    copy_text(o, "schema", part->schema, sizeof part->schema);
    copy_text(o, "archive_number", part->archive_number,
              sizeof part->archive_number);
    copy_text(o, "warning", part->warning, sizeof part->warning);
    copy_text(o, "attachment", part->attachment, sizeof part->attachment);
    copy_text(o, "unread", part->unread, sizeof part->unread);
    part->is_attachment = json_get(o, "attachment");
    part->attachments_read = json_get(o, "attachments_read");
    const cJSON *mail = json_get(o, "mail");
    part->is_mail = mail;
    copy_text(mail, "from", part->mail_from, sizeof part->mail_from);
    copy_text(mail, "date", part->mail_date, sizeof part->mail_date);
    copy_text(mail, "message_id", part->mail_id, sizeof part->mail_id);
    copy_text(mail, "subject", part->mail_subject, sizeof part->mail_subject);
    copy_text(mail, "attachments", part->mail_attachments,
              sizeof part->mail_attachments);
    part->number = number ? number->valueint : 0;
    part->count = count ? count->valueint : 0;
    cJSON_Delete(o);
    return true;
}

static void write_part(struct folder *to, const struct spool_part *part,
                       struct err *err)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "stack", part->stack);
    cJSON_AddStringToObject(o, "sha256", part->sha256);
    json_add_integer(o, "number", part->number);
    json_add_integer(o, "count", part->count);
    cJSON_AddStringToObject(o, "pages", part->pages);
    if (*part->schema) cJSON_AddStringToObject(o, "schema", part->schema);
    if (*part->archive_number)
        cJSON_AddStringToObject(o, "archive_number", part->archive_number);
    if (*part->warning) cJSON_AddStringToObject(o, "warning", part->warning);
    if (part->is_attachment)
        cJSON_AddStringToObject(o, "attachment", part->attachment);
    if (*part->unread) cJSON_AddStringToObject(o, "unread", part->unread);
    if (part->attachments_read) cJSON_AddTrueToObject(o, "attachments_read");
    if (part->is_mail) {
        cJSON *mail = cJSON_AddObjectToObject(o, "mail");
        cJSON_AddStringToObject(mail, "from", part->mail_from);
        cJSON_AddStringToObject(mail, "date", part->mail_date);
        cJSON_AddStringToObject(mail, "message_id", part->mail_id);
        cJSON_AddStringToObject(mail, "subject", part->mail_subject);
        cJSON_AddStringToObject(mail, "attachments", part->mail_attachments);
    }
    spool_json_write_new(to, part_file, o, err);
}

/* A subfolder is kept as it is, escaped. */
static void write_name(struct folder *to, const struct folder *stack,
                       const struct spool_part_name *name, struct err *err)
{
    cJSON *whole = spool_read_json(stack->fd, "name.json", SPOOL_JSON_MAX);
    const char *below = json_get_text_or_empty(whole, SPOOL_SUBFOLDER);
    cJSON *o = cJSON_CreateObject();
    spool_json_add_name(o, "name", name->name);
    spool_json_add_name(o, "folder", name->folder);
    if (*below) cJSON_AddStringToObject(o, SPOOL_SUBFOLDER, below);
    cJSON_Delete(whole);
    json_add_now(o, "claimed");
    spool_json_write_new(to, "name.json", o, err);
}

/* --- throwing away ------------------------------------------------------ */

static bool every(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void remove_folder(int at, const char *name, struct err *err)
{
    if (err_failed(err)) return;
    int fd = durable_open_folder(at, name);
    if (fd >= 0) durable_sweep(fd, every);
    if (fd >= 0) close(fd);
    if (unlinkat(at, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        durable_fail(err, "cannot remove", name);
}

static DIR *open_list(int at, const char *name)
{
    int fd = durable_open_folder(at, name);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !d) close(fd);
    return d;
}

static void remove_parts(struct folder *f, const char *name, struct err *err)
{
    if (err_failed(err) || !spool_exists(f->fd, name)) return;
    DIR *d = open_list(f->fd, name);
    if (!d) durable_fail(err, "cannot list", name);
    for (struct dirent *e; (e = durable_next(d, name, err));)
        if (every(e->d_name)) remove_folder(dirfd(d), e->d_name, err);
    if (d) closedir(d);
    remove_folder(f->fd, name, err);
    durable_sync(f->spool, f->fd, f->id, err);
}

void spool_part_clear(struct folder *f, struct err *err)
{
    remove_parts(f, making_name, err);
    remove_parts(f, parts_name, err);
}

/* --- making ------------------------------------------------------------- */

static void make_folder(int at, const char *name, struct folder *made,
                        struct err *err)
{
    if (err_failed(err)) return;
    if (mkdirat(at, name, 0700) != 0) durable_fail(err, "cannot make", name);
    if (!err_failed(err)) made->fd = durable_open_folder(at, name);
    if (made->fd < 0) durable_fail(err, "cannot open", name);
}

static void make_part(struct folder *f, int at, const struct spool_part *part,
                      const struct spool_part_name *name,
                      void (*print)(void *arg, struct buf *out,
                                    struct err *err),
                      void *arg, struct err *err)
{
    struct folder to = {.spool = f->spool, .fd = -1};
    if (err_failed(err)) return;
    spool_part_id(part->stack, part->number, to.id);
    make_folder(at, to.id, &to, err);
    write_name(&to, f, name, err);
    write_part(&to, part, err);
    if (part->is_attachment)
        spool_write_long(&to, "doc", (size_t)part->bytes, true, print, arg,
                         err);
    else if (!err_failed(err) && linkat(f->fd, "doc", to.fd, "doc", 0) != 0)
        durable_fail(err, "cannot link the document into", to.id);
    durable_sync(f->spool, to.fd, to.id, err);
    spool_unlock(&to);
}

void spool_part_make(struct folder *f, int count,
                     void (*fill)(void *arg, int number,
                                  struct spool_part *part,
                                  struct spool_part_name *name),
                     void (*print)(void *arg, struct buf *out, struct err *err),
                     void *arg, struct err *err)
{
    struct folder making = {.spool = f->spool, .fd = -1};
    spool_part_clear(f, err);
    make_folder(f->fd, making_name, &making, err);
    for (int n = 1; n <= count && !err_failed(err); n++) {
        struct spool_part part = {.number = n, .count = count};
        struct spool_part_name name = {.name = ""};
        snprintf(part.stack, sizeof part.stack, "%s", f->id);
        fill(arg, n, &part, &name);
        make_part(f, making.fd, &part, &name, print, arg, err);
    }
    durable_sync(f->spool, making.fd, making_name, err);
    spool_unlock(&making);
    durable_rename(f->fd, making_name, f->fd, parts_name, err);
    durable_sync(f->spool, f->fd, f->id, err);
}

/* --- releasing ---------------------------------------------------------- */

void spool_part_release(struct folder *f, struct err *err)
{
    struct spool *s = f->spool;
    if (err_failed(err)) return;
    DIR *d = open_list(f->fd, parts_name);
    struct err own = {0};
    if (!d) durable_fail(&own, "cannot list", parts_name);
    for (struct dirent *e; (e = durable_next(d, parts_name, err));) {
        if (!spool_is_id(e->d_name)) continue;
        struct err one = {0};
        durable_rename(dirfd(d), e->d_name, s->place[SPOOL_WORK], e->d_name,
                       &one);
        if (err_failed(&one)) own = one;
    }
    durable_sync(s, s->place[SPOOL_WORK], "work", err);
    if (d) durable_sync(s, dirfd(d), parts_name, err);
    if (d) closedir(d);
    if (err_failed(&own) && !err_failed(err)) *err = own;
}
