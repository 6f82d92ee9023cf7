/* record.c - see record.h. */
#include "stages/record/record.h"

#include <stdio.h>

#include "stages/field.h"
#include "stages/identify.h"
#include "stages/version.h"
#include "vlm/base/json.h"
#include "vlm/base/now.h"
#include "vlm/schema/schema.h"

static void add_text(cJSON *object, const char *key, const char *text)
{
    cJSON_AddItemToObject(object, key, cJSON_CreateString(text));
}

static void add_integer(cJSON *object, const char *key, long long value)
{
    cJSON_AddItemToObject(object, key, json_new_integer(value));
}

static void add_decimal(cJSON *object, const char *key, double value,
                        int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", digits, value);
    cJSON_AddItemToObject(object, key, json_new_number(text));
}

cJSON *record_source(const struct document *doc)
{
    cJSON *source = cJSON_CreateObject();
    add_text(source, "name", doc->name);
    add_text(source, "type", identify_name(doc->type));
    add_text(source, "sha256", doc->sha256.hex);
    add_integer(source, "bytes", doc->size_bytes);
    add_integer(source, "pages", doc->n_page_source);
    return source;
}

static cJSON *pages_of(const struct document *doc)
{
    cJSON *pages = cJSON_CreateArray();
    for (int i = 0; i < doc->n_page; i++) {
        const struct page *p = &doc->page[i];
        cJSON *page = cJSON_CreateObject();
        add_integer(page, "number", p->number);
        add_integer(page, "width_px", p->width_px);
        add_integer(page, "height_px", p->height_px);
        if (p->dpi > 0) add_decimal(page, "dpi", p->dpi, 1);
        if (p->skew_degrees > 0 || p->skew_degrees < 0)
            add_decimal(page, "skew_degrees", p->skew_degrees, 2);
        if (p->blank) cJSON_AddItemToObject(page, "blank", cJSON_CreateTrue());
        cJSON_AddItemToArray(pages, page);
    }
    return pages;
}

static cJSON *named(const char *name, const char *sha256)
{
    cJSON *object = cJSON_CreateObject();
    add_text(object, "name", name);
    if (*sha256) add_text(object, "sha256", sha256);
    return object;
}

static cJSON *tokens_of(const struct document *doc)
{
    cJSON *tokens = cJSON_CreateObject();
    add_integer(tokens, "prompt", doc->n_prompt_tokens);
    add_integer(tokens, "sampled", doc->n_sampled);
    add_integer(tokens, "forced", doc->n_forced);
    return tokens;
}

static cJSON *times_of(const struct document *doc)
{
    cJSON *times = cJSON_CreateObject();
    for (int i = 0; i < doc->n_time; i++)
        add_decimal(times, doc->time[i].stage, doc->time[i].seconds, 4);
    return times;
}

static cJSON *fields_of(const struct document *doc)
{
    cJSON *fields = cJSON_CreateObject();
    for (int i = 0; i < doc->n_field; i++)
        cJSON_AddItemToObject(fields, doc->field[i].pointer,
                              field_of_record(&doc->field[i]));
    return fields;
}

/* A value that a page gave: as JSON text, since its type is its schema's. */
static cJSON *said_of(const cJSON *entry)
{
    cJSON *said = cJSON_CreateObject();
    struct buf text = buf_limit(1 << 20);
    json_print(&text, json_get(entry, "value"), 0);
    add_integer(said, "page", json_get(entry, "page")->valueint);
    add_decimal(said, "p", json_get(entry, "p")->valuedouble, 4);
    add_text(said, "value", buf_span(&text).data);
    buf_free(&text);
    return said;
}

/* Values about which pages differ: what was taken, and what else was read. */
static cJSON *conflicts_of(const struct document *doc)
{
    cJSON *all = cJSON_CreateArray();
    const cJSON *entry = NULL, *other = NULL;
    cJSON_ArrayForEach(entry, doc->conflicts)
    {
        cJSON *conflict = cJSON_CreateObject();
        add_text(conflict, "pointer", entry->string);
        cJSON_AddItemToObject(conflict, "taken", said_of(entry));
        cJSON *others = cJSON_AddArrayToObject(conflict, "others");
        cJSON_ArrayForEach(other, json_get(entry, "others"))
        {
            cJSON_AddItemToArray(others, said_of(other));
        }
        cJSON_AddItemToArray(all, conflict);
    }
    return all;
}

/* Which schema it is read under was the model's choice. */
static void add_kind(cJSON *record, const struct document_kind *kind)
{
    if (!kind->name) return;
    cJSON *o = cJSON_AddObjectToObject(record, "kind");
    add_text(o, "name", kind->name);
    if (!kind->measured) return;
    add_decimal(o, "p", kind->p, 4);
    add_decimal(o, "p_legal", kind->p_legal, 4);
}

static cJSON *part_of(const struct document_part *p)
{
    cJSON *part = cJSON_CreateObject();
    add_text(part, "stack", p->stack);
    add_integer(part, "number", p->number);
    add_integer(part, "count", p->count);
    add_text(part, "pages", p->pages);
    return part;
}

cJSON *record_tree(const struct document *doc, const struct engine_facts *facts)
{
    char created[21];
    now_utc_text(created);
    cJSON *record = cJSON_CreateObject();
    add_text(record, "id", doc->id);
    add_text(record, "created", created);
    cJSON_AddItemToObject(record, "source", record_source(doc));
    if (doc->part) cJSON_AddItemToObject(record, "part", part_of(doc->part));
    if (doc->archive_number)
        add_text(record, "archive_number", doc->archive_number);
    cJSON_AddItemToObject(record, "pages", pages_of(doc));
    cJSON_AddItemToObject(
        record, "schema",
        named(schema_name(doc->schema), schema_hash(doc->schema)->hex));
    add_kind(record, &doc->kind);
    cJSON_AddItemToObject(record, "model",
                          named(facts->model, facts->model_hash));
    add_text(record, "engine", facts->name);
    add_integer(record, "seed", doc->seed);
    add_integer(record, "tries", doc->n_try);
    cJSON *versions = cJSON_AddObjectToObject(record, "versions");
    add_text(versions, "platen", PLATEN_VERSION);
    if (doc->unsandboxed)
        cJSON_AddItemToObject(record, "unsandboxed", cJSON_CreateTrue());
    cJSON_AddItemToObject(record, "tokens", tokens_of(doc));
    cJSON_AddItemToObject(record, "seconds", times_of(doc));
    cJSON_AddItemToObject(record, "warnings", document_warnings(doc, 0));
    if (doc->gaps && doc->gaps->child)
        cJSON_AddItemReferenceToObject(record, "gaps", doc->gaps);
    if (doc->conflicts && doc->conflicts->child)
        cJSON_AddItemToObject(record, "conflicts", conflicts_of(doc));
    cJSON_AddItemToObject(record, "fields", fields_of(doc));
    cJSON_AddItemReferenceToObject(record, "data", doc->data);
    return record;
}

void record_json(const struct document *doc, const struct engine_facts *facts,
                 struct buf *out)
{
    cJSON *record = record_tree(doc, facts);
    json_print(out, record, 2);
    buf_add_text(out, "\n");
    cJSON_Delete(record);
}
