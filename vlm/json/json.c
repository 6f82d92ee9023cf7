/* json.c - see json.h.
 *
 * The parser builds cJSON's tree itself: cJSON_Parse() reads at most 63 bytes
 * of a number, in the locale's format, into a double, and accepts more than RFC
 * 8259 allows.
 */
#include "vlm/json/json.h"

#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/number.h"
#include "vlm/base/text.h"

struct json_key {
    const char *name; /* name of the node */
    size_t at;        /* offset of the key in the text */
};

struct json_reader {
    struct span text;
    size_t at;
    int depth;
    struct json_rules rules;
    struct buf string; /* the current string, escapes resolved */
    struct buf key;    /* struct json_key: keys of the open objects */
    size_t duplicate;  /* offset of the first duplicate key of an object;
                        * SIZE_MAX: none */
    struct err *err;
};

static cJSON *read_value(struct json_reader *r);

/* A JSON text starts with two ASCII characters, if it has two, so a zero among
 * its first bytes means two or four bytes per character. */
struct span json_unmarked(struct span text, struct err *err)
{
    if (err_failed(err)) return text;
    static const char mark[] = "\xef\xbb\xbf";
    bool is_marked = text.size >= 2 && (!memcmp(text.data, "\xff\xfe", 2) ||
                                        !memcmp(text.data, "\xfe\xff", 2));
    if (is_marked || (text.size >= 2 && memchr(text.data, 0, 2)))
        err_set(err, ERR_INPUT, "it is UTF-16 or UTF-32: save it as UTF-8");
    if (text.size >= 3 && !memcmp(text.data, mark, 3))
        text = (struct span){text.data + 3, text.size - 3};
    return text;
}

/* Reports an error at byte `at` as "line 2, column 7: ...". Returns NULL, which
 * is also false. */
static void *syntax_error(struct json_reader *r, size_t at, const char *what)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at && i < r->text.size; i++) {
        if (r->text.data[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)r->text.data[i] & 0xc0) != 0x80) {
            column++;
        }
    }
    char found[16] = "the end";
    if (at < r->text.size) {
        unsigned char c = (unsigned char)r->text.data[at];
        snprintf(found, sizeof found,
                 c > 0x20 && c < 0x7f ? "'%c'" : "byte %02x", c);
    }
    err_set(r->err, ERR_INPUT, "line %zu, column %zu: %s, found %s", line,
            column, what, found);
    return NULL;
}

static int peek(const struct json_reader *r)
{
    return r->at < r->text.size ? (unsigned char)r->text.data[r->at] : -1;
}

static void skip_space(struct json_reader *r)
{
    int c = peek(r);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        r->at++;
        c = peek(r);
    }
}

static bool read_digits(struct json_reader *r)
{
    if (!text_is_digit(peek(r)))
        return syntax_error(r, r->at, "a digit is needed");
    while (text_is_digit(peek(r)))
        r->at++;
    return true;
}

/* strtod expects the locale's decimal point; the text has a full stop. */
static double double_of(const char *text)
{
    char local[64];
    const char *point = strchr(text, '.');
    char own = *localeconv()->decimal_point;
    if (!point || own == '.' || strlen(text) >= sizeof local)
        return strtod(text, NULL);
    snprintf(local, sizeof local, "%s", text);
    local[point - text] = own;
    return strtod(local, NULL);
}

/* A copy that cJSON_Delete frees. */
static char *copy_of(struct span text)
{
    char *copy = mem_alloc(text.size + 1, 1);
    memcpy(copy, text.data, text.size);
    return copy;
}

static void number_set(cJSON *node, struct span text)
{
    node->valuestring = copy_of(text);
    cJSON_SetNumberHelper(node, double_of(node->valuestring));
}

/* Only an exponent or hundreds of digits lead out of range. */
static bool is_in_range(struct span number)
{
    bool plain = !memchr(number.data, 'e', number.size) &&
                 !memchr(number.data, 'E', number.size);
    if (plain && number.size < 300) return true;
    char *text = copy_of(number); /* not NUL-terminated */
    bool in_range = number_is_in_range(text);
    mem_free(text);
    return in_range;
}

/* A new node without its value. */
static cJSON *new_node(struct json_reader *r, int type)
{
    cJSON *node = cJSON_CreateNull();
    if (node)
        node->type = type;
    else
        err_set(r->err, ERR_SYSTEM, "no memory for a JSON text of %zu bytes",
                r->text.size);
    return node;
}

static bool skip_number(struct json_reader *r)
{
    if (peek(r) == '-') r->at++;
    if (peek(r) == '0') {
        r->at++;
        if (text_is_digit(peek(r)))
            return syntax_error(r, r->at, "no digit may follow a leading zero");
    } else if (!read_digits(r)) {
        return false;
    }
    if (peek(r) == '.') {
        r->at++;
        if (!read_digits(r)) return false;
    }
    if (peek(r) != 'e' && peek(r) != 'E') return true;
    r->at++;
    if (peek(r) == '+' || peek(r) == '-') r->at++;
    return read_digits(r);
}

static cJSON *read_number(struct json_reader *r)
{
    size_t start = r->at;
    if (!skip_number(r)) return NULL;
    struct span number = {r->text.data + start, r->at - start};
    if (!r->rules.any_size && !is_in_range(number))
        return syntax_error(
            r, start, "a number of a size that a double can hold is needed");
    cJSON *node = new_node(r, cJSON_Number);
    if (node) number_set(node, number);
    return node;
}

/* The four hex digits at `at`, or -1. */
static int hex4(const struct json_reader *r, size_t at)
{
    int value = 0;
    for (size_t i = at; i < at + 4; i++) {
        int c = i < r->text.size ? r->text.data[i] : 0;
        int digit = text_hex_digit(c);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

static void add_rune(struct json_reader *r, int rune)
{
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t n = utf8proc_encode_char(rune, bytes);
    buf_add(&r->string, bytes, (size_t)n);
}

/* At a backslash and a u. */
static bool read_unit(struct json_reader *r)
{
    size_t start = r->at;
    int unit = hex4(r, start + 2), low = -1;
    if (unit < 0) return syntax_error(r, start, "\\u needs four hex digits");
    r->at += 6;
    if (unit == 0) {
        buf_add(&r->string, "\xc0\x80", 2);
        return r->rules.nul || syntax_error(r, start, "\\u0000 is not allowed");
    }
    if (unit < 0xd800 || unit > 0xdfff) {
        add_rune(r, unit);
        return true;
    }
    if (unit < 0xdc00 && r->at + 1 < r->text.size &&
        !memcmp(r->text.data + r->at, "\\u", 2))
        low = hex4(r, r->at + 2);
    if (low < 0xdc00 || low > 0xdfff)
        return syntax_error(r, start, "a surrogate without its other half");
    r->at += 6;
    add_rune(r, 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff));
    return true;
}

/* At a backslash. */
static bool read_escape(struct json_reader *r)
{
    static const char escape[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    int c = r->at + 1 < r->text.size ? r->text.data[r->at + 1] : 0;
    if (c == 'u') return read_unit(r);
    const char *found = c ? strchr(escape, c) : NULL;
    if (!found) return syntax_error(r, r->at + 1, "not an escape");
    buf_add(&r->string, meant + (found - escape), 1);
    r->at += 2;
    return true;
}

/* What needs no escape, up to what does or ends the string. */
static bool read_plain(struct json_reader *r)
{
    size_t start = r->at;
    for (int c = peek(r); c != '"' && c != '\\'; c = peek(r)) {
        if (c < 0x20) break; /* or the end, -1 */
        utf8proc_int32_t rune;
        utf8proc_ssize_t n = 1;
        if (c >= 0x80)
            n = utf8proc_iterate((const utf8proc_uint8_t *)r->text.data + r->at,
                                 (utf8proc_ssize_t)(r->text.size - r->at),
                                 &rune);
        if (n < 1) return syntax_error(r, r->at, "not UTF-8");
        r->at += (size_t)n;
    }
    buf_add(&r->string, r->text.data + start, r->at - start);
    return true;
}

/* The string at `at`, freed by cJSON_Delete; NULL: an error. */
static char *read_string(struct json_reader *r)
{
    size_t start = r->at;
    r->at++;
    buf_cut(&r->string, 0);
    for (;;) {
        if (!read_plain(r)) return NULL;
        int c = peek(r);
        if (c == '"') break;
        if (c < 0) syntax_error(r, start, "a string without its end");
        if (c >= 0 && c < 0x20)
            syntax_error(r, r->at, "a control character must be escaped");
        if (c != '\\' || !read_escape(r)) return NULL;
    }
    r->at++;
    return copy_of(buf_span(&r->string));
}

static cJSON *read_text(struct json_reader *r)
{
    char *text = read_string(r);
    cJSON *node = text ? new_node(r, cJSON_String) : NULL;
    if (node)
        node->valuestring = text;
    else
        mem_free(text);
    return node;
}

static cJSON *read_member(struct json_reader *r)
{
    skip_space(r);
    struct json_key key = {.at = r->at};
    if (peek(r) != '"') return syntax_error(r, r->at, "a key is needed");
    char *name = read_string(r);
    if (!name) return NULL;
    key.name = name;
    buf_add(&r->key, &key, sizeof key);
    skip_space(r);
    if (peek(r) == ':')
        r->at++;
    else
        syntax_error(r, r->at, "':' is needed");
    cJSON *value = err_failed(r->err) ? NULL : read_value(r);
    if (value)
        value->string = name;
    else
        mem_free(name);
    return value;
}

static int compare_members(const void *a, const void *b)
{
    const struct json_key *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : (x->at > y->at) - (x->at < y->at);
}

/* The offset of the first key that equals an earlier one, or SIZE_MAX. */
static size_t find_duplicate(struct json_key *member, size_t n)
{
    size_t found = SIZE_MAX;
    qsort(member, n, sizeof *member, compare_members);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(member[i - 1].name, member[i].name) && member[i].at < found)
            found = member[i].at;
    return found;
}

/* At the end of an object, whose keys start at `first` in `key`. */
static void close_keys(struct json_reader *r, size_t first)
{
    size_t n = (r->key.size - first) / sizeof(struct json_key);
    if (n > 1 && !r->rules.duplicates && r->duplicate == SIZE_MAX)
        r->duplicate =
            find_duplicate((struct json_key *)(void *)(r->key.data + first), n);
    if (n > 0) buf_cut(&r->key, first);
}

/* Parses the content of the brackets into `group`. */
static bool read_children(struct json_reader *r, cJSON *group, char close)
{
    for (;;) {
        cJSON *child = close == '}' ? read_member(r) : read_value(r);
        if (!child) return false;
        cJSON_AddItemToArray(group, child);
        skip_space(r);
        if (peek(r) == close) return true;
        if (peek(r) != ',')
            return syntax_error(r, r->at,
                                close == '}' ? "',' or '}' is needed"
                                             : "',' or ']' is needed");
        r->at++;
    }
}

/* Parses an array or object, given its closing bracket. */
static cJSON *read_group(struct json_reader *r, char close)
{
    if (++r->depth > r->rules.depth_max) {
        char what[64];
        snprintf(what, sizeof what, "nested deeper than %d",
                 r->rules.depth_max);
        return syntax_error(r, r->at, what);
    }
    cJSON *group = new_node(r, close == '}' ? cJSON_Object : cJSON_Array);
    size_t first = r->key.size;
    r->at++;
    skip_space(r);
    if (group && peek(r) != close && !read_children(r, group, close)) {
        cJSON_Delete(group);
        return NULL;
    }
    close_keys(r, first);
    r->at++;
    r->depth--;
    return group;
}

static cJSON *read_word(struct json_reader *r, const char *word, int type)
{
    size_t n = strlen(word);
    if (r->text.size - r->at < n || memcmp(r->text.data + r->at, word, n))
        return syntax_error(r, r->at, "a value is needed");
    r->at += n;
    return new_node(r, type);
}

static cJSON *read_value(struct json_reader *r)
{
    skip_space(r);
    switch (peek(r)) {
    case '{': return read_group(r, '}');
    case '[': return read_group(r, ']');
    case '"': return read_text(r);
    case 't': return read_word(r, "true", cJSON_True);
    case 'f': return read_word(r, "false", cJSON_False);
    case 'n': return read_word(r, "null", cJSON_NULL);
    default: break;
    }
    if (peek(r) == '-' || text_is_digit(peek(r))) return read_number(r);
    return syntax_error(r, r->at, "a value is needed");
}

cJSON *json_parse_rules(struct span text, struct json_rules rules,
                        struct err *err)
{
    if (err_failed(err)) return NULL;
    if (rules.depth_max <= 0) rules.depth_max = JSON_DEPTH_MAX;
    if (rules.depth_max > JSON_DEPTH_MOST) rules.depth_max = JSON_DEPTH_MOST;
    struct json_reader r = {.text = text,
                            .rules = rules,
                            .string = buf_limit(SIZE_MAX / 8),
                            .key = buf_limit(SIZE_MAX / 8),
                            .duplicate = SIZE_MAX,
                            .err = err};
    cJSON *root = read_value(&r);
    if (root) skip_space(&r);
    if (root && r.at < text.size)
        syntax_error(&r, r.at, "nothing may follow the value");
    else if (root && r.duplicate != SIZE_MAX)
        syntax_error(&r, r.duplicate, "a key that was there before");
    if (err_failed(err)) {
        cJSON_Delete(root);
        root = NULL;
    }
    buf_free(&r.string);
    buf_free(&r.key);
    return root;
}

cJSON *json_parse(struct span text, struct err *err)
{
    return json_parse_rules(text, (struct json_rules){0}, err);
}

const char *json_number(const cJSON *number)
{
    return number->valuestring ? number->valuestring : "0";
}

cJSON *json_new_number(const char *text)
{
    cJSON *node = cJSON_CreateNumber(0);
    if (node) number_set(node, span_of(text));
    return node;
}

cJSON *json_new_exact(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return json_new_number(text);
}

cJSON *json_new_integer(long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    return json_new_number(text);
}

void json_add_integer(cJSON *o, const char *key, long long value)
{
    cJSON_AddItemToObject(o, key, json_new_integer(value));
}

void json_add_now(cJSON *o, const char *key)
{
    char now[21];
    clock_utc_text(now);
    cJSON_AddStringToObject(o, key, now);
}

const cJSON *json_get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *json_get_text(const cJSON *object, const char *key)
{
    const cJSON *member = json_get(object, key);
    return cJSON_IsString(member) ? member->valuestring : NULL;
}

const char *json_get_text_or_empty(const cJSON *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return text ? text : "";
}

double json_get_number(const cJSON *object, const char *key)
{
    const cJSON *n = json_get(object, key);
    return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

long long json_get_integer(const cJSON *object, const char *key)
{
    const cJSON *n = json_get(object, key);
    return cJSON_IsNumber(n) ? strtoll(json_number(n), NULL, 10) : 0;
}

bool json_holds_nothing(const cJSON *value)
{
    const cJSON *child = NULL;
    if (cJSON_IsNull(value)) return true;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) return false;
    cJSON_ArrayForEach(child, value)
    {
        if (!json_holds_nothing(child)) return false;
    }
    return true;
}
