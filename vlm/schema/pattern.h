/* pattern.h - regular expressions of ECMA-262, matched by PCRE2 with limits.
 *
 * The syntax is checked and rewritten first, so that nothing of PCRE2's own
 * (recursion, callouts, possessive quantifiers, verbs) can be reached, and \d,
 * \w, \s, "." and "$" mean what ECMA-262 says. Flags are those of `u`.
 * THREADS  A pattern is read-only once made.
 */
#ifndef VLM_SCHEMA_PATTERN_H
#define VLM_SCHEMA_PATTERN_H

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* Steps of the matcher for a text: "^(a+)+$" on 40 letters ends after 3 ms, and
 * is then tried by a matcher that goes all ways at once. */
enum { PATTERN_MATCH_MAX = 100000, PATTERN_DEPTH_MAX = 10000 };

enum pattern_verdict { PATTERN_NO, PATTERN_YES, PATTERN_LIMIT };

struct pattern;

/* Rewrites an ECMA-262 pattern for PCRE2 into `out`. False when it is none;
 * *why then says so (static text). */
bool pattern_translate(const char *text, struct buf *out, const char **why);

/* Lives as long as `arena`. FAIL: ERR_CONFIG, "schema-refused": not
 * ECMA-262, not supported by PCRE2, or hopeless: it passes the limits on
 * one of the short texts that are tried here. */
const struct pattern *pattern_new(const char *text, struct arena *arena,
                                  struct err *err);

/* As pattern_new for a text in PCRE2's own syntax, which must be right. */
const struct pattern *pattern_new_plain(const char *text, struct arena *arena);

/* `text` is UTF-8 in which U+0000 may be C0 80 (json.h). */
enum pattern_verdict pattern_match(const struct pattern *p, struct span text);

#endif
