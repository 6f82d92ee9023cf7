/* rasterise.c - see rasterise.h: reads the pixel protocol and believes none of
 * it. What a frame says is compared with what was asked for before a byte is
 * allocated; anything unexpected ends the child. */
#include "stages/rasterise_inside.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages/packed_words.h"
#include "stages/pages.h"
#include "stages/sandbox/sandbox.h"
#include "vlm/base/buf.h"
#include "vlm/base/now.h"

enum { GRACE_S = 5 }; /* for the child's end after its last frame */

static const struct {
    const char *code;
    enum err_kind kind;
} status_table[RASTER_N_STATUS] = {
    [RASTER_DAMAGED] = {"damaged", ERR_INPUT},
    [RASTER_ENCRYPTED] = {"encrypted", ERR_INPUT},
    [RASTER_NO_PAGES] = {"no-pages", ERR_INPUT},
    [RASTER_TOO_MANY_PAGES] = {"too-many-pages", ERR_LIMIT},
    [RASTER_TOO_LARGE] = {"too-large", ERR_LIMIT},
    [RASTER_UNSUPPORTED] = {"unsupported-image", ERR_UNSUPPORTED},
    [RASTER_PAGE_FAILED] = {"page-failed", ERR_INPUT},
    [RASTER_NO_SUCH_PAGE] = {"no-such-page", ERR_ARGS},
    [RASTER_CPU] = {"resource-cpu", ERR_CHILD},
    [RASTER_MEMORY] = {"resource-memory", ERR_CHILD},
    [RASTER_NO_SANDBOX] = {"no-sandbox", ERR_MISSING},
    [RASTER_IO_ERROR] = {"io-error", ERR_SYSTEM},
    [RASTER_INTERNAL] = {"internal", ERR_CHILD},
};

void rasterise_bad_protocol(const char *what, struct err *err)
{
    if (err_failed(err)) return;
    err_reason(err, ERR_CHILD, "raster-protocol",
               "the rasteriser broke its protocol: %s", what);
}

/* Whether the child died for want of memory, by its own last words. */
static bool ran_out_of_memory(const char *words)
{
    static const char *const sign[] = {"out of memory", "bad_alloc",
                                       "failed to allocate", "length_error"};
    for (size_t s = 0; s < sizeof sign / sizeof sign[0]; s++)
        for (const char *at = words; *at; at++)
            if (!strncasecmp(at, sign[s], strlen(sign[s]))) return true;
    return false;
}

/* The child has closed its pipe before its END frame. */
static void explain_death(struct raster *r, struct err *err)
{
    jail_wait(&r->jail, GRACE_S);
    int status = r->jail.status;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char *words = r->jail.complaint;
    r->killed = signal == SIGKILL && !ran_out_of_memory(words);
    if (signal == SIGXCPU)
        err_reason(err, ERR_CHILD, "resource-cpu",
                   "drawing takes more than %d s of processor time "
                   "(child_cpu)",
                   r->settings->child_cpu_s);
    else if (signal == SIGSYS)
        err_reason(err, ERR_CHILD, "sandbox-violation",
                   "the rasteriser was made to do what it must not");
    else if (ran_out_of_memory(words))
        err_reason(err, ERR_CHILD, "resource-memory",
                   "drawing takes more than %lld bytes of memory "
                   "(child_memory)",
                   (long long)r->settings->child_memory);
    else if (signal)
        err_reason(err, ERR_CHILD, "raster-crash",
                   "the rasteriser died of signal %d%s%.200s", signal,
                   *words ? ": " : "", words);
    else
        err_reason(err, ERR_CHILD, "raster-crash",
                   "the rasteriser ended with status %d before its last "
                   "page%s%.200s",
                   WEXITSTATUS(status), *words ? ": " : "", words);
}

void rasterise_read_bytes(struct raster *r, void *data, size_t size,
                          struct err *err)
{
    if (err_failed(err)) return;
    double since = now_seconds();
    double deadline = since + r->settings->document_wall_s - r->waited_s;
    enum jail_end end =
        jail_read(&r->jail, data, size, r->settings->page_wall_s, deadline);
    double now = now_seconds();
    r->waited_s += now - since;
    if (end == JAIL_CLOSED)
        explain_death(r, err);
    else if (end == JAIL_STOPPED)
        err_reason(err, ERR_CANCELLED, "cancelled", "asked to stop");
    else if (end == JAIL_LATE && now >= deadline)
        err_reason(err, ERR_CHILD, "resource-cpu",
                   "drawing takes longer than %d s (document_wall)",
                   r->settings->document_wall_s);
    else if (end == JAIL_LATE)
        err_reason(err, ERR_CHILD, "resource-cpu",
                   "drawing makes no progress for %d s (page_wall)",
                   r->settings->page_wall_s);
}

/* Text of a frame, printable, into out[RASTER_TEXT_MAX + 1]. */
void rasterise_read_text(struct raster *r, uint32_t size, char *out,
                         struct err *err)
{
    *out = '\0';
    if (err_failed(err)) return;
    if (size > RASTER_TEXT_MAX) {
        rasterise_bad_protocol("a text is too long", err);
        return;
    }
    rasterise_read_bytes(r, out, size, err);
    out[err_failed(err) ? 0 : size] = '\0';
    for (char *at = out; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~') *at = '?';
}

static void take_failure(struct raster *r, const struct raster_frame *f,
                         struct err *err)
{
    char text[RASTER_TEXT_MAX + 1];
    if (f->a >= RASTER_N_STATUS || f->b > INT_MAX) {
        rasterise_bad_protocol("a failure that it does not know", err);
        return;
    }
    rasterise_read_text(r, f->c, text, err);
    if (err_failed(err)) return;
    err_reason(err, status_table[f->a].kind, status_table[f->a].code, "%s%s",
               text, *text ? "" : "the rasteriser gave no text");
    err->page = (int)f->b;
}

void rasterise_read_frame(struct raster *r, struct raster_frame *f,
                          struct err *err)
{
    *f = (struct raster_frame){0};
    rasterise_read_bytes(r, f, sizeof *f, err);
    if (err_failed(err)) return;
    if (f->magic != RASTER_MAGIC)
        rasterise_bad_protocol("a frame without its mark", err);
    else if (f->kind == RASTER_FAIL)
        take_failure(r, f, err);
}

static void read_hello(struct raster *r, struct err *err)
{
    struct raster_frame f;
    rasterise_read_frame(r, &f, err);
    if (!err_failed(err) && f.kind != RASTER_HELLO)
        rasterise_bad_protocol("no greeting", err);
    if (err_failed(err)) return;
    unsigned filters = f.a & (SANDBOX_LANDLOCK | SANDBOX_SECCOMP);
    r->doc->unsandboxed = !filters;
    if (filters == SANDBOX_LANDLOCK || filters == SANDBOX_SECCOMP)
        document_warn(r->doc, &(struct warning){.code = WARN_SANDBOX_WEAK},
                      "drawn in a sandbox without %s",
                      filters == SANDBOX_LANDLOCK ? "seccomp" : "Landlock");
    if (filters) return;
    if (r->settings->allow_unsandboxed)
        document_warn(r->doc, &(struct warning){.code = WARN_UNSANDBOXED},
                      "drawn without a sandbox");
    else
        err_reason(err, ERR_MISSING, "no-sandbox",
                   "neither Landlock nor seccomp can be set up here "
                   "(--allow-unsandboxed takes the risk)");
}

/* The same file must count the same. */
static void check_count(const struct raster *r, const struct raster_frame *f,
                        struct err *err)
{
    const struct document *doc = r->doc;
    if (f->a != (uint32_t)doc->n_page_source ||
        f->b != (uint32_t)(doc->n_page - r->n_read))
        rasterise_bad_protocol("another count of pages than before", err);
}

static void read_count(struct raster *r, const struct pages *pages,
                       struct err *err)
{
    struct raster_frame f;
    rasterise_read_frame(r, &f, err);
    if (err_failed(err)) return;
    if (f.kind != RASTER_COUNT || f.a < 1 || f.a > INT_MAX / 2) {
        rasterise_bad_protocol("no count of pages", err);
        return;
    }
    if (r->doc->n_page) {
        check_count(r, &f, err);
        return;
    }
    struct document *doc = r->doc;
    int n_source = (int)f.a, n = pages_count(pages, n_source, err);
    if (err_failed(err)) return;
    if (f.b != (uint32_t)n || n > r->settings->pages_max) {
        rasterise_bad_protocol("a wrong count of pages", err);
        return;
    }
    doc->n_page_source = n_source;
    doc->n_page = n;
    doc->page = arena_array(doc->arena, (size_t)n, sizeof *doc->page);
    for (int i = 0, number = 0; i < n; i++) {
        number = pages_next(pages, number, n_source);
        doc->page[i].number = number;
    }
}

/* The most that a page of one picture, or of pieces, needs to be drawn with. */
static int64_t pixels_of(const struct prepare_target *target)
{
    return target->whole_pixels > target->max_pixels ? target->whole_pixels
                                                     : target->max_pixels;
}

/* The options in child's words; `at` counts, text lives in the arena. */
static void fill_arguments(const char **argument, struct document *doc,
                           const struct settings *s, const char *type,
                           const struct prepare_target *target,
                           const char *pages, bool codes)
{
    static const char *const flag[] = {
        "--max-pixels", "--grid",   "--decoded-pixels-max",
        "--pages-max",  "--memory", "--cpu",
        "--dpi",        "--parent"};
    const long long value[] = {pixels_of(target),
                               target->grid,
                               s->decoded_pixels_max,
                               s->pages_max,
                               s->child_memory,
                               s->child_cpu_s,
                               s->dpi,
                               (long long)getpid()};
    int n = 0;
    argument[n++] = "platen-raster";
    argument[n++] = "--type";
    argument[n++] = type;
    argument[n++] = "--pages";
    argument[n++] = pages;
    for (size_t i = 0; i < sizeof flag / sizeof flag[0]; i++) {
        argument[n++] = flag[i];
        argument[n++] = arena_text(doc->arena, "%lld", value[i]);
    }
    if (doc->want_words && !codes) argument[n++] = "--words";
    if (doc->want_invoice && !codes) argument[n++] = "--invoice";
    if (s->lenient) argument[n++] = "--lenient";
    if (codes) argument[n++] = "--codes";
    if (s->allow_unsandboxed) argument[n++] = "--allow-unsandboxed";
    argument[n] = NULL;
}

/* The chosen pages from doc->page[from] on, as pages_parse reads them. */
static const char *pages_left(const struct document *doc, int from)
{
    struct buf text = buf_limit(1 << 20);
    for (int i = from, end; i < doc->n_page; i = end) {
        int first = doc->page[i].number;
        for (end = i + 1; end < doc->n_page; end++)
            if (doc->page[end].number != first + end - i) break;
        buf_print(&text, "%s%d-%d", i > from ? "," : "", first,
                  first + end - i - 1);
    }
    const char *copy = arena_copy(doc->arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

static const char *type_word(enum file_type type)
{
    static const char *const word[] = {
        [FILE_UNKNOWN] = "",  [FILE_PDF] = "pdf", [FILE_TIFF] = "tiff",
        [FILE_JPEG] = "jpeg", [FILE_PNG] = "png", [FILE_WEBP] = "webp"};
    return word[type];
}

/* `from`: the pages before it are known (rasterise_again). */
struct raster *rasterise_child_once(struct document *doc,
                                    const struct settings *settings,
                                    const struct prepare_target *target,
                                    int from, const struct jail_stop *stop,
                                    bool codes, bool *killed, struct err *err)
{
    struct pages pages;
    if (err_failed(err)) return NULL;
    pages_parse(&pages, settings->pages, err);
    if (err_failed(err)) return NULL;
    if (lseek(doc->fd, 0, SEEK_SET) < 0) {
        err_errno(err, "cannot read the file from its start");
        return NULL;
    }
    struct raster *r = mem_take(1, sizeof *r);
    r->doc = doc;
    r->settings = settings;
    r->n_read = from;
    r->arena = arena_new();
    if (stop) r->jail.stop = *stop;
    r->pixels_max = raster_pixels_max(pixels_of(target), doc->type == FILE_PDF);
    const char *argument[JAIL_ARGUMENT_MAX];
    fill_arguments(argument, doc, settings, type_word(doc->type), target,
                   from ? pages_left(doc, from) : settings->pages, codes);
    jail_open(&r->jail, settings->raster_program, argument, doc->fd, err);
    read_hello(r, err);
    read_count(r, &pages, err);
    if (doc->want_invoice && !codes && !err_failed(err))
        rasterise_read_invoice(r, err);
    if (!err_failed(err)) return r;
    *killed = r->killed;
    rasterise_close(r);
    return NULL;
}

static void take_note(struct raster *r, enum raster_note kind, const char *text)
{
    struct warning about = {.code = kind == RASTER_NOTE_MISSING
                                        ? WARN_PAGE_INCOMPLETE
                                        : WARN_PAGE_FAULTY,
                            .page = r->doc->page[r->n_read].number};
    if (kind == RASTER_NOTE_UNREAD)
        document_warn(r->doc, &(struct warning){.code = WARN_CONTENT_UNREAD},
                      "%s", text);
    else
        document_warn(r->doc, &about, "page %d: %s", about.page, text);
}

static void read_notes(struct raster *r, struct raster_frame *f,
                       struct err *err)
{
    char text[RASTER_TEXT_MAX + 1];
    int n = 0;
    rasterise_read_frame(r, f, err);
    while (!err_failed(err) && f->kind == RASTER_NOTE) {
        rasterise_read_text(r, f->b, text, err);
        if (++n > RASTER_NOTE_MAX || f->c >= RASTER_N_NOTE)
            rasterise_bad_protocol("notes that it does not know", err);
        if (err_failed(err)) return;
        take_note(r, (enum raster_note)f->c, text);
        rasterise_read_frame(r, f, err);
    }
}

/* The words before a page, where there are some; *f is the next frame then. */
static void read_words(struct raster *r, struct raster_frame *f,
                       struct err *err)
{
    arena_reset(r->arena);
    r->words = (struct words){.n_word = 0};
    if (err_failed(err) || f->kind != RASTER_WORDS) return;
    if (!r->doc->want_words ||
        f->a != (uint32_t)r->doc->page[r->n_read].number || f->b < 1 ||
        f->b > PACKED_WORDS_MAX || f->c < f->b || f->c > PACKED_TEXT_MAX ||
        f->d > 1 || f->e > 1000) {
        rasterise_bad_protocol("words that nobody asked for", err);
        return;
    }
    struct packed_word *packed = arena_array(r->arena, f->b, sizeof *packed);
    char *text = arena_take(r->arena, f->c);
    rasterise_read_bytes(r, packed, f->b * sizeof *packed, err);
    rasterise_read_bytes(r, text, f->c, err);
    if (err_failed(err)) return;
    if (!packed_words_take(packed, f->b, text, f->c, r->arena, &r->words))
        rasterise_bad_protocol("words that are none", err);
    r->words.cut = f->d;
    r->words.picture = f->e / 1000.0;
    rasterise_read_frame(r, f, err);
}

static void check_page(const struct raster *r, const struct raster_frame *f,
                       struct err *err)
{
    if (err_failed(err)) return;
    const struct page *page = &r->doc->page[r->n_read];
    uint64_t most = (uint64_t)r->pixels_max;
    if (f->kind != RASTER_PAGE || f->a != (uint32_t)page->number)
        rasterise_bad_protocol("not the page that is due", err);
    else if (f->b < 1 || f->c < 1 || (uint64_t)f->b * f->c > most)
        rasterise_bad_protocol("a page of a wrong size", err);
    else if (f->d != 1 && f->d != 3)
        rasterise_bad_protocol("neither grey nor RGB", err);
}

void rasterise_expect_end(struct raster *r, struct err *err)
{
    struct raster_frame f;
    char more;
    rasterise_read_frame(r, &f, err);
    if (err_failed(err)) return;
    r->at_end = true;
    if (f.kind != RASTER_END ||
        jail_read(&r->jail, &more, 1, GRACE_S, now_seconds() + GRACE_S) !=
            JAIL_CLOSED)
        rasterise_bad_protocol("more than was asked for", err);
}

bool rasterise_next(struct raster *r, struct image *page, struct err *err)
{
    *page = (struct image){0};
    if (err_failed(err) || r->at_end) return false;
    if (r->n_read == r->doc->n_page) {
        rasterise_expect_end(r, err);
        return false;
    }
    struct page *entry = &r->doc->page[r->n_read];
    struct raster_frame f;
    read_notes(r, &f, err);
    read_words(r, &f, err);
    check_page(r, &f, err);
    if (!err_failed(err)) {
        *page = image_new((int)f.b, (int)f.c, (int)f.d, err);
        if (!err_failed(err))
            rasterise_read_bytes(r, page->data, page->stride_bytes * f.c, err);
    }
    if (err_failed(err)) {
        if (!err->page) err->page = entry->number;
        image_free(page);
        return false;
    }
    entry->width_px = (int)f.b;
    entry->height_px = (int)f.c;
    entry->dpi = f.e / 1000.0;
    r->words.aspect = (double)f.b / f.c;
    r->n_read++;
    return true;
}

const struct words *rasterise_words(const struct raster *r)
{
    return &r->words;
}

void rasterise_rested(struct raster *r)
{
    r->waited_s = 0;
}

void rasterise_close(struct raster *r)
{
    if (!r) return;
    arena_free(r->arena);
    jail_close(&r->jail);
    mem_give(r);
}

static bool say_layers(const struct raster_frame *hello, struct buf *out)
{
    bool all = true;
    const struct jail_layer *layer;
    for (size_t i = 0; (layer = jail_layer_at(i)); i++) {
        bool held = hello->a & layer->bit;
        all &= held;
        buf_print(out, "%ssandbox %s: ", held ? "" : "! ", layer->name);
        if (!held)
            buf_print(out, "no (without it %s)\n", layer->what);
        else if (layer->bit == SANDBOX_LANDLOCK)
            buf_print(out, "ABI %u\n", hello->b);
        else
            buf_print(out, "yes\n");
    }
    buf_print(out, "sandbox memory limit: %s\n",
              hello->a & SANDBOX_ADDRESS_LIMIT ? "yes"
                                               : "no (build with a sanitizer)");
    return all;
}

bool rasterise_doctor(const struct settings *settings, struct buf *out)
{
    struct err err = {0};
    struct document *doc = document_new("doctor", "doctor", 0);
    struct raster r = {.doc = doc, .settings = settings};
    const char *argument[JAIL_ARGUMENT_MAX];
    struct prepare_target target = {.grid = 1, .max_pixels = 1};
    fill_arguments(argument, doc, settings, "", &target, settings->pages,
                   false);
    jail_open(&r.jail, settings->raster_program, argument, 0, &err);
    struct raster_frame f;
    rasterise_read_frame(&r, &f, &err);
    if (!err_failed(&err) && f.kind != RASTER_HELLO)
        rasterise_bad_protocol("no greeting", &err);
    jail_close(&r.jail);
    document_free(doc);
    if (err_failed(&err)) {
        buf_print(out, "! rasteriser: %s\n", err.text);
        return false;
    }
    return say_layers(&f, out);
}
