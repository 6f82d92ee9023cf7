/* searchable_alto.c - ALTO 4.4, see searchable.h. */
#include "stages/document/version.h"
#include "stages/document/words_line.h"
#include "stages/searchable/searchable.h"
#include "stages/searchable/text_markup.h"

static void add_box(struct buf *out, struct pixel_box b)
{
    buf_print(out, " HPOS=\"%d\" VPOS=\"%d\" WIDTH=\"%d\" HEIGHT=\"%d\"", b.x0,
              b.y0, b.x1 - b.x0, b.y1 - b.y0);
}

static void begin(struct buf *out, const char *element, const char *id,
                  int page, int number)
{
    buf_print(out, "<%s ID=\"%s_%d", element, id, page);
    if (number) buf_print(out, "_%d", number);
    buf_add_text(out, "\"");
}

static void add_line(struct buf *out, const struct kept_words *page, int from,
                     int to, const struct page *size)
{
    begin(out, "TextLine", "line", size->number, from + 1);
    add_box(out, text_markup_box(page, from, to, size));
    buf_add_text(out, ">\n");
    for (int i = from; i < to; i++) {
        const struct word *word = &page->words.word[i];
        if (i > from) buf_add_text(out, "<SP/>\n");
        begin(out, "String", "string", size->number, i + 1);
        buf_add_text(out, " CONTENT=\"");
        text_markup_add(out, word->text);
        buf_add_text(out, "\"");
        add_box(out, text_markup_box(page, i, i + 1, size));
        buf_print(out, " WC=\"%.2f\"/>\n", (double)word->confidence);
    }
    buf_add_text(out, "</TextLine>\n");
}

static void add_page(struct buf *out, const struct page *size,
                     const struct kept_words *page)
{
    int n = page->words.n_word;
    struct pixel_box whole = {0, 0, size->width_px, size->height_px};
    begin(out, "Page", "page", size->number, 0);
    buf_print(out, " PHYSICAL_IMG_NR=\"%d\" WIDTH=\"%d\" HEIGHT=\"%d\">\n",
              size->number, size->width_px, size->height_px);
    buf_add_text(out, "<PrintSpace");
    add_box(out, whole);
    buf_add_text(out, ">\n");
    if (n) {
        begin(out, "TextBlock", "block", size->number, 0);
        add_box(out, text_markup_box(page, 0, n, size));
        buf_add_text(out, ">\n");
        for (int from = 0, to; from < n; from = to) {
            to = words_line_end(&page->words, from);
            add_line(out, page, from, to, size);
        }
        buf_add_text(out, "</TextBlock>\n");
    }
    buf_add_text(out, "</PrintSpace>\n</Page>\n");
}

void searchable_alto(struct document *doc, struct buf *out)
{
    buf_add_text(
        out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<alto xmlns=\"http://www.loc.gov/standards/alto/ns-v4#\" "
             "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
             "xsi:schemaLocation=\"http://www.loc.gov/standards/alto/ns-v4# "
             "http://www.loc.gov/standards/alto/v4/alto-4-4.xsd\" "
             "SCHEMAVERSION=\"4.4\">\n<Description>\n"
             "<MeasurementUnit>pixel</MeasurementUnit>\n"
             "<sourceImageInformation>\n<fileName>");
    text_markup_add(out, doc->name);
    buf_print(out,
              "</fileName>\n</sourceImageInformation>\n"
              "<Processing ID=\"processing_1\">\n<processingSoftware>\n"
              "<softwareName>platen</softwareName>\n"
              "<softwareVersion>%s</softwareVersion>\n"
              "</processingSoftware>\n</Processing>\n"
              "</Description>\n<Layout>\n",
              PLATEN_VERSION);
    for (int i = 0; i < doc->n_page; i++)
        add_page(out, &doc->page[i], kept_words_of(doc, i));
    buf_add_text(out, "</Layout>\n</alto>\n");
}
