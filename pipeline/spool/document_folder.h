/* document_folder.h - what a document's folder says about its history.
 *
 * Read from the files alone, so that recovery is the same code as normal
 * running: look at the folder, do the next step. Every file may be missing,
 * cut short or full of noise; reads are bounded and never fail.
 *   name.json      {name, folder, claimed, ...}, escaped as in file_name.h
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

enum { DOCUMENT_FOLDER_ATTEMPT_MAX = 999, DOCUMENT_FOLDER_CRASH_KINDS = 8 };

struct document_folder_state {
    bool has_doc, has_record, has_reason;
    bool unreleased; /* copied, and the dropped name not yet removed */
    bool retrying;   /* an operator's retry: the past is to be forgotten */
    struct stat doc; /* of the name doc itself */
    char name[FILE_NAME_BYTES_MAX + 1];   /* as dropped; the id where unknown */
    char folder[FILE_NAME_BYTES_MAX + 1]; /* sub-folder of in/, "" for none */
    int n_attempt;                        /* the highest number */
    int n_crash;      /* ended by crash of a child of ours */
    int n_crash_same; /* the most that one kind of child crashed */
    struct {
        char code[24];
        int n;
    } crash[DOCUMENT_FOLDER_CRASH_KINDS];
    int n_model; /* ended with an answer that was of no use */
    int n_death; /* never ended: platen itself vanished */
    int n_death_alone;
    long long supervisor; /* of the last attempt, while that has no end */
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

/* Crashes of this code: those of different processes are different evidence. */
int document_folder_crashes(const struct document_folder_state *state,
                            const char *code);

/* Reads what the folder of document `id` says of it, into a *state that is
 * filled anew. Never fails: what is missing or damaged counts as absent. */
void document_folder_read(int folder_fd, const char *id,
                          struct document_folder_state *state);

/* Starts attempt N (F4); N = n_attempt + 1. */
void document_folder_begin(struct folder *f, int attempt, bool alone,
                           struct err *err);
void document_folder_end(struct folder *f, int attempt,
                         const struct document_folder_end *end,
                         struct err *err);

/* The attempt did not happen: the environment, or an operator, ended it. */
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

/* NULL when record.json (reason.json) is whole, of this id, and bound to the
 * bytes of doc, unless those were pruned; else what is wrong with it. Reads doc
 * to its end. */
const char *document_folder_record_fault(int folder_fd, const char *id,
                                         size_t most);
const char *document_folder_reason_fault(int folder_fd, const char *id);

/* Is the name one of those that platen gives to files of such a folder? */
bool document_folder_is_ours(const char *name);

/* Has doc this SHA-256? Reads it to its end. */
bool document_folder_hash_is(int folder_fd, const char *hex);

/* A JSON file of the folder, or NULL. Owned by the caller. */
cJSON *document_folder_json(int folder_fd, const char *name, size_t most);

#endif
