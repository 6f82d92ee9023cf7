/* ground_lines.c - see ground_lines.h. */
#include "stages/fallback/ground_lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stages/confidence/confidence.h"
#include "stages/engine/engine.h"
#include "stages/fallback/line_ocr.h"
#include "stages/page/text_lines.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

static const double others_most = 0.5; /* most p of text layer or OCR */

/* The name of the only member, if it is an array of strings; or NULL. */
static const char *lines_member(const struct schema *s)
{
    const cJSON *root = schema_follow(s, schema_root(s));
    const cJSON *only = json_get(root, "properties");
    only = only ? only->child : NULL;
    if (!only || only->next) return NULL;
    const cJSON *list = schema_follow(s, only);
    const cJSON *item = json_get(list, "items");
    bool is_list = schema_names_type(list, "array") && item &&
                   schema_names_type(schema_follow(s, item), "string");
    return is_list ? only->string : NULL;
}

bool ground_lines_may(const struct document_run *r)
{
    return strcmp(r->context->settings->ground, "off") != 0 &&
           lines_member(r->doc->schema);
}

/* Confidence of a line: geometric mean over its letters. */
static double sureness_of(const struct line *line, double *n_letter)
{
    double log_p = 0;
    *n_letter = 0;
    for (int i = 0; i < line->n_word; i++) {
        double n = (double)utf8_count(line->word[i].text);
        log_p += n * log(fmax(line->word[i].confidence, 1e-6));
        *n_letter += n;
    }
    return *n_letter > 0 ? exp(log_p / *n_letter) : 1;
}

/* Confidence of all lines: geometric mean over their letters. */
static double sureness_of_all(const struct text_lines *lines)
{
    double log_p = 0, n_letter = 0, n;
    for (int i = 0; i < lines->n_line; i++) {
        double own = sureness_of(&lines->line[i], &n);
        log_p += n * log(own);
        n_letter += n;
    }
    return n_letter > 0 ? exp(log_p / n_letter) : 0;
}

/* The box of a line on the page as displayed. */
static struct box box_of(const struct line *line, const struct words *words)
{
    double left = 1, top = 1, right = 0, foot = 0;
    for (int i = 0; i < line->n_word; i++) {
        const struct word *word = &words->word[line->box[i]];
        left = fmin(left, word->x);
        top = fmin(top, word->y);
        right = fmax(right, word->x + word->w);
        foot = fmax(foot, word->y + word->h);
    }
    return (struct box){left, top, right - left, foot - top};
}

/* The field of a line, without its pointer. */
static struct field field_of_line(const struct line *line,
                                  const struct words *words, int page,
                                  struct arena *arena)
{
    double n_letter, sure = sureness_of(line, &n_letter);
    bool own = words->source == WORDS_OF_MODEL;
    double most = own ? 1 : others_most;
    struct place_line print = {.box = box_of(line, words),
                               .text = line->text,
                               .source = words->source,
                               .confidence = (float)sure};
    struct print_place place = {.page = page, .line = &print, .n_line = 1};
    struct aligned_value where = {.place = &place, .n_place = 1};
    struct field f = {.page = page,
                      .anchored = !own,
                      .n_token = (int)n_letter,
                      .p = fmin(pow(sure, n_letter), most),
                      .p_min = fmin(sure, most),
                      .p_min_of_siblings = fmin(sure, most),
                      .p_legal = 1};
    evidence_pages_set_evidence(&f, &where, arena);
    return f;
}

/* The lines as a value of the schema; sets doc->field. */
static cJSON *value_from_lines(struct document *doc,
                               const struct text_lines *lines,
                               const struct words *words, int page)
{
    const char *name = lines_member(doc->schema);
    size_t n = (size_t)lines->n_line;
    cJSON *value = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(value, name);
    doc->field = arena_array(doc->scratch, n + 1, sizeof *doc->field);
    doc->n_field = lines->n_line;
    for (int i = 0; i < lines->n_line; i++) {
        const struct line *line = &lines->line[i];
        cJSON_AddItemToArray(list, cJSON_CreateString(line->text));
        doc->field[i] = field_of_line(line, words, page, doc->scratch);
        doc->field[i].pointer = arena_text(doc->scratch, "/%s/%d", name, i);
    }
    return value;
}

/* Are the lines better than the answer? */
static bool is_better(struct document_run *r, const struct text_lines *lines,
                      const struct words *words, bool cramped)
{
    if (err_failed(r->err) || !lines->n_line) return false;
    if (words->source != WORDS_OF_MODEL || cramped) return true;
    return sureness_of_all(lines) >
           confidence_so_far(r->doc, engine_facts(r->context->engine)).token_p;
}

/* Adds gaps for print that could not be read, with a warning. */
static void warn_of_gaps(struct document *doc, const struct line_ocr *own,
                         int page)
{
    if (!own->n_unread) return;
    if (!doc->gaps) doc->gaps = cJSON_CreateArray();
    for (int i = 0; i < own->n_unread; i++) {
        char text[80];
        bool on = own->unread_on && i == own->n_unread - 1;
        snprintf(text, sizeof text,
                 "unreadable print %s %.0f %% of the page height%s",
                 on ? "from" : "at", 100 * own->unread[i], on ? " on" : "");
        cJSON *gap = cJSON_CreateObject();
        cJSON_AddItemToObject(gap, "page", json_new_integer(page));
        cJSON_AddStringToObject(gap, "text", text);
        cJSON_AddItemToArray(doc->gaps, gap);
    }
    document_warn(doc, &(struct warning){.code = WARN_GAPS, .page = page},
                  "review: unreadable print on page %d (%s%d places)", page,
                  own->unread_on ? "more than " : "", own->n_unread);
}

static bool is_needed(const struct document_run *r, const struct question *q)
{
    const struct engine_facts *facts = engine_facts(r->context->engine);
    return !err_failed(r->err) && r->words && q->to - q->from == 1 &&
           !q->part && ground_lines_may(r) &&
           (r->doc->page[q->from].cramped ||
            confidence_is_guessed(r->doc, facts));
}

cJSON *ground_lines_instead(struct document_run *r, const struct question *q,
                            cJSON *value)
{
    struct document *doc = r->doc;
    struct field *field = doc->field;
    int n_field = doc->n_field;
    struct text_lines lines;
    if (!value || !is_needed(r, q)) return value;
    const struct page *page = &doc->page[q->from];
    struct line_ocr own;
    struct arena *arena = arena_new();
    const struct words *words = line_ocr_or_others(r, q->from, arena, &own);
    text_lines_of_words(words, arena, &lines);
    cJSON *other = is_better(r, &lines, words, page->cramped)
                       ? value_from_lines(doc, &lines, words, page->number)
                       : NULL;
    if (other && schema_admits(doc->schema, schema_root(doc->schema), other)) {
        cJSON_Delete(value);
        value = other;
        warn_of_gaps(doc, &own, page->number);
    } else {
        cJSON_Delete(other);
        doc->field = field;
        doc->n_field = n_field;
    }
    arena_free(arena);
    return value;
}
