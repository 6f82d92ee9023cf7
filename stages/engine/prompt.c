/* prompt.c - see prompt.h. */
#include "stages/engine/prompt.h"

#include "stages/engine/engine.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { OUTLINE_DEPTH_MAX = 16, PROMPT_MAX = 1 << 20, BYTES_OF_TOKEN = 3 };

struct outline {
    const struct schema *schema;
    struct buf *out;
    struct err *err;
};

/* The only type besides null, or "". */
static const char *type_of(const cJSON *node)
{
    const cJSON *type = json_get(node, "type");
    if (cJSON_IsString(type)) return type->valuestring;
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, type)
    {
        if (cJSON_IsString(each) && strcmp(each->valuestring, "null") != 0)
            return each->valuestring;
    }
    return "";
}

static char leaf_letter(const cJSON *node, const char *type)
{
    const cJSON *format = json_get(node, "format");
    if (json_get(node, "enum")) return 'e';
    if (!strcmp(type, "number")) return 'n';
    if (!strcmp(type, "integer")) return 'i';
    if (!strcmp(type, "boolean")) return 'b';
    if (strcmp(type, "string") != 0) return '\0';
    if (cJSON_IsString(format) && !strcmp(format->valuestring, "date"))
        return 'd';
    return 's';
}

/* The pointer of a node of the schema, for messages. */
static const char *pointer_of_node(const struct outline *o, const cJSON *node)
{
    const char *pointer = schema_pointer(o->schema, node);
    return !pointer ? "an unknown place" : *pointer ? pointer : "/";
}

static void outline_node(struct outline *o, const cJSON *node, int depth)
{
    if (err_failed(o->err)) return;
    if (depth > OUTLINE_DEPTH_MAX) {
        err_reason(o->err, ERR_CONFIG, "schema-refused",
                   "%.400s: nested deeper than %d levels, which the embedded "
                   "model cannot handle; use a larger model (platen model get)",
                   pointer_of_node(o, node), OUTLINE_DEPTH_MAX);
        return;
    }
    node = schema_follow_nullable(o->schema, node);
    const char *type = type_of(node);
    const cJSON *properties = json_get(node, "properties"), *property = NULL;
    const cJSON *items = json_get(node, "items");
    char letter = leaf_letter(node, type);
    if (!strcmp(type, "object") && properties) {
        cJSON_ArrayForEach(property, properties)
        {
            buf_add(o->out, property == properties->child ? "{" : ",", 1);
            buf_print(o->out, "%s:", property->string);
            outline_node(o, property, depth + 1);
        }
        buf_add_text(o->out, properties->child ? "}" : "{}");
    } else if (!strcmp(type, "array") && items) {
        buf_add_text(o->out, "[");
        outline_node(o, items, depth + 1);
        buf_add_text(o->out, "]");
    } else if (letter) {
        buf_add(o->out, &letter, 1);
    } else {
        err_reason(o->err, ERR_CONFIG, "schema-refused",
                   "%.400s: the embedded model reads only objects with "
                   "properties, arrays with items, strings, numbers, booleans "
                   "and dates; use a larger model (platen model get)",
                   pointer_of_node(o, node));
    }
}

void prompt_outline(const struct schema *schema, struct buf *out,
                    struct err *err)
{
    if (err_failed(err)) return;
    struct outline o = {schema, out, err};
    outline_node(&o, schema_root(schema), 0);
    err_context(err, "%s", schema_name(schema));
}

/* Without the sums to check: a model that knows them would make them fit. With
 * the parts from other files, which it cannot see. */
static void print_schema(const struct schema *schema, struct buf *out)
{
    cJSON *shown = schema_standalone(schema);
    cJSON_DeleteItemFromObjectCaseSensitive(shown, "x-platen-check");
    json_print(out, shown, 0);
    cJSON_Delete(shown);
}

void prompt_full(const struct schema *schema, const char *instructions,
                 struct buf *out)
{
    if (instructions && *instructions) {
        buf_add_text(out, instructions);
    } else {
        buf_add_text(out, "Read the document and fill in the record below. "
                          "Copy what is printed; answer null for what the "
                          "page does not show.");
    }
    buf_add_text(out, "\n\nAnswer with one JSON value that fits this JSON "
                      "Schema, and nothing else:\n");
    print_schema(schema, out);
    buf_add_text(out, "\n\n");
}

int prompt_tokens(const struct schema *schema, const char *instructions)
{
    struct buf text = buf_limit(PROMPT_MAX);
    if (schema) prompt_full(schema, instructions, &text);
    int n = (int)text.size / BYTES_OF_TOKEN;
    buf_free(&text);
    return n;
}

/* An invisible character: one that controls writing, tags, variation selectors,
 * unassigned characters. Not the joiners, which change how Indic and Persian
 * letters look. */
static bool is_hidden(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } range[] = {{0, 0x08},        {0x0A, 0x1F},     {0x7F, 0x9F},
                 {0xAD, 0xAD},     {0x061C, 0x061C}, {0x115F, 0x1160},
                 {0x180B, 0x180F}, {0x200B, 0x200B}, {0x200E, 0x200F},
                 {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
                 {0xE000, 0xF8FF}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF},
                 {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFF}, {0xE0000, 0x10FFFF}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (c >= range[i].first && c <= range[i].last) return true;
    return c == UTF8_BAD;
}

void prompt_add_escaped(const char *text, bool lines, struct buf *out)
{
    char bytes[UTF8_MAX];
    bool opened = false; /* the last character was a bracket */
    while (*text) {
        uint32_t c = utf8_take(&text);
        if (c == '\n' && lines) {
            buf_add_text(out, "\n");
            opened = false;
        }
        if (is_hidden(c)) continue;
        if (opened && c != ' ') buf_add_text(out, " ");
        buf_add(out, bytes, utf8_put(bytes, c));
        opened = c == '<' || c == '[';
    }
    if (opened) buf_add_text(out, " ");
}

void prompt_again(const struct engine_try *now, struct buf *out)
{
    if (now->finding)
        buf_print(out,
                  "\nAn earlier answer was not usable: %s. Look again and "
                  "answer with corrected JSON only.\n",
                  now->finding);
    if (now->lines)
        buf_print(out,
                  "\nThe rows on these lines were left out of an earlier "
                  "answer. Give them now, and no others. What is no row (a "
                  "sum, a heading) gives nothing.\nOnly these lines:\n%s",
                  now->lines);
    if (now->names)
        buf_print(out,
                  "\nAn earlier answer had null for these values, although "
                  "their labels seem to have print beside them. Look again. "
                  "Give null where nothing is printed. Arrays without any of "
                  "them can be empty; give all elements of the others.\nOnly "
                  "these values:\n%s",
                  now->names);
}

void prompt_window(const char *instructions, struct buf *out)
{
    buf_add_text(
        out, instructions && *instructions
                 ? instructions
                 : "Read the document and fill in the record below. Copy what "
                   "is printed; answer null for what the page does not show.");
    buf_add_text(
        out,
        "\n\nThe document is long and you see a part of it: answer about what "
        "is printed here alone. Give every row that begins here, in the order "
        "of the page, also rows that are alike. Sums, and amounts carried or "
        "brought forward, are no rows. Where the first thing here is the rest "
        "of a row that began on the page before, say so in \"..._continues\" "
        "and give that rest as the first row, with null for what is not "
        "printed here.");
}
