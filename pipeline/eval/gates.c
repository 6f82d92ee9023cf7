/* gates.c - see gates.h. */
#include "pipeline/eval/gates.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/eval/measure.h"
#include "vlm/base/file_map.h"
#include "vlm/json/json.h"

enum { FILE_BYTES_MOST = 1 << 20, LINE_BYTES = 600 };

/* --- the file ------------------------------------------------------------ */

static const char *read_text(const cJSON *member, const char *gate,
                             struct arena *arena, struct err *err)
{
    if (cJSON_IsString(member))
        return arena_copy(arena, span_of(member->valuestring));
    err_set(err, ERR_CONFIG, "%s: \"%s\" must be a string", gate,
            member->string);
    return NULL;
}

static double read_number(const cJSON *member, const char *gate,
                          struct err *err)
{
    if (cJSON_IsNumber(member)) return member->valuedouble;
    err_set(err, ERR_CONFIG, "%s: \"%s\" must be a number", gate,
            member->string);
    return 0;
}

static void read_member(struct gates_one *one, const cJSON *member,
                        struct arena *arena, struct err *err)
{
    const char *key = member->string;
    if (!strcmp(key, "schema")) {
        one->schema = read_text(member, one->name, arena, err);
    } else if (!strcmp(key, "field")) {
        one->field = read_text(member, one->name, arena, err);
    } else if (!strcmp(key, "measure")) {
        one->measure = read_text(member, one->name, arena, err);
    } else if (!strcmp(key, "least")) {
        one->has_least = true;
        one->least = read_number(member, one->name, err);
    } else if (!strcmp(key, "most")) {
        one->has_most = true;
        one->most = read_number(member, one->name, err);
    } else {
        err_set(err, ERR_CONFIG,
                "%s: unknown key \"%s\"; known are schema, field, measure, "
                "least, most",
                one->name, key);
    }
}

static void check_one(const struct gates_one *one, struct err *err)
{
    const struct measure none = {0};
    bool known = false;
    if (err_failed(err)) return;
    if (one->measure) measure_named(&none, one->measure, &known);
    if (!known)
        err_set(err, ERR_CONFIG,
                "%s: \"measure\" must be exact, tolerant, exact_in_order, "
                "precision, recall, f1, null_precision, null_recall, "
                "evidence_f1, ece, accuracy_at_80, accuracy_at_90, "
                "accuracy_at_95, read, seconds_a_page or tokens_a_page",
                one->name);
    else if (!one->has_least && !one->has_most)
        err_set(err, ERR_CONFIG, "%s: add \"least\" or \"most\"", one->name);
}

static void read_gates(struct gates *g, const cJSON *all, struct arena *arena,
                       struct err *err)
{
    const cJSON *gate = NULL, *member = NULL;
    if (!cJSON_IsObject(all) || !all->child)
        err_set(err, ERR_CONFIG,
                "expected an object of gates: {\"NAME\": {\"measure\": "
                "\"exact\", \"least\": 0.98}}");
    g->one =
        arena_array(arena, (size_t)cJSON_GetArraySize(all) + 1, sizeof *g->one);
    cJSON_ArrayForEach(gate, all)
    {
        if (err_failed(err)) return;
        struct gates_one *one = &g->one[g->n++];
        one->name = arena_copy(arena, span_of(gate->string));
        cJSON_ArrayForEach(member, gate)
        {
            if (member->string) read_member(one, member, arena, err);
        }
        check_one(one, err);
    }
}

struct gates gates_read(const char *path, struct arena *arena, struct err *err)
{
    struct gates g = {0};
    if (err_failed(err)) return g;
    struct span text = file_map_read(path, FILE_BYTES_MOST, arena, err);
    cJSON *all = err_failed(err) ? NULL : json_parse(text, err);
    if (err->kind == ERR_INPUT) err->kind = ERR_CONFIG;
    if (!err_failed(err)) read_gates(&g, all, arena, err);
    err_context(err, "%s", path);
    cJSON_Delete(all);
    return g;
}

/* --- the check ----------------------------------------------------------- */

/* Prints which gate fails, with value and bound. */
static void print_line(const struct gates_one *one, const char *schema,
                       double value, char line[static LINE_BYTES])
{
    char got[32], wanted[64];
    double bound =
        one->has_least && value < one->least ? one->least : one->most;
    bool low = one->has_least && value < one->least;
    snprintf(got, sizeof got, value < 0 ? "not known" : "%.4f", value);
    snprintf(wanted, sizeof wanted, "%s %.6g",
             low || !one->has_most ? "at least" : "at most",
             one->has_most ? bound : one->least);
    snprintf(line, LINE_BYTES,
             "gate \"%.150s\" fails: %s%s%.200s%s%.60s is %s, must be %s",
             one->name, one->measure, one->field ? " of " : "",
             one->field ? one->field : "", schema ? " of " : "",
             schema ? schema : "", got, wanted);
}

static int check_value(const struct gates_one *one, const char *schema,
                       const struct measure *m,
                       void (*report)(const char *line))
{
    char line[LINE_BYTES];
    bool known;
    double value = measure_named(m, one->measure, &known);
    bool fails = value < 0 || (one->has_least && value < one->least) ||
                 (one->has_most && value > one->most);
    if (!fails) return 0;
    print_line(one, schema, value, line);
    report(line);
    return 1;
}

/* Checks the field in each schema that has it, or in the gate's schema. */
static int check_fields(const struct gates_one *one, const struct result *r,
                        void (*report)(const char *line))
{
    int n = 0, n_failed = 0;
    for (int i = 0; i < r->n_field; i++) {
        const struct result_field *f = &r->field[i];
        if (strcmp(f->name, one->field) != 0) continue;
        if (one->schema && strcmp(f->schema, one->schema) != 0) continue;
        struct measure m = measure_of(r, f->schema, i);
        n_failed += check_value(one, f->schema, &m, report);
        n++;
    }
    const struct measure none = {.ece = -1, .at = {-1, -1, -1}};
    return n ? n_failed > 0 : check_value(one, one->schema, &none, report);
}

int gates_check(const struct gates *g, const struct result *r,
                void (*report)(const char *line))
{
    int n_failed = 0;
    for (int i = 0; i < g->n; i++) {
        const struct gates_one *one = &g->one[i];
        if (one->field) {
            n_failed += check_fields(one, r, report);
            continue;
        }
        struct measure m = measure_of(r, one->schema, -1);
        n_failed += check_value(one, one->schema, &m, report);
    }
    return n_failed;
}
