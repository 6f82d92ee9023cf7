/* json_print.c - JSON text from a tree; see json.h. */
#include <utf8proc.h>

#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum { BRIEF_WHOLE_MAX = 1 << 20 };

static void print_break(struct buf *out, int indent, int depth)
{
    if (indent <= 0) return;
    buf_add(out, "\n", 1);
    for (int i = 0; i < indent * depth; i++)
        buf_add(out, " ", 1);
}

static void print_escape(struct buf *out, unsigned char c)
{
    static const char letter[][2] = {{'"', '"'},  {'\\', '\\'}, {'\b', 'b'},
                                     {'\f', 'f'}, {'\n', 'n'},  {'\r', 'r'},
                                     {'\t', 't'}};
    for (size_t i = 0; i < sizeof letter / sizeof *letter; i++)
        if (c == (unsigned char)letter[i][0]) {
            buf_print(out, "\\%c", letter[i][1]);
            return;
        }
    buf_print(out, "\\u%04x", c);
}

void json_print_string(struct buf *out, struct span text)
{
    buf_add(out, "\"", 1);
    size_t plain = 0; /* start of the run that needs no change */
    for (size_t i = 0; i < text.size;) {
        unsigned char c = (unsigned char)text.data[i];
        utf8proc_int32_t rune;
        utf8proc_ssize_t n = 1;
        if (c >= 0x80)
            n = utf8proc_iterate((const utf8proc_uint8_t *)text.data + i,
                                 (utf8proc_ssize_t)(text.size - i), &rune);
        if (n >= 1 && c >= 0x20 && c != '"' && c != '\\') {
            i += (size_t)n;
            continue;
        }
        buf_add(out, text.data + plain, i - plain);
        if (c == 0xc0 && i + 1 < text.size && text.data[i + 1] == '\x80') {
            buf_add_text(out, "\\u0000");
            i++;
        } else if (n < 1) {
            buf_add_text(out, "\xef\xbf\xbd");
        } else {
            print_escape(out, c);
        }
        plain = ++i;
    }
    if (plain < text.size) buf_add(out, text.data + plain, text.size - plain);
    buf_add(out, "\"", 1);
}

struct printing {
    struct buf *out;
    int indent;
    struct json_stream *stream;
};

static void print_value(const struct printing *p, const cJSON *value,
                        int depth);

static void print_group(const struct printing *p, const cJSON *value, int depth)
{
    struct buf *out = p->out;
    bool object = cJSON_IsObject(value), any = false;
    const cJSON *child = NULL;
    buf_add(out, object ? "{" : "[", 1);
    while (!out->full && (child = json_next(p->stream, value, child))) {
        if (any) buf_add(out, ",", 1);
        any = true;
        print_break(out, p->indent, depth + 1);
        if (object) {
            json_print_string(out, span_of(child->string));
            buf_add(out, ": ", p->indent > 0 ? 2 : 1);
        }
        print_value(p, child, depth + 1);
    }
    if (any) print_break(out, p->indent, depth);
    buf_add(out, object ? "}" : "]", 1);
}

static void print_value(const struct printing *p, const cJSON *value, int depth)
{
    struct buf *out = p->out;
    if (cJSON_IsObject(value) || cJSON_IsArray(value))
        print_group(p, value, depth);
    else if (cJSON_IsString(value))
        json_print_string(out, span_of(value->valuestring));
    else if (cJSON_IsNumber(value))
        buf_add_text(out, json_number(value));
    else if (cJSON_IsRaw(value))
        buf_add_text(out, value->valuestring);
    else
        buf_add_text(out, cJSON_IsTrue(value)    ? "true"
                          : cJSON_IsFalse(value) ? "false"
                                                 : "null");
}

void json_print(struct buf *out, const cJSON *value, int indent)
{
    json_print_stream(out, value, indent, NULL);
}

void json_print_stream(struct buf *out, const cJSON *value, int indent,
                       struct json_stream *stream)
{
    print_value(&(struct printing){out, indent, stream}, value, 0);
}

void json_print_brief(struct buf *out, const cJSON *value, size_t most)
{
    struct buf whole = buf_limit(BRIEF_WHOLE_MAX);
    json_print(&whole, value, 0);
    struct span text = buf_span(&whole);
    size_t n = text.size <= most ? text.size : utf8_cut(text.data, most);
    for (const char *at = text.data, *end = at + n; at < end;) {
        size_t size = utf8_shown(at), step = utf8_size(at);
        buf_add(out, size ? at : "?", size ? size : 1);
        at += step ? step : 1;
    }
    if (n < text.size || whole.full) buf_add_text(out, "...");
    buf_free(&whole);
}

void json_print_member(struct buf *out, const char *key, const char *text)
{
    buf_print(out, ",\"%s\":", key);
    if (text)
        json_print_string(out, span_of(text));
    else
        buf_add_text(out, "null");
}
