/* row_file.c - see row_file.h. */
#define _GNU_SOURCE
#include "stages/long/row_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

enum { LINE_MAX_BYTES = 64 << 20 };

struct row_file {
    int fd;
    struct buf added;        /* not written yet */
    FILE *in;                /* while rows are read */
    long long n_row, n_seen; /* in the file; read since row_file_rewind */
    char *line;
    size_t room;
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

static void add_line(struct buf *out, const cJSON *value)
{
    json_print(out, value, 0);
    buf_add_text(out, "\n");
}

/* Starts the file again, with its first line. */
static void begin(struct row_file *r, const char *owner, struct err *err)
{
    if (err_failed(err)) return;
    if (ftruncate(r->fd, 0) != 0 || lseek(r->fd, 0, SEEK_SET) < 0) {
        fail(err, "cannot empty");
        return;
    }
    struct buf text = buf_limit(LINE_MAX_BYTES);
    cJSON *first = cJSON_CreateObject();
    cJSON_AddStringToObject(first, "owner", owner);
    add_line(&text, first);
    cJSON_Delete(first);
    write_all(r, buf_span(&text), err);
    buf_free(&text);
}

/* The next complete line, or false. A line cut off by a crash does not count. */
static bool read_line(struct row_file *r, struct span *line)
{
    ssize_t n = getline(&r->line, &r->room, r->in);
    if (n < 1 || r->line[n - 1] != '\n') return false;
    *line = (struct span){r->line, (size_t)n - 1};
    return true;
}

static cJSON *next_line(struct row_file *r)
{
    struct err bad = {0};
    struct span line;
    return read_line(r, &line) ? json_parse(line, &bad) : NULL;
}

static void open_lines(struct row_file *r, struct err *err)
{
    if (err_failed(err)) return;
    int copy = r->in ? -1 : fcntl(r->fd, F_DUPFD_CLOEXEC, 3);
    if (copy >= 0 && !(r->in = fdopen(copy, "r"))) close(copy);
    if (!r->in || fseeko(r->in, 0, SEEK_SET) != 0) fail(err, "cannot read");
}

/* Back to writing, at offset `end`. */
static void close_lines(struct row_file *r, off_t end, struct err *err)
{
    if (r->in) fclose(r->in);
    r->in = NULL;
    if (err_failed(err)) return;
    if (ftruncate(r->fd, end) != 0 || lseek(r->fd, end, SEEK_SET) < 0)
        fail(err, "cannot shorten");
}

/* Offset of the end of the last state; 0: the file has another owner. */
static off_t find_end(struct row_file *r, const char *owner,
                      void (*state)(void *arg, const cJSON *line), void *arg)
{
    long long n_row = 0; /* since the last state */
    cJSON *line = next_line(r);
    const char *said = json_get_text(line, "owner");
    bool ours = said && !strcmp(said, owner);
    off_t end = ours ? ftello(r->in) : 0;
    cJSON_Delete(line);
    while (ours && (line = next_line(r))) {
        if (json_get(line, "row")) {
            n_row++;
        } else {
            state(arg, line);
            end = ftello(r->in);
            r->n_row += n_row;
            n_row = 0;
        }
        cJSON_Delete(line);
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
    r->added = buf_limit(LINE_MAX_BYTES);
    r->fd = fd < 0 ? row_file_unnamed() : fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (r->fd < 0) fail(err, "no file for");
    open_lines(r, err);
    off_t end = err_failed(err) ? 0 : find_end(r, owner, state, arg);
    close_lines(r, end, err);
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
    free(r->line);
    buf_free(&r->added);
    mem_free(r);
}

void row_file_add(struct row_file *r, const cJSON *row, struct err *err)
{
    if (err_failed(err)) return;
    add_line(&r->added, row);
    r->n_row += json_get(row, "row") ? 1 : 0;
    if (r->added.full)
        err_set(err, ERR_LIMIT, "the rows of one page take more than %d bytes",
                LINE_MAX_BYTES);
}

void row_file_commit(struct row_file *r, const cJSON *state, struct err *err)
{
    if (err_failed(err)) return;
    row_file_add(r, state, err);
    write_all(r, buf_span(&r->added), err);
    buf_cut(&r->added, 0);
}

void row_file_rewind(struct row_file *r, struct err *err)
{
    open_lines(r, err);
    r->n_seen = 0;
}

/* A row's line begins with its array. */
static bool is_of(struct span line, int array)
{
    static const char first[] = "{\"array\":";
    size_t n = sizeof first - 1;
    return line.size > n && !memcmp(line.data, first, n) &&
           (array < 0 || atoi(line.data + n) == array);
}

cJSON *row_file_next(struct row_file *r, int array, struct err *err)
{
    struct span line;
    struct err bad = {0};
    if (err_failed(err)) return NULL;
    while (read_line(r, &line)) {
        if (!is_of(line, -1)) continue;
        r->n_seen++;
        if (!is_of(line, array)) continue;
        cJSON *row = json_parse(line, &bad);
        if (row) return row;
        break;
    }
    if (err_failed(&bad) || r->n_seen != r->n_row)
        err_set(err, ERR_SYSTEM,
                "of the rows read so far only %lld of %lld can be read again",
                r->n_seen - err_failed(&bad), r->n_row);
    return NULL;
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
