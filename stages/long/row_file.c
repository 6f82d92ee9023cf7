/* row_file.c - see row_file.h. */
#define _GNU_SOURCE
#include "stages/long/row_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/ask/field.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

enum { BLOCK_MAX_BYTES = 64 << 20 };
enum { ROW_FILE_OWNER = 0x4f574e52, ROW_FILE_ROW, ROW_FILE_STATE };

struct block_head {
    uint32_t what, bytes;
    int32_t array, page, n_field;
    uint32_t value_bytes;
};
_Static_assert(sizeof(struct block_head) == 24, "row_file.h draws it");

struct file_block {
    struct block_head head;
    struct span bytes;
};

struct row_file {
    int fd;
    struct buf added;        /* not written yet */
    FILE *in;                /* while rows are read */
    long long n_row, n_seen; /* in the file; read since row_file_rewind */
    char *block;             /* its bytes, the one read last */
    size_t room;
    struct arena *arena; /* while a row is packed */
};

static void fail(struct err *err, const char *what)
{
    if (!err_failed(err)) err_errno(err, "%s the rows read so far", what);
}

static void write_all(struct row_file *r, struct span text, struct err *err)
{
    while (text.size && !err_failed(err)) {
        ssize_t put = write(r->fd, text.data, text.size);
        if (put < 0) {
            fail(err, "cannot write");
            return;
        }
        text.data += put;
        text.size -= (size_t)put;
    }
}

/* Adds a block whose bytes begin at `from` of the buffer, behind room for its head. */
static void end_block(struct buf *out, size_t from, struct block_head head)
{
    if (out->full) return;
    head.bytes = (uint32_t)(out->size - from - sizeof head);
    memcpy(out->data + from, &head, sizeof head);
}

static size_t begin_block(struct buf *out)
{
    static const struct block_head none = {0};
    size_t from = out->size;
    buf_add(out, &none, sizeof none);
    return from;
}

/* Starts the file again, with its owner. */
static void begin(struct row_file *r, const char *owner, struct err *err)
{
    if (err_failed(err)) return;
    if (ftruncate(r->fd, 0) != 0 || lseek(r->fd, 0, SEEK_SET) < 0) {
        fail(err, "cannot empty");
        return;
    }
    struct buf text = buf_limit(BLOCK_MAX_BYTES);
    size_t from = begin_block(&text);
    buf_add_text(&text, owner);
    end_block(&text, from, (struct block_head){.what = ROW_FILE_OWNER});
    write_all(r, buf_span(&text), err);
    buf_free(&text);
}

static void make_room(struct row_file *r, size_t size)
{
    if (size <= r->room) return;
    mem_free(r->block);
    r->room = 2 * size;
    r->block = mem_alloc(1, r->room);
}

/* The next complete block, or false. One cut off by a crash does not count. */
static bool read_block(struct row_file *r, struct file_block *out)
{
    struct block_head *head = &out->head;
    if (fread(head, sizeof *head, 1, r->in) != 1) return false;
    if (head->bytes > BLOCK_MAX_BYTES) return false;
    make_room(r, (size_t)head->bytes + 1);
    if (fread(r->block, 1, head->bytes, r->in) != head->bytes) return false;
    out->bytes = (struct span){r->block, head->bytes};
    return true;
}

static void begin_reading(struct row_file *r, struct err *err)
{
    if (err_failed(err)) return;
    int copy = r->in ? -1 : fcntl(r->fd, F_DUPFD_CLOEXEC, 3);
    if (copy >= 0 && !(r->in = fdopen(copy, "r"))) close(copy);
    if (!r->in || fseeko(r->in, 0, SEEK_SET) != 0) fail(err, "cannot read");
}

/* Back to writing, at offset `end`. */
static void end_reading(struct row_file *r, off_t end, struct err *err)
{
    if (r->in) fclose(r->in);
    r->in = NULL;
    if (err_failed(err)) return;
    if (ftruncate(r->fd, end) != 0 || lseek(r->fd, end, SEEK_SET) < 0)
        fail(err, "cannot shorten");
}

static bool is_owner(const struct file_block *b, const char *owner)
{
    return b->head.what == ROW_FILE_OWNER && b->bytes.size == strlen(owner) &&
           !memcmp(b->bytes.data, owner, b->bytes.size);
}

/* Passes the state on; false: it is none. */
static bool take_state(const struct file_block *b,
                       void (*state)(void *arg, const cJSON *line), void *arg)
{
    struct err bad = {0};
    cJSON *value =
        b->head.what == ROW_FILE_STATE ? json_parse(b->bytes, &bad) : NULL;
    if (value) state(arg, value);
    cJSON_Delete(value);
    return value;
}

/* Offset of the end of the last state; 0: the file has another owner. */
static off_t find_end(struct row_file *r, const char *owner,
                      void (*state)(void *arg, const cJSON *line), void *arg)
{
    long long n_row = 0; /* since the last state */
    struct file_block b;
    if (!read_block(r, &b) || !is_owner(&b, owner)) return 0;
    off_t end = ftello(r->in);
    while (read_block(r, &b)) {
        if (b.head.what == ROW_FILE_ROW) {
            n_row++;
        } else if (take_state(&b, state, arg)) {
            end = ftello(r->in);
            r->n_row += n_row;
            n_row = 0;
        } else {
            break;
        }
    }
    return end;
}

int row_file_unnamed(void)
{
    int fd = open(P_tmpdir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
    FILE *f = tmpfile(); /* a file system without O_TMPFILE */
    fd = f ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 3) : -1;
    if (f) fclose(f);
    return fd;
}

struct row_file *row_file_open(int fd, const char *owner,
                               void (*state)(void *arg, const cJSON *line),
                               void *arg, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct row_file *r = mem_alloc(1, sizeof *r);
    r->added = buf_limit(BLOCK_MAX_BYTES);
    r->arena = arena_new();
    r->fd = fd < 0 ? row_file_unnamed() : fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (r->fd < 0) fail(err, "no file for");
    begin_reading(r, err);
    off_t end = err_failed(err) ? 0 : find_end(r, owner, state, arg);
    end_reading(r, end, err);
    if (!end) begin(r, owner, err);
    if (!err_failed(err)) return r;
    row_file_close(r);
    return NULL;
}

void row_file_close(struct row_file *r)
{
    if (!r) return;
    if (r->in) fclose(r->in);
    if (r->fd >= 0) close(r->fd);
    mem_free(r->block);
    arena_free(r->arena);
    buf_free(&r->added);
    mem_free(r);
}

static void end_added(struct row_file *r, size_t from, struct block_head head,
                      struct err *err)
{
    end_block(&r->added, from, head);
    if (r->added.full)
        err_set(err, ERR_LIMIT, "the rows of one page take more than %d bytes",
                BLOCK_MAX_BYTES);
}

void row_file_add(struct row_file *r, const cJSON *entry, struct err *err)
{
    if (err_failed(err)) return;
    const cJSON *fields = json_get(entry, "fields"), *f = NULL;
    struct block_head head = {.what = ROW_FILE_ROW,
                              .array = json_get(entry, "array")->valueint,
                              .page = json_get(entry, "page")->valueint,
                              .n_field = cJSON_GetArraySize(fields)};
    size_t from = begin_block(&r->added), value = r->added.size;
    json_print(&r->added, json_get(entry, "row"), 0);
    head.value_bytes = (uint32_t)(r->added.size - value);
    cJSON_ArrayForEach(f, fields)
    {
        field_pack(&r->added, f, r->arena);
    }
    arena_reset(r->arena);
    end_added(r, from, head, err);
    r->n_row++;
}

void row_file_commit(struct row_file *r, const cJSON *state, struct err *err)
{
    if (err_failed(err)) return;
    size_t from = begin_block(&r->added);
    json_print(&r->added, state, 0);
    end_added(r, from, (struct block_head){.what = ROW_FILE_STATE}, err);
    write_all(r, buf_span(&r->added), err);
    buf_cut(&r->added, 0);
}

void row_file_rewind(struct row_file *r, struct err *err)
{
    begin_reading(r, err);
    r->n_seen = 0;
}

static void fail_rows(const struct row_file *r, struct err *err)
{
    err_set(err, ERR_SYSTEM,
            "of the rows read so far only %lld of %lld can be read again",
            r->n_seen, r->n_row);
}

bool row_file_next(struct row_file *r, int array, struct row_file_row *row,
                   struct err *err)
{
    struct file_block b;
    if (err_failed(err)) return false;
    while (read_block(r, &b)) {
        if (b.head.what != ROW_FILE_ROW) continue;
        r->n_seen++;
        if (array >= 0 && b.head.array != array) continue;
        size_t n = b.head.value_bytes;
        if (n > b.bytes.size || b.head.n_field < 0) break;
        *row = (struct row_file_row){
            .array = b.head.array,
            .page = b.head.page,
            .n_field = b.head.n_field,
            .value = {b.bytes.data, n},
            .fields = {b.bytes.data + n, b.bytes.size - n}};
        return true;
    }
    if (r->n_seen != r->n_row || !feof(r->in)) fail_rows(r, err);
    return false;
}

static void fail_row(struct err *err)
{
    err_set(err, ERR_SYSTEM, "a row read so far cannot be read again");
}

cJSON *row_file_value(const struct row_file_row *row, struct err *err)
{
    struct err bad = {0};
    if (err_failed(err)) return NULL;
    cJSON *value = json_parse(row->value, &bad);
    if (!value) fail_row(err);
    return value;
}

struct field *row_file_fields(const struct row_file_row *row,
                              struct arena *arena, struct err *err)
{
    struct span rest = row->fields;
    if (err_failed(err)) return NULL;
    struct field *all =
        arena_array(arena, (size_t)row->n_field + 1, sizeof *all);
    for (int i = 0; i < row->n_field; i++) {
        if (field_unpack(&rest, &all[i], arena)) continue;
        fail_row(err);
        return NULL;
    }
    return all;
}

cJSON *row_file_entry(int array, int page, cJSON *row, cJSON *fields)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToObject(entry, "array", json_new_integer(array));
    cJSON_AddItemToObject(entry, "page", json_new_integer(page));
    cJSON_AddItemToObject(entry, "row", row);
    cJSON_AddItemToObject(entry, "fields", fields);
    return entry;
}

void row_file_mark_closed(cJSON *entry)
{
    if (cJSON_IsObject(entry) && !json_get(entry, "closed"))
        cJSON_AddTrueToObject(entry, "closed");
}
