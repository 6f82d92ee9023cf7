/* json.h - strict JSON with numbers kept as they were written.
 *
 * cJSON holds the tree, but never sees a text that is not strict: RFC 8259
 * UTF-8, no duplicate keys, no \u0000, no lone surrogates, no number that a
 * double cannot hold (1e999, which others read as infinity), nothing behind
 * the value, depth at most JSON_DEPTH_MAX. A number node is of
 * type cJSON_Number and its `valuestring` holds the source text, which is what
 * everything here prints and compares; `valuedouble` is a convenience.
 * Look up members with json_get (case-sensitive) only.
 */
#ifndef VLM_JSON_JSON_H
#define VLM_JSON_JSON_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

enum { JSON_DEPTH_MAX = 64, JSON_DEPTH_MOST = 512 };

/* What a text may hold beside strict JSON; all zero is strict. */
struct json_rules {
    int depth_max; /* 0: JSON_DEPTH_MAX; at most JSON_DEPTH_MOST */
    bool duplicates;
    bool nul;      /* \u0000 is kept as the bytes C0 80, see below */
    bool any_size; /* of numbers: number_is_in_range is not asked for */
};

/* The text without the mark that some editors set before UTF-8. FAIL: ERR_INPUT
 * for UTF-16 and UTF-32. */
struct span json_unmarked(struct span text, struct err *err);

/* Owned by the caller: cJSON_Delete. FAIL: ERR_INPUT, with line and column and
 * what was expected there; the result is then NULL. */
cJSON *json_parse(struct span text, struct err *err);

/* As json_parse by other rules. A tree's strings end at a NUL, so U+0000 lies
 * in them as C0 80, which no UTF-8 text contains; json_print undoes it. */
cJSON *json_parse_rules(struct span text, struct json_rules rules,
                        struct err *err);

/* The text of a number node, exactly as written. */
const char *json_number(const cJSON *number);

/* A number node that keeps `text` (which must be a JSON number). */
cJSON *json_new_number(const char *text);
cJSON *json_new_integer(long long value);

/* One that is read again as the same number. */
cJSON *json_new_exact(double value);

/* Member of an object, or NULL: case-sensitive. */
const cJSON *json_get(const cJSON *object, const char *key);

/* A string member's text, or NULL when it is absent or no string. */
const char *json_get_text(const cJSON *object, const char *key);

/* The same, or "". */
const char *json_get_text_or_empty(const cJSON *object, const char *key);

/* A tree some of whose groups are too long to be held: their members come one
 * after another, and an empty group stands for each. `stream` is NULL where all
 * is in memory; it need not be given where a value holds no such group. */
struct json_stream {
    /* What comes behind `child` (NULL: the first) in `group`, or NULL. What it
     * gave for the same group is gone then; groups are gone through one at a
     * time, each as often as need be. A member that cannot be had ends the
     * group, and whoever made the stream is told by itself. */
    const cJSON *(*next)(struct json_stream *stream, const cJSON *group,
                         const cJSON *child);
    /* Members of such a group; -1: it is held. */
    int (*count)(struct json_stream *stream, const cJSON *group);
};

/* What comes behind `child` (NULL: the first) in the group, or NULL. */
static inline const cJSON *json_next(struct json_stream *stream,
                                     const cJSON *group, const cJSON *child)
{
    if (stream) return stream->next(stream, group, child);
    return child ? child->next : group->child;
}

/* Is it one of the stream's groups? */
static inline bool json_is_streamed(struct json_stream *stream,
                                    const cJSON *group)
{
    return stream && stream->count(stream, group) >= 0;
}

/* How many members it has. */
static inline int json_count(struct json_stream *stream, const cJSON *group)
{
    int n = stream ? stream->count(stream, group) : -1;
    return n < 0 ? cJSON_GetArraySize(group) : n;
}

/* Is it null, or does it consist of nothing else: {"a": [], "b": {"c": null}}? */
bool json_holds_nothing(const cJSON *value);

/* Compact (indent 0) or indented text; strings escaped as RFC 8259 asks and
 * otherwise left as UTF-8; number text untouched; key order kept; a cJSON_Raw
 * node is JSON that stays as it is, on one line of a long tree. Ends where
 * `out` is full. */
void json_print(struct buf *out, const cJSON *value, int indent);

/* For a message: compact, on one line of UTF-8 that a terminal shows as it
 * stands ('?' for a character that it does not); of a longer text `most` bytes,
 * and "..." behind them. */
void json_print_brief(struct buf *out, const cJSON *value, size_t most);
void json_print_stream(struct buf *out, const cJSON *value, int indent,
                       struct json_stream *stream);

/* Appends a quoted JSON string. Bytes that are not UTF-8 become U+FFFD. */
void json_print_string(struct buf *out, struct span text);

/* Deep equality as JSON Schema defines it: 1.0 equals 1, key order ignored,
 * numbers compared exactly as decimals (number.h). */
bool json_equal(const cJSON *a, const cJSON *b);

/* The same for values that are json_equal. */
uint64_t json_equal_hash(const cJSON *value);

/* Both where `a` (value) may hold groups of the stream. */
bool json_equal_stream(const cJSON *a, const cJSON *b,
                       struct json_stream *stream);
uint64_t json_equal_hash_stream(const cJSON *value, struct json_stream *stream);

#endif
