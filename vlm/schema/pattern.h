/* pattern.h - ECMA-262 regular expressions, matched by PCRE2 with limits.
 *
 * The syntax is checked and translated first: PCRE2's own features (recursion,
 * callouts, possessive quantifiers, verbs) are not available, and \d, \w, \s,
 * "." and "$" have the meaning of ECMA-262 with the `u` flag. THREADS  A
 * pattern is read-only once made.
 */
#ifndef VLM_SCHEMA_PATTERN_H
#define VLM_SCHEMA_PATTERN_H

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* Step limits of the backtracking matcher: "^(a+)+$" on 40 letters reaches them
 * after 3 ms. Then PCRE2's DFA matcher tries. */
enum { PATTERN_MATCH_MAX = 100000, PATTERN_DEPTH_MAX = 10000 };

enum pattern_verdict { PATTERN_NO, PATTERN_YES, PATTERN_LIMIT };

struct pattern;

/* Translates an ECMA-262 pattern for PCRE2 into `out`. False if it is invalid;
 * *why is then the reason (static text). */
bool pattern_translate(const char *text, struct buf *out, const char **why);

/* The short name ("Lu") of a general category of characters by its long name, or
 * NULL. */
const char *pattern_category(struct span name);

/* Lives as long as `arena`. FAIL: ERR_CONFIG, "schema-refused": not ECMA-262,
 * not supported by PCRE2, or too slow: it exceeds the limits on a short test
 * text. */
const struct pattern *pattern_new(const char *text, struct arena *arena,
                                  struct err *err);

/* Compiles one of our own patterns, in PCRE2 syntax; it must be valid. */
const struct pattern *pattern_new_plain(const char *text, struct arena *arena);

/* `text` is UTF-8, with U+0000 as C0 80 (json.h). */
enum pattern_verdict pattern_match(const struct pattern *p, struct span text);

#endif
