/* raster_main.c - platen-raster: draws the pages of one hostile file.
 *
 * Started by stages/input/rasterise.c; not for direct use: the document is
 * descriptor 3, messages of raster_protocol.h go to descriptor 4. Nothing
 * touches the document before the sandbox is entered.
 */
#include <fontconfig/fontconfig.h>
#include <getopt.h>
#include <glib.h>
#include <iconv.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stages/children/raster/barcodes.h"
#include "stages/children/raster/mail/mail_file.h"
#include "stages/children/raster/pdf/embedded_files.h"
#include "stages/children/raster/pdf/pdf_attachment.h"
#include "stages/children/raster/pdf/pdf_check.h"
#include "stages/children/raster/pdf/pdf_file.h"
#include "stages/children/raster/pdf/pdf_password.h"
#include "stages/children/raster/pdf/pdf_writer.h"
#include "stages/children/raster/pdf/text_layer_read.h"
#include "stages/children/raster/picture/job.h"
#include "stages/children/raster/picture/jpeg_read.h"
#include "stages/children/raster/picture/read_errors.h"
#include "stages/children/sandbox/sandbox.h"
#include "stages/children/wire/build.h"
#include "stages/children/wire/installed.h"
#include "stages/children/wire/packed_words.h"
#include "stages/children/wire/raster_protocol.h"
#include "stages/document/file_type.h"
#include "stages/document/page_range.h"
#include "vlm/base/arena.h"

/* Sends what was found on page `number`; is_drawn: it could be examined. */
struct barcodes;

/* --- raster wire ----------------------------------------------------------- */

/* Writes the messages of raster_protocol.h. Any failure to
 * write ends the process; if the parent has gone, SIGPIPE does. */

/* Sends the number of pages of the document, and of those that will be
 * drawn. */
static void raster_wire_count(int n_source, int n_chosen)
{
    sandbox_send((struct child_frame){.type = RASTER_COUNT,
                                      .a = (uint32_t)n_source,
                                      .b = (uint32_t)n_chosen});
}

/* Sends the e-invoice in the document, or why there is none. */
static void raster_wire_invoice(const struct pdf_attachment *attached)
{
    const struct invoice_xml *xml = &attached->xml;
    sandbox_send((struct child_frame){.type = RASTER_INVOICE,
                                      .a = (uint32_t)attached->status,
                                      .b = xml->n,
                                      .c = xml->n_byte,
                                      .d = xml->n_dropped,
                                      .size = xml->n * sizeof *xml->value +
                                              xml->n_byte});
    if (xml->n == 0) return;
    sandbox_write(xml->value, xml->n * sizeof *xml->value);
    sandbox_write(xml->byte, xml->n_byte);
}

static void write_words(int number, const struct text_layer *text)
{
    if (text->n_word == 0) return;
    sandbox_send((struct child_frame){
        .type = RASTER_WORDS,
        .a = (uint32_t)number,
        .b = text->n_word,
        .c = text->n_byte,
        .d = text->cut,
        .size = text->n_word * (sizeof *text->word + 1) + text->n_byte});
    sandbox_write(text->word, text->n_word * sizeof *text->word);
    sandbox_write(text->byte, text->n_byte);
    sandbox_write(text->shown, text->n_word);
}

static void write_note(int number, enum raster_note kind, const char *text)
{
    if (!*text) return;
    sandbox_send_text((struct child_frame){.type = RASTER_NOTE,
                                           .a = (uint32_t)number,
                                           .b = kind},
                      text, FRAME_TEXT_MAX);
}

/* Sends page `number` (from 1): its notes and words, if any, then its
 * pixels. */
static void raster_wire_sheet(int number, const struct sheet *sheet)
{
    const struct image *image = &sheet->image;
    for (int i = 0; i < SHEET_N_UNREAD; i++)
        write_note(number, (enum raster_note)(RASTER_NOTE_UNREAD + i),
                   sheet->unread[i]);
    write_note(number, RASTER_NOTE_MISSING, sheet->missing);
    write_note(number, RASTER_NOTE_FAULT, sheet->note);
    write_words(number, &sheet->text);
    size_t n_byte = image->stride_bytes * (size_t)image->height_px;
    double dpi = sheet->dpi > 0 && sheet->dpi < 1e6 ? sheet->dpi : 0;
    sandbox_send((struct child_frame){.type = RASTER_PAGE,
                                      .a = (uint32_t)number,
                                      .b = (uint32_t)image->width_px,
                                      .c = (uint32_t)image->height_px,
                                      .d = (uint32_t)image->n_channel,
                                      .e = (uint32_t)(dpi * 1000 + 0.5),
                                      .size = n_byte});
    sandbox_write(image->data, n_byte);
}

static uint32_t thousandths(int part, int whole)
{
    return whole > 0 && part > 0 ? (uint32_t)(1000.0 * part / whole) : 0;
}

static void raster_wire_codes(int number, const struct image *page,
                              const struct barcodes *codes, bool is_drawn)
{
    int width = page->width_px, height = page->height_px;
    sandbox_send((struct child_frame){.type = RASTER_CODES,
                                      .a = (uint32_t)number,
                                      .b = (uint32_t)codes->n,
                                      .c = (uint32_t)codes->marks,
                                      .d = is_drawn ? 0 : 1,
                                      .e = codes->blank});
    for (int i = 0; i < codes->n; i++) {
        const struct code *c = &codes->code[i];
        int length = c->width > c->height ? c->width : c->height;
        sandbox_send_text(
            (struct child_frame){
                .type = RASTER_CODE,
                .a = (uint32_t)number,
                .b = thousandths(length, width < height ? width : height),
                .c = thousandths(c->y, height)},
            c->text, FRAME_TEXT_MAX);
    }
}

static uint32_t status_of(const struct err *err)
{
    static const char *const code[] = {
        [RASTER_DAMAGED] = "damaged",
        [RASTER_ENCRYPTED] = "encrypted",
        [RASTER_NO_PAGES] = "no-pages",
        [RASTER_TOO_MANY_PAGES] = "too-many-pages",
        [RASTER_TOO_LARGE] = "too-large",
        [RASTER_UNSUPPORTED] = "unsupported-image",
        [RASTER_PAGE_FAILED] = "page-failed",
        [RASTER_NO_SUCH_PAGE] = "no-such-page",
        [RASTER_CPU] = "resource-cpu",
        [RASTER_MEMORY] = "resource-memory",
        [RASTER_NOT_INVOICE] = "not-e-invoice",
        [RASTER_SIGNED] = "signed",
        [RASTER_NOT_PDFA] = "not-pdfa",
        [RASTER_IO_ERROR] = "io-error",
    };
    for (uint32_t i = 0; err->reason && i < sizeof code / sizeof code[0]; i++)
        if (!strcmp(err->reason, code[i])) return i;
    return err->kind == ERR_SYSTEM ? RASTER_MEMORY : RASTER_INTERNAL;
}

/* Sends why the work ended early, with err's page (0: none); text is cut. */
static void raster_wire_fail(const struct err *err)
{
    sandbox_send_text((struct child_frame){.type = FRAME_FAIL,
                                           .a = status_of(err),
                                           .b = (uint32_t)err->page},
                      err->text, FRAME_TEXT_MAX);
}

/* Sends the last message: all pages were sent. */
static void raster_wire_end(void)
{
    sandbox_send((struct child_frame){.type = RASTER_END});
}

/* --- raster main ----------------------------------------------------------- */

/* LeakSanitizer needs ptrace, which the sandbox forbids. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

enum { PICTURE_BYTES = 256 << 10 }; /* a small grey page is larger */

enum { INVOICE_CPU_S = 3 };

static const struct codec *const codecs[] = {
    &draw_pdf_codec,  &draw_tiff_codec, &draw_jpeg_codec,     &draw_png_codec,
    &draw_webp_codec, &draw_heif_codec, &draw_jpeg2000_codec, &draw_bmp_codec,
    &draw_gif_codec,  &draw_pnm_codec};

enum flag {
    OPTION_TYPE = 1,
    OPTION_PAGES,
    OPTION_SKIP,
    OPTION_DPI,
    OPTION_MAX_PIXELS,
    OPTION_GRID,
    OPTION_DECODED_PIXELS_MAX,
    OPTION_PAGES_MAX,
    OPTION_MEMORY,
    OPTION_CPU,
    OPTION_PARENT,
    OPTION_WORDS,
    OPTION_INVOICE,
    OPTION_LENIENT,
    OPTION_CODES,
    OPTION_PASSWORDS,
    OPTION_FILES,
    OPTION_BYTES_MAX,
    OPTION_UNLOCK,
    OPTION_LAYER,
    OPTION_ALLOW_UNSANDBOXED
};

static const struct option options[] = {
    {"type", required_argument, NULL, OPTION_TYPE},
    {"pages", required_argument, NULL, OPTION_PAGES},
    {"skip", required_argument, NULL, OPTION_SKIP},
    {"dpi", required_argument, NULL, OPTION_DPI},
    {"max-pixels", required_argument, NULL, OPTION_MAX_PIXELS},
    {"grid", required_argument, NULL, OPTION_GRID},
    {"max-decoded-pixels", required_argument, NULL, OPTION_DECODED_PIXELS_MAX},
    {"max-pages", required_argument, NULL, OPTION_PAGES_MAX},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"cpu", required_argument, NULL, OPTION_CPU},
    {"parent", required_argument, NULL, OPTION_PARENT},
    {"words", no_argument, NULL, OPTION_WORDS},
    {"invoice", no_argument, NULL, OPTION_INVOICE},
    {"lenient", no_argument, NULL, OPTION_LENIENT},
    {"codes", no_argument, NULL, OPTION_CODES},
    {"passwords", no_argument, NULL, OPTION_PASSWORDS},
    {"files", no_argument, NULL, OPTION_FILES},
    {"max-bytes", required_argument, NULL, OPTION_BYTES_MAX},
    {"unlock", no_argument, NULL, OPTION_UNLOCK},
    {"layer", no_argument, NULL, OPTION_LAYER},
    {"allow-unsandboxed", no_argument, NULL, OPTION_ALLOW_UNSANDBOXED},
    {0}};

/* False for an unknown option. */
static bool read_options(struct job *job, int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        long long n = optarg ? strtoll(optarg, NULL, 10) : 0;
        switch (option) {
        case OPTION_TYPE: job->type = optarg; break;
        case OPTION_PAGES: job->pages = optarg; break;
        case OPTION_SKIP: job->skip = (int)n; break;
        case OPTION_DPI: job->dpi = (int)n; break;
        case OPTION_MAX_PIXELS: job->max_pixels = n; break;
        case OPTION_GRID: job->grid = (int)n; break;
        case OPTION_DECODED_PIXELS_MAX: job->max_decoded_pixels = n; break;
        case OPTION_PAGES_MAX: job->max_pages = (int)n; break;
        case OPTION_MEMORY: job->memory_bytes = n; break;
        case OPTION_CPU: job->cpu_s = (int)n; break;
        case OPTION_PARENT: job->parent = (long)n; break;
        case OPTION_WORDS: job->words = true; break;
        case OPTION_INVOICE: job->invoice = true; break;
        case OPTION_LENIENT: job->lenient = true; break;
        case OPTION_CODES: job->codes = true; break;
        case OPTION_FILES: job->files = true; break;
        case OPTION_BYTES_MAX: job->max_bytes = n; break;
        case OPTION_PASSWORDS: job->password->fd = SANDBOX_FD_PASSWORDS; break;
        case OPTION_UNLOCK: job->unlock = true; break;
        case OPTION_LAYER: job->layer = true; break;
        case OPTION_ALLOW_UNSANDBOXED: job->allow_unsandboxed = true; break;
        default: return false;
        }
    }
    return optind == argc;
}

static const struct codec *codec_of(const char *type)
{
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (!strcmp(codecs[i]->type, type)) return codecs[i];
    return NULL;
}

/* Folders that a PDF can need: fonts that are not embedded, and the tables of
 * East Asian encodings. */
static int readable_folders(const char **path)
{
    char tables[INSTALLED_PATH];
    int n = 0;
    installed_tables(tables);
    path[n++] = strdup(tables);
    FcStrList *list[] = {FcConfigGetFontDirs(NULL), FcConfigGetCacheDirs(NULL)};
    for (size_t i = 0; i < 2; i++) {
        const FcChar8 *folder;
        while (list[i] && n < SANDBOX_PATH_MAX &&
               (folder = FcStrListNext(list[i])))
            path[n++] = strdup((const char *)folder);
        if (list[i]) FcStrListDone(list[i]);
    }
    return n;
}

static bool is_mail(const struct job *job)
{
    return job->files && !strcmp(job->type, "mail");
}

static bool is_xml(const struct job *job)
{
    return !strcmp(job->type, "xml");
}

/* libxml2 may convert encodings with modules of the C library: they are loaded
 * while files can be opened, and never closed, so that they stay. */
static void prepare_xml(void)
{
    static const char *const encodings[] = {"WINDOWS-1252", "ISO-8859-15"};
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
        (void)iconv_open("UTF-8", encodings[i]);
}

/* False if too few layers are active. */
static bool enter_sandbox(const struct job *job, const struct codec *codec)
{
    const char *path[SANDBOX_PATH_MAX];
    int n_path = 0;
    if (is_mail(job)) {
        mail_file_prepare();
        prepare_xml();
    }
    if (codec && codec->prepare) codec->prepare();
    if (codec && codec->needs_fonts) n_path = readable_folders(path);
    struct sandbox_profile profile = job_profile(job);
    profile.threads = codec && codec->threads;
    profile.readable = path;
    profile.n_readable = n_path;
    const int keep[] = {SANDBOX_FD_IN, SANDBOX_FD_OUT, job->password->fd};
    struct sandbox_layers walls =
        sandbox_confine(&profile, keep, job->password->fd ? 3 : 2);
    return sandbox_greet(&walls, job->allow_unsandboxed);
}

/* Reports a read error instead of the codec's result: the file is not to blame,
 * and a page that was drawn can be incomplete. */
static void check_reading(struct err *err)
{
    int error = read_errors_error();
    if (!error) return;
    *err = (struct err){0};
    err_reason(err, ERR_SYSTEM, "io-error", "cannot read the file: %s",
               strerror(error));
}

/* A page that cannot be drawn has no readable code. It is reported when it is
 * read; the codes of the other pages are sent all the same. */
static void send_codes(void *handle, const struct job *job,
                       const struct codec *codec, int number)
{
    struct sheet sheet = {.image = {0}};
    struct barcodes codes = {.n = 0};
    struct err own = {0};
    struct job half = *job; /* even half a page can show its code */
    half.lenient = true;
    codec->page(handle, &half, number, &sheet, &own);
    barcodes_read(&sheet.image, sheet.dpi, &codes, &own);
    if (err_failed(&own)) codes.n = codes.marks = 0;
    /* a damaged page that looks blank can have lost all of its content */
    codes.blank =
        codes.blank && !err_failed(&own) && !*sheet.note && !*sheet.missing;
    raster_wire_codes(number, &sheet.image, &codes, !err_failed(&own));
    image_free(&sheet.image);
    text_layer_read_free(&sheet.text);
}

/* A second document behind the first, which no page shows. */
static void note_second(const struct job *job, struct sheet *sheet)
{
    struct err own = {0};
    struct span file = job_read(job, &own);
    if (err_failed(&own)) return; /* as drawing it will */
    char *text = sheet_unread(sheet, RASTER_NOTE_UNREAD);
    enum file_type type = file_type_behind(file);
    size_t n = strlen(text);
    if (type)
        snprintf(text + n, SHEET_TEXT_MAX - n,
                 "%sa second file behind the end of the first is not read (%s)",
                 n ? "; " : "", file_type_name(type));
    job_forget(file);
}

static void send_page(void *handle, const struct job *job,
                      const struct codec *codec, int number, bool first,
                      struct err *err)
{
    struct sheet sheet = {.image = {0}};
    codec->page(handle, job, number, &sheet, err);
    check_reading(err);
    if (first && !err_failed(err)) note_second(job, &sheet);
    if (!err_failed(err)) raster_wire_sheet(number, &sheet);
    image_free(&sheet.image);
    text_layer_read_free(&sheet.text);
}

/* An e-invoice gets less time than a page: whatever it contains, the pages
 * matter more. */
static void send_invoice(void *handle, const struct job *job,
                         const struct codec *codec)
{
    struct sandbox_profile profile = job_profile(job);
    struct pdf_attachment attached = {.status = RASTER_INVOICE_NONE};
    if (profile.cpu_s > INVOICE_CPU_S) profile.cpu_s = INVOICE_CPU_S;
    sandbox_cpu(&profile);
    if (codec->invoice) codec->invoice(handle, &attached);
    raster_wire_invoice(&attached);
    pdf_attachment_free(&attached);
}

/* --- an XML file ------------------------------------------------------------ */

static void check_xml_size(const struct job *job, struct err *err)
{
    if (job->size_bytes > INVOICE_XML_BYTES_MAX)
        err_reason(err, ERR_LIMIT, "too-large",
                   "the XML file has %lld bytes; the limit for e-invoices is "
                   "%d",
                   (long long)job->size_bytes, INVOICE_XML_BYTES_MAX);
}

/* Reads the XML file as an e-invoice; *out is empty after a failure. FAIL:
 * [too-large] above INVOICE_XML_BYTES_MAX; [damaged] if it is not well-formed;
 * [not-e-invoice] for other XML and for a document type declaration. */
static void read_invoice(const struct job *job, struct invoice_xml *out,
                         struct err *err)
{
    char fault[INVOICE_XML_FAULT_MAX];
    *out = (struct invoice_xml){.n = 0};
    check_xml_size(job, err);
    struct span xml = job_read(job, err);
    if (err_failed(err)) return;
    switch (invoice_xml_read(xml.data, xml.size, true, out, fault)) {
    case INVOICE_XML_READ: break;
    case INVOICE_XML_DAMAGED:
        err_reason(err, ERR_INPUT, "damaged",
                   "the XML file is not well-formed: %s", fault);
        break;
    case INVOICE_XML_DECLARED:
        err_reason(err, ERR_UNSUPPORTED, "not-e-invoice",
                   "the XML file is refused: %s", fault);
        break;
    case INVOICE_XML_FOREIGN:
        err_reason(err, ERR_UNSUPPORTED, "not-e-invoice",
                   "the XML file is no e-invoice: %s; expected Invoice or "
                   "CreditNote (UBL 2.1) or CrossIndustryInvoice (CII)",
                   fault);
        break;
    }
    job_forget(xml);
}

/* Sends the e-invoice that an XML file is. */
static void send_xml(const struct job *job, struct err *err)
{
    struct sandbox_profile profile = job_profile(job);
    struct pdf_attachment whole = {.status = RASTER_INVOICE_READ};
    sandbox_cpu(&profile);
    read_invoice(job, &whole.xml, err);
    check_reading(err);
    if (!err_failed(err)) raster_wire_invoice(&whole);
    pdf_attachment_free(&whole);
}

/* --- pages ------------------------------------------------------------------- */

static void draw_pages(const struct job *job, const struct codec *codec,
                       struct err *err)
{
    struct page_range pages;
    page_range_parse(&pages, job->pages, err);
    int n_page = 0;
    void *handle = err_failed(err) ? NULL : codec->open(job, &n_page, err);
    check_reading(err);
    if (!err_failed(err) && n_page < 1)
        err_reason(err, ERR_INPUT, "no-pages", "the file has no pages");
    int n_chosen = page_range_count(&pages, n_page, err);
    if (n_chosen > job->max_pages)
        err_reason(err, ERR_LIMIT, "too-many-pages",
                   "%d pages, at most %d (max_pages)", n_chosen,
                   job->max_pages);
    if (err_failed(err)) return;
    int skip = job->skip < n_chosen ? job->skip : n_chosen;
    raster_wire_count(n_page, n_chosen - skip);
    if (job->invoice) send_invoice(handle, job, codec);
    struct sandbox_profile profile = job_profile(job);
    for (int number = page_range_next(&pages, 0, n_page), i = 0; number;
         number = page_range_next(&pages, number, n_page), i++) {
        if (i < skip) continue;
        sandbox_cpu(&profile);
        if (job->codes) {
            send_codes(handle, job, codec, number);
            check_reading(err);
        } else
            send_page(handle, job, codec, number, i == skip, err);
        if (err_failed(err)) {
            err->page = number;
            return;
        }
    }
    codec->close(handle);
}

/* --- searchable PDFs -------------------------------------------------------- */

enum { SKEW_MOST = 40 * 1000 }; /* a thousandth of a degree */

static void refuse_order(struct err *err)
{
    err_set(err, ERR_CHILD, "an order that platen does not give");
}

static void *read_block(size_t size, struct err *err)
{
    if (err_failed(err)) return NULL;
    void *block = mem_try_aligned(size + 1);
    if (!block)
        err_reason(err, ERR_SYSTEM, "resource-memory",
                   "out of memory for the document");
    else if (!sandbox_read(block, size))
        refuse_order(err);
    if (!err_failed(err)) return block;
    mem_free(block);
    return NULL;
}

static bool is_order(const struct raster_layer_page *p,
                     const struct child_frame *f, const struct job *job)
{
    uint64_t n_pixel = (uint64_t)p->width_px * p->height_px;
    return p->quarters < 4 && p->skew >= -SKEW_MOST && p->skew <= SKEW_MOST &&
           p->n_word <= PACKED_WORDS_MAX && p->n_byte <= PACKED_TEXT_MAX &&
           p->number >= 1 && p->number <= INT32_MAX && p->lossy <= 1 &&
           n_pixel <= (uint64_t)job->max_decoded_pixels &&
           (n_pixel == 0 || p->n_channel == 1 || p->n_channel == 3) &&
           f->size == sizeof *p + p->n_word * sizeof(struct packed_word) +
                          p->n_byte + n_pixel * p->n_channel;
}

static void read_order_words(const struct raster_layer_page *page,
                             struct arena *arena, struct words *words,
                             struct err *err)
{
    struct packed_word *packed =
        arena_array(arena, page->n_word + 1, sizeof *packed);
    char *text = arena_alloc(arena, page->n_byte + 1);
    if (!sandbox_read(packed, page->n_word * sizeof *packed) ||
        !sandbox_read(text, page->n_byte) ||
        !packed_words_unpack(packed, page->n_word, text, page->n_byte, arena,
                             words))
        refuse_order(err);
    words->skew_degrees = page->skew / 1000.0;
}

static void read_order_pixels(const struct raster_layer_page *page,
                              struct image *image, struct err *err)
{
    if (err_failed(err) || !page->width_px || !page->height_px) return;
    *image = image_new((int)page->width_px, (int)page->height_px,
                       (int)page->n_channel, err);
    if (!err_failed(err) &&
        !sandbox_read(image->data, image->stride_bytes * page->height_px))
        refuse_order(err);
}

static void add_page(const struct job *job, struct pdf_writer *writer,
                     enum raster_layer kind, struct span file, struct err *err)
{
    struct child_frame f;
    struct raster_layer_page page;
    struct words words = {.n_word = 0};
    struct pdf_writer_picture picture = {.width_pt = 0};
    struct arena *arena = arena_new();
    if (!sandbox_receive(&f, RASTER_LAYER_PAGE) ||
        !sandbox_read(&page, sizeof page) || !is_order(&page, &f, job))
        refuse_order(err);
    if (!err_failed(err)) read_order_words(&page, arena, &words, err);
    if (!err_failed(err)) read_order_pixels(&page, &picture.pixels, err);
    picture.width_pt = page.width / 1000.0;
    picture.height_pt = page.height / 1000.0;
    picture.lossy = page.lossy;
    if (kind == RASTER_LAYER_PDF)
        pdf_writer_page(writer, (int)page.number, (int)page.quarters, &words,
                        err);
    picture.file = file;
    picture.number = (int)page.number;
    if (kind == RASTER_LAYER_PICTURE)
        pdf_writer_picture(writer, &picture, (int)page.quarters, &words, err);
    image_free(&picture.pixels);
    arena_free(arena);
}

static void send_made(struct span file)
{
    sandbox_send((struct child_frame){.type = RASTER_FILE, .size = file.size});
    sandbox_write(file.data, file.size);
}

/* Reads the orders and sends the file. */
static void make_searchable(const struct job *job, struct err *err)
{
    struct child_frame f;
    struct sandbox_profile profile = job_profile(job);
    if (!sandbox_receive(&f, RASTER_LAYER_FILE) || f.a >= RASTER_N_LAYER ||
        f.b > (uint32_t)job->max_pages) {
        refuse_order(err);
        return;
    }
    sandbox_cpu(&profile);
    enum raster_layer kind = (enum raster_layer)f.a;
    char *bytes = read_block(f.size, err);
    struct span file = {bytes, f.size}, none = {"", 0};
    struct pdf_writer *writer =
        pdf_writer_open(kind == RASTER_LAYER_PDF ? file : none, f.c, err);
    for (uint32_t i = 0; i < f.b && !err_failed(err); i++) {
        sandbox_cpu(&profile);
        add_page(job, writer, kind, file, err);
    }
    sandbox_cpu(&profile);
    struct span made = pdf_writer_end(writer, err);
    if (!err_failed(err)) send_made(made);
    pdf_writer_close(writer);
    mem_free(bytes);
}

/* --- without a password ------------------------------------------------------ */

static void send_unlocked(const struct job *job, const struct codec *codec,
                          struct err *err)
{
    int n_page = 0;
    codec->open(job, &n_page, err); /* finds its password */
    check_reading(err);
    if (err_failed(err)) return;
    struct pdf_file *file =
        pdf_file_open(job->fd, (size_t)job->size_bytes, job->password->used);
    struct span made = pdf_file_unlocked(file);
    if (made.size)
        send_made(made);
    else
        err_reason(err, ERR_INPUT, "damaged",
                   "libqpdf cannot remove the encryption");
    pdf_file_close(file);
}

/* --- attached files -------------------------------------------------------- */

struct files_sent {
    int n, n_other;
    char other[FRAME_TEXT_MAX]; /* as many as fit */
};

/* The size of a valid UTF-8 text, cut to `most` bytes. */
static size_t cut_size(const char *text, size_t most)
{
    size_t n = strlen(text);
    if (n <= most) return n;
    while (most > 0 && (text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

static void send_mail(void *arg, const struct mail_head *head)
{
    const char *const text[] = {head->from, head->date, head->message_id,
                                head->subject};
    char all[4 * RASTER_MAIL_TEXT_MAX];
    size_t n = 0;
    (void)arg;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        size_t size = cut_size(text[i], RASTER_MAIL_TEXT_MAX - 1);
        memcpy(all + n, text[i], size);
        n += size;
        all[n++] = '\0';
    }
    sandbox_send((struct child_frame){.type = RASTER_MAIL, .size = n});
    sandbox_write(all, n);
}

static void send_other(void *arg, const char *name, const char *why)
{
    struct files_sent *sent = arg;
    size_t n = strlen(sent->other), room = sizeof sent->other - n;
    int length = (int)cut_size(name, RASTER_FILE_NAME_MAX);
    int size = snprintf(sent->other + n, room, "%s%.*s%s(%s)", n ? ", " : "",
                        length, name, length ? " " : "", why);
    if (size < 0 || (size_t)size >= room) {
        sent->other[n] = '\0';
        sent->n_other++;
    }
}

static void send_file(void *arg, const char *name, const void *bytes,
                      size_t size)
{
    struct files_sent *sent = arg;
    size_t length = cut_size(name, RASTER_FILE_NAME_MAX);
    if (sent->n == RASTER_FILES_MAX) {
        send_other(arg, name, "beyond the 100th");
        return;
    }
    sandbox_send((struct child_frame){.type = RASTER_FILE,
                                      .a = (uint32_t)++sent->n,
                                      .b = (uint32_t)length,
                                      .size = length + size});
    sandbox_write(name, length);
    if (size) sandbox_write(bytes, size);
}

static void send_files_of_mail(const struct job *job, struct files_sent *sent,
                               struct err *err)
{
    const struct mail_file_to to = {send_mail, send_file, send_other, sent,
                                    (size_t)job->max_bytes};
    char *all = pdf_file_read(job->fd, (size_t)job->size_bytes);
    check_reading(err);
    if (err_failed(err)) return;
    if (!all)
        err_reason(err, ERR_LIMIT, "resource-memory",
                   "not enough memory for the mail");
    else if (!mail_file_read(all, (size_t)job->size_bytes, &to))
        err_reason(err, ERR_INPUT, "damaged", "the mail cannot be read");
}

static void send_embedded(void *arg, const char *name, const char *base64)
{
    size_t size = 0;
    guchar *bytes = g_base64_decode(base64, &size);
    send_file(arg, name, bytes, size);
    g_free(bytes);
}

/* A file that is no e-invoice says so when it is read. */
static void send_files_of_xml(const struct job *job, struct files_sent *sent,
                              struct err *err)
{
    check_xml_size(job, err);
    struct span xml = job_read(job, err);
    if (err_failed(err)) return;
    (void)invoice_xml_files(xml.data, xml.size, send_embedded, sent);
    job_forget(xml);
}

static void send_files(const struct job *job, const struct codec *codec,
                       struct err *err)
{
    struct files_sent sent = {.n = 0};
    const struct embedded_files_to to = {.bytes_max = (size_t)job->max_bytes,
                                         .file = send_file,
                                         .other = send_other,
                                         .arg = &sent};
    int n_page = 0;
    if (is_mail(job)) {
        send_files_of_mail(job, &sent, err);
    } else if (is_xml(job)) {
        send_files_of_xml(job, &sent, err);
    } else if (codec == &draw_pdf_codec) {
        codec->open(job, &n_page, err); /* finds its password */
        check_reading(err);
        /* pages say that libqpdf cannot read it */
        if (!err_failed(err)) pdf_check_files(job, &to);
    }
    if (err_failed(err)) return;
    size_t n = strlen(sent.other);
    if (sent.n_other)
        snprintf(sent.other + cut_size(sent.other, FRAME_TEXT_MAX - 24), 24,
                 "%s and %d more", n ? " ..." : "", sent.n_other);
    if (*sent.other)
        sandbox_send_text((struct child_frame){.type = RASTER_OTHER},
                          sent.other, FRAME_TEXT_MAX);
}

/* --- the process ------------------------------------------------------------ */

int main(int argc, char **argv)
{
    struct pdf_password password = {.used = NULL};
    struct job job = {.type = "",
                      .pages = "",
                      .password = &password,
                      .fd = SANDBOX_FD_IN,
                      .max_pixels = 2359296,
                      .grid = 1,
                      .max_decoded_pixels = 100000000,
                      .max_pages = 2000};
    struct stat st;
    if (build_asked(argc, argv)) return 0;
    if (!read_options(&job, argc, argv) || fstat(SANDBOX_FD_OUT, &st)) {
        fputs("platen-raster is started by platen; see "
              "stages/input/rasterise.c\n",
              stderr);
        return 1;
    }
    /* Blocks as large as an image are unmapped with their page, because the
     * next page would not fit into the holes. Smaller blocks are kept. */
    mallopt(M_MMAP_THRESHOLD, PICTURE_BYTES);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    jpeg_read_prepare();
    read_errors_prepare();
    const struct codec *codec = job.layer ? NULL : codec_of(job.type);
    if (is_xml(&job)) prepare_xml();
    struct err err = {0};
    if (!enter_sandbox(&job, codec)) return 0;
    if (!fstat(SANDBOX_FD_IN, &st)) job.size_bytes = st.st_size;
    if (job.layer)
        make_searchable(&job, &err);
    else if (job.unlock && codec == &draw_pdf_codec)
        send_unlocked(&job, codec, &err);
    else if (job.files)
        send_files(&job, codec, &err);
    else if (codec)
        draw_pages(&job, codec, &err);
    else if (is_xml(&job))
        send_xml(&job, &err); /* else: platen doctor asks */
    if (err_failed(&err))
        raster_wire_fail(&err);
    else
        raster_wire_end();
    return 0;
}
