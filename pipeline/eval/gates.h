/* gates.h - named thresholds that the figures of an evaluation must pass.
 *
 *   {"totals are right": {"field": "/total", "measure": "exact", "least": 0.98},
 *    "calibrated": {"schema": "receipt", "measure": "ece", "most": 0.05}}
 *
 * A measure is one of measure_figures, in its unit. Without "schema" it is that
 * of all documents; with "field" that of the field, in each schema that has it.
 */
#ifndef PIPELINE_EVAL_GATES_H
#define PIPELINE_EVAL_GATES_H

#include "pipeline/eval/result.h"
#include "vlm/base/err.h"

struct gates {
    struct gates_one {
        const char *name, *schema, *field,
            *measure; /* schema, field: or NULL */
        bool has_least, has_most;
        double least, most;
    } * one;
    int n;
};

/* From a file, into the arena. FAIL: as file_map_read; ERR_CONFIG: no JSON, a member
 * or a measure that there is none, no bound. */
struct gates gates_read(const char *path, struct arena *arena, struct err *err);

/* How many the result fails; `tell` gets a line for each. What cannot be
 * measured fails. */
int gates_check(const struct gates *g, const struct result *r,
                void (*tell)(const char *line));

#endif
