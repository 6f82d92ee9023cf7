/* adversary.c - see adversary.h. */
#include "tests/support/adversary.h"

#include <stdio.h>

#include "vlm/json/json.h"

enum { TEXT_MOST = 1 << 20, SCHEMA_MOST = 1 << 20, STYLE_MAX = 4 };

struct attempt {
    struct adversary *a;
    const struct schema *schema;
    struct constraint *c;
    struct buf text;
    int style; /* 0: any token; more: the likelier that ends things */
    bool later;
};

static bool wrong(struct attempt *t, const char *what)
{
    snprintf(t->a->what, sizeof t->a->what, "%s: %s: %.1500s",
             schema_name(t->schema), what, t->text.data ? t->text.data : "");
    return false;
}

static bool has(const uint32_t *mask, int i)
{
    return mask[i / 32] >> (i % 32) & 1;
}

/* A legal token: the n-th, or now and then one that closes something. */
static int choose(struct attempt *t, const uint32_t *mask, int n_legal)
{
    struct adversary *a = t->a;
    bool ends = random_below(&a->bits, STYLE_MAX) < t->style;
    for (int tries = 0; ends && tries < 40; tries++) {
        int i = random_below(&a->bits, 400);
        if (i < a->n_vocab && has(mask, i) &&
            memchr("\"]},0123456789nt", a->bytes[i].data[0], 16))
            return i;
    }
    int left = random_below(&a->bits, n_legal);
    for (int i = 0; i < a->n_vocab; i++)
        if (has(mask, i) && left-- == 0) return i;
    return -1;
}

/* The mask says what accept says. Legal tokens are not tried, since that would
 * take them; the one that is chosen is. */
static bool check_mask(struct attempt *t, const uint32_t *mask)
{
    for (int i = 0; i < t->a->n_vocab; i++)
        if (!has(mask, i) && constraint_accept(t->c, i))
            return wrong(t, "a token was accepted that is not in the mask");
    return true;
}

static bool take_forced(struct attempt *t)
{
    struct span forced = constraint_forced(t->c);
    if (!forced.size) return true;
    buf_add(&t->text, forced.data, forced.size);
    t->a->counts.n_forced += (long)forced.size;
    if (!constraint_accept_bytes(t->c, forced))
        return wrong(t, "forced bytes were not accepted");
    return true;
}

static bool check_forced(struct attempt *t, const uint32_t *mask)
{
    struct span forced = constraint_forced(t->c);
    if (!forced.size) return true;
    for (int i = 0; i < t->a->n_vocab; i++) {
        struct span b = t->a->bytes[i];
        size_t n = b.size < forced.size ? b.size : forced.size;
        if (has(mask, i) && memcmp(b.data, forced.data, n) != 0)
            return wrong(t, "a legal token goes against the forced bytes");
    }
    return true;
}

static bool check_white_space(struct attempt *t)
{
    bool in_string = false;
    for (size_t i = 0; i < t->text.size; i++) {
        char c = t->text.data[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (unsigned char)c <= ' ')
            return wrong(t, "white space outside of strings");
    }
    return true;
}

static bool check_finished(struct attempt *t)
{
    struct err err = {0};
    struct findings found = {0};
    struct arena *arena = arena_new();
    cJSON *value = json_parse(buf_span(&t->text), &err);
    bool ok = true;
    if (!value)
        ok = wrong(t, err.text);
    else if (!schema_validate(t->schema, value, arena, &found, &err) &&
             !t->later) {
        char what[300];
        snprintf(what, sizeof what, "%s: found %.60s, wanted %.60s (%.100s)",
                 found.n_finding ? found.finding[0].instance : "",
                 found.n_finding ? found.finding[0].found : "",
                 found.n_finding ? found.finding[0].wanted : "", err.text);
        ok = wrong(t, what);
    }
    cJSON_Delete(value);
    arena_free(arena);
    return ok && check_white_space(t);
}

static bool write_one(struct attempt *t)
{
    struct adversary *a = t->a;
    constraint_reset(t->c);
    buf_cut(&t->text, 0);
    t->style = random_below(&a->bits, STYLE_MAX);
    bool forces = random_below(&a->bits, 2);
    int n_checked = random_below(&a->bits, 20) == 0 ? 8 : 0;
    for (int n = 0; n < a->n_token_max && !constraint_done(t->c); n++) {
        if (forces && !take_forced(t)) return false;
        if (constraint_done(t->c)) break;
        int n_legal;
        const uint32_t *mask = constraint_mask(t->c, &n_legal);
        if (n_legal == 0) {
            if (constraint_may_end(t->c)) break;
            return wrong(t, "nothing is legal, and it is not the end");
        }
        if (n < n_checked && !(check_mask(t, mask) && check_forced(t, mask)))
            return false;
        int token = choose(t, mask, n_legal);
        if (token < 0) return wrong(t, "the mask has fewer bits than it says");
        buf_add(&t->text, a->bytes[token].data, a->bytes[token].size);
        if (!constraint_accept(t->c, token))
            return wrong(t, "a token of the mask was not accepted");
        a->counts.n_token++;
    }
    a->counts.n_output++;
    if (!constraint_done(t->c)) {
        a->counts.n_cut++;
        return true;
    }
    a->counts.n_finished++;
    return check_finished(t);
}

/* As write_one, by somebody else. */
static bool write_other(struct attempt *t, const struct grammar *g, int n_left)
{
    struct adversary *a = t->a;
    buf_cut(&t->text, 0);
    bool finished = a->write(a->write_arg, g, n_left, &t->text);
    a->counts.n_output++;
    if (finished)
        a->counts.n_finished++;
    else
        a->counts.n_cut++;
    return !finished || check_finished(t);
}

/* The smallest instance is legal as well. */
static bool check_smallest(struct attempt *t, const struct grammar *g)
{
    struct err err = {0};
    buf_cut(&t->text, 0);
    grammar_smallest(g, &t->text, &err);
    if (err_failed(&err)) return wrong(t, err.text);
    constraint_reset(t->c);
    if (!constraint_accept_bytes(t->c, buf_span(&t->text)) ||
        !constraint_may_end(t->c))
        return wrong(t, "the smallest instance is not accepted");
    return check_finished(t);
}

bool adversary_attack(struct adversary *a, const struct schema *schema,
                      int n_output)
{
    struct err err = {0};
    struct grammar *g = grammar_compile(schema, &err);
    if (!g) {
        a->counts.n_refused++;
        return true;
    }
    struct attempt t = {.a = a, .schema = schema};
    struct buf report = buf_limit(TEXT_MOST);
    grammar_report(g, &report);
    t.later = report.size > 0;
    t.text = buf_limit(TEXT_MOST);
    t.c = constraint_new(g, a->trie);
    a->counts.n_schema++;
    a->counts.n_later += t.later;
    bool ok = check_smallest(&t, g);
    for (int i = 0; i < n_output && ok; i++)
        ok = a->write ? write_other(&t, g, n_output - i) : write_one(&t);
    constraint_free(t.c);
    buf_free(&t.text);
    buf_free(&report);
    grammar_free(g);
    return ok;
}

bool adversary_attack_random(struct adversary *a, uint64_t seed, int n_schema,
                             int n_output)
{
    int wanted = a->counts.n_schema + n_schema;
    for (; a->counts.n_schema < wanted; seed++) {
        struct buf text = buf_limit(SCHEMA_MOST);
        schema_gen(seed, &text);
        struct err err = {0};
        char name[40];
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        struct schema_options options = {.format_asserts = true};
        struct schema *s = schema_parse(buf_span(&text), name, &options, &err);
        bool ok = true;
        if (s)
            ok = adversary_attack(a, s, n_output);
        else
            a->counts.n_refused++;
        schema_free(s);
        if (!ok) {
            size_t n = strlen(a->what);
            snprintf(a->what + n, sizeof a->what - n, "\n%s", text.data);
        }
        buf_free(&text);
        if (!ok) return false;
    }
    return true;
}

bool adversary_attack_shipped(struct adversary *a, int n_output)
{
    static const char *const name[] = {"receipt", "invoice",
                                       "letter",  "court-notice",
                                       "page",    "bank-statement"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[200];
        struct err err = {0};
        snprintf(path, sizeof path, "schemas/%s.schema.json", name[i]);
        struct schema_options options = {.format_asserts = true};
        struct schema *s = schema_load(path, &options, &err);
        if (!s) {
            snprintf(a->what, sizeof a->what, "%s", err.text);
            return false;
        }
        bool ok = adversary_attack(a, s, n_output);
        schema_free(s);
        if (!ok) return false;
    }
    return true;
}

void adversary_print(const struct adversary *a, const char *title)
{
    const struct adversary_counts *c = &a->counts;
    printf("%s: %d schemas (%d refused, %d with something checked after), "
           "%d outputs: %d finished and valid, %d cut; %ld tokens, %ld forced "
           "bytes\n",
           title, c->n_schema, c->n_refused, c->n_later, c->n_output,
           c->n_finished, c->n_cut, c->n_token, c->n_forced);
}
