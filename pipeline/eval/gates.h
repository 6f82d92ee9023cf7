/* gates.h - named thresholds that the figures of an evaluation must pass.
 *
 *   {"totals": {"field": "/total", "measure": "exact", "least": 0.98},
 *    "calibrated": {"schema": "receipt", "measure": "ece", "most": 0.05}}
 *
 * A measure is one of measure_figures, in its unit: of all documents; with
 * "schema", of those with the schema; with "field", of the field in each schema
 * that has it.
 */
#ifndef PIPELINE_EVAL_GATES_H
#define PIPELINE_EVAL_GATES_H

#include "pipeline/eval/result.h"
#include "vlm/base/err.h"

struct gates {
    struct gates_one {
        const char *name, *measure;
        const char *schema, *field; /* or NULL: all */
        bool has_least, has_most;
        double least, most;
    } * one;
    int n;
};

/* Reads a file, into the arena. FAIL: as file_map_read; ERR_CONFIG: not JSON,
 * an unknown member or measure, no bound. */
struct gates gates_read(const char *path, struct arena *arena, struct err *err);

/* Returns the number of gates that the result fails; calls `report` with a line
 * for each. A figure that is not known fails. */
int gates_check(const struct gates *g, const struct result *r,
                void (*report)(const char *line));

#endif
