/* draw.c - see draw.h: the queue and its processes. */
#include "pipeline/review/draw.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/process/document_sandbox.h"
#include "stages/children/spawner.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/pixels/image_encode.h"
#include "stages/print/ocr.h"
#include "stages/print/text_layer_check.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/resize.h"
#include "vlm/json/json.h"

/* --- draw page ------------------------------------------------------------- */

/* The work of a process of draw.h. */

enum { OUT_MAX = 64 << 20, WIDTH_OF_WORDS = 1240 };

/* Its messages: a part of the result, and how it ended. */
enum { PART = DRAW_FAILED, MESSAGE_TYPES };

/* Height by width. Longer pages are rare, and drawn smaller. */
static const double height_most = 1.6;

struct page_job {
    const struct draw_job *job;
    struct settings settings;
    struct document *doc;
    struct raster *raster;
    struct buf out;
};

static void print_words(const struct words *words, const char *source,
                        struct buf *out)
{
    buf_print(out, "{\"source\":\"%s\",\"words\":[", source);
    for (int i = 0; i < words->n_word; i++) {
        const struct word *w = &words->word[i];
        buf_print(out, "%s{\"text\":", i ? "," : "");
        json_print_string(out, span_of(w->text));
        buf_print(out, ",\"box\":[%.5f,%.5f,%.5f,%.5f]}", w->x, w->y, w->w,
                  w->h);
    }
    buf_print(out, "]}");
}

/* Words of the text layer if it is usable, else of OCR, even if `ocr` is off:
 * the user asked for them. */
static void read_words(struct page_job *s, const struct image *image,
                       struct err *err)
{
    struct text_layer_check_verdict layer;
    struct ocr_page seen = {0};
    struct page_view *view = page_view_new(image, false, s->doc->arena, err);
    text_layer_check_judge(rasterise_words(s->raster), view, s->doc->arena,
                           &layer, err);
    page_view_close(view);
    if (err_failed(err)) return;
    if (text_layer_check_is_usable(&layer)) {
        print_words(&layer.words, "text layer", &s->out);
        return;
    }
    s->settings.ocr = "always";
    struct ocr *ocr = ocr_new(s->doc, &s->settings, NULL);
    bool read = ocr_read(ocr, s->job->page, image, s->doc->page[0].dpi,
                         OCR_WORDS, &seen);
    print_words(&seen.words, read ? "OCR" : "", &s->out);
    ocr_free(ocr);
}

/* Scales down a page that is drawn larger than requested (up to four times). */
static void encode_picture(struct page_job *s, struct image *image,
                           struct err *err)
{
    int width = s->job->width;
    if (image->width_px > width + width / 2) {
        int height = (int)((double)image->height_px * width / image->width_px);
        struct image small =
            resize_bicubic(image, width, height > 0 ? height : 1, err);
        if (err_failed(err)) return;
        image_free(image);
        *image = small;
    }
    image_encode_jpeg(image, &s->out, err);
}

static void draw_job_page(struct page_job *s, struct err *err)
{
    char page[16];
    struct image image = {0};
    bool words = s->job->what == DRAW_WORDS;
    double width = words ? WIDTH_OF_WORDS : s->job->width;
    struct prepare_target target = {.grid = 1,
                                    .min_pixels = 1,
                                    .max_pixels =
                                        (int64_t)(width * width * height_most)};
    snprintf(page, sizeof page, "%d", s->job->page);
    s->settings.pages = page;
    s->settings.lenient = true;
    s->settings.dpi = 0;
    s->settings.max_pixels = target.max_pixels;
    s->doc->want_words = words;
    identify_document(s->doc, &s->settings, err);
    if (s->job->what == DRAW_SOURCE) {
        buf_print(&s->out, "%d %lld %s", (int)s->doc->type,
                  (long long)s->doc->size_bytes, s->doc->sha256.hex);
        return;
    }
    s->raster = rasterise_open(s->doc, &s->settings, &target, NULL, err);
    if (!rasterise_next(s->raster, &image, err)) return;
    if (words)
        read_words(s, &image, err);
    else
        encode_picture(s, &image, err);
    image_free(&image);
}

static void send_parts(int fd, struct span text)
{
    for (size_t n = 0, size; n < text.size; n += size) {
        size = text.size - n < MESSAGE_CHUNK ? text.size - n : MESSAGE_CHUNK;
        if (!message_send(fd, PART, (struct span){text.data + n, size},
                          (struct span){"", 0}))
            return;
    }
}

/* What a process needs; it has a copy of the server's memory. */
struct page_start {
    const struct draw_job *job;
    const struct settings *settings;
    int doc;      /* -1: it was removed */
    int unlocked; /* as in struct document, or -1 */
};

/* Draws the page of the document, about job->width wide, or reads its words:
 * sends a JPEG file or the JSON {source, words: [{text, box}]}. */
static void run_process(void *arg, int out)
{
    const struct page_start *start = arg;
    struct err err = {0};
    struct page_job s = {
        .job = start->job,
        .settings = *start->settings,
        .doc = document_new(start->job->id, "the document", start->doc),
        .out = buf_limit(OUT_MAX)};
    s.doc->unlocked = start->unlocked;
    document_sandbox_enter(s.doc, NULL, &s.settings, out, &err);
    if (start->doc < 0) err_set(&err, ERR_MISSING, "the document was removed");
    if (!err_failed(&err)) draw_job_page(&s, &err);
    bool none = err.reason && (!strcmp(err.reason, "no-pages") ||
                               !strcmp(err.reason, "no-such-page"));
    if (s.out.full) err_set(&err, ERR_LIMIT, "the page is too large");
    if (!err_failed(&err)) send_parts(out, buf_span(&s.out));
    (void)message_send(out,
                       !err_failed(&err) ? DRAW_DONE
                       : none            ? DRAW_NO_PAGE
                                         : DRAW_REFUSED,
                       span_of(err.text), (struct span){"", 1});
    rasterise_close(s.raster);
}

/* --- draw ------------------------------------------------------------------ */

struct draw_entry {
    struct draw_entry *next;
    struct draw_job job;
    struct process process; /* pid 0: not started yet */
    double deadline;        /* clock_seconds */
    struct buf out;
};

struct draw {
    const struct spool *spool;
    struct settings settings; /* with the spawner's door */
    const struct config *config;
    struct process_server *spawner;
    struct draw_entry *first; /* the latest request */
    struct message message;   /* received last */
};

struct draw *draw_new(const struct spool *s, const struct config *config)
{
    struct draw *d = mem_alloc(1, sizeof *d);
    *d = (struct draw){.spool = s, .settings = config->stage, .config = config};
    return d;
}

static void ensure_spawner(struct draw *d, struct err *err)
{
    if (!d->spawner) d->spawner = spawner_new(&d->config->stage, err);
    process_server_ensure(d->spawner);
    d->settings.spawner_door = process_server_door(d->spawner);
}

/* If it cannot be started now, it is tried again. */
static void start_process(struct draw *d, struct draw_entry *t)
{
    struct err later = {0};
    int folder = spool_folder_fd(d->spool, t->job.place, t->job.id);
    int doc = folder >= 0 ? spool_open_file(folder, "doc") : -1;
    int unlocked = folder >= 0 ? spool_open_file(folder, SPOOL_UNLOCKED) : -1;
    struct page_start start = {&t->job, &d->settings, doc, unlocked};
    ensure_spawner(d, &later);
    process_start(&t->process,
                  &(struct process_options){.name = "platen-reader",
                                            .run = run_process,
                                            .arg = &start,
                                            .confined = true},
                  &later);
    t->deadline = clock_seconds() + d->settings.page_timeout_s;
    if (doc >= 0) close(doc);
    if (unlocked >= 0) close(unlocked);
    if (folder >= 0) close(folder);
}

static int n_running(const struct draw *d)
{
    int n = 0;
    for (const struct draw_entry *t = d->first; t; t = t->next)
        n += t->process.pid > 0;
    return n;
}

static void start_processes(struct draw *d)
{
    int n = n_running(d);
    for (struct draw_entry *t = d->first; t && n < DRAW_AT_ONCE; t = t->next) {
        if (t->process.pid) continue;
        start_process(d, t);
        n++;
    }
}

void draw_add(struct draw *d, const struct draw_job *job)
{
    struct draw_entry *t = mem_alloc(1, sizeof *t);
    *t = (struct draw_entry){.next = d->first,
                             .job = *job,
                             .process = PROCESS_NONE,
                             .out = buf_limit(OUT_MAX)};
    d->first = t;
    start_processes(d);
}

void draw_forget(struct draw *d, const void *arg)
{
    for (struct draw_entry *t = d->first; t; t = t->next)
        if (t->job.arg == arg) t->job.done = NULL;
}

/* Removes it from the list and reports the result, or the text instead. */
static void end_entry(struct draw *d, struct draw_entry *t, enum draw_end end,
                      const char *text)
{
    struct draw_entry **at = &d->first;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    process_end(&t->process);
    if (t->job.done)
        t->job.done(t->job.arg, end,
                    end == DRAW_DONE ? buf_span(&t->out) : span_of(text));
    buf_free(&t->out);
    mem_free(t);
}

static bool ends_text(void *body, size_t size)
{
    message_clean(body, size);
    return true;
}

/* Receives one message, so that a process that sends many delays no one; the last
 * one ends the job. */
static void receive(struct draw *d, struct draw_entry *t)
{
    static const struct message_type type[MESSAGE_TYPES] = {
        [DRAW_DONE] = {1, 1, 0, NULL},
        [DRAW_NO_PAGE] = {2, sizeof(struct err), 0, ends_text},
        [DRAW_REFUSED] = {2, sizeof(struct err), 0, ends_text},
        [PART] = {1, MESSAGE_CHUNK, 0, NULL}};
    const struct message_types types = {type, MESSAGE_TYPES};
    struct message *m = &d->message;
    enum message_end end = message_receive(t->process.fd, &types, false, m);
    bool waits = end == MESSAGE_NONE && clock_seconds() < t->deadline;
    bool part = end == MESSAGE_RECEIVED && m->type == PART;
    if (part) buf_add(&t->out, m->body.text, m->size);
    process_print(&t->process);
    if (waits || (part && !t->out.full)) return;
    if (end == MESSAGE_RECEIVED && !part)
        end_entry(d, t, (enum draw_end)m->type, m->body.text);
    else
        end_entry(d, t, DRAW_FAILED, "the page could not be drawn");
}

nfds_t draw_watch(const struct draw *d, struct pollfd *fds)
{
    nfds_t n = 0;
    for (const struct draw_entry *t = d->first; t && n < DRAW_AT_ONCE;
         t = t->next)
        if (t->process.pid)
            fds[n++] = (struct pollfd){.fd = t->process.fd, .events = POLLIN};
    return n;
}

void draw_step(struct draw *d)
{
    for (struct draw_entry *t = d->first, *next; t; t = next) {
        next = t->next;
        if (t->process.pid)
            receive(d, t);
        else if (!t->job.done)
            end_entry(d, t, DRAW_FAILED, "");
    }
    start_processes(d);
}

void draw_close(struct draw *d)
{
    if (!d) return;
    while (d->first)
        end_entry(d, d->first, DRAW_FAILED, "the server is ending");
    process_server_free(d->spawner);
    mem_free(d);
}
