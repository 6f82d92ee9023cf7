/* field.c - see field.h. */
#include "stages/ask/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/verdict.h"
#include "stages/confidence/confidence.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

static cJSON *rounded(double p)
{
    char text[40];
    snprintf(text, sizeof text, "%.4f", p);
    return json_new_number(text);
}

/* --- evidence as JSON ---------------------------------------------------- */

static const char *const name_of_source[] = {
    [EVIDENCE_TEXT_LAYER] = "text-layer",
    [EVIDENCE_OCR] = "ocr",
    [EVIDENCE_E_INVOICE] = "e-invoice"};
static const char *const name_of_match[] = {
    [EVIDENCE_EXACT] = "exact",        [EVIDENCE_NORMALISED] = "normalised",
    [EVIDENCE_FUZZY] = "fuzzy",        [EVIDENCE_AMBIGUOUS] = "ambiguous",
    [EVIDENCE_PARTIAL] = "partial",    [EVIDENCE_POSITION] = "position",
    [EVIDENCE_DIFFERENT] = "different"};

static void add_evidence_box(cJSON *place, const struct box *box)
{
    const double side[] = {box->x, box->y, box->w, box->h};
    cJSON *all = cJSON_AddArrayToObject(place, "box");
    for (size_t i = 0; i < sizeof side / sizeof *side; i++)
        cJSON_AddItemToArray(all, rounded(side[i]));
}

static cJSON *evidence_object(const struct evidence *e)
{
    char text[40];
    cJSON *o = cJSON_CreateObject();
    if (e->page) {
        json_add_integer(o, "page", e->page);
        add_evidence_box(o, &e->box);
    }
    if (e->text) cJSON_AddStringToObject(o, "text", e->text);
    cJSON_AddStringToObject(o, "source", name_of_source[e->source]);
    cJSON_AddStringToObject(o, "match", name_of_match[e->match]);
    if (e->source == EVIDENCE_OCR) {
        snprintf(text, sizeof text, "%.2f", (double)e->confidence);
        cJSON_AddItemToObject(o, "confidence", json_new_number(text));
    }
    if (e->distance) json_add_integer(o, "distance", e->distance);
    if (e->term) {
        snprintf(text, sizeof text, "BT-%d", e->term);
        cJSON_AddStringToObject(o, "term", text);
    }
    if (e->xpath) cJSON_AddStringToObject(o, "xpath", e->xpath);
    return o;
}

static cJSON *evidence_array(const struct field *f)
{
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < f->n_evidence; i++)
        cJSON_AddItemToArray(all, evidence_object(&f->evidence[i]));
    return all;
}

/* The same as compact text (cJSON_Raw), which needs less memory. */
static cJSON *evidence_text(const struct field *f)
{
    struct buf text = buf_limit(SIZE_MAX / 8);
    cJSON *tree = evidence_array(f);
    json_print(&text, tree, 0);
    cJSON_Delete(tree);
    cJSON *item = cJSON_CreateRaw(buf_span(&text).data);
    buf_free(&text);
    return item;
}

/* --- until a row is complete ---------------------------------------------- */

/* One place: numbers, and last its text, if any. A box in ten-thousandths and the
 * confidence in hundredths, as they are printed. */
enum { OF_EVIDENCE = 10 };

static long long in_parts(double number, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*f", digits, number);
    return llrint(strtod(text, NULL) * pow(10, digits));
}

static cJSON *store_evidence(const struct evidence *e)
{
    const long long number[OF_EVIDENCE] = {in_parts(e->box.x, 4),
                                           in_parts(e->box.y, 4),
                                           in_parts(e->box.w, 4),
                                           in_parts(e->box.h, 4),
                                           e->page,
                                           e->source,
                                           e->match,
                                           in_parts((double)e->confidence, 2),
                                           e->distance,
                                           e->term};
    cJSON *place = cJSON_CreateArray();
    for (int i = 0; i < OF_EVIDENCE; i++)
        cJSON_AddItemToArray(place, json_new_integer(number[i]));
    if (e->text) cJSON_AddItemToArray(place, cJSON_CreateString(e->text));
    return place;
}

static struct evidence evidence_kept(const cJSON *place, struct arena *arena)
{
    double number[OF_EVIDENCE] = {0};
    const cJSON *n = place->child;
    for (int i = 0; n && i < OF_EVIDENCE; i++, n = n->next)
        number[i] = n->valuedouble;
    return (struct evidence){
        .box = {number[0] / 1e4, number[1] / 1e4, number[2] / 1e4,
                number[3] / 1e4},
        .page = (int)number[4],
        .source = (enum evidence_source)number[5],
        .match = (enum evidence_match)number[6],
        .confidence = (float)(number[7] / 100),
        .distance = (int)number[8],
        .term = (int)number[9],
        .text = n ? arena_copy(arena, span_of(n->valuestring)) : NULL};
}

static cJSON *store_all_evidence(const struct field *f)
{
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < f->n_evidence; i++)
        cJSON_AddItemToArray(all, store_evidence(&f->evidence[i]));
    return all;
}

static void read_evidence(struct field *f, const cJSON *all,
                          struct arena *arena)
{
    const cJSON *place = NULL;
    size_t n = (size_t)cJSON_GetArraySize(all);
    if (!n) return;
    struct evidence *own = arena_array(arena, n, sizeof *own);
    cJSON_ArrayForEach(place, all)
    {
        own[f->n_evidence++] = evidence_kept(place, arena);
    }
    f->evidence = own;
}

static cJSON *number_or_null(const struct field *f, double p)
{
    return f->unmeasured ? cJSON_CreateNull() : json_new_exact(p);
}

/* The flags and the doubt of a field, as one number. */
enum {
    MARK_NULL = 1,
    MARK_DROPPED = 2,
    MARK_FIGURE = 8,
    MARK_CONFIRMED = 16,
    MARK_DENIED = 32,
    MARK_DOUBT = 256 /* times the doubt */
};

static int marks_of(const struct field *f)
{
    return (f->is_null ? MARK_NULL : 0) | (f->dropped ? MARK_DROPPED : 0) |
           (f->is_figure ? MARK_FIGURE : 0) |
           (f->confirmed ? MARK_CONFIRMED : 0) | (f->denied ? MARK_DENIED : 0) |
           (int)f->doubt * MARK_DOUBT;
}

static void set_marks(struct field *f, int marks)
{
    f->is_null = marks & MARK_NULL;
    f->dropped = marks & MARK_DROPPED;
    f->is_figure = marks & MARK_FIGURE;
    f->confirmed = marks & MARK_CONFIRMED;
    f->denied = marks & MARK_DENIED;
    f->doubt = (enum field_doubt)(marks / MARK_DOUBT);
}

static cJSON *legal_or_null(const struct field *f)
{
    return f->legal_unknown ? cJSON_CreateNull()
                            : number_or_null(f, f->p_legal);
}

static cJSON *store_field(const struct field *f, size_t cut)
{
    cJSON *entry = cJSON_CreateArray();
    cJSON_AddItemToArray(entry, cJSON_CreateString(f->pointer + cut));
    cJSON_AddItemToArray(entry, number_or_null(f, f->p));
    cJSON_AddItemToArray(entry, legal_or_null(f));
    cJSON_AddItemToArray(entry, json_new_integer(f->verdict));
    cJSON_AddItemToArray(entry, json_new_integer(f->page));
    cJSON_AddItemToArray(entry, store_all_evidence(f));
    cJSON_AddItemToArray(entry, number_or_null(f, f->p_min));
    cJSON_AddItemToArray(entry, number_or_null(f, f->p_min_of_siblings));
    cJSON_AddItemToArray(entry, json_new_integer(marks_of(f)));
    cJSON_AddItemToArray(entry, json_new_integer(f->n_token));
    cJSON_AddItemToArray(entry, json_new_exact(f->print_p));
    return entry;
}

static bool is_below(const char *pointer, struct span top)
{
    return !strncmp(pointer, top.data, top.size) &&
           (!pointer[top.size] || pointer[top.size] == '/');
}

cJSON *field_keep_below(const struct field *field, int n_field, struct span top,
                        size_t cut)
{
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < n_field; i++)
        if (is_below(field[i].pointer, top))
            cJSON_AddItemToArray(all, store_field(&field[i], cut));
    return all;
}

struct field field_kept(const cJSON *entry, struct arena *arena)
{
    const cJSON *p = entry->child->next, *verdict = p->next->next;
    const cJSON *evidence = verdict->next->next, *p_min = evidence->next;
    const cJSON *kept_marks = p_min->next->next;
    bool known = cJSON_IsNumber(p), legal_known = cJSON_IsNumber(p->next);
    struct field f = {.pointer = entry->child->valuestring,
                      .p = known ? p->valuedouble : 1,
                      .p_legal = legal_known ? p->next->valuedouble : 1,
                      .p_min = known ? p_min->valuedouble : 1,
                      .p_min_of_siblings = known ? p_min->next->valuedouble : 1,
                      .n_token = kept_marks->next->valueint,
                      .print_p = kept_marks->next->next->valuedouble,
                      .unmeasured = !known,
                      .legal_unknown = known && !legal_known,
                      .verdict = (enum field_verdict)verdict->valueint,
                      .page = verdict->next->valueint};
    set_marks(&f, kept_marks->valueint);
    if (arena) read_evidence(&f, evidence, arena);
    return f;
}

cJSON *field_keep_both(const cJSON *first, const cJSON *rest)
{
    struct arena *arena = arena_new();
    struct field a = field_kept(first, arena), b = field_kept(rest, arena);
    struct field both = b.p < a.p ? b : a;
    size_t n = (size_t)a.n_evidence, more = (size_t)b.n_evidence;
    struct evidence *all =
        arena_widen(arena, a.evidence, n, n + more + 1, sizeof *all);
    for (size_t i = 0; i < more; i++)
        all[n + i] = b.evidence[i];
    both.evidence = all;
    both.n_evidence = a.n_evidence + b.n_evidence;
    both.pointer = a.pointer;
    both.page = a.page ? a.page : b.page;
    both.is_null = a.is_null && b.is_null;
    both.print_p = fmin(a.print_p, b.print_p);
    verdict_join(&both, &a, &b);
    cJSON *entry = store_field(&both, 0);
    arena_free(arena);
    return entry;
}

/* --- in the row file ----------------------------------------------------- */

/* field.h draws both. */
struct field_row {
    double p, p_legal, p_min, p_min_of_siblings, print_p;
    int32_t page, n_token;
    uint32_t n_evidence, pointer_bytes;
    uint32_t marks;
    uint16_t verdict;
    uint8_t unmeasured, legal_unknown;
};
struct evidence_row {
    int32_t side[4], page, distance;
    uint32_t text_bytes; /* NO_TEXT: none */
    uint16_t term;
    uint8_t confidence, kind; /* kind: source, times KINDS, plus match */
};
static const uint32_t NO_TEXT = UINT32_MAX;
enum { KINDS = 16 };

_Static_assert(sizeof(struct field_row) == 64, "field.h draws it");
_Static_assert(sizeof(struct evidence_row) == 32, "field.h draws it");

static void pack_evidence(struct buf *out, const struct evidence *e)
{
    struct evidence_row row = {
        .side = {(int32_t)rint(e->box.x * 1e4), (int32_t)rint(e->box.y * 1e4),
                 (int32_t)rint(e->box.w * 1e4), (int32_t)rint(e->box.h * 1e4)},
        .page = e->page,
        .distance = e->distance,
        .text_bytes = e->text ? (uint32_t)strlen(e->text) : NO_TEXT,
        .term = (uint16_t)e->term,
        .confidence = (uint8_t)rint((double)e->confidence * 100),
        .kind = (uint8_t)((int)e->source * KINDS + (int)e->match)};
    buf_add(out, &row, sizeof row);
}

void field_pack(struct buf *out, const cJSON *entry, struct arena *arena)
{
    struct field f = field_kept(entry, arena);
    struct field_row row = {.p = f.p,
                            .p_legal = f.p_legal,
                            .p_min = f.p_min,
                            .p_min_of_siblings = f.p_min_of_siblings,
                            .print_p = f.print_p,
                            .page = f.page,
                            .n_token = f.n_token,
                            .n_evidence = (uint32_t)f.n_evidence,
                            .pointer_bytes = (uint32_t)strlen(f.pointer),
                            .marks = (uint32_t)marks_of(&f),
                            .verdict = (uint16_t)f.verdict,
                            .unmeasured = f.unmeasured,
                            .legal_unknown = f.legal_unknown};
    buf_add(out, &row, sizeof row);
    for (int i = 0; i < f.n_evidence; i++)
        pack_evidence(out, &f.evidence[i]);
    buf_add_text(out, f.pointer);
    for (int i = 0; i < f.n_evidence; i++)
        if (f.evidence[i].text) buf_add_text(out, f.evidence[i].text);
}

/* The next `size` bytes of what is left, or NULL: there are fewer. */
static const char *take_bytes(struct span *rest, size_t size)
{
    const char *bytes = rest->data;
    if (size > rest->size) return NULL;
    rest->data += size;
    rest->size -= size;
    return bytes;
}

static const char *take_text(struct span *rest, size_t size,
                             struct arena *arena)
{
    const char *bytes = take_bytes(rest, size);
    return bytes ? arena_copy(arena, (struct span){bytes, size}) : NULL;
}

static struct evidence evidence_of_row(const struct evidence_row *row)
{
    return (struct evidence){.box = {row->side[0] / 1e4, row->side[1] / 1e4,
                                     row->side[2] / 1e4, row->side[3] / 1e4},
                             .page = row->page,
                             .distance = row->distance,
                             .term = row->term,
                             .confidence = (float)(row->confidence / 100.0),
                             .source =
                                 (enum evidence_source)(row->kind / KINDS),
                             .match = (enum evidence_match)(row->kind % KINDS)};
}

static struct field field_of_row(const struct field_row *row)
{
    int marks = (int)row->marks;
    struct field f = {.p = row->p,
                      .p_legal = row->p_legal,
                      .p_min = row->p_min,
                      .p_min_of_siblings = row->p_min_of_siblings,
                      .print_p = row->print_p,
                      .page = row->page,
                      .n_token = row->n_token,
                      .verdict = (enum field_verdict)row->verdict,
                      .unmeasured = row->unmeasured,
                      .legal_unknown = row->legal_unknown};
    set_marks(&f, marks);
    return f;
}

/* Reads the places of a field, and then its texts. */
static bool unpack_evidence(struct span *rest, const struct field_row *row,
                            struct field *out, struct arena *arena)
{
    struct evidence_row place;
    size_t n = row->n_evidence;
    if (n > rest->size / sizeof place) return false;
    struct span places = {take_bytes(rest, n * sizeof place), n * sizeof place};
    struct evidence *all = arena_array(arena, n + 1, sizeof *all);
    out->pointer = take_text(rest, row->pointer_bytes, arena);
    for (size_t i = 0; i < n; i++) {
        memcpy(&place, places.data + i * sizeof place, sizeof place);
        all[i] = evidence_of_row(&place);
        if (place.text_bytes == NO_TEXT) continue;
        all[i].text = take_text(rest, place.text_bytes, arena);
        if (!all[i].text) return false;
    }
    out->evidence = n ? all : NULL;
    out->n_evidence = (int)n;
    return out->pointer;
}

bool field_unpack(struct span *rest, struct field *out, struct arena *arena)
{
    struct field_row row;
    const char *bytes = take_bytes(rest, sizeof row);
    if (!bytes) return false;
    memcpy(&row, bytes, sizeof row);
    *out = field_of_row(&row);
    return unpack_evidence(rest, &row, out, arena);
}

/* --- in the record ------------------------------------------------------- */

/* The word for the verdict, or NULL for none. */
static const char *verdict_name(const struct field *f)
{
    static const char *const name[] = {NULL,     "agree",   "differ",
                                       "unseen", "derived", "overlooked"};
    return field_is_doubtful(f) ? "doubtful" : name[f->verdict];
}

static const char *doubt_name(enum field_doubt doubt)
{
    static const char *const name[] = {NULL,         "place",        "sign",
                                       "date-order", "scale",        "partial",
                                       "label",      "check-digits", "layer"};
    return name[doubt];
}

cJSON *field_of_record(const struct field *f, const struct confidence *trust,
                       bool unfolded)
{
    const char *verdict = verdict_name(f);
    cJSON *o = cJSON_CreateObject();
    if (!f->unmeasured) {
        cJSON_AddItemToObject(o, "p", rounded(f->p));
        if (!f->legal_unknown)
            cJSON_AddItemToObject(o, "p_legal", rounded(f->p_legal));
    }
    cJSON_AddItemToObject(o, "confidence", rounded(confidence_value(f, trust)));
    if (verdict) cJSON_AddStringToObject(o, "verdict", verdict);
    if (field_is_doubtful(f))
        cJSON_AddStringToObject(o, "doubt", doubt_name(f->doubt));
    if (f->page) json_add_integer(o, "page", f->page);
    if (f->n_evidence)
        cJSON_AddItemToObject(o, "evidence",
                              unfolded ? evidence_array(f) : evidence_text(f));
    return o;
}
