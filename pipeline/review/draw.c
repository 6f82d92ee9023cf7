/* draw.c - see draw.h: the queue and its children. */
#define _GNU_SOURCE
#include "pipeline/review/draw.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages/engine/image_encode.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/print/ocr.h"
#include "stages/print/text_layer_check.h"
#include "vlm/base/arena.h"
#include "vlm/base/resize.h"
#include "vlm/json/json.h"

/* --- draw page ------------------------------------------------------------- */

/* The work of a child process of draw.h. */

enum { OUT_MAX = 64 << 20, WIDTH_OF_WORDS = 1240 };

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
    const struct words *words = rasterise_words(s->raster);
    struct page_view *view = page_view_new(image, false, s->doc->arena, err);
    text_layer_check_judge(words, view, &layer, err);
    page_view_close(view);
    if (err_failed(err)) return;
    if (text_layer_check_is_usable(&layer)) {
        print_words(words, "text layer", &s->out);
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
    s->raster = rasterise_open(s->doc, &s->settings, &target, NULL, err);
    if (!rasterise_next(s->raster, &image, err)) return;
    if (words)
        read_words(s, &image, err);
    else
        encode_picture(s, &image, err);
    image_free(&image);
}

static void write_all(int fd, struct span text)
{
    for (size_t n = 0; n < text.size;) {
        ssize_t put = write(fd, text.data + n, text.size - n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return;
        n += (size_t)put;
    }
}

/* Draws the page of the document in `folder_fd` (-1: it was removed), about
 * job->width wide, or reads its words. Writes "+" and the JPEG file or the JSON
 * {source, words: [{text, box}]} to `out`; on failure "-" and a text. */
static void draw_page_write(int folder_fd, const struct draw_job *job,
                            const struct config *config, int out)
{
    struct err err = {0};
    int fd = openat(folder_fd, "doc", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct page_job s = {.job = job,
                         .settings = config->stage,
                         .doc = document_new(job->id, "the document", fd),
                         .out = buf_limit(OUT_MAX)};
    if (fd < 0) err_set(&err, ERR_MISSING, "the document was removed");
    if (!err_failed(&err)) draw_job_page(&s, &err);
    bool ok = !err_failed(&err) && s.out.size && !s.out.full;
    write_all(out, span_of(ok ? "+" : "-"));
    write_all(out, ok ? buf_span(&s.out)
                      : span_of(*err.text ? err.text : "no such page"));
    rasterise_close(s.raster);
    document_free(s.doc);
    buf_free(&s.out);
    if (fd >= 0) close(fd);
}

/* --- draw ------------------------------------------------------------------ */

enum { OUT_BYTES_MAX = 64 << 20, CHUNK = 1 << 16 };

struct draw_entry {
    struct draw_entry *next;
    struct draw_job job;
    pid_t child; /* 0: not started yet */
    int pipe;
    struct buf out;
};

struct draw {
    const struct spool *spool;
    const struct config *config;
    struct draw_entry *first; /* the latest request */
};

struct draw *draw_new(const struct spool *s, const struct config *config)
{
    struct draw *d = mem_alloc(1, sizeof *d);
    *d = (struct draw){.spool = s, .config = config};
    return d;
}

/* Runs in the child, which closes all of the server's connections. */
static _Noreturn void run_child(const struct draw *d,
                                const struct draw_job *job, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int folder = spool_folder_fd(d->spool, job->place, job->id);
    dup2(out, STDIN_FILENO);
    if (folder >= 0) dup2(folder, STDOUT_FILENO);
    close_range(3, ~0U, 0);
    draw_page_write(folder >= 0 ? STDOUT_FILENO : -1, job, d->config,
                    STDIN_FILENO);
    _exit(0);
}

static void start_child(struct draw *d, struct draw_entry *t)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    t->child = fork();
    if (t->child == 0) {
        fcntl(ends[1], F_SETFL, 0);
        run_child(d, &t->job, ends[1]);
    }
    close(ends[1]);
    t->pipe = ends[0];
    if (t->child > 0) return;
    close(ends[0]);
    t->child = 0;
    t->pipe = -1;
}

static int n_running(const struct draw *d)
{
    int n = 0;
    for (const struct draw_entry *t = d->first; t; t = t->next)
        n += t->child > 0;
    return n;
}

static void start_children(struct draw *d)
{
    int n = n_running(d);
    for (struct draw_entry *t = d->first; t && n < DRAW_AT_ONCE; t = t->next) {
        if (t->child) continue;
        start_child(d, t);
        n++;
    }
}

void draw_add(struct draw *d, const struct draw_job *job)
{
    struct draw_entry *t = mem_alloc(1, sizeof *t);
    *t = (struct draw_entry){.next = d->first,
                             .job = *job,
                             .pipe = -1,
                             .out = buf_limit(OUT_BYTES_MAX)};
    d->first = t;
    start_children(d);
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
    if (t->pipe >= 0) close(t->pipe);
    if (t->child > 0) {
        kill(t->child, SIGKILL);
        while (waitpid(t->child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (t->job.done) t->job.done(t->job.arg, ok, &t->out);
    buf_free(&t->out);
    mem_free(t);
}

/* The output of a child begins with + for a result, - for an error text. */
static void end_child(struct draw *d, struct draw_entry *t)
{
    bool ok = t->out.size > 1 && t->out.data[0] == '+' && !t->out.full;
    end_entry(d, t, ok);
}

static bool read_some(struct draw_entry *t)
{
    char chunk[CHUNK];
    ssize_t n;
    while ((n = read(t->pipe, chunk, sizeof chunk)) > 0)
        buf_add(&t->out, chunk, (size_t)n);
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

nfds_t draw_watch(const struct draw *d, struct pollfd *fds)
{
    nfds_t n = 0;
    for (const struct draw_entry *t = d->first; t && n < DRAW_AT_ONCE;
         t = t->next)
        if (t->child > 0)
            fds[n++] = (struct pollfd){.fd = t->pipe, .events = POLLIN};
    return n;
}

void draw_step(struct draw *d)
{
    for (struct draw_entry *t = d->first, *next; t; t = next) {
        next = t->next;
        bool idle = !t->child && !t->job.done;
        if (idle || (t->child > 0 && !read_some(t))) end_child(d, t);
    }
    start_children(d);
}

void draw_close(struct draw *d)
{
    if (!d) return;
    while (d->first)
        end_entry(d, d->first, false);
    mem_free(d);
}
