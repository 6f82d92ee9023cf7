/* grammar_scalar.c - rules for numbers and strings. */
#include <string.h>

#include "vlm/grammar/grammar_build.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

struct format_text {
    const char *name;
    const char *pattern; /* NULL: cannot be enforced during generation */
    int length_max;      /* characters; 0: unlimited */
};

/* --- format text ----------------------------------------------------------- */

/* The formats of JSON Schema as patterns for generation.
 *
 * Each pattern admits only valid texts of the format, limited to usual forms:
 * no leap seconds, no quoted mailbox names, no address literals. */

/* Without year 0000, which not all software supports. */
#define YEAR "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
#define LEAP                                   \
    "([0-9]{2}(0[48]|[2468][048]|[13579][26])" \
    "|(0[48]|[2468][048]|[13579][26])00)"
#define DATE                                               \
    "(" YEAR "-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])" \
    "|(0[469]|11)-(0[1-9]|[12][0-9]|30)"                   \
    "|02-(0[1-9]|1[0-9]|2[0-8]))"                          \
    "|" LEAP "-02-29)"
#define HOUR "([01][0-9]|2[0-3])"
#define TIME \
    HOUR ":[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]" HOUR ":[0-5][0-9])"
#define COUNT "[0-9]{1,6}"
#define CLOCK                                                        \
    "T(" COUNT "H(" COUNT "M(" COUNT "S)?)?|" COUNT "M(" COUNT "S)?" \
    "|" COUNT "S)"
#define DURATION                                         \
    "P(" COUNT "W|(" COUNT "Y(" COUNT "M(" COUNT "D)?)?" \
    "|" COUNT "M(" COUNT "D)?|" COUNT "D)(" CLOCK ")?|" CLOCK ")"
#define ALNUM "[A-Za-z0-9]"
/* No adjacent hyphens: "xn--" has rules of its own. */
#define LABEL ALNUM "(-?" ALNUM "){0,30}"
#define HOST  LABEL "(\\." LABEL ")*"
#define MAILBOX                                                              \
    "[A-Za-z0-9_+-]{1,20}(\\.[A-Za-z0-9_+-]{1,20}){0,2}@" LABEL "(\\." LABEL \
    "){1,6}"
#define BYTE       "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
#define HEX4       "[0-9A-Fa-f]{1,4}"
#define HEX4_COLON "(" HEX4 ":)"
#define IPV6                                                            \
    "(" HEX4_COLON "{7}" HEX4 "|" HEX4_COLON "{1,7}:"                   \
    "|" HEX4_COLON "{1,6}:" HEX4 "|" HEX4_COLON "{1,5}(:" HEX4 "){1,2}" \
    "|" HEX4_COLON "{1,4}(:" HEX4 "){1,3}"                              \
    "|" HEX4_COLON "{1,3}(:" HEX4 "){1,4}"                              \
    "|" HEX4_COLON "{1,2}(:" HEX4 "){1,5}"                              \
    "|" HEX4 ":(:" HEX4 "){1,6}|:((:" HEX4 "){1,7}|:))"
#define ESCAPED  "%[0-9A-Fa-f]{2}"
#define PCHAR    "([A-Za-z0-9._~!$&'()*+,;=:@-]|" ESCAPED ")"
#define NO_COLON "([A-Za-z0-9._~!$&'()*+,;=@-]|" ESCAPED ")"
#define TAIL                                              \
    "(\\?([A-Za-z0-9._~!$&'()*+,;=:@/?-]|" ESCAPED ")*)?" \
    "(#([A-Za-z0-9._~!$&'()*+,;=:@/?-]|" ESCAPED ")*)?"
#define AUTHORITY "//" HOST "(:[0-9]{1,5})?"
#define REST      "(/" PCHAR "*)*"
#define URI                                                              \
    "[A-Za-z][A-Za-z0-9+.-]*:(" AUTHORITY REST "|/(" PCHAR "+" REST ")?" \
    "|" PCHAR "+" REST ")" TAIL
#define REFERENCE                                         \
    "(" URI "|(" AUTHORITY REST "|/(" PCHAR "+" REST ")?" \
    "|" NO_COLON "+" REST "|)" TAIL ")"
#define UUID                                                      \
    "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}" \
    "-[0-9A-Fa-f]{12}"
#define POINTER  "(/([^/~\\x00-\\x1f]|~[01])*)*"
#define WHOLE(x) "^" x "$"

static const struct format_text table[] = {
    {"date", WHOLE(DATE), 10},
    {"time", WHOLE(TIME), 0},
    {"date-time", WHOLE(DATE "T" TIME), 0},
    {"duration", WHOLE(DURATION), 0},
    {"email", WHOLE(MAILBOX), 254},
    {"idn-email", WHOLE(MAILBOX), 254},
    {"hostname", WHOLE(HOST), 253},
    {"idn-hostname", WHOLE(HOST), 253},
    {"ipv4", WHOLE(BYTE "(\\." BYTE "){3}"), 0},
    {"ipv6", WHOLE(IPV6), 0},
    {"uri", WHOLE(URI), 0},
    {"iri", WHOLE(URI), 0},
    {"uri-reference", WHOLE(REFERENCE), 0},
    {"iri-reference", WHOLE(REFERENCE), 0},
    {"uri-template", WHOLE(REFERENCE), 0},
    {"uuid", WHOLE(UUID), 0},
    {"json-pointer", WHOLE(POINTER), 0},
    {"relative-json-pointer", WHOLE("(0|[1-9][0-9]{0,5})(#|" POINTER ")"), 0},
    {"regex", NULL, 0},
};

/* NULL for an unknown format. */
static const struct format_text *format_text_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) return &table[i];
    return NULL;
}

/* --- grammar scalar -------------------------------------------------------- */

enum { KEY_MOST = 1 << 20, TEXT_MOST = 1 << 20 };

enum { DFA_WORK_MAX = 60000000 }; /* for all patterns of a schema */

/* Applies one keyword; false if it has too many digits. */
static bool narrow(struct decimal *d, const cJSON *k)
{
    const char *value = json_number(k);
    if (!strcmp(k->string, "minimum")) return decimal_least(d, value, false);
    if (!strcmp(k->string, "exclusiveMinimum"))
        return decimal_least(d, value, true);
    if (!strcmp(k->string, "maximum")) return decimal_most(d, value, false);
    if (!strcmp(k->string, "exclusiveMaximum"))
        return decimal_most(d, value, true);
    if (!strcmp(k->string, "multipleOf")) return decimal_multiple(d, value);
    return true;
}

void grammar_add_number(struct build *b, struct rule *rule,
                        const struct intersect *w, unsigned types)
{
    struct decimal d;
    decimal_init(&d, !(types & TYPE_FRACTION));
    for (int i = 0; i < w->n; i++) {
        if (w->want[i].kind != WANT_SCHEMA) continue;
        const cJSON *schema = w->want[i].schema;
        for (const cJSON *k = schema->child; k; k = k->next) {
            struct decimal narrower = d;
            if (cJSON_IsNumber(k) && !narrow(&narrower, k))
                notes_add(&b->notes, schema, k->string,
                          "more digits than generation supports");
            else
                d = narrower;
        }
    }
    if (!decimal_count(&d, 1)) return;
    grammar_way(b, rule, WAY_NUMBER)->number = d;
}

static const struct dfa *cache_dfa(struct build *b, const char *key,
                                   const struct dfa *dfa)
{
    struct known_dfa *known = arena_alloc(b->g->arena, sizeof *known);
    known->dfa = dfa;
    const char *name = arena_copy(b->g->arena, span_of(key));
    text_table_put(&b->dfa, b->g->arena, name, known);
    return dfa;
}

/* Also NULL if the budget for all patterns of the schema is spent. */
static const struct dfa *make_dfa(struct build *b, const struct regex *r,
                                  int length_min, const char *key)
{
    const struct known_dfa *known = text_table_find(&b->dfa, key);
    if (known) return known->dfa;
    if (b->dfa_work > DFA_WORK_MAX || schema_stopped(b->schema, b->err))
        return NULL;
    return cache_dfa(b, key, dfa_new(r, length_min, b->g->arena, &b->dfa_work));
}

static struct regex *new_regex(struct build *b)
{
    struct regex *r = regex_new(b->scratch);
    r->known = &b->properties;
    return r;
}

const struct dfa *grammar_pattern(struct build *b, const char *pattern)
{
    const char *why;
    char *key = arena_text(b->scratch, "alone %s", pattern);
    const struct known_dfa *known = text_table_find(&b->dfa, key);
    if (known) return known->dfa;
    struct regex *r = new_regex(b);
    if (regex_add(r, pattern, &why)) return make_dfa(b, r, 0, key);
    return cache_dfa(b, key, NULL);
}

/* State while the rule of a string is made. */
struct text_build {
    struct text_rule rule;
    struct regex *regex;
    struct buf key;
    struct notes *notes;
};

static void add_pattern(struct build *b, struct text_build *t,
                        const cJSON *schema, const cJSON *k)
{
    const char *why = NULL, *pattern = k->valuestring;
    if (!strcmp(k->string, "format")) {
        const struct format_text *f = format_text_find(pattern);
        if (!f) return;
        if (f->length_max && f->length_max < t->rule.length_max)
            t->rule.length_max = f->length_max;
        pattern = f->pattern;
        why = "cannot be enforced during generation";
    }
    if (!t->regex) t->regex = new_regex(b);
    if (!pattern || !regex_add(t->regex, pattern, &why)) {
        notes_add(t->notes, schema, k->string, why);
        return;
    }
    buf_print(&t->key, "+%zu %s\n", strlen(pattern), pattern);
}

/* {"not": {"pattern": ...}}: texts that do not match. */
static void exclude_pattern(struct build *b, struct text_build *t,
                            const cJSON *schema, const cJSON *excluded)
{
    const char *why = NULL;
    const char *pattern = json_get_text(excluded, "pattern");
    if (!pattern || excluded->child->next) return;
    if (!t->regex) t->regex = new_regex(b);
    if (regex_exclude(t->regex, pattern, &why))
        buf_print(&t->key, "-%zu %s\n", strlen(pattern), pattern);
    else
        notes_add(t->notes, schema, "not", why);
}

static void add_patterns(struct build *b, struct text_build *t,
                         const cJSON *schema)
{
    for (const cJSON *k = schema->child; k; k = k->next) {
        if (!strcmp(k->string, "not"))
            exclude_pattern(b, t, schema, k);
        else if ((!strcmp(k->string, "pattern") ||
                  !strcmp(k->string, "format")) &&
                 cJSON_IsString(k))
            add_pattern(b, t, schema, k);
    }
}

/* Makes the DFA of all patterns, including minLength if possible. */
static void add_dfa(struct build *b, struct text_build *t, const cJSON *schema)
{
    struct text_rule *rule = &t->rule;
    if (!t->regex || t->regex->n_part == 0) return;
    char *key = arena_text(b->scratch, "%d %s", rule->length_min, t->key.data);
    rule->dfa = make_dfa(b, t->regex, rule->length_min, key);
    if (!rule->dfa && rule->length_min) {
        key = arena_text(b->scratch, "0 %s", t->key.data);
        rule->dfa = make_dfa(b, t->regex, 0, key);
        notes_add(t->notes, schema, "minLength",
                  "in combination with a pattern");
    }
    if (!rule->dfa)
        notes_add(t->notes, schema, "pattern",
                  "needs too many states for generation");
    else
        rule->length_min = 0;
}

static void add_lengths(struct text_rule *t, const cJSON *schema)
{
    const cJSON *least = json_get(schema, "minLength");
    const cJSON *most = json_get(schema, "maxLength");
    int n = least ? grammar_limit(least, TEXT_MOST) : 0;
    if (n > t->length_min) t->length_min = n;
    n = most ? grammar_limit(most, TEXT_MOST) : -1;
    if (n >= 0 && (t->length_max < 0 || n < t->length_max)) t->length_max = n;
}

bool grammar_text(struct build *b, const struct intersect *w,
                  struct notes *notes, struct text_rule *out)
{
    struct text_build t = {
        .rule.length_max = -1, .key = buf_limit(KEY_MOST), .notes = notes};
    const cJSON *last = NULL;
    for (int i = 0; i < w->n; i++) {
        if (w->want[i].kind != WANT_SCHEMA) continue;
        add_lengths(&t.rule, w->want[i].schema);
        last = w->want[i].schema;
    }
    bool limited = t.rule.length_max >= 0;
    if (!limited)
        t.rule.length_max = t.rule.length_min > GRAMMAR_TEXT_MAX
                                ? t.rule.length_min
                                : GRAMMAR_TEXT_MAX;
    for (int i = 0; i < w->n; i++)
        if (w->want[i].kind == WANT_SCHEMA)
            add_patterns(b, &t, w->want[i].schema);
    add_dfa(b, &t, last);
    buf_free(&t.key);
    *out = t.rule;
    int least = t.rule.dfa ? t.rule.dfa->dist[DFA_START] : t.rule.length_min;
    if (least == DFA_FAR || (limited && least > t.rule.length_max))
        return false;
    if (least > t.rule.length_max) out->length_max = least;
    return true;
}

void grammar_add_text(struct build *b, struct rule *rule,
                      const struct intersect *w)
{
    struct text_rule text;
    if (grammar_text(b, w, &b->notes, &text))
        grammar_way(b, rule, WAY_TEXT)->text = text;
}
