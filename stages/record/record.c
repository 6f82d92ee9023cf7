/* record.c - see record.h. */
#include "stages/record/record.h"

#include <stdio.h>

#include "stages/ask/field.h"
#include "stages/confidence/confidence.h"
#include "stages/document/version.h"
#include "stages/input/identify.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

static void add_text(cJSON *object, const char *key, const char *text)
{
    cJSON_AddItemToObject(object, key, cJSON_CreateString(text));
}

static void add_decimal(cJSON *object, const char *key, double value,
                        int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", digits, value);
    cJSON_AddItemToObject(object, key, json_new_number(text));
}

static void add_known(cJSON *o, const char *key, const char *text)
{
    if (*text) add_text(o, key, text);
}

static cJSON *mail_object(const struct document_mail *m)
{
    cJSON *mail = cJSON_CreateObject();
    add_known(mail, "from", m->from);
    add_known(mail, "date", m->date);
    add_known(mail, "message_id", m->message_id);
    add_known(mail, "subject", m->subject);
    cJSON *all = cJSON_Parse(m->attachments);
    if (all) cJSON_AddItemToObject(mail, "attachments", all);
    return mail;
}

cJSON *record_source(const struct document *doc)
{
    cJSON *source = cJSON_CreateObject();
    add_text(source, "name", doc->name);
    add_text(source, "type", file_type_name(doc->type));
    add_text(source, "sha256", doc->sha256.hex);
    json_add_integer(source, "bytes", doc->size_bytes);
    json_add_integer(source, "pages", doc->n_page_source);
    if (doc->mail)
        cJSON_AddItemToObject(source, "mail", mail_object(doc->mail));
    return source;
}

static cJSON *page_object(const struct page *p)
{
    cJSON *page = cJSON_CreateObject();
    json_add_integer(page, "number", p->number);
    json_add_integer(page, "width_px", p->width_px);
    json_add_integer(page, "height_px", p->height_px);
    if (p->dpi > 0) add_decimal(page, "dpi", p->dpi, 1);
    if (p->skew_degrees > 0 || p->skew_degrees < 0)
        add_decimal(page, "skew_degrees", p->skew_degrees, 2);
    if (p->blank) cJSON_AddItemToObject(page, "blank", cJSON_CreateTrue());
    if (p->with_words)
        cJSON_AddItemToObject(page, "words_told", cJSON_CreateTrue());
    return page;
}

static cJSON *named_object(const char *name, const char *sha256)
{
    cJSON *object = cJSON_CreateObject();
    add_text(object, "name", name);
    if (*sha256) add_text(object, "sha256", sha256);
    return object;
}

static cJSON *tokens_object(const struct document *doc)
{
    cJSON *tokens = cJSON_CreateObject();
    json_add_integer(tokens, "prompt", doc->n_prompt_tokens);
    json_add_integer(tokens, "sampled", doc->n_sampled);
    json_add_integer(tokens, "forced", doc->n_forced);
    return tokens;
}

static cJSON *times_object(const struct document *doc)
{
    cJSON *times = cJSON_CreateObject();
    for (int i = 0; i < doc->n_time; i++)
        add_decimal(times, doc->time[i].stage, doc->time[i].seconds, 4);
    return times;
}

/* The value of one page, for conflicts. */
static cJSON *reading_object(const cJSON *entry)
{
    cJSON *reading = cJSON_CreateObject();
    json_add_integer(reading, "page", json_get(entry, "page")->valueint);
    add_decimal(reading, "p", json_get(entry, "p")->valuedouble, 4);
    cJSON_AddItemToObject(reading, "value",
                          cJSON_Duplicate(json_get(entry, "value"), true));
    return reading;
}

/* Values about which pages differ: the one taken, and the others. */
static cJSON *conflicts_array(const struct document *doc)
{
    cJSON *all = cJSON_CreateArray();
    const cJSON *entry = NULL, *other = NULL;
    cJSON_ArrayForEach(entry, doc->conflicts)
    {
        cJSON *conflict = cJSON_CreateObject();
        add_text(conflict, "pointer", entry->string);
        cJSON_AddItemToObject(conflict, "taken", reading_object(entry));
        cJSON *others = cJSON_AddArrayToObject(conflict, "others");
        cJSON_ArrayForEach(other, json_get(entry, "others"))
        {
            cJSON_AddItemToArray(others, reading_object(other));
        }
        cJSON_AddItemToArray(all, conflict);
    }
    return all;
}

/* The documents that the model was told as examples. */
static cJSON *examples_array(const struct document *doc)
{
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < doc->n_example; i++)
        cJSON_AddItemToArray(all, cJSON_CreateString(doc->example[i].id));
    return all;
}

/* The schema that the model chose, if it was asked. */
static void add_classification(cJSON *record, const struct document_kind *kind)
{
    if (!kind->name) return;
    cJSON *o = cJSON_AddObjectToObject(record, "classification");
    add_text(o, "name", kind->name);
    if (!kind->measured) return;
    add_decimal(o, "p", kind->p, 4);
    if (!kind->legal_unknown) add_decimal(o, "p_legal", kind->p_legal, 4);
}

static cJSON *part_object(const struct document_part *p)
{
    cJSON *part = cJSON_CreateObject();
    add_text(part, "stack", p->stack);
    json_add_integer(part, "number", p->number);
    json_add_integer(part, "count", p->count);
    add_known(part, "pages", p->pages);
    if (p->attachment) add_text(part, "attachment", p->attachment);
    return part;
}

void record_add_part(cJSON *record, const struct document *doc)
{
    if (doc->part)
        cJSON_AddItemToObject(record, "part", part_object(doc->part));
    if (doc->archive_number)
        add_text(record, "archive_number", doc->archive_number);
}

/* --- the tree ------------------------------------------------------------ */

struct record {
    struct json_stream stream;
    const struct document *doc;
    cJSON *tree;
    const cJSON *pages, *fields, *data; /* empty; delivered by the stream */

    /* the stream */
    cJSON *page;  /* the page delivered last */
    int n_page;   /* pages delivered */
    cJSON *group; /* the group of fields that is being delivered */
    struct document_walk walk;
    int depth;      /* nesting of the current rows */
    bool strict;    /* parse everything again (check_text) */
    bool unfolded;  /* evidence as trees */
    struct err err; /* the first failure of check_text */
};

static void add_facts(cJSON *record, const struct document *doc,
                      const struct engine_facts *facts)
{
    cJSON_AddItemToObject(
        record, "schema",
        named_object(schema_name(doc->schema), schema_hash(doc->schema)->hex));
    add_classification(record, &doc->kind);
    cJSON_AddItemToObject(record, "model",
                          named_object(facts->model, facts->model_hash));
    if (doc->n_example)
        cJSON_AddItemToObject(record, "examples", examples_array(doc));
    add_text(record, "engine", facts->name);
    if (facts->device) add_text(record, "device", facts->device);
    json_add_integer(record, "seed", doc->seed);
    json_add_integer(record, "attempts", doc->n_try);
    cJSON *versions = cJSON_AddObjectToObject(record, "versions");
    add_text(versions, "platen", PLATEN_VERSION);
    if (doc->unsandboxed)
        cJSON_AddItemToObject(record, "unsandboxed", cJSON_CreateTrue());
    cJSON_AddItemToObject(record, "tokens", tokens_object(doc));
    cJSON_AddItemToObject(record, "seconds", times_object(doc));
}

static void add_verdict(cJSON *record, const struct confidence *trust)
{
    if (!trust) return;
    add_text(record, "verdict", confidence_verdict_name(trust->verdict));
    cJSON_AddItemToObject(record, "review", cJSON_CreateBool(trust->review));
    if (*trust->fit.id) add_text(record, "confidence_fit", trust->fit.id);
}

static cJSON *record_object(struct record *r, const struct engine_facts *facts)
{
    const struct document *doc = r->doc;
    cJSON *record = cJSON_CreateObject();
    add_text(record, "format", RECORD_FORMAT);
    add_text(record, "id", doc->id);
    add_text(record, "created", doc->created);
    add_verdict(record, doc->trust);
    cJSON_AddItemToObject(record, "source", record_source(doc));
    record_add_part(record, doc);
    r->pages = cJSON_AddArrayToObject(record, "pages");
    add_facts(record, doc, facts);
    cJSON_AddItemToObject(record, "warnings", warnings_print(doc->warnings, 0));
    if (doc->gaps && doc->gaps->child)
        cJSON_AddItemReferenceToObject(record, "gaps", doc->gaps);
    if (doc->conflicts && doc->conflicts->child)
        cJSON_AddItemToObject(record, "conflicts", conflicts_array(doc));
    r->fields = cJSON_AddObjectToObject(record, "fields");
    cJSON_AddItemReferenceToObject(record, "data", doc->data);
    r->data = json_get(record, "data");
    return record;
}

/* --- the stream ---------------------------------------------------------- */

enum { DEPTH_OF_PAGE = 2, DEPTH_OF_FIELDS = 1 };

/* A record that platen could not read must not be published: parses `value`,
 * which will be nested in `depth` groups. */
static void check_text(struct record *r, const cJSON *value, int depth)
{
    struct err wrong = {0};
    if (!r->strict || !value || err_failed(&r->err)) return;
    struct buf text = buf_limit(SIZE_MAX / 8);
    struct json_rules rules = {.depth_max = JSON_DEPTH_MAX - depth};
    json_print(&text, value, 0);
    cJSON_Delete(json_parse_rules(buf_span(&text), rules, &wrong));
    buf_free(&text);
    if (err_failed(&wrong))
        err_reason(&r->err, ERR_SYSTEM, "internal",
                   "the record is not valid JSON: %s", wrong.text);
}

static const cJSON *next_page(struct record *r, bool first)
{
    if (first) r->n_page = 0;
    cJSON_Delete(r->page);
    bool more = r->n_page < r->doc->n_page && !err_failed(&r->err);
    r->page = more ? page_object(&r->doc->page[r->n_page++]) : NULL;
    check_text(r, r->page, DEPTH_OF_PAGE);
    return r->page;
}

/* The next group of fields as an object; pointers in it are unique. */
static void next_group(struct record *r)
{
    int n = 0;
    const struct field *field = document_next_fields(r->doc, &r->walk, &n);
    cJSON_Delete(r->group);
    r->group = field && !err_failed(&r->err) ? cJSON_CreateObject() : NULL;
    for (int i = 0; r->group && i < n; i++)
        cJSON_AddItemToObject(
            r->group, field[i].pointer,
            field_of_record(&field[i], r->doc->trust, r->unfolded));
    check_text(r, r->group, DEPTH_OF_FIELDS);
}

static const cJSON *next_field(struct record *r, const cJSON *child)
{
    if (child && child->next) return child->next;
    if (!child) r->walk = (struct document_walk){0};
    do
        next_group(r);
    while (r->group && !r->group->child);
    return r->group ? r->group->child : NULL;
}

/* Number of groups around the rows of `array`; 0: it is not in `value`. */
static int depth_of(const cJSON *value, const cJSON *array)
{
    int depth = value == array;
    for (const cJSON *v = value->child; v && !depth; v = v->next)
        if ((depth = depth_of(v, array))) depth++;
    return depth;
}

static const cJSON *next_member(struct json_stream *stream, const cJSON *group,
                                const cJSON *child)
{
    struct record *r = (struct record *)stream; /* its first member */
    const struct document *doc = r->doc;
    if (group == r->pages) return next_page(r, !child);
    if (group == r->fields) return next_field(r, child);
    if (group == r->data) group = doc->data;
    const cJSON *next = json_next(document_stream(doc), group, child);
    if (!json_is_streamed(document_stream(doc), group)) return next;
    if (!child) r->depth = 1 + depth_of(doc->data, group);
    check_text(r, next, r->depth);
    return err_failed(&r->err) ? NULL : next;
}

static int count_members(struct json_stream *stream, const cJSON *group)
{
    const struct record *r = (const struct record *)stream;
    if (group == r->pages) return r->doc->n_page;
    if (group == r->data) group = r->doc->data;
    struct json_stream *rows = document_stream(r->doc);
    return rows ? rows->count(rows, group) : -1;
}

struct record *record_new(const struct document *doc,
                          const struct engine_facts *facts)
{
    struct record *r = mem_alloc(1, sizeof *r);
    r->stream = (struct json_stream){next_member, count_members};
    r->doc = doc;
    r->tree = record_object(r, facts);
    return r;
}

void record_free(struct record *r)
{
    if (!r) return;
    cJSON_Delete(r->tree);
    cJSON_Delete(r->page);
    cJSON_Delete(r->group);
    mem_free(r);
}

const cJSON *record_tree(const struct record *r)
{
    return r->tree;
}

struct json_stream *record_stream(struct record *r)
{
    return &r->stream;
}

void record_unfold(struct record *r)
{
    r->unfolded = true;
}

void record_check(const struct record *r, struct err *err)
{
    document_check_rows(r->doc, err);
    if (!err_failed(err) && err_failed(&r->err)) *err = r->err;
}

void record_json(const struct document *doc, const struct engine_facts *facts,
                 int indent, struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct record *r = record_new(doc, facts);
    r->strict = true;
    check_text(r, r->tree, 0);
    json_print_stream(out, r->tree, indent, &r->stream);
    buf_add_text(out, "\n");
    record_check(r, err);
    record_free(r);
}
