/* json.h - strict JSON that keeps numbers as written.
 *
 * cJSON stores the tree, but only of strict text: RFC 8259 UTF-8, no duplicate
 * keys, no \u0000, no lone surrogates, no number outside the range of a double
 * (1e999, which others read as infinity), nothing after the value, depth at
 * most JSON_DEPTH_MAX. A number node has type cJSON_Number and the source text
 * in `valuestring`, which is what everything here prints and compares;
 * `valuedouble` is a convenience. Look up members with json_get
 * (case-sensitive) only.
 */
#ifndef VLM_JSON_JSON_H
#define VLM_JSON_JSON_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

enum { JSON_DEPTH_MAX = 64, JSON_DEPTH_MOST = 512 };

/* Deviations from strict JSON that are accepted; all zero is strict. */
struct json_rules {
    int depth_max; /* 0: JSON_DEPTH_MAX; at most JSON_DEPTH_MOST */
    bool duplicates;
    bool nul; /* \u0000 is accepted and stored as the bytes C0 80, see below */
    bool any_size; /* numbers of any size: number_is_in_range is not required */
};

/* The text without a byte order mark. FAIL: ERR_INPUT for UTF-16 and UTF-32. */
struct span json_unmarked(struct span text, struct err *err);

/* Parses strict JSON; the caller owns the tree (cJSON_Delete). FAIL: ERR_INPUT,
 * with line, column and the expected syntax; the result is then NULL. */
cJSON *json_parse(struct span text, struct err *err);

/* As json_parse with other rules. A tree's strings end at a NUL, so U+0000 is
 * stored as C0 80, which no UTF-8 text contains; json_print converts it
 * back. */
cJSON *json_parse_rules(struct span text, struct json_rules rules,
                        struct err *err);

/* The text of a number node, exactly as written. */
const char *json_number(const cJSON *number);

/* A number node with the text `text` (which must be a JSON number), or with an
 * integer. */
cJSON *json_new_number(const char *text);
cJSON *json_new_integer(long long value);

/* Add a member to an object: an integer; the present UTC time
 * (clock_utc_text). */
void json_add_integer(cJSON *o, const char *key, long long value);
void json_add_now(cJSON *o, const char *key);

/* One that parses to exactly this double. */
cJSON *json_new_exact(double value);

/* Member of an object, or NULL: case-sensitive. */
const cJSON *json_get(const cJSON *object, const char *key);

/* A string member's text, or NULL if it is absent or not a string. */
const char *json_get_text(const cJSON *object, const char *key);

/* The same, or "". */
const char *json_get_text_or_empty(const cJSON *object, const char *key);

/* A number member; 0 if it is absent or not a number. */
double json_get_number(const cJSON *object, const char *key);

/* The same, cut to a whole number. */
long long json_get_integer(const cJSON *object, const char *key);

/* A tree with arrays or objects ("groups") that do not fit into memory: their
 * members are delivered one after another, and the tree has an empty group in
 * their place. NULL if the whole tree is in memory, or for a value without such
 * groups. */
struct json_stream {
    /* The member after `child` (NULL: the first) of `group`, or NULL.
     * Invalidates the previous member of the same group; groups are read one at
     * a time, any number of times. A failure ends the group; the owner of the
     * stream records it. */
    const cJSON *(*next)(struct json_stream *stream, const cJSON *group,
                         const cJSON *child);
    /* Number of members of a streamed group; -1: it is in memory. */
    int (*count)(struct json_stream *stream, const cJSON *group);
};

/* The member after `child` (NULL: the first) of the group, or NULL. */
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

/* The number of members of a group. */
static inline int json_count(struct json_stream *stream, const cJSON *group)
{
    int n = stream ? stream->count(stream, group) : -1;
    return n < 0 ? cJSON_GetArraySize(group) : n;
}

/* Is it null, or does it contain only null and empty values: {"a": [], "b":
 * {"c": null}}? */
bool json_holds_nothing(const cJSON *value);

/* Prints compact (indent 0) or indented text; strings escaped as RFC 8259
 * requires and otherwise left as UTF-8; number text unchanged; key order kept;
 * a cJSON_Raw node is printed unchanged, on one line of an indented tree. Stops
 * when `out` is full. */
void json_print(struct buf *out, const cJSON *value, int indent);

/* For a message: compact, on one line of printable UTF-8 ('?' for other
 * characters); longer text is cut to `most` bytes, followed by "...". */
void json_print_brief(struct buf *out, const cJSON *value, size_t most);
void json_print_stream(struct buf *out, const cJSON *value, int indent,
                       struct json_stream *stream);

/* Appends a quoted JSON string. Invalid UTF-8 becomes U+FFFD. */
void json_print_string(struct buf *out, struct span text);

/* Appends a further member: ,"key":"text"; null for NULL. */
void json_print_member(struct buf *out, const char *key, const char *text);

/* Deep equality as JSON Schema defines it: 1.0 equals 1, key order ignored,
 * numbers compared exactly as decimals (number.h). */
bool json_equal(const cJSON *a, const cJSON *b);

/* A hash that is equal for values that are json_equal. */
uint64_t json_equal_hash(const cJSON *value);

/* The same if `a` (value) can have groups of the stream. */
bool json_equal_stream(const cJSON *a, const cJSON *b,
                       struct json_stream *stream);
uint64_t json_equal_hash_stream(const cJSON *value, struct json_stream *stream);

#endif
