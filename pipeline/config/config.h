/* config.h - the settings: one table, four origins.
 *
 * Flags beat the environment (PLATEN_KEY) beats platen.conf beats defaults.
 * The table in config.c is all there is: it parses, checks, prints itself
 * (`platen config`) and is what platen.conf(5) lists (a test compares).
 */
#ifndef PIPELINE_CONFIG_CONFIG_H
#define PIPELINE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdio.h>

#include "stages/settings.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

enum { CONFIG_KEY_MAX = 96, CONFIG_READER_JOBS = 4 };

struct config {
    struct settings stage; /* what the stages read */

    double stable_for_s; /* unchanged for so long: the producer has finished */
    double rescan_s;     /* the truth, should every event be lost */
    const char *default_schema;
    unsigned formats; /* set of enum record_format */
    int jobs;         /* documents in flight; 0: by engine */
    int64_t free_bytes;
    bool log_quiet, log_verbose;
    const char *endpoint_key_file;
    const char *on_done, *on_failed; /* programs, or "" */
    int hook_timeout_s;
    const char *log_format;
    const char *metrics, *metrics_listen; /* or "" */

    /* of a fleet (pipeline/fleet): what a worker has, or a job needs */
    const char *fleet, *fleet_model, *fleet_key_file;
    bool fleet_gpu;
    int64_t fleet_memory;
    const char *s3_key, *s3_secret, *s3_session; /* of its store */

    const char *given; /* of --config, or NULL */
    const char *file;  /* the platen.conf that was read, or "" */
    const char *origin[CONFIG_KEY_MAX]; /* by table row, for config_print */
    const char *value[CONFIG_KEY_MAX];  /* as text */
    struct arena *arena;
};

/* Everything but flags: defaults, file, environment. `file`: of --config, or
 * NULL to search. FAIL: ERR_CONFIG naming file, line and nearest key. */
struct config *config_open(const char *file, struct err *err);
void config_close(struct config *c); /* NULL is fine */

/* File and environment read anew, with the flags of `first`. */
struct config *config_again(const struct config *first, struct err *err);

/* Is there such a key ('-' and '_' are the same)? Switches may stand without
 * a value. */
bool config_has(const char *key, bool *is_switch);

/* Sets one key; origin is shown by config_print. FAIL: ERR_ARGS or, from a
 * file, ERR_CONFIG: what is wanted and what was found. */
void config_set(struct config *c, const char *key, const char *value,
                const char *origin, struct err *err);

/* Where the key's present value comes from ("default", FILE:LINE, the name of a
 * variable, "flag"); NULL when there is no such key. */
const char *config_origin(const struct config *c, const char *key);

/* Its present value as text; NULL when there is no such key. */
const char *config_value(const struct config *c, const char *key);

/* After the last config_set: fills in what depends on several keys (default
 * paths, the key file). FAIL: ERR_CONFIG. */
void config_finish(struct config *c, struct err *err);

/* Can this configuration work? Model, schemas and rasteriser are looked for.
 * FAIL: ERR_CONFIG or ERR_MISSING, the first thing that is wrong. */
void config_check(const struct config *c, struct err *err);

/* "key = value   # origin" by section; itself a valid platen.conf. */
void config_print(const struct config *c, struct buf *out);

/* One line a key for --help: flag, default, meaning. */
void config_help(struct buf *out);

/* Each key as a flag, in order; `words`: what may be chosen, "a|b", or NULL. */
void config_each(void (*one)(void *arg, const char *flag, const char *words,
                             const char *help),
                 void *arg);

/* The table as mdoc list items, for the man page. */
void config_manual(struct buf *out);

/* The key that a mistyped one is closest to, or NULL. */
const char *config_nearest(const char *key);

/* Calls back for each PLATEN_ variable of the environment that is no key but
 * looks like one, with the variable that was probably meant. */
void config_mistyped_environment(void (*found)(const char *name,
                                               const char *meant));

/* How many documents run at once: jobs, else endpoint_parallel, 4 with a
 * reader, or 1. */
int config_jobs(const struct config *c);

/* Is one process to hold the model for all documents at work? */
bool config_has_reader(const struct config *c);

#endif
