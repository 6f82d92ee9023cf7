/* document_folder.h - the state and history of a document, from its folder.
 *
 * Only the files count, so that recovery is the same as normal operation: read
 * the folder, do the next step. Any file can be missing, truncated or damaged;
 * reads are bounded and never fail.
 *   name.json      {name, folder, subfolder, claimed, turns, ...}, escaped as in
 *                  file_name.h
 *   attempt.N      {attempt, started, alone, platen, supervisor}
 *   attempt.N.end  {outcome: ok|retry|crash|reject, reason, stage, ...}
 *   reason.json    {id, code, stage, page, text, remedy, source, attempts}
 */
#ifndef PIPELINE_SPOOL_DOCUMENT_FOLDER_H
#define PIPELINE_SPOOL_DOCUMENT_FOLDER_H

#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/hash.h"

enum { DOCUMENT_FOLDER_ATTEMPT_MAX = 999, DOCUMENT_FOLDER_CRASH_KINDS = 8 };

struct document_folder_state {
    bool has_doc, has_record, has_reason;
    bool unreleased; /* copied, but the dropped name is not removed yet */
    bool retrying;   /* retried by the operator: remove the history */
    struct stat doc; /* of doc, links not followed */
    char name[FILE_NAME_BYTES_MAX + 1];   /* as dropped; if unknown, the id */
    char folder[FILE_NAME_BYTES_MAX + 1]; /* of in/: the schema; "" for none */
    char path[SPOOL_PATH_SIZE]; /* below in/: the folder, or "FOLDER/a/b" */
    int turns;     /* clockwise quarter turns of its pages, as a person said */
    int n_attempt; /* the highest number */
    int n_crash;   /* attempts that ended with the crash of a child */
    int n_crash_same; /* the largest number for one kind of child */
    struct {
        char code[24];
        int n;
    } crash[DOCUMENT_FOLDER_CRASH_KINDS];
    int n_model;          /* attempts that ended with an unusable answer */
    int n_death;          /* attempts without an end: platen itself died */
    int n_death_alone;    /* of these, while the document ran alone */
    long long supervisor; /* pid, if the last attempt has no end; else 0 */
    long long not_before; /* UTC seconds, 0: at once */
    char last_code[24], last_text[160]; /* of the last crash */
};

/* How an attempt ended. */
struct document_folder_end {
    const char *outcome; /* ok, retry, crash, reject */
    const char *code;    /* of reason.h, or "" */
    const char *stage, *text;
    int page, signal;
    double seconds;
    long long not_before;
};

/* The number of crashes with this code; codes tell which kind of child
 * crashed. */
int document_folder_crashes(const struct document_folder_state *state,
                            const char *code);

/* Fills *state from the folder of document `id`. Never fails: damaged files
 * count as absent. */
void document_folder_read(int folder_fd, const char *id,
                          struct document_folder_state *state);

/* The same, but only name, folder and path. */
void document_folder_read_name(int folder_fd, const char *id,
                               struct document_folder_state *state);

/* Starts attempt N (F4); N = n_attempt + 1. */
void document_folder_begin(struct folder *f, int attempt, bool alone,
                           struct err *err);
void document_folder_end(struct folder *f, int attempt,
                         const struct document_folder_end *end,
                         struct err *err);

/* Removes the attempt: the environment or an operator ended it. */
void document_folder_uncharge(struct folder *f, int attempt, struct err *err);

struct document_folder_reason {
    const struct document_folder_state *state;
    const struct document_folder_end *end;
    const char *sha256, *schema, *model, *model_sha256;
};

/* Writes reason.json, with the attempts so far. */
void document_folder_set_reason(struct folder *f,
                                const struct document_folder_reason *reason,
                                struct err *err);

/* NULL if record.json (reason.json) is complete, has this id, and the SHA-256
 * of doc (unless that was pruned); else what is wrong. Reads all of doc. */
const char *document_folder_record_fault(int folder_fd, const char *id,
                                         size_t most);
const char *document_folder_reason_fault(int folder_fd, const char *id);

/* Is it the name of a file that platen makes in such a folder? */
bool document_folder_is_ours(const char *name);

/* The SHA-256 of doc; of nothing if it cannot be read; empty (hex "") if it was
 * pruned. Reads all of it. */
struct hash document_folder_hash(int folder_fd);

/* As document_folder_record_fault, for a parsed record (or NULL) and the SHA-256
 * of doc ("": not compared). */
const char *document_folder_fault_of(const cJSON *record, const char *id,
                                     const char *hex);
const char *document_folder_reason_fault_of(const cJSON *reason, const char *id,
                                            const char *hex);

#endif
