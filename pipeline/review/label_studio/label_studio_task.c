/* label_studio_task.c - see label_studio_task.h. */
#include "pipeline/review/label_studio/label_studio_task.h"

#include <stdio.h>

#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { ROW_DEPTH_MAX = 8 };

const char *label_studio_task_config(void)
{
    return "<View>\n"
           "  <Image name=\"page\" valueList=\"$pages\" zoom=\"true\"/>\n"
           "  <RectangleLabels name=\"" STUDIO_FIELD "\" toName=\"page\" "
           "value=\"$fields\" choice=\"single\"/>\n"
           "  <TextArea name=\"" STUDIO_TEXT "\" toName=\"page\" "
           "perRegion=\"true\" required=\"true\" maxSubmissions=\"1\" "
           "editable=\"true\" rows=\"1\" displayMode=\"region-list\"/>\n"
           "  <Header value=\"Values without a place: POINTER: TEXT\"/>\n"
           "  <TextArea name=\"" STUDIO_ELSEWHERE "\" toName=\"page\" "
           "editable=\"true\" rows=\"2\"/>\n"
           "</View>\n";
}

struct labelling {
    const struct studio_document *d;
    cJSON *label, *result, *elsewhere;
    double least; /* the lowest confidence */
    int n_result;
};

bool label_studio_task_text(const cJSON *value, struct buf *out)
{
    if (cJSON_IsString(value))
        buf_add_text(out, value->valuestring);
    else if (cJSON_IsNumber(value))
        buf_add_text(out, json_number(value));
    else if (cJSON_IsBool(value))
        buf_add_text(out, cJSON_IsTrue(value) ? "true" : "false");
    else
        return false;
    return !cJSON_IsString(value) || *value->valuestring;
}

const cJSON *label_studio_task_schema(const struct schema *schema,
                                      const char *pointer)
{
    struct arena *arena = arena_new();
    struct span token;
    const cJSON *node = schema_follow_nullable(schema, schema_root(schema));
    while (node && json_pointer_next(&pointer, &token)) {
        const cJSON *child = json_get(json_get(node, "properties"),
                                      json_pointer_text(token, arena));
        if (!child && json_pointer_index(token) >= 0)
            child = json_get(node, "items");
        node = child ? schema_follow_nullable(schema, child) : NULL;
    }
    arena_free(arena);
    return node;
}

/* --- labels --- */

static void add_label(struct labelling *t, const char *pointer)
{
    cJSON *label = cJSON_CreateObject();
    cJSON_AddStringToObject(label, "value", pointer);
    cJSON_AddItemToArray(t->label, label);
}

/* The labels of a new row, from its schema. */
static void add_row_labels(struct labelling *t, const cJSON *node,
                           struct buf *pointer, int depth)
{
    const cJSON *properties = json_get(node, "properties"), *child = NULL;
    size_t size = pointer->size;
    if (!properties) {
        add_label(t, buf_span(pointer).data);
        return;
    }
    cJSON_ArrayForEach(child, properties)
    {
        json_pointer_add(pointer, child->string);
        if (depth < ROW_DEPTH_MAX)
            add_row_labels(t, schema_follow_nullable(t->d->schema, child),
                           pointer, depth + 1);
        buf_cut(pointer, size);
    }
}

static void add_new_rows(struct labelling *t, struct buf *pointer, int n)
{
    size_t size = pointer->size;
    const cJSON *node =
        label_studio_task_schema(t->d->schema, buf_span(pointer).data);
    const cJSON *items = json_get(node, "items");
    const cJSON *row = cJSON_IsObject(items)
                           ? schema_follow_nullable(t->d->schema, items)
                           : NULL;
    for (int i = 0; row && i < STUDIO_ROWS_MORE; i++) {
        json_pointer_add_index(pointer, n + i);
        add_row_labels(t, row, pointer, 0);
        buf_cut(pointer, size);
    }
}

/* --- values --- */

static int page_index(const struct studio_document *d, const cJSON *number)
{
    for (int i = 0; cJSON_IsNumber(number) && i < d->n_page; i++)
        if (d->page[i].number == number->valueint) return i;
    return -1;
}

static cJSON *new_result(const struct labelling *t, int page, const char *id,
                         const char *name, const char *type, cJSON *value)
{
    const struct studio_page *p = &t->d->page[page];
    cJSON *r = cJSON_CreateObject();
    cJSON_AddStringToObject(r, "id", id);
    cJSON_AddStringToObject(r, "from_name", name);
    cJSON_AddStringToObject(r, "to_name", "page");
    cJSON_AddStringToObject(r, "type", type);
    json_add_integer(r, "item_index", page);
    json_add_integer(r, "original_width", p->width_px);
    json_add_integer(r, "original_height", p->height_px);
    json_add_integer(r, "image_rotation", 0);
    cJSON_AddItemToObject(r, "value", value);
    return r;
}

static cJSON *four_digits(double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.4f", number);
    return json_new_number(text);
}

/* x, y, width and height in percent. */
static cJSON *percent(const cJSON *box)
{
    static const char *const name[] = {"x", "y", "width", "height"};
    cJSON *value = cJSON_CreateObject();
    for (int i = 0; i < 4; i++) {
        const cJSON *at = cJSON_GetArrayItem(box, i);
        cJSON_AddItemToObject(value, name[i],
                              four_digits(at ? at->valuedouble * 100 : 0));
    }
    json_add_integer(value, "rotation", 0);
    return value;
}

static void list_of_one(cJSON *value, const char *key, const char *text)
{
    cJSON_AddItemToArray(cJSON_AddArrayToObject(value, key),
                         cJSON_CreateString(text));
}

static void add_region(struct labelling *t, const char *pointer,
                       const char *text, const cJSON *field, int page,
                       const cJSON *box)
{
    char id[24];
    const cJSON *sure = json_get(field, "confidence");
    cJSON *place = percent(box), *value = cJSON_Duplicate(place, true);
    snprintf(id, sizeof id, "v%d", t->n_result++);
    list_of_one(place, "rectanglelabels", pointer);
    list_of_one(value, "text", text);
    cJSON *r = new_result(t, page, id, STUDIO_FIELD, "rectanglelabels", place);
    if (cJSON_IsNumber(sure)) {
        cJSON_AddItemToObject(r, "score", cJSON_Duplicate(sure, true));
        if (sure->valuedouble < t->least) t->least = sure->valuedouble;
    }
    cJSON_AddItemToArray(t->result, r);
    cJSON_AddItemToArray(
        t->result, new_result(t, page, id, STUDIO_TEXT, "textarea", value));
}

static void add_value(struct labelling *t, const char *pointer,
                      const cJSON *value)
{
    const cJSON *field = json_get(json_get(t->d->record, "fields"), pointer);
    const cJSON *list = json_get(field, "evidence");
    const cJSON *first = list ? list->child : NULL;
    const cJSON *box = json_get(first, "box");
    struct buf text = buf_limit(1 << 20);
    int page = page_index(t->d, json_get(first, "page"));
    add_label(t, pointer);
    if (!label_studio_task_text(value, &text)) {
        buf_free(&text);
        return;
    }
    if (page >= 0 && cJSON_GetArraySize(box) == 4) {
        add_region(t, pointer, buf_span(&text).data, field, page, box);
    } else {
        struct buf line = buf_limit(1 << 21);
        buf_print(&line, "%s: %s", pointer, buf_span(&text).data);
        cJSON_AddItemToArray(t->elsewhere,
                             cJSON_CreateString(buf_span(&line).data));
        buf_free(&line);
    }
    buf_free(&text);
}

static void add_values(struct labelling *t, const cJSON *value,
                       struct buf *pointer)
{
    const cJSON *child = NULL;
    size_t size = pointer->size;
    int i = 0;
    if (!cJSON_IsArray(value) && !cJSON_IsObject(value)) {
        add_value(t, buf_span(pointer).data, value);
        return;
    }
    cJSON_ArrayForEach(child, value)
    {
        json_pointer_add_child(pointer, value, child, i++);
        add_values(t, child, pointer);
        buf_cut(pointer, size);
    }
    if (cJSON_IsArray(value)) add_new_rows(t, pointer, i);
}

/* --- all of it --- */

/* URLs of files below the document root of Label Studio's local storage. */
static cJSON *page_urls(const struct studio_document *d)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < d->n_page; i++) {
        struct buf url = buf_limit(4096);
        buf_print(&url, "/data/local-files/?d=%s", d->page[i].picture);
        cJSON_AddItemToArray(list, cJSON_CreateString(buf_span(&url).data));
        buf_free(&url);
    }
    return list;
}

static cJSON *task_data(const struct labelling *t)
{
    const struct studio_document *d = t->d;
    cJSON *data = cJSON_CreateObject();
    cJSON *about = cJSON_AddObjectToObject(data, "platen");
    cJSON_AddStringToObject(about, "id", d->id);
    json_add_integer(about, "version", d->version);
    cJSON_AddStringToObject(
        about, "schema",
        json_get_text_or_empty(json_get(d->record, "schema"), "name"));
    cJSON *numbers = cJSON_AddArrayToObject(about, "pages");
    for (int i = 0; i < d->n_page; i++)
        cJSON_AddItemToArray(numbers, json_new_integer(d->page[i].number));
    cJSON_AddStringToObject(
        data, "name",
        json_get_text_or_empty(json_get(d->record, "source"), "name"));
    cJSON_AddItemToObject(data, "pages", page_urls(d));
    cJSON_AddItemToObject(data, "fields", t->label);
    return data;
}

/* Values without a region: one result with a text for each. */
static void end_elsewhere(struct labelling *t)
{
    if (!t->elsewhere->child || !t->d->n_page) {
        cJSON_Delete(t->elsewhere);
        return;
    }
    cJSON *value = cJSON_CreateObject();
    cJSON_AddItemToObject(value, "text", t->elsewhere);
    cJSON *r =
        new_result(t, 0, "elsewhere", STUDIO_ELSEWHERE, "textarea", value);
    cJSON_AddItemToArray(t->result, r);
}

void label_studio_task_print(const struct studio_document *d, struct buf *out)
{
    struct labelling t = {.d = d,
                          .label = cJSON_CreateArray(),
                          .result = cJSON_CreateArray(),
                          .elsewhere = cJSON_CreateArray(),
                          .least = 1};
    struct buf pointer = buf_limit(1 << 16);
    add_values(&t, json_get(d->record, "data"), &pointer);
    end_elsewhere(&t);
    cJSON *task = cJSON_CreateObject(), *one = cJSON_CreateObject();
    cJSON_AddItemToObject(task, "data", task_data(&t));
    const char *model =
        json_get_text_or_empty(json_get(d->record, "model"), "name");
    cJSON_AddStringToObject(one, "model_version", model);
    cJSON_AddItemToObject(one, "score", four_digits(t.least));
    cJSON_AddItemToObject(one, "result", t.result);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(task, "predictions"), one);
    json_print(out, task, 0);
    cJSON_Delete(task);
    buf_free(&pointer);
}
