/* searchable_hocr.c - hOCR 1.2, see searchable.h. */
#include <math.h>

#include "stages/document/version.h"
#include "stages/document/words_line.h"
#include "stages/searchable/searchable.h"
#include "stages/searchable/text_markup.h"

static void begin(struct buf *out, const char *element, const char *class,
                  const char *id, int page, int number)
{
    buf_print(out, "<%s class=\"%s\" id=\"%s_%d", element, class, id, page);
    if (number) buf_print(out, "_%d", number);
    buf_add_text(out, "\" title=\"");
}

static void add_box(struct buf *out, struct pixel_box b)
{
    buf_print(out, "bbox %d %d %d %d", b.x0, b.y0, b.x1, b.y1);
}

static void add_line(struct buf *out, const struct kept_words *page, int from,
                     int to, const struct page *size)
{
    const struct words *words = &page->words;
    begin(out, "span", "ocr_line", "line", size->number, from + 1);
    add_box(out, text_markup_box(page, from, to, size));
    if (words->skew_degrees != 0)
        buf_print(out, "; baseline %.4f 0",
                  tan(words->skew_degrees * M_PI / 180));
    buf_add_text(out, "\">");
    for (int i = from; i < to; i++) {
        buf_add_text(out, i > from ? "\n" : "");
        begin(out, "span", "ocrx_word", "word", size->number, i + 1);
        add_box(out, text_markup_box(page, i, i + 1, size));
        buf_print(out, "; x_wconf %d\">",
                  (int)lrint(100 * (double)words->word[i].confidence));
        text_markup_add(out, words->word[i].text);
        buf_add_text(out, "</span>");
    }
    buf_add_text(out, "</span>\n");
}

/* An image's name is quoted; the quotes and backslashes in it are left out. */
static void add_name(struct buf *out, const char *name)
{
    char plain[2] = {0};
    struct buf text = buf_limit(1 << 12);
    for (; *name; name++)
        if (*name != '"' && *name != '\\') {
            *plain = *name;
            buf_add_text(&text, plain);
        }
    text_markup_add(out, buf_span(&text).data);
    buf_free(&text);
}

static void add_page(struct buf *out, const struct document *doc, int index,
                     const struct kept_words *page)
{
    const struct page *size = &doc->page[index];
    int n = page->words.n_word, dpi = (int)lrint(size->dpi);
    begin(out, "div", "ocr_page", "page", size->number, 0);
    buf_add_text(out, "image &quot;");
    add_name(out, doc->name);
    buf_print(out, "&quot;; bbox 0 0 %d %d; ppageno %d", size->width_px,
              size->height_px, size->number - 1);
    if (dpi > 0) buf_print(out, "; scan_res %d %d", dpi, dpi);
    buf_add_text(out, "\">\n");
    if (n) {
        struct pixel_box all = text_markup_box(page, 0, n, size);
        begin(out, "div", "ocr_carea", "block", size->number, 0);
        add_box(out, all);
        buf_add_text(out, "\">\n");
        begin(out, "p", "ocr_par", "par", size->number, 0);
        add_box(out, all);
        buf_add_text(out, "\">\n");
        for (int from = 0, to; from < n; from = to) {
            to = words_line_end(&page->words, from);
            add_line(out, page, from, to, size);
        }
        buf_add_text(out, "</p>\n</div>\n");
    }
    buf_add_text(out, "</div>\n");
}

void searchable_hocr(struct document *doc, struct buf *out)
{
    buf_add_text(
        out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" "
             "\"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n"
             "<html xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<title>");
    text_markup_add(out, doc->name);
    buf_print(out,
              "</title>\n"
              "<meta http-equiv=\"Content-Type\" content=\"text/html; "
              "charset=utf-8\"/>\n"
              "<meta name=\"ocr-system\" content=\"platen %s\"/>\n"
              "<meta name=\"ocr-capabilities\" content=\"ocr_page ocr_carea "
              "ocr_par ocr_line ocrx_word\"/>\n"
              "</head>\n<body>\n",
              PLATEN_VERSION);
    for (int i = 0; i < doc->n_page; i++)
        add_page(out, doc, i, kept_words_of(doc, i));
    buf_add_text(out, "</body>\n</html>\n");
}
