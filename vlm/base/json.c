/* json.c - see json.h.
 *
 * The checker reads the text once and writes a plain twin of it for cJSON: no
 * whitespace, U+0000 as C0 80, and every number replaced by 0, because cJSON
 * reads at most 63 bytes of one, by the locale, into a double. The texts of
 * the numbers and the places of the keys are kept in order of appearance,
 * which is the order in which a walk over the tree meets their nodes.
 */
#include "vlm/base/json.h"

#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "vlm/base/arena.h"
#include "vlm/base/number.h"

struct json_reader {
    struct span text;
    size_t at;
    int depth;
    struct json_rules rules;
    struct buf twin;   /* what cJSON gets */
    struct buf number; /* struct span of each number */
    struct buf key;    /* size_t, where each key begins */
    struct err *err;
};

static bool read_value(struct json_reader *r);

/* A JSON text begins with two characters of ASCII, if it has two, so that a zero
 * among its first bytes tells of two bytes or four a character. */
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

/* Says what is wrong at byte `at` as "line 2, column 7: ...". */
static bool refuse(struct json_reader *r, size_t at, const char *what)
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
    return err_set(r->err, ERR_INPUT, "line %zu, column %zu: %s, found %s",
                   line, column, what, found);
}

static int peek(const struct json_reader *r)
{
    return r->at < r->text.size ? (unsigned char)r->text.data[r->at] : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
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
    if (!is_digit(peek(r))) return refuse(r, r->at, "a digit is needed");
    while (is_digit(peek(r)))
        r->at++;
    return true;
}

/* Only an exponent or hundreds of digits lead out of the range. */
static bool is_in_range(struct span number)
{
    bool plain = !memchr(number.data, 'e', number.size) &&
                 !memchr(number.data, 'E', number.size);
    if (plain && number.size < 300) return true;
    char *text = mem_take(number.size + 1, 1); /* the text has no end here */
    memcpy(text, number.data, number.size);
    bool in_range = number_is_in_range(text);
    mem_give(text);
    return in_range;
}

static bool read_number(struct json_reader *r)
{
    size_t start = r->at;
    if (peek(r) == '-') r->at++;
    if (peek(r) == '0') {
        r->at++;
        if (is_digit(peek(r)))
            return refuse(r, r->at, "no digit may follow a leading zero");
    } else if (!read_digits(r)) {
        return false;
    }
    if (peek(r) == '.') {
        r->at++;
        if (!read_digits(r)) return false;
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        r->at++;
        if (peek(r) == '+' || peek(r) == '-') r->at++;
        if (!read_digits(r)) return false;
    }
    struct span number = {r->text.data + start, r->at - start};
    if (!r->rules.any_size && !is_in_range(number))
        return refuse(r, start,
                      "a number of a size that a double can hold is needed");
    buf_add(&r->number, &number, sizeof number);
    buf_add(&r->twin, "0", 1);
    return true;
}

/* The four hex digits at `at`, or -1. */
static int hex4(const struct json_reader *r, size_t at)
{
    int value = 0;
    for (size_t i = at; i < at + 4; i++) {
        int c = i < r->text.size ? r->text.data[i] : 0;
        int digit = is_digit(c)              ? c - '0'
                    : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                    : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                             : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* At a backslash. Copies the escape to the twin, or what stands for it. */
static bool read_escape(struct json_reader *r)
{
    size_t start = r->at;
    int c = start + 1 < r->text.size ? r->text.data[start + 1] : 0;
    if (c != 'u') {
        if (!c || !strchr("\"\\/bfnrt", c))
            return refuse(r, start + 1, "not an escape");
        r->at += 2;
        buf_add(&r->twin, r->text.data + start, 2);
        return true;
    }
    int unit = hex4(r, start + 2);
    if (unit < 0) return refuse(r, start, "\\u needs four hex digits");
    r->at += 6;
    if (unit == 0) {
        buf_add(&r->twin, "\xc0\x80", 2);
        return r->rules.nul || refuse(r, start, "\\u0000 is not allowed");
    }
    if (unit >= 0xd800 && unit <= 0xdfff) {
        int low = unit < 0xdc00 && r->at + 1 < r->text.size &&
                          r->text.data[r->at] == '\\' &&
                          r->text.data[r->at + 1] == 'u'
                      ? hex4(r, r->at + 2)
                      : -1;
        if (low < 0xdc00 || low > 0xdfff)
            return refuse(r, start, "a surrogate without its other half");
        r->at += 6;
    }
    buf_add(&r->twin, r->text.data + start, r->at - start);
    return true;
}

static bool read_string(struct json_reader *r)
{
    size_t start = r->at;
    r->at++;
    buf_add(&r->twin, "\"", 1);
    for (;;) {
        int c = peek(r);
        if (c == '"') break;
        if (c < 0) return refuse(r, start, "a string without its end");
        if (c < 0x20)
            return refuse(r, r->at, "a control character must be escaped");
        if (c == '\\') {
            if (!read_escape(r)) return false;
            continue;
        }
        utf8proc_int32_t rune;
        utf8proc_ssize_t n = 1;
        if (c >= 0x80)
            n = utf8proc_iterate((const utf8proc_uint8_t *)r->text.data + r->at,
                                 (utf8proc_ssize_t)(r->text.size - r->at),
                                 &rune);
        if (n < 1) return refuse(r, r->at, "not UTF-8");
        buf_add(&r->twin, r->text.data + r->at, (size_t)n);
        r->at += (size_t)n;
    }
    r->at++;
    buf_add(&r->twin, "\"", 1);
    return true;
}

static bool read_member(struct json_reader *r)
{
    skip_space(r);
    if (peek(r) != '"') return refuse(r, r->at, "a key is needed");
    buf_add(&r->key, &r->at, sizeof r->at);
    if (!read_string(r)) return false;
    skip_space(r);
    if (peek(r) != ':') return refuse(r, r->at, "':' is needed");
    r->at++;
    buf_add(&r->twin, ":", 1);
    return read_value(r);
}

/* An array or an object, by its closing bracket. */
static bool read_group(struct json_reader *r, char close)
{
    if (++r->depth > r->rules.depth_max) {
        char what[64];
        snprintf(what, sizeof what, "nested deeper than %d",
                 r->rules.depth_max);
        return refuse(r, r->at, what);
    }
    buf_add(&r->twin, r->text.data + r->at, 1);
    r->at++;
    skip_space(r);
    for (bool first = true; peek(r) != close || !first; first = false) {
        if (!first) buf_add(&r->twin, ",", 1);
        if (!(close == '}' ? read_member(r) : read_value(r))) return false;
        skip_space(r);
        if (peek(r) == close) break;
        if (peek(r) != ',')
            return refuse(r, r->at,
                          close == '}' ? "',' or '}' is needed"
                                       : "',' or ']' is needed");
        r->at++;
    }
    r->at++;
    buf_add(&r->twin, &close, 1);
    r->depth--;
    return true;
}

static bool read_word(struct json_reader *r, const char *word)
{
    size_t n = strlen(word);
    if (r->text.size - r->at < n || memcmp(r->text.data + r->at, word, n))
        return refuse(r, r->at, "a value is needed");
    r->at += n;
    buf_add(&r->twin, word, n);
    return true;
}

static bool read_value(struct json_reader *r)
{
    skip_space(r);
    switch (peek(r)) {
    case '{': return read_group(r, '}');
    case '[': return read_group(r, ']');
    case '"': return read_string(r);
    case 't': return read_word(r, "true");
    case 'f': return read_word(r, "false");
    case 'n': return read_word(r, "null");
    default: break;
    }
    if (peek(r) == '-' || is_digit(peek(r))) return read_number(r);
    return refuse(r, r->at, "a value is needed");
}

/* strtod reads the point of the locale; the text has a full stop. */
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

static void number_set(cJSON *node, struct span text)
{
    char *copy = mem_take(text.size + 1, 1); /* cJSON_Delete frees it */
    memcpy(copy, text.data, text.size);
    node->valuestring = copy;
    cJSON_SetNumberHelper(node, double_of(copy));
}

/* How far a walk over the tree has used up the reader's two lists. */
struct json_walk {
    const struct span *number;
    const size_t *key;
};

struct json_key {
    const char *name;
    size_t at;
};

static int compare_members(const void *a, const void *b)
{
    const struct json_key *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : (x->at > y->at) - (x->at < y->at);
}

/* The place of the first key that an earlier one equals, or SIZE_MAX. */
static size_t find_duplicate(struct json_key *member, size_t n)
{
    size_t found = SIZE_MAX;
    qsort(member, n, sizeof *member, compare_members);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(member[i - 1].name, member[i].name) && member[i].at < found)
            found = member[i].at;
    return found;
}

/* Gives the numbers from `node` down their texts and looks for keys that are
 * there twice, escapes resolved. */
static bool finish_tree(struct json_reader *r, struct json_walk *w, cJSON *node)
{
    if (cJSON_IsNumber(node)) number_set(node, *w->number++);
    size_t n = 0;
    for (cJSON *child = node->child; child; child = child->next)
        n++;
    if (n == 0) return true;
    bool check = cJSON_IsObject(node) && !r->rules.duplicates && n > 1;
    struct json_key *member = check ? mem_take(n, sizeof *member) : NULL;
    bool good = true;
    size_t i = 0;
    for (cJSON *child = node->child; child && good; child = child->next) {
        if (check) member[i++] = (struct json_key){child->string, *w->key};
        if (cJSON_IsObject(node)) w->key++;
        good = finish_tree(r, w, child);
    }
    if (good && check) {
        size_t at = find_duplicate(member, n);
        if (at != SIZE_MAX) good = refuse(r, at, "a key that was there before");
    }
    mem_give(member);
    return good;
}

static cJSON *build(struct json_reader *r)
{
    const char *end = NULL;
    cJSON *root =
        cJSON_ParseWithLengthOpts(r->twin.data, r->twin.size, &end, false);
    if (!root) {
        err_set(r->err, ERR_SYSTEM, "no memory for a JSON text of %zu bytes",
                r->text.size);
        return NULL;
    }
    struct json_walk w = {(const struct span *)(const void *)r->number.data,
                          (const size_t *)(const void *)r->key.data};
    if (finish_tree(r, &w, root)) return root;
    cJSON_Delete(root);
    return NULL;
}

cJSON *json_parse_rules(struct span text, struct json_rules rules,
                        struct err *err)
{
    if (err_failed(err)) return NULL;
    if (rules.depth_max <= 0) rules.depth_max = JSON_DEPTH_MAX;
    if (rules.depth_max > JSON_DEPTH_MOST) rules.depth_max = JSON_DEPTH_MOST;
    struct json_reader r = {.text = text,
                            .rules = rules,
                            .twin = buf_limit(SIZE_MAX / 8),
                            .number = buf_limit(SIZE_MAX / 8),
                            .key = buf_limit(SIZE_MAX / 8),
                            .err = err};
    cJSON *root = NULL;
    bool good = read_value(&r);
    if (good) {
        skip_space(&r);
        if (r.at < text.size)
            good = refuse(&r, r.at, "nothing may follow the value");
    }
    if (good) root = build(&r);
    buf_free(&r.twin);
    buf_free(&r.number);
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
