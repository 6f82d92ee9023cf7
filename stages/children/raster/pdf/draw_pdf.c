/* draw_pdf.c - PDF pages, with poppler and cairo.
 *
 * Scripts, links and hidden layers are ignored. The text layer and an e-invoice
 * among the attachments are read only on request (text_layer_read.h,
 * pdf_attachment.h). The page's size is that of the crop box after /Rotate.
 */
#include <cairo.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <poppler.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/children/raster/pdf/cairo_image.h"
#include "stages/children/raster/pdf/cairo_pattern.h"
#include "stages/children/raster/pdf/pdf_attachment.h"
#include "stages/children/raster/pdf/pdf_check.h"
#include "stages/children/raster/pdf/pdf_password.h"
#include "stages/children/raster/pdf/text_layer_read.h"
#include "stages/children/raster/pdf/visible_glyphs.h"
#include "stages/children/raster/picture/huge_pages.h"
#include "stages/children/raster/picture/job.h"
#include "stages/children/raster/picture/jpeg_read.h"
#include "stages/children/wire/installed.h"
#include "vlm/base/arena.h"

enum { PDF_NOTE_MAX = 160 };

/* Messages about one page. */
struct poppler_messages {
    int n_harmless, n_loss;
    char harmless[PDF_NOTE_MAX], loss[PDF_NOTE_MAX]; /* the first of each */
};

/* --- poppler messages ------------------------------------------------------ */

/* Classifies poppler's error messages: does one mean that
 * printed content is missing from the page?
 *
 * poppler draws what it can and only logs the rest. It calls a fault that it
 * worked around a "warning"; any other message counts as a loss unless the
 * table in draw_pdf.c lists it as harmless, so that an unknown message
 * fails the page. docs/notes/pages.md lists the classes. */

static const char *const harmless[] = {
    /* marked content, structure, layers: everything is drawn */
    "Arg #* to 'BDC' operator*",
    "Arg #* to 'BMC' operator*",
    "Arg #* to '[DM]P' operator*",
    "Too few (*) args to '[BED][DM][CP]' operator",
    "Marked Content '*' is unknown",
    "insufficient arguments for Marked Content",
    "Unexpected MC Type: *",
    "Expected the default config, *",
    "Expected the optional content group list, *",
    "Invalid optional content visibility expression",
    /* an operator has the operands that it needs */
    "Too many (*) args to *",
    /* unbalanced saved states, paths without a start: no viewer draws
     * more */
    "There's a form with more *",
    "Restoring state when no valid states to pop",
    "Found state under last state guard*",
    "No current point in *",
    "Singular matrix in *",
    /* drawn, with another colour, edge or opacity */
    "ExtGState '*",
    "Invalid blend mode in ExtGState",
    "Invalid transfer function in *",
    "Invalid soft mask in ExtGState*",
    "Number of args mismatch for /D in ExtGState",
    "Mask entry should be an integer but it's a real*",
    "AnnotColor different than RGB*",
    /* spelling of names and numbers */
    "Illegal digit in hex char in name",
    "Warning: name token is longer*",
    /* JPEG 2000 without its wrapper: the next decoder reads it; if that
     * fails, too, the last message is another one */
    "Malformed JP2 file format: first box*",
    /* repaired on the spot */
    "Missing 'endstream' or incorrect stream length",
    "xref num * not found but needed, try to reconstruct*",
    "Bad RTC code in CCITTFax stream",
    /* an annotation without a place, which no viewer shows, and parts of a
     * page that are not printed */
    "Bad bounding box for annotation",
    "Page annotations object *",
    "Page additional action object *",
    "Page duration object *",
    "Page thumb object *",
    "Page transition object *",
    "Invalid FileSpec*",
    "Illegal file spec",
    "Invalid Rendition action*",
    "Movie action is missing*",
    "Bad Annot Movie",
    "Bad Annot Sound",
    "Bad Annot File Attachment",
};

static const char *const losing[] = {
    /* an image decoded in part, or with unknown colours */
    "Component * has different WxH than component 0*",
    "Bad color space*",
    "Bad Indexed color space*",
    "Bad DeviceN color space*",
    "Bad Separation color space*",
    "Bad Pattern color space*",
    "*truncated*",
    "*inconsistent with stream length*",
    "Not enough *",
    /* areas that were not filled */
    "*shading*",
    "Invalid or missing * in pattern",
    "CairoOutputDev: Singular matrix in tilingPatternFill",
    "Bad appearance for annotation",
    /* fonts that cannot be used */
    "Empty DescendantFonts array in font",
    "Unknown font type: *",
};

static bool is_listed(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!fnmatch(list[i], text, 0)) return true;
    return false;
}

/* Whether a message ("CATEGORY at position N: TEXT", as poppler-glib logs it)
 * can mean that content is missing. */
static bool is_loss(const char *complaint)
{
    static const char warning[] = "Syntax warning";
    const char *mark = strstr(complaint, ": ");
    const char *text = mark ? mark + 2 : complaint;
    if (!strncmp(complaint, warning, sizeof warning - 1))
        return is_listed(text, losing, sizeof losing / sizeof losing[0]);
    return !is_listed(text, harmless, sizeof harmless / sizeof harmless[0]);
}

/* Counts missing content that platen detected itself. */
static void poppler_messages_add_loss(struct poppler_messages *notes,
                                      const char *text)
{
    if (notes->n_loss++ == 0)
        snprintf(notes->loss, sizeof notes->loss, "%s", text);
}

/* Counts a message and keeps it if it is the first of its class. */
static void poppler_messages_add(struct poppler_messages *notes,
                                 const char *complaint)
{
    if (is_loss(complaint))
        poppler_messages_add_loss(notes, complaint);
    else if (notes->n_harmless++ == 0)
        snprintf(notes->harmless, sizeof notes->harmless, "%s", complaint);
}

/* --- draw pdf -------------------------------------------------------------- */

#define _GNU_SOURCE 1 /* RTLD_DEFAULT */

enum {
    VECTOR_DPI_MAX = 300, /* printed details are no finer */
    TEXT_DPI_MIN = 150,   /* keeps text on a coarse image legible */
    SIDE_MAX = 30000,     /* cairo_image.h */
    UNIT_PER_INCH = 72
};

struct draw_pdf {
    PopplerDocument *document;
    int n_page, n_counted; /* pages present; the file's page count */
    struct pdf_check *check;
    bool sent[SHEET_N_UNREAD];      /* unread content that was reported */
    struct poppler_messages notes;  /* on opening, then on the current page */
    struct cairo_pattern_seen seen; /* on the current page */
};

/* The folder of poppler's tables is compiled in. Only a C++ function changes
 * it; it is looked up by name, because it is not part of poppler's interface.
 * If it is missing, East Asian fonts that a PDF does not embed are missing,
 * too. */
static void set_tables(void)
{
    char path[INSTALLED_PATH];
    struct cxx_string { /* libstdc++'s layout of std::string */
        char *text;
        size_t size;
        char own[16];
    };
    void (*set)(const struct cxx_string *);
    void *at =
        dlsym(RTLD_DEFAULT, "_ZN18GlobalParamsIniter16setCustomDataDirERKNSt7__"
                            "cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
    if (!at || !installed_path("poppler", path)) return;
    memcpy(&set, &at, sizeof set);
    set(&(struct cxx_string){path, strlen(path), ""});
}

static void prepare_pdf(void)
{
    installed_fonts();
    set_tables();
    cairo_pattern_prepare();
    cairo_image_prepare();
    visible_glyphs_prepare();
    pdf_attachment_prepare();
    pdf_password_prepare();
    FcInit();
    FcConfigSetRescanInterval(NULL, 0);
}

/* poppler logs errors and guesses through GLib. */
static void on_message(const gchar *domain, GLogLevelFlags level,
                       const gchar *text, gpointer handle)
{
    (void)domain;
    (void)level;
    struct draw_pdf *pdf = handle;
    poppler_messages_add(&pdf->notes, text);
}

static void refuse_open(const GError *error, const struct job *job,
                        struct err *err)
{
    if (error->code == POPPLER_ERROR_ENCRYPTED && job->password->fd)
        err_reason(err, ERR_INPUT, "encrypted",
                   "the PDF is encrypted, and no password in the file that the "
                   "setting passwords names opens it (%d tried)",
                   job->password->n_try);
    else if (error->code == POPPLER_ERROR_ENCRYPTED)
        err_reason(err, ERR_INPUT, "encrypted",
                   "the PDF is encrypted and needs a password");
    else
        err_reason(err, ERR_INPUT, "damaged", "the PDF cannot be opened: %s",
                   error->message);
}

/* poppler treats an impossible page count as no pages. */
static void refuse_count(const struct job *job, struct err *err)
{
    int n = 0;
    long long n_counted = 0;
    if (pdf_check_count(job, &n, &n_counted) && n > 0)
        err_reason(err, ERR_INPUT, "damaged",
                   "the PDF declares %lld pages but has %d", n_counted, n);
}

struct opening {
    struct draw_pdf *pdf;
    GInputStream *stream;
};

static bool open_document(void *arg, const char *password)
{
    struct opening *o = arg;
    o->pdf->document =
        poppler_document_new_from_stream(o->stream, -1, password, NULL, NULL);
    return o->pdf->document;
}

/* Opens an encrypted document, whose bytes stay until the process ends. poppler
 * tries each password as user and as owner password. For the second try after a
 * wrong one it would use a file that it has freed, if it had a descriptor, and
 * crash, if it had bytes (22.12). False: no password fits. */
static bool open_encrypted(struct draw_pdf *pdf, const struct job *job)
{
    size_t size = (size_t)job->size_bytes;
    char *all = job->password->fd ? pdf_file_read(job->fd, size) : NULL;
    if (!all) return false;
    struct opening o = {
        pdf, g_memory_input_stream_new_from_data(all, (gssize)size, NULL)};
    return pdf_password_find(job->password, open_document, &o);
}

static void *open_pdf(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_pdf *pdf = mem_alloc(1, sizeof *pdf);
    g_log_set_default_handler(on_message, pdf);
    GError *error = NULL;
    pdf->document = poppler_document_new_from_fd(dup(job->fd), NULL, &error);
    if (!pdf->document &&
        (error->code != POPPLER_ERROR_ENCRYPTED || !open_encrypted(pdf, job))) {
        refuse_open(error, job, err);
        g_error_free(error);
        return pdf;
    }
    g_clear_error(&error);
    int n = poppler_document_get_n_pages(pdf->document);
    pdf->n_counted = n;
    if (n < 1) refuse_count(job, err);
    /* If the page count is too high, the last real page is the end. (Above
     * max_pages the document is refused anyway.) */
    while (n > 0 && n <= job->max_pages) {
        PopplerPage *last = poppler_document_get_page(pdf->document, n - 1);
        if (last) {
            g_object_unref(last);
            break;
        }
        n--;
    }
    *n_page = pdf->n_page = n;
    pdf->check = pdf_check_new(job, n);
    return pdf;
}

static void close_pdf(void *handle)
{
    struct draw_pdf *pdf = handle;
    if (pdf->document) g_object_unref(pdf->document);
    pdf_check_free(pdf->check);
    mem_free(pdf);
}

static bool has_text(PopplerPage *page)
{
    char *text = poppler_page_get_text(page);
    bool any = false;
    for (const char *at = text; at && *at && !any; at++)
        any = (unsigned char)*at > ' ';
    g_free(text);
    return any;
}

static int on_grid(double side, int grid)
{
    int n = (int)(side / grid + 1e-6) * grid;
    return n < grid ? grid : n > SIDE_MAX ? SIDE_MAX / grid * grid : n;
}

/* A page's size in points and its drawing. */
struct sheet_plan {
    double width, height; /* points */
    double dpi;
    int width_px, height_px;
};

/* Sets the size in pixels for plan->dpi, on the grid and within max_pixels. */
static void fit_pixels(struct sheet_plan *plan, const struct job *job)
{
    double w = plan->width * plan->dpi / UNIT_PER_INCH;
    double h = plan->height * plan->dpi / UNIT_PER_INCH;
    plan->width_px = on_grid(w, job->grid);
    plan->height_px = on_grid(h, job->grid);
    double most = (double)job->max_pixels;
    if ((double)plan->width_px * plan->height_px <= most) return;
    /* one side was rounded up to the grid; shorten the other */
    if (plan->width_px > plan->height_px)
        plan->width_px = on_grid(most / plan->height_px, job->grid);
    else
        plan->height_px = on_grid(most / plan->width_px, job->grid);
}

static bool plan_page(PopplerPage *page, const struct job *job,
                      struct sheet_plan *plan, struct err *err)
{
    poppler_page_get_size(page, &plan->width, &plan->height);
    double width = plan->width, height = plan->height;
    if (!isfinite(width) || !isfinite(height) || width < 0.01 ||
        height < 0.01 || width > 1e7 || height > 1e7)
        return err_reason(err, ERR_INPUT, "page-failed",
                          "the page measures %g x %g points", width, height);
    double budget =
        UNIT_PER_INCH * sqrt((double)job->max_pixels / width / height);
    plan->dpi = fmin(job->dpi > 0 ? job->dpi : VECTOR_DPI_MAX, budget);
    fit_pixels(plan, job);
    return true;
}

/* Whether the page was drawn finer than the scan that covers it; the plan then
 * becomes one for the scan's own resolution. */
static bool was_too_fine(const struct draw_pdf *pdf, PopplerPage *page,
                         const struct job *job, struct sheet_plan *plan)
{
    double area = (double)plan->width_px * plan->height_px;
    if (pdf->seen.area < 0.8 * area || pdf->seen.finest >= 1) return false;
    double scan_dpi = plan->dpi * pdf->seen.finest;
    if (scan_dpi < TEXT_DPI_MIN && has_text(page)) scan_dpi = TEXT_DPI_MIN;
    if (scan_dpi >= plan->dpi) return false;
    plan->dpi = scan_dpi;
    fit_pixels(plan, job);
    return true;
}

/* --- drawing -------------------------------------------------------------- */

static const uint32_t *surface_row(cairo_surface_t *surface, int y)
{
    const void *row =
        cairo_image_surface_get_data(surface) +
        (size_t)cairo_image_surface_get_stride(surface) * (size_t)y;
    return row;
}

static bool has_colour(cairo_surface_t *surface)
{
    int width = cairo_image_surface_get_width(surface);
    int height = cairo_image_surface_get_height(surface);
    uint32_t colour = 0;
    for (int y = 0; y < height && !colour; y++) {
        const uint32_t *row = surface_row(surface, y);
        for (int x = 0; x < width; x++)
            colour |= (row[x] ^ row[x] >> 8) & 0xffff;
    }
    return colour != 0;
}

static void copy_row(const uint32_t *row, int n, int n_channel, uint8_t *out)
{
    for (int x = 0; x < n && n_channel == 1; x++)
        out[x] = (uint8_t)row[x];
    for (int x = 0; x < n && n_channel == 3; x++) {
        out[3 * x] = (uint8_t)(row[x] >> 16);
        out[3 * x + 1] = (uint8_t)(row[x] >> 8);
        out[3 * x + 2] = (uint8_t)row[x];
    }
}

/* Grey if no pixel has a colour, else RGB. */
static void copy_pixels(cairo_surface_t *surface, const struct sheet_plan *plan,
                        struct image *image, struct err *err)
{
    if (err_failed(err)) return;
    int n_channel = has_colour(surface) ? 3 : 1;
    *image = image_new(plan->width_px, plan->height_px, n_channel, err);
    if (err_failed(err)) return;
    huge_pages_advise(image->data,
                      image->stride_bytes * (size_t)image->height_px);
    for (int y = 0; y < plan->height_px; y++)
        copy_row(surface_row(surface, y), plan->width_px, n_channel,
                 image_row(image, y));
}

static void check_status(cairo_status_t status, struct err *err)
{
    if (status == CAIRO_STATUS_NO_MEMORY)
        err_reason(err, ERR_LIMIT, "resource-memory",
                   "not enough memory to draw the page");
    else if (status != CAIRO_STATUS_SUCCESS)
        err_reason(err, ERR_INPUT, "page-failed", "cairo: %s",
                   cairo_status_to_string(status));
}

/* Reports images that cairo or libjpeg lost; poppler does not. */
static void check_pictures(struct poppler_messages *notes, struct err *err)
{
    struct cairo_image_loss lost = cairo_image_result();
    const char *spoilt = jpeg_read_result();
    if (spoilt) poppler_messages_add_loss(notes, spoilt);
    if (lost.width == 0) return;
    char text[PDF_NOTE_MAX];
    g_snprintf(text, sizeof text, "an image of %d x %d px cannot be drawn",
               lost.width, lost.height);
    if (lost.why == CAIRO_STATUS_NO_MEMORY)
        err_reason(err, ERR_LIMIT, "resource-memory", "%s: not enough memory",
                   text);
    else
        poppler_messages_add_loss(notes, text);
}

static cairo_t *begin_page(const struct sheet_plan *plan)
{
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, plan->width_px, plan->height_px);
    cairo_t *cr = cairo_create(surface);
    cairo_surface_destroy(surface); /* cr keeps a reference */
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_scale(cr, plan->width_px / plan->width,
                plan->height_px / plan->height);
    return cr;
}

static void draw_on(cairo_t *cr, PopplerPage *page, const struct job *job)
{
    cairo_pattern_watch(cr);
    cairo_image_watch(job->max_decoded_pixels);
    jpeg_read_watch(true);
    poppler_page_render(page, cr);
}

static void end_watches(void)
{
    cairo_pattern_watch(NULL);
    cairo_image_watch(0);
    jpeg_read_watch(false);
}

static void render(struct draw_pdf *pdf, PopplerPage *page,
                   const struct job *job, const struct sheet_plan *plan,
                   struct image *image, struct err *err)
{
    image_free(image);
    pdf->notes = (struct poppler_messages){.n_loss = 0};
    cairo_t *cr = begin_page(plan);
    cairo_surface_t *surface = cairo_get_target(cr);
    visible_glyphs_count();
    draw_on(cr, page, job);
    check_pictures(&pdf->notes, err);
    pdf->seen = cairo_pattern_result();
    end_watches();
    check_status(cairo_status(cr), err);
    check_status(cairo_surface_status(surface), err);
    cairo_surface_flush(surface);
    copy_pixels(surface, plan, image, err);
    cairo_destroy(cr);
}

/* Finds the text that is visible on the page as drawn, by drawing it without
 * text. This gets as much time as the page. */
static struct visible_glyphs *find_visible_glyphs(PopplerPage *page,
                                                  const struct job *job,
                                                  const struct sheet_plan *plan,
                                                  const struct image *image,
                                                  struct err *err)
{
    struct sandbox_profile profile = job_profile(job);
    if (!visible_glyphs_any()) return NULL;
    sandbox_cpu(&profile);
    cairo_t *cr = begin_page(plan);
    struct visible_glyphs *text =
        visible_glyphs_new(plan->width_px, plan->height_px);
    check_status(text ? cairo_status(cr) : CAIRO_STATUS_NO_MEMORY, err);
    if (!err_failed(err)) {
        visible_glyphs_omit(text, cr);
        draw_on(cr, page, job);
        end_watches();
        visible_glyphs_omit(NULL, NULL);
        check_status(cairo_status(cr), err);
    }
    if (!err_failed(err))
        visible_glyphs_compare(text, image, cairo_get_target(cr));
    cairo_destroy(cr);
    return text;
}

/* Messages of poppler about what was drawn before are not repeated. */
static void read_words(struct draw_pdf *pdf, PopplerPage *page,
                       const struct job *job, const struct sheet_plan *plan,
                       struct sheet *sheet, struct err *err)
{
    if (!job->words || err_failed(err)) return;
    struct poppler_messages notes = pdf->notes;
    struct visible_glyphs *drawn =
        find_visible_glyphs(page, job, plan, &sheet->image, err);
    if (!err_failed(err))
        text_layer_read(page, drawn, plan->width_px, plan->height_px,
                        &sheet->text);
    visible_glyphs_free(drawn);
    pdf->notes = notes;
}

static bool is_white(const struct image *image)
{
    size_t n = image->stride_bytes * (size_t)image->height_px;
    for (size_t i = 0; i < n; i++)
        if (image->data[i] != 255) return false;
    return true;
}

/* Turns the messages about this page into an error or a note. */
static void report_messages(const struct poppler_messages *notes, bool lenient,
                            struct sheet *sheet, struct err *err)
{
    if (err_failed(err)) return;
    const char *first = notes->n_loss ? notes->loss : notes->harmless;
    int n = notes->n_loss + notes->n_harmless;
    if (n == 0) return;
    bool white = is_white(&sheet->image), lost = notes->n_loss || white;
    if (!lenient && white)
        err_reason(err, ERR_INPUT, "page-failed", "nothing could be drawn: %s",
                   first);
    else if (!lenient && lost)
        err_reason(err, ERR_INPUT, "page-failed",
                   "content is missing from the drawn page: %s%s", first,
                   job_lenient_hint(&sheet->image));
    else
        g_snprintf(lost ? sheet->missing : sheet->note, SHEET_TEXT_MAX,
                   "PDF: %d problems while drawing; the first: %s", n, first);
}

/* Checks what poppler omitted without a message. */
static void check_page(struct draw_pdf *pdf, PopplerPage *page, int number,
                       struct sheet *sheet)
{
    const struct pdf_walk *walk = pdf_check_page(pdf->check, number);
    const char *missing = walk->missing;
    bool content = walk->paints || (walk->shows_text && has_text(page));
    if (!missing && content && is_white(&sheet->image))
        missing = "the page has content, but nothing was drawn";
    if (missing && !*sheet->missing)
        g_snprintf(sheet->missing, sizeof sheet->missing, "PDF: %s", missing);
    for (int i = 0; i < SHEET_N_UNREAD; i++) {
        if (!pdf->sent[i])
            g_snprintf(
                sheet->unread[i], SHEET_TEXT_MAX, "%s",
                pdf_check_unread(pdf->check,
                                 (enum raster_note)(RASTER_NOTE_UNREAD + i)));
        pdf->sent[i] |= *sheet->unread[i] != '\0';
    }
    if (*walk->layer)
        g_snprintf(sheet->unread[RASTER_NOTE_LAYER - RASTER_NOTE_UNREAD],
                   SHEET_TEXT_MAX,
                   "the layer \"%s\" is switched off: what is on it was not "
                   "read",
                   walk->layer);
}

static void page_pdf(void *handle, const struct job *job, int number,
                     struct sheet *sheet, struct err *err)
{
    struct draw_pdf *pdf = handle;
    PopplerPage *page = poppler_document_get_page(pdf->document, number - 1);
    if (!page) {
        err_reason(err, ERR_INPUT, "page-failed",
                   "the page is missing from the file");
        return;
    }
    struct sheet_plan plan = {0};
    if (plan_page(page, job, &plan, err))
        render(pdf, page, job, &plan, &sheet->image, err);
    struct poppler_messages notes =
        pdf->notes; /* has_text adds messages of its own */
    /* codes are read once: drawing again would not reveal more */
    if (!err_failed(err) && !job->codes && was_too_fine(pdf, page, job, &plan))
        render(pdf, page, job, &plan, &sheet->image, err);
    else
        pdf->notes = notes;
    sheet->dpi = plan.dpi;
    report_messages(&pdf->notes, job->lenient, sheet, err);
    if (!err_failed(err)) check_page(pdf, page, number, sheet);
    read_words(pdf, page, job, &plan, sheet, err);
    g_object_unref(page);
    if (pdf->n_counted > pdf->n_page && !*sheet->missing)
        g_snprintf(sheet->missing, sizeof sheet->missing,
                   "PDF: the file declares %d pages but has %d", pdf->n_counted,
                   pdf->n_page);
}

/* poppler's messages about attachments are not about a page. */
static void invoice_pdf(void *handle, struct pdf_attachment *out)
{
    struct draw_pdf *pdf = handle;
    struct poppler_messages notes = pdf->notes;
    pdf_attachment_find(pdf->document, out);
    if (out->status == RASTER_INVOICE_NONE)
        pdf_check_find_invoice(pdf->check, out);
    if (out->status == RASTER_INVOICE_READ) pdf_check_has_invoice(pdf->check);
    pdf->notes = notes;
}

const struct codec draw_pdf_codec = {.type = "pdf",
                                     .needs_fonts = true,
                                     .prepare = prepare_pdf,
                                     .open = open_pdf,
                                     .page = page_pdf,
                                     .close = close_pdf,
                                     .invoice = invoice_pdf};
