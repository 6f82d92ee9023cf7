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

/* Heights of 17 pixels are read best, and a second look is worth most where it is
 * lower and wider (eval_real.py, MODEL_CARD.md). */
static const double look_height[] = {17, 15}, look_pitch[] = {0, 9.5};
static const double sure = 0.98, sure_least = 0.5; /* less: dirt, no print */

static const double speck_most = 2; /* times its height: narrower is dirt */

static const char lines_schema[] =
    "{\"type\":\"object\",\"properties\":{\"lines\":{\"type\":\"array\","
    "\"items\":{\"type\":\"string\"}}},\"required\":[\"lines\"],"
    "\"additionalProperties\":false}";

/* What a cell says. */
struct own_said {
    const char *text; /* "": nothing that could be read */
    double sureness;
};

struct own_reading {
    struct document_run *r;
    const struct image *picture;
    struct page page; /* of the picture */
    struct glyph_boxes cells;
    struct arena *arena;
    struct line_ocr *out;
};

/* The lines of an answer as one, and how sure its tokens are. */
static struct own_said said_by(const struct document *doc, struct arena *arena)
{
    struct own_said said = {"", 0};
    struct err none = {0};
    double log_p = 0, n_token = 0;
    cJSON *value = json_parse(doc->answer, &none);
    const cJSON *line = NULL;
    cJSON_ArrayForEach(line, json_get(value, "lines"))
    {
        if (cJSON_IsString(line))
            said.text = arena_text(arena, "%s%s%s", said.text,
                                   *said.text ? " " : "", line->valuestring);
    }
    cJSON_Delete(value);
    for (int i = 0; i < doc->n_field; i++) {
        log_p += log(fmax(doc->field[i].p, 1e-300));
        n_token += fmax(doc->field[i].n_token, 1);
    }
    if (n_token > 0) said.sureness = exp(log_p / n_token);
    return said;
}

/* An answer that is of no use is no failure. */
static struct own_said ask(struct own_reading *o, const struct image *image)
{
    struct document_run *r = o->r;
    struct engine *engine = r->desk->engine;
    struct document *doc = r->doc;
    struct own_said said = {"", 0};
    struct view view = {.image = image, .page = &o->page};
    const struct engine_try now = {.attempt = 1, .max_tokens = TOKENS_MOST};
    engine->api->begin(engine, doc, r->err);
    engine->api->page(engine, doc, &view, r->err);
    engine->api->answer(engine, doc, &now, r->err);
    if (!err_failed(r->err)) said = said_by(doc, o->arena);
    if (r->err->kind == ERR_ANSWER || r->err->kind == ERR_LIMIT)
        *r->err = (struct err){0};
    return said;
}

static struct own_said look(struct own_reading *o,
                            const struct print_cell *cell)
{
    struct own_said best = {"", 0};
    int grid = o->r->target.grid;
    for (size_t i = 0; i < sizeof look_pitch / sizeof *look_pitch; i++) {
        struct cell_style style = {look_height[i], look_pitch[i], grid,
                                   NARROWEST * grid};
        struct image image =
            glyph_boxes_draw(o->picture, &o->cells, cell, &style, o->r->err);
        struct own_said said = {"", 0};
        if (!err_failed(o->r->err)) said = ask(o, &image);
        image_free(&image);
        if (said.sureness > best.sureness) best = said;
        if (best.sureness >= sure) break;
    }
    return best.sureness < sure_least ? (struct own_said){"", 0} : best;
}

/* A word of a cell from its letter `from` on, of `all`: letters are taken for
 * alike wide. How many it has. */
static double add_word(struct own_reading *o, const struct print_cell *cell,
                       const struct own_said *said, struct span text,
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
    words->word[words->n_word++] =
        (struct word){box.x, box.y, box.w, box.h, word, (float)said->sureness};
    return n;
}

static void add_words(struct own_reading *o, const struct print_cell *cell,
                      const struct own_said *said)
{
    double all = (double)utf8_count(said->text), at = 0;
    for (const char *c = said->text; *c;) {
        size_t n = strcspn(c, " ");
        struct span text = {c, n};
        if (n) at += add_word(o, cell, said, text, at, all);
        at++;
        c += n + (c[n] == ' ');
    }
}

static bool is_speck(const struct print_cell *cell)
{
    return cell->w < speck_most * cell->h;
}

/* Once for the cells of a line. */
static void note_unread(struct own_reading *o, const struct print_cell *cell)
{
    struct line_ocr *out = o->out;
    double height = o->picture->height_px, at;
    struct box box = {0, cell->y / height, 1, cell->h / height};
    box = prepare_to_page(&o->page, box);
    at = box.y + box.h / 2;
    if (out->n_unread && fabs(at - out->unread[out->n_unread - 1]) < box.h / 2)
        return;
    out->unread_on |= out->n_unread == OWN_UNREAD_MAX;
    if (!out->unread_on) out->unread[out->n_unread++] = at;
}

/* Is there time for one cell more, and room for what it may say? */
static bool may_ask(const struct own_reading *o, int i)
{
    return !err_failed(o->r->err) && i < CELLS_MOST &&
           o->out->words.n_word <= WORDS_MOST - TOKENS_MOST;
}

static void read_cells(struct own_reading *o)
{
    double widest = WIDEST * o->r->target.grid / look_height[0];
    glyph_boxes_find(o->picture, widest, o->arena, &o->cells);
    struct words *words = &o->out->words;
    words->word = arena_array(o->arena, WORDS_MOST, sizeof *words->word);
    for (int i = 0; i < o->cells.n_cell; i++) {
        const struct print_cell *cell = &o->cells.cell[i];
        bool asked = may_ask(o, i);
        struct own_said said = {"", 0};
        if (asked) said = look(o, cell);
        if (*said.text)
            add_words(o, cell, &said);
        else if (!asked || !is_speck(cell))
            note_unread(o, cell);
        document_drop_answer(o->r->doc);
    }
}

/* The page as it is drawn, upright and straight. */
static bool draw(struct own_reading *o, int index, struct image *picture)
{
    struct prepare_target whole = {.grid = 1, .max_pixels = INT64_MAX};
    const struct settings *settings = o->r->desk->settings;
    if (!document_run_draw_again(o->r, index, picture, &o->page)) return false;
    prepare_page(picture, NULL, &o->page, &whole, settings, o->r->err);
    return !err_failed(o->r->err) && !o->page.blank;
}

static void read_page(struct document_run *r, int index, struct arena *arena,
                      struct line_ocr *out)
{
    struct document *doc = r->doc, kept = *doc;
    struct image picture = {0};
    struct own_reading o = {
        .r = r, .picture = &picture, .arena = arena, .out = out};
    out->words.source = WORDS_OF_MODEL;
    if (!draw(&o, index, &picture)) {
        image_free(&picture);
        return;
    }
    struct schema *schema =
        schema_parse(span_of(lines_schema), "lines", NULL, r->err);
    doc->schema = schema;
    doc->prompt = "";
    doc->scratch = arena_new();
    if (!err_failed(r->err)) read_cells(&o);
    out->words.aspect = (double)picture.width_px / picture.height_px;
    arena_free(doc->scratch);
    doc->schema = kept.schema;
    doc->prompt = kept.prompt;
    doc->scratch = kept.scratch;
    doc->field = kept.field;
    doc->n_field = kept.n_field;
    doc->answer = kept.answer;
    doc->told = kept.told;
    doc->look = kept.look;
    schema_free(schema);
    image_free(&picture);
}

const struct words *line_ocr_or_others(struct document_run *r, int index,
                                       struct arena *arena,
                                       struct line_ocr *own)
{
    const struct words *words = &page_words_get(r->reader, index)->tight;
    *own = (struct line_ocr){.n_unread = 0};
    if (words->n_word || r->doc->page[index].blank) return words;
    read_page(r, index, arena, own);
    return &own->words;
}
