/* rasterise.c - see rasterise.h: reads the pixel protocol and believes none of
 * it. What a frame says is compared with what was asked for before a byte is
 * allocated; anything unexpected ends the child. */
#define _GNU_SOURCE 1 /* memmem */
#include "stages/input/rasterise.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/children/child.h"
#include "stages/children/sandbox/sandbox.h"
#include "stages/children/wire/packed_invoice.h"
#include "stages/children/wire/packed_words.h"
#include "stages/children/wire/raster_protocol.h"
#include "stages/document/page_range.h"
#include "stages/document/reason.h"
#include "stages/input/split.h"
#include "vlm/base/buf.h"

static struct raster *rasterise_child(struct document *doc,
                                      const struct settings *settings,
                                      const struct prepare_target *target,
                                      int from,
                                      const struct child_process_stop *stop,
                                      bool codes, struct err *err);

_Static_assert((int)RASTER_FILES_MAX == (int)SPLIT_FILES_MAX, "one limit");

struct raster {
    struct document *doc;
    const struct settings *settings;
    struct child child;
    int64_t pixels_max;  /* of a page */
    int n_read;          /* pages, or attached files */
    int64_t n_byte;      /* of attached files */
    struct words words;  /* of the page read last */
    struct arena *arena; /* owns them */
    bool at_end;
};

/* --- the e-invoice in a PDF -------------------------------------------------- */

/* An e-invoice that cannot be read costs no page: it is a warning, and where the
 * child died of it the next one begins without it. */
static void warn_unread(struct raster *r, const char *name, const char *why)
{
    document_warn(r->doc, &(struct warning){.code = WARN_E_INVOICE_UNREAD},
                  "the e-invoice%s%s in the file is not used: %s",
                  *name ? " " : "", name, why);
}

static const char *why_not(uint32_t status)
{
    static const char *const why[RASTER_N_INVOICE] = {
        [RASTER_INVOICE_TOO_LARGE] = "it is larger than 4 MB",
        [RASTER_INVOICE_DAMAGED] = "it is damaged, or declares entities",
        [RASTER_INVOICE_FOREIGN] = "it is neither UBL nor a Cross Industry "
                                   "Invoice",
        [RASTER_INVOICE_SEVERAL] = "there are several, which say different "
                                   "things"};
    return why[status];
}

/* The e-invoice in the file, where doc->want_invoice asked for it, or a warning
 * why it is not used. FAIL: as child_read. */
static void rasterise_read_invoice(struct raster *r, struct err *err)
{
    struct child_frame f;
    struct invoice invoice = {.name = ""};
    struct document *doc = r->doc;
    child_expect(&r->child, RASTER_INVOICE, &f, err);
    if (err_failed(err)) return;
    bool none = f.a == RASTER_INVOICE_NONE;
    if (f.a >= RASTER_N_INVOICE || f.b > INVOICE_VALUES_MAX || f.c < f.b ||
        f.c > INVOICE_BYTES_MAX || (none && f.b)) {
        child_broke_protocol(&r->child, "no e-invoice where one is due", err);
        return;
    }
    struct packed_value *packed =
        arena_array(doc->arena, f.b + 1, sizeof *packed);
    char *text = arena_alloc(doc->arena, f.c + 1);
    if (f.b) child_read_bytes(&r->child, packed, f.b * sizeof *packed, err);
    if (f.c) child_read_bytes(&r->child, text, f.c, err);
    if (err_failed(err)) return;
    if (!packed_invoice_unpack(packed, f.b, text, f.c, doc->arena, &invoice) ||
        f.d > INT_MAX) {
        child_broke_protocol(&r->child, "an e-invoice that is none", err);
        return;
    }
    invoice.n_dropped = (int)f.d;
    doc->want_invoice = false;
    if (f.a == RASTER_INVOICE_READ) {
        struct invoice *own = arena_alloc(doc->arena, sizeof *own);
        *own = invoice;
        doc->invoice = own;
    } else if (!none) {
        warn_unread(r, invoice.name, why_not(f.a));
    }
}

struct raster *rasterise_open(struct document *doc,
                              const struct settings *settings,
                              const struct prepare_target *target,
                              const struct child_process_stop *stop,
                              struct err *err)
{
    if (err_failed(err)) return NULL;
    doc->n_page = 0;
    struct raster *r =
        rasterise_child(doc, settings, target, 0, stop, false, err);
    /* pages were counted, so that it is the e-invoice that it died of */
    if (r || !doc->want_invoice || !doc->n_page || err->kind != ERR_CHILD)
        return r;
    warn_unread(&(struct raster){.doc = doc}, "", err->text);
    *err = (struct err){0};
    doc->want_invoice = false;
    doc->n_page = 0;
    return rasterise_child(doc, settings, target, 0, stop, false, err);
}

struct raster *rasterise_again(struct document *doc,
                               const struct settings *settings,
                               const struct prepare_target *target, int from,
                               const struct child_process_stop *stop,
                               struct err *err)
{
    if (err_failed(err)) return NULL;
    return rasterise_child(doc, settings, target, from, stop, false, err);
}

/* --- pages ----------------------------------------------------------------- */

static const struct child_status status_table[RASTER_N_STATUS] = {
    [RASTER_DAMAGED] = {ERR_INPUT, "damaged"},
    [RASTER_ENCRYPTED] = {ERR_INPUT, "encrypted"},
    [RASTER_NO_PAGES] = {ERR_INPUT, "no-pages"},
    [RASTER_TOO_MANY_PAGES] = {ERR_LIMIT, "too-many-pages"},
    [RASTER_TOO_LARGE] = {ERR_LIMIT, "too-large"},
    [RASTER_UNSUPPORTED] = {ERR_UNSUPPORTED, "unsupported-image"},
    [RASTER_PAGE_FAILED] = {ERR_INPUT, "page-failed"},
    [RASTER_NO_SUCH_PAGE] = {ERR_ARGS, "no-such-page"},
    [RASTER_CPU] = {ERR_CHILD, "resource-cpu"},
    [RASTER_MEMORY] = {ERR_CHILD, "resource-memory"},
    [RASTER_NOT_INVOICE] = {ERR_UNSUPPORTED, "not-e-invoice"},
    [RASTER_SIGNED] = {ERR_INPUT, "signed"},
    [RASTER_NOT_PDFA] = {ERR_INPUT, "not-pdfa"},
    [RASTER_IO_ERROR] = {ERR_SYSTEM, "io-error"},
    [RASTER_INTERNAL] = {ERR_CHILD, "internal"},
};

static const struct child_program program = {.called = "the rasteriser",
                                             .crash = "raster-crash",
                                             .protocol = "raster-protocol",
                                             .status = status_table,
                                             .n_status = RASTER_N_STATUS};

const struct child_program *rasterise_program(void)
{
    return &program;
}

static void read_hello(struct raster *r, struct err *err)
{
    child_greet(&r->child, err);
    if (err_failed(err)) return;
    r->doc->unsandboxed =
        !(r->child.layers & (SANDBOX_LANDLOCK | SANDBOX_SECCOMP));
    child_check_walls(&r->child, r->doc, "drawn", err);
}

/* The same file must count the same. */
static void check_count(const struct raster *r, const struct child_frame *f,
                        struct err *err)
{
    const struct document *doc = r->doc;
    if (f->a != (uint32_t)doc->n_page_source ||
        f->b != (uint32_t)(doc->n_page - r->n_read))
        child_broke_protocol(&r->child, "another count of pages than before",
                             err);
}

static void read_count(struct raster *r, const struct page_range *pages,
                       struct err *err)
{
    struct child_frame f;
    child_expect(&r->child, RASTER_COUNT, &f, err);
    if (err_failed(err)) return;
    if (f.a < 1 || f.a > INT_MAX / 2) {
        child_broke_protocol(&r->child, "no count of pages", err);
        return;
    }
    if (r->doc->n_page) {
        check_count(r, &f, err);
        return;
    }
    struct document *doc = r->doc;
    int n_source = (int)f.a, n = page_range_count(pages, n_source, err);
    if (err_failed(err)) return;
    if (f.b != (uint32_t)n || n > r->settings->max_pages) {
        child_broke_protocol(&r->child, "a wrong count of pages", err);
        return;
    }
    doc->n_page_source = n_source;
    doc->n_page = n;
    doc->page = arena_array(doc->arena, (size_t)n, sizeof *doc->page);
    for (int i = 0, number = 0; i < n; i++) {
        number = page_range_next(pages, number, n_source);
        doc->page[i].number = number;
    }
}

/* The most that a page of one picture, or of pieces, needs to be drawn with. */
static int64_t pixels_of(const struct prepare_target *target)
{
    return target->whole_pixels > target->max_pixels ? target->whole_pixels
                                                     : target->max_pixels;
}

static const char *type_word(enum file_type type)
{
    static const char *const word[] = {
        [FILE_UNKNOWN] = "",  [FILE_PDF] = "pdf",   [FILE_TIFF] = "tiff",
        [FILE_JPEG] = "jpeg", [FILE_PNG] = "png",   [FILE_WEBP] = "webp",
        [FILE_HEIF] = "heif", [FILE_AVIF] = "heif", [FILE_JPEG2000] = "jp2",
        [FILE_BMP] = "bmp",   [FILE_GIF] = "gif",   [FILE_PNM] = "pnm",
        [FILE_XML] = "xml",   [FILE_MAIL] = "mail"};
    return word[type];
}

/* Does a PDF say that it is encrypted? The dictionary that says so never is. Only
 * then its rasteriser gets the passwords. */
static bool is_encrypted(struct document *doc)
{
    enum { CHUNK = 1 << 16, SIGN = 8 };
    static const char sign[SIGN + 1] = "/Encrypt";
    char bytes[SIGN + CHUNK];
    ssize_t n = 1;
    if (doc->type != FILE_PDF || doc->encryption) return doc->encryption > 0;
    doc->encryption = -1;
    memset(bytes, 0, SIGN);
    for (off_t at = 0; n > 0 && doc->encryption < 0; at += n) {
        n = pread(doc->fd, bytes + SIGN, CHUNK, at);
        size_t end = n > 0 ? SIGN + (size_t)n : 0;
        if (end && memmem(bytes, end, sign, SIGN)) doc->encryption = 1;
        if (end) memmove(bytes, bytes + end - SIGN, SIGN);
    }
    return doc->encryption > 0;
}

static void fill_job(struct spawn_job *job, struct document *doc,
                     const struct settings *s,
                     const struct prepare_target *target, int from, bool codes,
                     struct err *err)
{
    *job = (struct spawn_job){.program = SPAWN_RASTER,
                              .words = doc->want_words && !codes,
                              .invoice = doc->want_invoice && !codes,
                              .codes = codes,
                              .lenient = s->lenient,
                              .skip = from,
                              .grid = target->grid,
                              .dpi = s->dpi,
                              .max_pixels = pixels_of(target)};
    snprintf(job->type, sizeof job->type, "%s", type_word(doc->type));
    if (strlen(s->pages) >= sizeof job->pages)
        err_set(err, ERR_ARGS, "a list of pages of more than %zu letters",
                sizeof job->pages - 1);
    snprintf(job->pages, sizeof job->pages, "%s", s->pages);
    job->passwords = is_encrypted(doc);
}

static struct raster *new_raster(struct document *doc,
                                 const struct settings *settings,
                                 const struct child_process_stop *stop)
{
    struct raster *r = mem_alloc(1, sizeof *r);
    r->doc = doc;
    r->settings = settings;
    r->arena = arena_new();
    child_init(&r->child, &program, settings, stop);
    child_allow(&r->child, settings->document_timeout_s, "document_timeout");
    return r;
}

static void rewind_file(const struct document *doc, struct err *err)
{
    if (!err_failed(err) && lseek(doc->fd, 0, SEEK_SET) < 0)
        err_errno(err, "cannot read the file from its start");
}

/* Starts a child for the document and reads its HELLO. */
static struct raster *start_child(struct document *doc,
                                  const struct settings *settings,
                                  const struct prepare_target *target, int from,
                                  const struct child_process_stop *stop,
                                  bool codes, struct err *err)
{
    if (err_failed(err)) return NULL;
    if (doc->type == FILE_MAIL)
        err_reason(err, ERR_UNSUPPORTED, "unknown-type",
                   "an e-mail, of which only the attachments are read: by "
                   "platen extract, run and watch, if its name ends in .eml");
    rewind_file(doc, err);
    if (err_failed(err)) return NULL;
    struct raster *r = new_raster(doc, settings, stop);
    r->n_read = from;
    r->pixels_max = raster_pixels_max(pixels_of(target), doc->type == FILE_PDF);
    struct spawn_job job;
    fill_job(&job, doc, settings, target, from, codes, err);
    child_start(&r->child, &job, doc->fd, err);
    read_hello(r, err);
    return r;
}

/* `from`: the pages before it are known (rasterise_again). */
static struct raster *rasterise_child_once(
    struct document *doc, const struct settings *settings,
    const struct prepare_target *target, int from,
    const struct child_process_stop *stop, bool codes, bool *killed,
    struct err *err)
{
    struct page_range pages;
    if (err_failed(err)) return NULL;
    if (document_is_xml_invoice(doc)) {
        err_reason(err, ERR_INPUT, "no-pages",
                   "an e-invoice in XML has no pages to draw");
        return NULL;
    }
    page_range_parse(&pages, settings->pages, err);
    struct raster *r =
        start_child(doc, settings, target, from, stop, codes, err);
    if (!r) return NULL;
    read_count(r, &pages, err);
    if (doc->want_invoice && !codes && !err_failed(err))
        rasterise_read_invoice(r, err);
    if (!err_failed(err)) return r;
    *killed = r->child.killed;
    rasterise_close(r);
    return NULL;
}

static void take_note(struct raster *r, enum raster_note kind, const char *text)
{
    static const struct {
        enum warning_code code;
        bool of_page;
    } table[RASTER_N_NOTE] = {
        [RASTER_NOTE_FAULT] = {WARN_PAGE_FAULTY, true},
        [RASTER_NOTE_MISSING] = {WARN_PAGE_INCOMPLETE, true},
        [RASTER_NOTE_UNREAD] = {WARN_CONTENT_UNREAD, false},
        [RASTER_NOTE_FORM] = {WARN_XFA_FORM, false},
        [RASTER_NOTE_ATTACHMENTS] = {WARN_ATTACHMENTS, false},
        [RASTER_NOTE_LAYER] = {WARN_HIDDEN_LAYER, true},
        [RASTER_NOTE_PICTURES] = {WARN_PICTURES_UNREAD, false}};
    struct warning about = {.code = table[kind].code};
    if (kind == RASTER_NOTE_ATTACHMENTS && r->doc->attachments_read) return;
    if (table[kind].of_page) about.page = r->doc->page[r->n_read].number;
    if (about.page)
        document_warn(r->doc, &about, "page %d: %s", about.page, text);
    else
        document_warn(r->doc, &about, "%s", text);
}

static void read_notes(struct raster *r, struct child_frame *f, struct err *err)
{
    char text[FRAME_TEXT_MAX + 1];
    int n = 0;
    child_read(&r->child, f, err);
    while (!err_failed(err) && f->type == RASTER_NOTE) {
        child_read_text(&r->child, FRAME_TEXT_MAX, text, err);
        if (++n > RASTER_NOTE_MAX || f->b >= RASTER_N_NOTE)
            child_broke_protocol(&r->child, "notes that it does not know", err);
        if (err_failed(err)) return;
        take_note(r, (enum raster_note)f->b, text);
        child_read(&r->child, f, err);
    }
}

/* The words before a page, where there are some; *f is the next frame then. */
static void read_words(struct raster *r, struct child_frame *f, struct err *err)
{
    arena_reset(r->arena);
    r->words = (struct words){.n_word = 0};
    if (err_failed(err) || f->type != RASTER_WORDS) return;
    if (!r->doc->want_words ||
        f->a != (uint32_t)r->doc->page[r->n_read].number || f->b < 1 ||
        f->b > PACKED_WORDS_MAX || f->c < f->b || f->c > PACKED_TEXT_MAX ||
        f->d > 1) {
        child_broke_protocol(&r->child, "words that nobody asked for", err);
        return;
    }
    struct packed_word *packed = arena_array(r->arena, f->b, sizeof *packed);
    char *text = arena_alloc(r->arena, f->c);
    uint8_t *mark = arena_alloc(r->arena, f->b);
    child_read_bytes(&r->child, packed, f->b * sizeof *packed, err);
    child_read_bytes(&r->child, text, f->c, err);
    child_read_bytes(&r->child, mark, f->b, err);
    if (err_failed(err)) return;
    if (!packed_words_unpack(packed, f->b, text, f->c, r->arena, &r->words))
        child_broke_protocol(&r->child, "words that are none", err);
    for (uint32_t i = 0; i < f->b && !err_failed(err); i++)
        if (mark[i] > WORD_COVERED)
            child_broke_protocol(&r->child, "words that are none", err);
    r->words.shown = mark;
    r->words.cut = f->d;
    child_read(&r->child, f, err);
}

static void check_page(const struct raster *r, const struct child_frame *f,
                       struct err *err)
{
    if (err_failed(err)) return;
    const struct page *page = &r->doc->page[r->n_read];
    uint64_t most = (uint64_t)r->pixels_max;
    if (f->type != RASTER_PAGE || f->a != (uint32_t)page->number)
        child_broke_protocol(&r->child, "not the page that is due", err);
    else if (f->b < 1 || f->c < 1 || (uint64_t)f->b * f->c > most)
        child_broke_protocol(&r->child, "a page of a wrong size", err);
    else if (f->d != 1 && f->d != 3)
        child_broke_protocol(&r->child, "neither grey nor RGB", err);
}

/* Nothing may follow the last page. */
static void rasterise_expect_end(struct raster *r, struct err *err)
{
    struct child_frame f;
    child_expect(&r->child, RASTER_END, &f, err);
    if (err_failed(err)) return;
    r->at_end = true;
    child_expect_end(&r->child, err);
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
    struct child_frame f;
    read_notes(r, &f, err);
    read_words(r, &f, err);
    check_page(r, &f, err);
    if (!err_failed(err)) {
        *page = image_new((int)f.b, (int)f.c, (int)f.d, err);
        if (!err_failed(err))
            child_read_bytes(&r->child, page->data, page->stride_bytes * f.c,
                             err);
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
    child_allow(&r->child, r->settings->document_timeout_s, "document_timeout");
}

void rasterise_close(struct raster *r)
{
    if (!r) return;
    arena_free(r->arena);
    child_close(&r->child);
    mem_free(r);
}

static bool say_layers(const struct child *c, struct buf *out)
{
    bool all = true;
    const struct child_process_layer *layer;
    for (size_t i = 0; (layer = child_process_layer_at(i)); i++) {
        bool held = c->layers & layer->bit;
        all &= held;
        buf_print(out, "%ssandbox %s: ", held ? "" : "! ", layer->name);
        if (!held)
            buf_print(out, "no (without it %s)\n", layer->what);
        else if (layer->bit == SANDBOX_LANDLOCK)
            buf_print(out, "ABI %u\n", c->landlock_abi);
        else
            buf_print(out, "yes\n");
    }
    buf_print(out, "sandbox memory limit: %s\n",
              c->layers & SANDBOX_ADDRESS_LIMIT
                  ? "yes"
                  : "no (build with a sanitizer)");
    return all;
}

bool rasterise_doctor(const struct settings *settings, struct buf *out)
{
    struct err err = {0};
    struct document *doc = document_new("doctor", "doctor", 0);
    struct child child;
    const struct spawn_job job = {.program = SPAWN_RASTER, .grid = 1};
    child_init(&child, &program, settings, NULL);
    child_start(&child, &job, 0, &err);
    child_greet(&child, &err);
    child_close(&child);
    document_free(doc);
    if (err_failed(&err)) {
        buf_print(out, "! rasteriser: %s\n", err.text);
        return false;
    }
    return say_layers(&child, out);
}

/* --- a child, and another where one was killed ----------------------------- */

/* rasterise_again, or for codes in place of pages (--codes). FAIL: as
 * rasterise_open. */
static struct raster *rasterise_child(struct document *doc,
                                      const struct settings *settings,
                                      const struct prepare_target *target,
                                      int from,
                                      const struct child_process_stop *stop,
                                      bool codes, struct err *err)
{
    struct raster *r = NULL;
    bool killed = !err_failed(err);
    for (int n = 0; !r && killed && n <= RASTERISE_AGAIN_MAX; n++) {
        killed = false;
        *err = (struct err){0};
        r = rasterise_child_once(doc, settings, target, from, stop, codes,
                                 &killed, err);
    }
    return r;
}

void rasterise_invoice(struct document *doc, const struct settings *settings,
                       const struct child_process_stop *stop, struct err *err)
{
    const struct prepare_target target = {.grid = 1, .max_pixels = 1};
    bool killed = !err_failed(err);
    for (int n = 0; killed && n <= RASTERISE_AGAIN_MAX; n++) {
        *err = (struct err){0};
        struct raster *r =
            start_child(doc, settings, &target, 0, stop, false, err);
        if (!r) return;
        rasterise_read_invoice(r, err);
        rasterise_expect_end(r, err);
        if (!err_failed(err) && !doc->invoice)
            child_broke_protocol(&r->child, "no e-invoice", err);
        killed = err_failed(err) && r->child.killed;
        rasterise_close(r);
    }
}

bool rasterise_was_killed(const struct raster *r)
{
    return r && r->child.killed;
}

/* --- bar codes -------------------------------------------------------------- */

enum { CODES_PIXELS = 9000000 }; /* A4 at 300 dpi: fine bars on a sticker */

/* The settings are read while the child is started, and its limits later. */
struct raster *rasterise_open_codes(struct document *doc,
                                    const struct settings *settings,
                                    const struct child_process_stop *stop,
                                    struct err *err)
{
    struct settings own = *settings;
    doc->n_page = 0;
    int64_t most = CODES_PIXELS;
    own.dpi = 0;
    /* of pictures four times as many pixels come (raster_pixels_max) */
    struct prepare_target target = {
        .grid = 1, .max_pixels = doc->type == FILE_PDF ? most : most / 4};
    struct raster *r = rasterise_child(doc, &own, &target, 0, stop, true, err);
    if (r) r->settings = r->child.settings = settings;
    return r;
}

static void take_code(struct raster *r, struct page_codes *codes,
                      struct err *err)
{
    char text[FRAME_TEXT_MAX + 1];
    struct child_frame f;
    child_expect(&r->child, RASTER_CODE, &f, err);
    if (err_failed(err)) return;
    if (f.a != (uint32_t)codes->number || f.b > INT_MAX || f.c > INT_MAX)
        child_broke_protocol(&r->child, "not the code that is due", err);
    child_read_text(&r->child, FRAME_TEXT_MAX, text, err);
    if (err_failed(err)) return;
    codes->code[codes->n_code++] = (struct page_code){
        arena_copy(r->doc->arena, span_of(text)), (int)f.b, (int)f.c};
}

bool rasterise_next_codes(struct raster *r, struct page_codes *codes,
                          struct err *err)
{
    struct child_frame f;
    if (err_failed(err) || r->at_end) return false;
    if (r->n_read == r->doc->n_page) {
        rasterise_expect_end(r, err);
        return false;
    }
    int number = r->doc->page[r->n_read].number;
    *codes = (struct page_codes){.number = number};
    child_expect(&r->child, RASTER_CODES, &f, err);
    if (!err_failed(err) && (f.a != (uint32_t)number || f.b > RASTER_CODE_MAX ||
                             f.c > INT_MAX || f.d > 1 || f.e > 1))
        child_broke_protocol(&r->child, "not the codes that are due", err);
    if (err_failed(err)) return false;
    codes->marks = (int)f.c;
    codes->is_drawn = !f.d;
    codes->is_blank = f.e && !f.b;
    codes->code =
        arena_array(r->doc->arena, RASTER_CODE_MAX, sizeof *codes->code);
    for (uint32_t i = 0; i < f.b && !err_failed(err); i++)
        take_code(r, codes, err);
    r->n_read++;
    return !err_failed(err);
}

/* --- attached files --------------------------------------------------------- */

static struct raster *rasterise_files_once(
    struct document *doc, const struct settings *settings,
    const struct child_process_stop *stop, bool *killed, struct err *err)
{
    struct spawn_job job = {.program = SPAWN_RASTER, .files = true, .grid = 1};
    rewind_file(doc, err);
    if (err_failed(err)) return NULL;
    struct raster *r = new_raster(doc, settings, stop);
    snprintf(job.type, sizeof job.type, "%s", type_word(doc->type));
    job.passwords = is_encrypted(doc);
    child_start(&r->child, &job, doc->fd, err);
    read_hello(r, err);
    if (!err_failed(err)) return r;
    *killed = r->child.killed;
    rasterise_close(r);
    return NULL;
}

struct raster *rasterise_open_files(struct document *doc,
                                    const struct settings *settings,
                                    const struct child_process_stop *stop,
                                    struct err *err)
{
    struct raster *r = NULL;
    bool killed = !err_failed(err);
    for (int n = 0; !r && killed && n <= RASTERISE_AGAIN_MAX; n++) {
        killed = false;
        *err = (struct err){0};
        r = rasterise_files_once(doc, settings, stop, &killed, err);
    }
    return r;
}

/* A copy in the document's arena, of valid and printable UTF-8. */
static char *shown_copy(const struct raster *r, struct span text)
{
    char *copy = arena_copy(r->doc->arena, text);
    reason_clean(copy);
    return copy;
}

/* Four texts, each with its NUL. */
static void take_mail(struct raster *r, const struct child_frame *f,
                      struct err *err)
{
    char all[4 * RASTER_MAIL_TEXT_MAX + 1];
    const char *text[4], *at = all;
    if (f->size > sizeof all - 1) {
        child_broke_protocol(&r->child, "a mail's header that is too long",
                             err);
        return;
    }
    child_read_bytes(&r->child, all, f->size, err);
    if (err_failed(err)) return;
    all[f->size] = '\0';
    for (int i = 0; i < 4; i++) {
        text[i] = shown_copy(r, (struct span){at, strlen(at)});
        if (at + strlen(at) < all + f->size) at += strlen(at) + 1;
    }
    struct document_mail *mail = arena_alloc(r->doc->arena, sizeof *mail);
    *mail = (struct document_mail){text[0], text[1], text[2], text[3], ""};
    r->doc->mail = mail;
}

static void take_file(struct raster *r, const struct child_frame *f,
                      struct raster_file *file, struct err *err)
{
    int64_t most = r->settings->max_document_bytes;
    if (f->a != (uint32_t)(r->n_read + 1) || f->a > RASTER_FILES_MAX ||
        f->b > RASTER_FILE_NAME_MAX || f->size < f->b ||
        f->size > INT64_MAX / 4)
        child_broke_protocol(&r->child, "not the attached file that is due",
                             err);
    else if ((r->n_byte += (int64_t)(f->size - f->b)) > most)
        err_reason(err, ERR_LIMIT, "too-large",
                   "the attached files have more than %lld bytes "
                   "(max_document_bytes)",
                   (long long)most);
    if (err_failed(err)) return;
    size_t size = f->size - f->b;
    char name[RASTER_FILE_NAME_MAX + 1];
    char *bytes = arena_alloc(r->doc->arena, size + 1);
    if (f->b) child_read_bytes(&r->child, name, f->b, err);
    if (size) child_read_bytes(&r->child, bytes, size, err);
    name[err_failed(err) ? 0 : f->b] = '\0';
    *file = (struct raster_file){shown_copy(r, span_of(name)), {bytes, size}};
    r->n_read++;
}

bool rasterise_next_file(struct raster *r, struct raster_file *file,
                         const char **other, struct err *err)
{
    struct child_frame f;
    char text[FRAME_TEXT_MAX + 1] = "";
    if (err_failed(err)) return false;
    child_read(&r->child, &f, err);
    if (!err_failed(err) && f.type == RASTER_MAIL && !r->n_read &&
        r->doc->type == FILE_MAIL && !r->doc->mail) {
        take_mail(r, &f, err);
        child_read(&r->child, &f, err);
    }
    if (!err_failed(err) && f.type == RASTER_FILE) {
        take_file(r, &f, file, err);
        return !err_failed(err);
    }
    if (!err_failed(err) && f.type == RASTER_OTHER) {
        size_t n = f.size <= FRAME_TEXT_MAX ? f.size : 0;
        child_read_bytes(&r->child, text, n, err);
        text[err_failed(err) ? 0 : n] = '\0';
        child_read(&r->child, &f, err);
    }
    if (!err_failed(err) && f.type != RASTER_END)
        child_broke_protocol(&r->child, "an unexpected message", err);
    child_expect_end(&r->child, err);
    *other = shown_copy(r, span_of(text));
    return false;
}

/* --- without a password ------------------------------------------------------ */

static void take_unlocked(struct raster *r, struct buf *out, struct err *err)
{
    struct child_frame f;
    char piece[1 << 16];
    child_expect(&r->child, RASTER_FILE, &f, err);
    for (uint64_t left = f.size, n; left && !err_failed(err); left -= n) {
        n = left < sizeof piece ? left : sizeof piece;
        child_read_bytes(&r->child, piece, n, err);
        if (!err_failed(err)) buf_add(out, piece, n);
    }
    child_expect(&r->child, RASTER_END, &f, err);
}

void rasterise_unlock(struct document *doc, const struct settings *settings,
                      struct buf *out, struct err *err)
{
    const struct spawn_job job = {.program = SPAWN_RASTER,
                                  .type = "pdf",
                                  .grid = 1,
                                  .unlock = true,
                                  .passwords = true};
    rewind_file(doc, err);
    if (err_failed(err)) return;
    struct raster *r = new_raster(doc, settings, NULL);
    child_start(&r->child, &job, doc->fd, err);
    read_hello(r, err);
    take_unlocked(r, out, err);
    rasterise_close(r);
}
