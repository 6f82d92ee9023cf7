/* config.h - the configuration: flags, environment, platen.conf, defaults.
 *
 * Flags override the environment (PLATEN_KEY), which overrides platen.conf,
 * which overrides the defaults. Parsing, checking, `platen config`, --help and
 * platen.conf(5) all come from the table in config_table.c (a test compares the
 * manual page).
 */
#ifndef PIPELINE_CONFIG_CONFIG_H
#define PIPELINE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdio.h>

#include "stages/document/settings.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

enum {
    CONFIG_KEY_MAX = 96,
    CONFIG_SHARED_JOBS = 4,
    CONFIG_SCHEMAS_MAX = 31,
    CONFIG_EXAMPLES = 3 /* examples = auto */
};

struct config {
    struct settings stage; /* the settings of the stages */

    double stable_for_s;  /* age of the last change of a complete file */
    double empty_after_s; /* the same for an empty file */
    const char *ignore;   /* patterns of names in in/ to leave alone */
    bool recursive;       /* read folders of in/NAME/, too */
    double rescan_s;      /* interval for listing in/, without events */
    const char *default_schema;
    unsigned formats; /* set of enum record_format */
    int jobs;         /* documents in flight; 0: by engine */
    int64_t free_bytes;
    const char *endpoint_key_file;
    const char *passwords;  /* file with passwords of PDFs, or "" */
    int environment_key_fd; /* sealed memory with $OPENAI_API_KEY; 0: none */
    bool report_failures;   /* write notes on failures to out/ */
    const char *duplicates; /* of earlier documents: warn or fail */
    const char *examples; /* of them: off, auto or a number (config_examples) */
    const char *on_done, *on_failed; /* programs, or "" */
    int hook_timeout_s;
    const char *webhook, *webhook_secret_file; /* or "" */
    int webhook_secret_fd; /* sealed memory, for the process that sends; 0: none */
    const char *log_format;
    const char *metrics, *metrics_listen; /* or "" */

    /* fleet (pipeline/fleet): its database, for messages, without passwords;
     * needs of a job, or what a worker offers */
    const char *fleet, *fleet_model, *fleet_key_file;
    bool fleet_gpu;
    int64_t fleet_memory;
    int fleet_fd;   /* sealed memory with struct fleet_secrets; 0: none */
    bool for_fleet; /* reads for one: who hands a document in compares it */

    /* sections [schema.NAME] */
    struct config_schema *schema; /* list, or NULL */
    const char *of_schema; /* NAME, if this is the configuration of one */
    bool several_models;   /* different ones, for some schemas */
    double model_patience_s;
    int64_t model_memory; /* bytes for loaded models; 0: as available */

    const char *given; /* the value of --config, or NULL */
    const char *file;  /* the platen.conf that was read, or "" */
    const char *origin[CONFIG_KEY_MAX]; /* by table row, for config_print */
    const char *value[CONFIG_KEY_MAX];  /* as text, by table row */
    struct arena *arena;
};

/* Reads defaults, file and environment; flags are set with config_set. `file`:
 * the value of --config, or NULL to search. FAIL: ERR_CONFIG naming file, line
 * and nearest key. */
struct config *config_open(const char *file, struct err *err);
void config_close(struct config *c); /* NULL: does nothing */

/* Reads file and environment again, with the flags of `first`. */
struct config *config_reload(const struct config *first, struct err *err);

/* The configuration for documents of a schema: that of its section
 * [schema.NAME], else c. Valid after config_finish, as long as c. */
const struct config *config_for(const struct config *c, const char *schema);

/* The configurations of the sections: the first with before = c, NULL after the
 * last. */
const struct config *config_each_schema(const struct config *c,
                                        const struct config *before);

/* Bytes for the models that are loaded at the same time: model_memory, or what is
 * available now; 0: unknown. */
int64_t config_model_memory(const struct config *c);

/* Do both need a model, and the same? */
bool config_same_model(const struct config *a, const struct config *b);

/* Does the key exist ('-' and '_' are equal)? is_switch: it needs no value. */
bool config_has(const char *key, bool *is_switch);

/* Sets one key; config_print shows the origin. FAIL: ERR_CONFIG with the valid
 * values and the one found. */
void config_set(struct config *c, const char *key, const char *value,
                const char *origin, struct err *err);

/* The origin of the key's value ("default", FILE:LINE, the name of a variable,
 * "flag"); NULL if the key does not exist. */
const char *config_origin(const struct config *c, const char *key);

/* The key's value as text; NULL if the key does not exist. */
const char *config_value(const struct config *c, const char *key);

/* Call after the last config_set: fills in and checks what depends on several
 * keys (default paths, key files). FAIL: ERR_CONFIG. */
void config_finish(struct config *c, struct err *err);

/* Checks that model, schemas and rasteriser exist, also those of sections. FAIL: ERR_CONFIG or
 * ERR_MISSING for the first that does not. */
void config_check(const struct config *c, struct err *err);

/* Checks that the schemas of the sections exist. FAIL: ERR_CONFIG with file,
 * line and the nearest name. */
void config_check_schemas(const struct config *c, struct err *err);

/* Prints "key = value   # origin" by section; the output is a valid
 * platen.conf. */
void config_print(const struct config *c, struct buf *out);

/* Prints one line per key for --help: flag, default, meaning. */
void config_help(struct buf *out);

/* Calls `one` for each key, in table order. `choices`: "a|b", or NULL. */
void config_each(void (*one)(void *arg, const char *flag, const char *choices,
                             const char *help),
                 void *arg);

/* Prints the table as mdoc list items, for platen.conf(5). */
void config_manual(struct buf *out);

/* The existing key nearest to a mistyped one, or NULL. */
const char *config_nearest(const char *key);

/* Calls `found` for each PLATEN_ variable of the environment that is not a key
 * but resembles one, with the variable that was probably meant. */
void config_mistyped_environment(void (*found)(const char *name,
                                               const char *meant));

/* In a forked process: closes all sealed memory with keys and passwords, of this
 * and earlier configurations, except `keep` (0: none). */
void config_close_secrets(int keep);

/* Removes the fleet: the configuration of a worker that reads for one. */
void config_leave_fleet(struct config *c);

/* The number of documents processed at once: jobs, else endpoint_parallel with
 * an endpoint, CONFIG_SHARED_JOBS with a model server, or 1; with sections, the
 * most of any. */
int config_jobs(const struct config *c);

/* The number of examples that a document gets at most: examples, 0 for off. */
int config_examples(const struct config *c);

/* Does one model server hold the model for all workers: share_model, or a GPU
 * may be used, or there are several models? */
bool config_shares_model(const struct config *c);

#endif
