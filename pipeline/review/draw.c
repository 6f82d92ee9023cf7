/* draw.c - see draw.h: the queue and its processes. */
#include "pipeline/review/draw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pipeline/process/document_sandbox.h"
#include "stages/children/spawner.h"
#include "stages/engine/image_encode.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/print/ocr.h"
#include "stages/print/text_layer_check.h"
#include "vlm/base/arena.h"
#include "vlm/base/fd_pass.h"
#include "vlm/base/resize.h"
#include "vlm/json/json.h"

/* --- draw page ------------------------------------------------------------- */

/* The work of a process of draw.h. */

enum { OUT_MAX = 64 << 20, WIDTH_OF_WORDS = 1240, CHUNK = 1 << 16 };

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

/* In messages of at most CHUNK bytes. */
static void send_all(int fd, struct span text)
{
    for (size_t n = 0, size; n < text.size; n += size) {
        size = text.size - n < CHUNK ? text.size - n : CHUNK;
        if (!fd_pass_send(fd, text.data + n, size, NULL, 0)) return;
    }
}

/* What a process needs; it has a copy of the server's memory. */
struct page_start {
    const struct draw_job *job;
    const struct settings *settings;
    int doc; /* -1: it was removed */
};

/* Draws the page of the document, about job->width wide, or reads its words.
 * Sends "+" and the JPEG file or the JSON {source, words: [{text, box}]}; "0"
 * and a text if the document has no pages; on failure "-" and a text. */
static void run_process(void *arg, int out)
{
    const struct page_start *start = arg;
    struct err err = {0};
    struct page_job s = {
        .job = start->job,
        .settings = *start->settings,
        .doc = document_new(start->job->id, "the document", start->doc),
        .out = buf_limit(OUT_MAX)};
    document_sandbox_enter(s.doc, NULL, &s.settings, out, &err);
    if (start->doc < 0) err_set(&err, ERR_MISSING, "the document was removed");
    if (!err_failed(&err)) draw_job_page(&s, &err);
    bool ok = !err_failed(&err) && s.out.size && !s.out.full;
    bool none = err.reason && (!strcmp(err.reason, "no-pages") ||
                               !strcmp(err.reason, "no-such-page"));
    send_all(out, span_of(ok ? "+" : none ? "0" : "-"));
    send_all(out, ok ? buf_span(&s.out)
                     : span_of(*err.text ? err.text : "no such page"));
    rasterise_close(s.raster);
}

/* --- draw ------------------------------------------------------------------ */

enum { OUT_BYTES_MAX = 64 << 20 };

struct draw_entry {
    struct draw_entry *next;
    struct draw_job job;
    struct process process; /* pid 0: not started yet */
    struct buf out;
};

struct draw {
    const struct spool *spool;
    struct settings settings; /* with the spawner's door */
    const struct config *config;
    struct process_server *spawner;
    struct draw_entry *first; /* the latest request */
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
    int folder = spool_folder_fd(d->spool, t->job.place, t->job.id), doc = -1;
    if (folder >= 0)
        doc = openat(folder, "doc", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct page_start start = {&t->job, &d->settings, doc};
    ensure_spawner(d, &later);
    process_start(&t->process,
                  &(struct process_options){.name = "platen-reader",
                                            .run = run_process,
                                            .arg = &start,
                                            .confined = true},
                  &later);
    if (doc >= 0) close(doc);
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
                             .out = buf_limit(OUT_BYTES_MAX)};
    d->first = t;
    start_processes(d);
}

void draw_forget(struct draw *d, const void *arg)
{
    for (struct draw_entry *t = d->first; t; t = t->next)
        if (t->job.arg == arg) t->job.done = NULL;
}

/* Removes it from the list and reports the result. */
static void end_entry(struct draw *d, struct draw_entry *t, bool ok)
{
    struct draw_entry **at = &d->first;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    bool whole = process_end(&t->process) == 0;
    if (!whole) buf_cut(&t->out, 0);
    if (t->job.done) t->job.done(t->job.arg, ok && whole, &t->out);
    buf_free(&t->out);
    mem_free(t);
}

/* The output of a process begins with + for a result, 0 or - for a text. */
static void end_process(struct draw *d, struct draw_entry *t)
{
    bool ok = t->out.size > 1 && t->out.data[0] == '+' && !t->out.full;
    end_entry(d, t, ok);
}

static bool read_some(struct draw_entry *t)
{
    char chunk[CHUNK];
    ssize_t n;
    while ((n = recv(t->process.fd, chunk, sizeof chunk, MSG_DONTWAIT)) > 0)
        buf_add(&t->out, chunk, (size_t)n);
    return n < 0 && (errno == EAGAIN || errno == EINTR);
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
        bool running = t->process.pid != 0, idle = !running && !t->job.done;
        if (idle || (running && !read_some(t))) end_process(d, t);
    }
    start_processes(d);
}

void draw_close(struct draw *d)
{
    if (!d) return;
    while (d->first)
        end_entry(d, d->first, false);
    process_server_free(d->spawner);
    mem_free(d);
}
