/* second_reader.c - see second_reader.h: reads second_protocol.h and believes
 * none of it. */
#include "stages/second_reader.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages/packed_words.h"
#include "stages/sandbox/sandbox.h"
#include "stages/second/second_protocol.h"
#include "stages/second_figures.h"
#include "stages/second_languages.h"
#include "vlm/base/now.h"
#include "vlm/base/utf8.h"

enum {
    FAILURES_MAX = 3, /* of a document's pages; then no further one is tried */
    AGAIN_MAX = 2,    /* children for one page that were killed from outside */
    GRACE_S = 2,      /* for the end of a child that said its last word */
    PERCENT = 100
};

struct second_reader {
    struct document *doc;
    const struct settings *settings;
    struct jail jail;
    bool started;      /* the child is there, */
    bool runs;         /* and ready */
    bool for_good;     /* no further page is tried */
    bool tells_script; /* it said so */
    int n_failure;
    unsigned layers, landlock_abi;
    char version[SECOND_TEXT_MAX + 1];
    int number; /* the page that was sent last, */
    unsigned want;
    uint32_t dpi;        /* 0: not known */
    double aspect;       /* and its width / height */
    struct arena *arena; /* of it */
    struct image grey;   /* as it was sent */
    bool killed;         /* the child, from outside */
    int n_again;         /* so often the page was sent once more */
};

struct second_reader *second_reader_new(struct document *doc,
                                        const struct settings *settings,
                                        const struct jail_stop *stop)
{
    struct second_reader *s = mem_take(1, sizeof *s);
    s->doc = doc;
    s->settings = settings;
    s->arena = arena_new();
    s->for_good = !strcmp(settings->second_reader, "off");
    s->jail = (struct jail){
        .pixels = -1, .complaints = -1, .process = -1, .orders = -1};
    if (stop) s->jail.stop = *stop;
    return s;
}

static void end_child(struct second_reader *s)
{
    jail_close(&s->jail);
    s->started = s->runs = false;
}

void second_reader_free(struct second_reader *s)
{
    if (!s) return;
    end_child(s);
    arena_free(s->arena);
    image_free(&s->grey);
    mem_give(s);
}

bool second_reader_is_there(const struct second_reader *s)
{
    return !s->for_good;
}

/* --- the protocol --------------------------------------------------------- */

static void bad_protocol(const char *what, struct err *err)
{
    if (err_failed(err)) return;
    err_set(err, ERR_CHILD, "it broke its protocol: %s", what);
}

static void explain_end(struct second_reader *s, enum jail_end end,
                        struct err *err)
{
    if (end == JAIL_STOPPED)
        err_set(err, ERR_CANCELLED, "asked to stop");
    else if (end == JAIL_LATE)
        err_set(err, ERR_CHILD, "it took longer than %d s (page_wall)",
                s->settings->page_wall_s);
    if (end != JAIL_CLOSED) return;
    jail_wait(&s->jail, GRACE_S);
    int status = s->jail.status;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    s->killed = signal == SIGKILL;
    if (signal == SIGXCPU)
        err_set(err, ERR_CHILD,
                "it took more than %d s of processor time (child_cpu)",
                s->settings->child_cpu_s);
    else if (signal == SIGSYS)
        err_set(err, ERR_CHILD, "it was made to do what it must not");
    else if (signal)
        err_set(err, ERR_CHILD, "it died of signal %d%s%.200s", signal,
                *s->jail.complaint ? ": " : "", s->jail.complaint);
    else
        err_set(err, ERR_CHILD, "it ended with status %d%s%.200s",
                WEXITSTATUS(status), *s->jail.complaint ? ": " : "",
                s->jail.complaint);
}

static void read_bytes(struct second_reader *s, void *data, size_t size,
                       struct err *err)
{
    if (err_failed(err)) return;
    double wall = s->settings->page_wall_s;
    enum jail_end end =
        jail_read(&s->jail, data, size, wall, now_seconds() + wall);
    if (end != JAIL_READ) explain_end(s, end, err);
}

static void read_text(struct second_reader *s, uint32_t size, uint32_t most,
                      char *out, struct err *err)
{
    *out = '\0';
    if (!err_failed(err) && size > most) bad_protocol("a long text", err);
    read_bytes(s, out, size, err);
    out[err_failed(err) ? 0 : size] = '\0';
    for (char *at = out; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~') *at = '?';
}

static void take_failure(struct second_reader *s, const struct second_frame *f,
                         struct err *err)
{
    char text[SECOND_TEXT_MAX + 1];
    if (f->a >= SECOND_N_STATUS) bad_protocol("an unknown failure", err);
    read_text(s, f->b, SECOND_TEXT_MAX, text, err);
    if (err_failed(err)) return;
    err_set(err, f->a == SECOND_INTERNAL ? ERR_CHILD : ERR_MISSING, "%s",
            *text ? text : "it gave no reason");
}

/* The next frame, which must be of this kind. */
static void read_frame(struct second_reader *s, enum second_kind wanted,
                       struct second_frame *f, struct err *err)
{
    *f = (struct second_frame){0};
    read_bytes(s, f, sizeof *f, err);
    if (err_failed(err)) return;
    if (f->magic != SECOND_MAGIC)
        bad_protocol("a frame without its mark", err);
    else if (f->kind == SECOND_FAIL)
        take_failure(s, f, err);
    else if (f->kind != wanted)
        bad_protocol("a frame out of turn", err);
}

/* --- the child ------------------------------------------------------------ */

static void start(struct second_reader *s, struct err *err)
{
    const struct settings *set = s->settings;
    struct arena *a = s->arena;
    const char *argument[JAIL_ARGUMENT_MAX] = {
        "platen-read",
        "--data",
        second_languages_folder(set),
        "--languages",
        set->second_reader_languages,
        "--memory",
        arena_text(a, "%lld", (long long)set->child_memory),
        "--cpu",
        arena_text(a, "%d", set->child_cpu_s),
        "--turns-max",
        arena_text(a, "%d", set->pages_max),
        "--parent",
        arena_text(a, "%ld", (long)getpid()),
        set->allow_unsandboxed ? "--allow-unsandboxed" : NULL};
    if (access(set->second_reader_program, X_OK) != 0)
        err_set(err, ERR_MISSING, "there is no %s (second_reader_program)",
                set->second_reader_program);
    second_languages_check(set, err);
    jail_open_orders(&s->jail, set->second_reader_program, argument, err);
    s->started = !err_failed(err);
}

static void read_greeting(struct second_reader *s, struct err *err)
{
    struct second_frame f;
    read_frame(s, SECOND_HELLO, &f, err);
    s->layers = f.a;
    s->landlock_abi = f.b;
    unsigned filters = f.a & (SANDBOX_LANDLOCK | SANDBOX_SECCOMP);
    if (!err_failed(err) && !filters && !s->settings->allow_unsandboxed)
        err_set(err, ERR_MISSING, "it has no sandbox (allow_unsandboxed)");
    read_frame(s, SECOND_READY, &f, err);
    if (!err_failed(err) && f.a > 1) bad_protocol("no readiness", err);
    read_text(s, f.b, SECOND_TEXT_MAX, s->version, err);
    s->tells_script = f.a;
    s->runs = !err_failed(err);
}

/* A sandbox with a hole is worth a word on the record. */
static void warn_of_walls(struct second_reader *s)
{
    unsigned filters = s->layers & (SANDBOX_LANDLOCK | SANDBOX_SECCOMP);
    if (!filters)
        document_warn(s->doc, &(struct warning){.code = WARN_UNSANDBOXED},
                      "second reader: read without a sandbox");
    else if (filters == SANDBOX_LANDLOCK)
        document_warn(s->doc, &(struct warning){.code = WARN_SANDBOX_WEAK},
                      "second reader: read in a sandbox without seccomp");
    else if (filters == SANDBOX_SECCOMP)
        document_warn(s->doc, &(struct warning){.code = WARN_SANDBOX_WEAK},
                      "second reader: read in a sandbox without Landlock");
}

/* --- a page --------------------------------------------------------------- */

/* In grey, as Tesseract looks at it. */
static void keep_grey(struct second_reader *s, const struct image *page,
                      struct err *err)
{
    image_free(&s->grey);
    if (err_failed(err)) return;
    s->grey = image_new(page->width_px, page->height_px, 1, err);
    for (int y = 0; y < page->height_px && !err_failed(err); y++) {
        const uint8_t *row = image_row(page, y);
        uint8_t *grey = image_row(&s->grey, y);
        for (int x = 0; x < page->width_px; x++)
            grey[x] = page->n_channel == 3
                          ? second_reader_grey(row + 3 * (ptrdiff_t)x)
                          : row[x];
    }
}

static void send_grey(struct second_reader *s, struct err *err)
{
    double wall = s->settings->page_wall_s, deadline = now_seconds() + wall;
    for (int y = 0; y < s->grey.height_px && !err_failed(err); y++) {
        enum jail_end end =
            jail_write(&s->jail, image_row(&s->grey, y),
                       (size_t)s->grey.width_px, wall, deadline);
        if (end != JAIL_READ) explain_end(s, end, err);
    }
}

static void send_order(struct second_reader *s, struct err *err)
{
    if (err_failed(err)) return;
    struct second_order order = {.magic = SECOND_MAGIC,
                                 .page = (uint32_t)s->number,
                                 .width = (uint32_t)s->grey.width_px,
                                 .height = (uint32_t)s->grey.height_px,
                                 .dpi = s->dpi,
                                 .want = s->want};
    double wall = s->settings->page_wall_s;
    enum jail_end end =
        jail_write(&s->jail, &order, sizeof order, wall, now_seconds() + wall);
    if (end != JAIL_READ) explain_end(s, end, err);
    send_grey(s, err);
}

static void read_script(struct second_reader *s, uint32_t number,
                        struct script *script, struct err *err)
{
    struct second_frame f;
    char name[SECOND_SCRIPT_MAX + 1];
    read_frame(s, SECOND_SCRIPT, &f, err);
    if (!err_failed(err) && f.a != number) bad_protocol("another page", err);
    read_text(s, f.b, SECOND_SCRIPT_MAX, name, err);
    if (err_failed(err)) return;
    double measure = f.c / (double)PERCENT;
    snprintf(script->name, sizeof script->name, "%s", name);
    script->confidence = *name ? measure / (1 + measure) : 0;
}

static void read_words(struct second_reader *s, uint32_t number,
                       struct words *words, struct err *err)
{
    struct second_frame f;
    read_frame(s, SECOND_WORDS, &f, err);
    if (err_failed(err)) return;
    if (f.a != number || f.b > PACKED_WORDS_MAX || f.c < f.b ||
        f.c > PACKED_TEXT_MAX || f.d > 1) {
        bad_protocol("words that nobody asked for", err);
        return;
    }
    struct packed_word *packed = arena_array(s->arena, f.b, sizeof *packed);
    char *text = arena_take(s->arena, f.c);
    uint8_t *sure = arena_take(s->arena, f.b);
    read_bytes(s, packed, f.b * sizeof *packed, err);
    read_bytes(s, text, f.c, err);
    read_bytes(s, sure, f.b, err);
    if (err_failed(err)) return;
    bool is_good = packed_words_take(packed, f.b, text, f.c, s->arena, words);
    for (uint32_t i = 0; is_good && i < f.b; i++) {
        is_good = sure[i] <= PERCENT;
        words->word[i].confidence = (float)sure[i] / PERCENT;
    }
    if (!is_good) bad_protocol("words that are none", err);
    words->cut = f.d;
}

/* Words that were read for sure tell their script better than their looks:
 * Tesseract takes capitals of a Latin receipt for Cyrillic ones, as surely as it
 * knows Greek. */
static void settle_script(const struct second_page *page, struct script *script)
{
    struct script read;
    double sum = 0, n = 0;
    for (int i = 0; i < page->words.n_word; i++) {
        double size = (double)strlen(page->words.word[i].text);
        sum += size * (double)page->words.word[i].confidence;
        n += size;
    }
    script_of_words(&page->words, &read);
    if (*read.name && sum * 100 >= SECOND_SURE * n) *script = read;
}

/* What failed ends the child; a page that fails does not end the others. */
static void give_up(struct second_reader *s, int number, const struct err *err)
{
    end_child(s);
    if (err->kind == ERR_CANCELLED) return;
    bool for_good = err->kind != ERR_CHILD;
    s->n_failure++;
    s->for_good = for_good || s->n_failure == FAILURES_MAX;
    struct warning lost = {.code = WARN_SECOND_READER_LOST};
    if (!for_good) lost.page = number;
    if (for_good)
        document_warn(s->doc, &lost, "second reader: none: %s", err->text);
    else
        document_warn(s->doc, &lost, "page %d: second reader: %s", number,
                      err->text);
    if (!for_good && s->for_good)
        document_warn(s->doc, &lost, "second reader: given up behind page %d",
                      number);
}

void second_reader_warm(struct second_reader *s)
{
    struct err err = {0};
    if (!s->for_good && !s->started) start(s, &err);
}

static void make_ready(struct second_reader *s, struct err *err)
{
    if (s->runs || err_failed(err)) return;
    if (!s->started) start(s, err);
    read_greeting(s, err);
    if (!err_failed(err)) warn_of_walls(s);
}

static void ask(struct second_reader *s, struct err *err)
{
    make_ready(s, err);
    send_order(s, err);
}

/* Whoever killed it, a person or a system short of memory, meant no page: a new
 * child is asked. */
static bool ask_again(struct second_reader *s, struct err *err)
{
    while (err_failed(err) && s->killed && s->n_again < AGAIN_MAX) {
        s->n_again++;
        s->killed = false;
        end_child(s);
        *err = (struct err){0};
        ask(s, err);
        if (!err_failed(err)) return true;
    }
    return false;
}

bool second_reader_send(struct second_reader *s, int number,
                        const struct image *page, double dpi, unsigned want)
{
    struct err err = {0};
    if (s->for_good) return false;
    arena_reset(s->arena);
    s->number = number;
    s->want = want;
    s->killed = false;
    s->n_again = 0;
    s->dpi = dpi >= 20 && dpi <= 2400 ? (uint32_t)dpi : 0;
    s->aspect = (double)page->width_px / page->height_px;
    if ((int64_t)page->width_px * page->height_px > SECOND_PIXELS_MAX)
        err_set(&err, ERR_CHILD, "the page is too large");
    keep_grey(s, page, &err);
    ask(s, &err);
    ask_again(s, &err);
    if (err_failed(&err)) give_up(s, number, &err);
    return !err_failed(&err);
}

bool second_reader_has_answered(const struct second_reader *s)
{
    return jail_has_bytes(&s->jail);
}

static void read_answer(struct second_reader *s, struct second_page *out,
                        struct err *err)
{
    *out = (struct second_page){.words = {.n_word = 0}};
    if (s->want & SECOND_READER_WORDS)
        read_words(s, (uint32_t)s->number, &out->words, err);
    if (s->want & SECOND_READER_SCRIPT)
        read_script(s, (uint32_t)s->number, &out->script, err);
}

bool second_reader_receive(struct second_reader *s, struct second_page *out)
{
    struct err err = {0};
    read_answer(s, out, &err);
    while (ask_again(s, &err))
        read_answer(s, out, &err);
    if (!err_failed(&err)) {
        out->words.aspect = s->aspect;
        out->words.source = WORDS_OF_SECOND_READER;
        if (s->want & SECOND_READER_SCRIPT) settle_script(out, &out->script);
        second_figures_join(&out->words, s->arena);
        return true;
    }
    *out = (struct second_page){.words = {.n_word = 0}};
    give_up(s, s->number, &err);
    return false;
}

bool second_reader_read(struct second_reader *s, int number,
                        const struct image *page, double dpi, unsigned want,
                        struct second_page *out)
{
    *out = (struct second_page){.words = {.n_word = 0}};
    return second_reader_send(s, number, page, dpi, want) &&
           second_reader_receive(s, out);
}

/* --- doctor --------------------------------------------------------------- */

bool second_reader_doctor(const struct settings *settings, struct buf *out)
{
    struct err err = {0};
    if (!strcmp(settings->second_reader, "off")) {
        buf_print(out, "second reader: off\n");
        return true;
    }
    struct document *doc = document_new("doctor", "doctor", -1);
    struct second_reader *s = second_reader_new(doc, settings, NULL);
    start(s, &err);
    read_greeting(s, &err);
    bool well = !err_failed(&err);
    if (well) {
        buf_print(out, "second reader: Tesseract %s, reads %s (here are: ",
                  s->version, settings->second_reader_languages);
        second_languages_list(settings, out);
        buf_print(out, ")%s\n",
                  s->tells_script ? ""
                                  : ", tells no script (install "
                                    "tesseract-ocr-osd)");
        well = jail_say_layers("second reader", s->layers, out);
    } else {
        buf_print(out, "! second reader: none: %s\n", err.text);
        well = !!strcmp(settings->second_reader, "always");
    }
    second_reader_free(s);
    document_free(doc);
    return well;
}
