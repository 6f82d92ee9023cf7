/* line_ocr.c - see line_ocr.h. */
#include "stages/fallback/line_ocr.h"

#include <math.h>
#include <string.h>

#include "stages/engine/engine.h"
#include "stages/fallback/glyph_boxes.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { CELLS_MOST = 1500, WORDS_MOST = 8192, TOKENS_MOST = 160 };
enum { NARROWEST = 14, WIDEST = 16 /* tokens of a picture */ };

/* Print 17 pixels high is read best; a second try helps most if it is lower and
 * wider (eval_real.py, MODEL_CARD.md). */
static const double look_height[] = {17, 15}, look_pitch[] = {0, 9.5};
static const double sure = 0.98, sure_least = 0.5; /* less: dirt, not print */

static const double speck_most = 2; /* narrower, in its heights: dirt */

static const char lines_schema[] =
    "{\"type\":\"object\",\"properties\":{\"lines\":{\"type\":\"array\","
    "\"items\":{\"type\":\"string\"}}},\"required\":[\"lines\"],"
    "\"additionalProperties\":false}";

/* The text of a cell. */
struct cell_text {
    const char *text; /* "": unreadable */
    double sureness;
};

struct page_reader {
    struct document_run *r;
    const struct image *picture;
    struct page page; /* describes the picture */
    struct glyph_boxes cells;
    struct arena *arena;
    struct line_ocr *out;
};

/* The lines of an answer as one text, with its mean token probability. */
static struct cell_text read_answer(const struct document *doc,
                                    struct arena *arena)
{
    struct cell_text text_read = {"", 0};
    struct err none = {0};
    double log_p = 0, n_token = 0;
    cJSON *value = json_parse(doc->answer, &none);
    const cJSON *line = NULL;
    cJSON_ArrayForEach(line, json_get(value, "lines"))
    {
        if (cJSON_IsString(line))
            text_read.text =
                arena_text(arena, "%s%s%s", text_read.text,
                           *text_read.text ? " " : "", line->valuestring);
    }
    cJSON_Delete(value);
    for (int i = 0; i < doc->n_field; i++) {
        log_p += log(fmax(doc->field[i].p, 1e-300));
        n_token += fmax(doc->field[i].n_token, 1);
    }
    if (n_token > 0) text_read.sureness = exp(log_p / n_token);
    return text_read;
}

/* Asks for the text of a picture; an unusable answer is not a failure. */
static struct cell_text ask_cell(struct page_reader *o,
                                 const struct image *image)
{
    struct document_run *r = o->r;
    struct engine *engine = r->context->engine;
    struct document *doc = r->doc;
    struct cell_text text_read = {"", 0};
    struct view view = {.image = image, .page = &o->page};
    const struct engine_try now = {.attempt = 1, .max_tokens = TOKENS_MOST};
    engine->api->begin(engine, doc, r->err);
    engine->api->page(engine, doc, &view, r->err);
    engine->api->answer(engine, doc, &now, r->err);
    if (!err_failed(r->err)) text_read = read_answer(doc, o->arena);
    if (r->err->kind == ERR_ANSWER || r->err->kind == ERR_LIMIT)
        *r->err = (struct err){0};
    return text_read;
}

static struct cell_text read_cell(struct page_reader *o,
                                  const struct print_cell *cell)
{
    struct cell_text best = {"", 0};
    int grid = o->r->target.grid;
    for (size_t i = 0; i < sizeof look_pitch / sizeof *look_pitch; i++) {
        struct cell_style style = {look_height[i], look_pitch[i], grid,
                                   NARROWEST * grid};
        struct image image =
            glyph_boxes_draw(o->picture, &o->cells, cell, &style, o->r->err);
        struct cell_text text_read = {"", 0};
        if (!err_failed(o->r->err)) text_read = ask_cell(o, &image);
        image_free(&image);
        if (text_read.sureness > best.sureness) best = text_read;
        if (best.sureness >= sure) break;
    }
    return best.sureness < sure_least ? (struct cell_text){"", 0} : best;
}

/* Adds the word that begins at letter `from` of the `all` letters of a cell, as
 * if they were equally wide. Returns its number of letters. */
static double add_word(struct page_reader *o, const struct print_cell *cell,
                       const struct cell_text *text_read, struct span text,
                       double from, double all)
{
    double width = o->picture->width_px, height = o->picture->height_px;
    const char *word = arena_copy(o->arena, text);
    double n = (double)utf8_count(word);
    struct box box = {(cell->x + cell->w * from / all) / width,
                      cell->y / height, cell->w * n / all / width,
                      cell->h / height};
    struct words *words = &o->out->words;
    if (words->n_word == WORDS_MOST) return n;
    box = prepare_to_page(&o->page, box);
    words->word[words->n_word++] = (struct word){
        box.x, box.y, box.w, box.h, word, (float)text_read->sureness};
    return n;
}

static void add_words(struct page_reader *o, const struct print_cell *cell,
                      const struct cell_text *text_read)
{
    double all = (double)utf8_count(text_read->text), at = 0;
    for (const char *c = text_read->text; *c;) {
        size_t n = strcspn(c, " ");
        struct span text = {c, n};
        if (n) at += add_word(o, cell, text_read, text, at, all);
        at++;
        c += n + (c[n] == ' ');
    }
}

static bool is_speck(const struct print_cell *cell)
{
    return cell->w < speck_most * cell->h;
}

/* Notes an unread line, once for all its cells. */
static void note_unread(struct page_reader *o, const struct print_cell *cell)
{
    struct line_ocr *out = o->out;
    double height = o->picture->height_px, at;
    struct box box = {0, cell->y / height, 1, cell->h / height};
    box = prepare_to_page(&o->page, box);
    at = box.y + box.h / 2;
    if (out->n_unread && fabs(at - out->unread[out->n_unread - 1]) < box.h / 2)
        return;
    out->unread_on |= out->n_unread == LINE_OCR_UNREAD_MAX;
    if (!out->unread_on) out->unread[out->n_unread++] = at;
}

/* Can another cell be asked: are there questions and words left? */
static bool can_ask(const struct page_reader *o, int i)
{
    return !err_failed(o->r->err) && i < CELLS_MOST &&
           o->out->words.n_word <= WORDS_MOST - TOKENS_MOST;
}

static void read_cells(struct page_reader *o)
{
    double widest = WIDEST * o->r->target.grid / look_height[0];
    glyph_boxes_find(o->picture, widest, o->arena, &o->cells);
    struct words *words = &o->out->words;
    words->word = arena_array(o->arena, WORDS_MOST, sizeof *words->word);
    for (int i = 0; i < o->cells.n_cell; i++) {
        const struct print_cell *cell = &o->cells.cell[i];
        bool asked = can_ask(o, i);
        struct cell_text text_read = {"", 0};
        if (asked) text_read = read_cell(o, cell);
        if (*text_read.text)
            add_words(o, cell, &text_read);
        else if (!asked || !is_speck(cell))
            note_unread(o, cell);
        document_drop_answer(o->r->doc);
    }
}

/* Draws the page in full resolution, deskewed. */
static bool draw_page(struct page_reader *o, int index, struct image *picture)
{
    struct prepare_target whole = {.grid = 1, .max_pixels = INT64_MAX};
    const struct settings *settings = o->r->context->settings;
    if (!document_run_draw_again(o->r, index, picture, &o->page)) return false;
    prepare_page(picture, NULL, &o->page, &whole, settings, o->r->err);
    return !err_failed(o->r->err) && !o->page.blank;
}

static void read_print(struct document_run *r, int index, struct arena *arena,
                       struct line_ocr *out)
{
    struct document *doc = r->doc, kept = *doc;
    struct image picture = {0};
    struct page_reader o = {
        .r = r, .picture = &picture, .arena = arena, .out = out};
    out->words.source = WORDS_OF_MODEL;
    if (!draw_page(&o, index, &picture)) {
        image_free(&picture);
        return;
    }
    struct schema *schema =
        schema_parse(span_of(lines_schema), "lines", NULL, r->err);
    doc->schema = schema;
    doc->prompt = "";
    doc->scratch = arena_new();
    if (!err_failed(r->err)) read_cells(&o);
    out->words.aspect = (double)o.page.width_px / o.page.height_px;
    out->words.skew_degrees = o.page.skew_degrees;
    arena_free(doc->scratch);
    doc->schema = kept.schema;
    doc->prompt = kept.prompt;
    doc->scratch = kept.scratch;
    doc->field = kept.field;
    doc->n_field = kept.n_field;
    doc->answer = kept.answer;
    doc->token_probs = kept.token_probs;
    schema_free(schema);
    image_free(&picture);
}

const struct words *line_ocr_or_others(struct document_run *r, int index,
                                       struct arena *arena,
                                       struct line_ocr *own)
{
    const struct words *words = &page_words_get(r->words, index)->tight;
    *own = (struct line_ocr){.n_unread = 0};
    if (words->n_word || r->doc->page[index].blank) return words;
    read_print(r, index, arena, own);
    return &own->words;
}
