/* tokens.h - bearer tokens for programs: the file `tokens` of the spool.
 *
 *   # NAME:ROLE:SHA-256 of the token
 *
 * A token has 256 random bits, so its plain hash tells nothing of it. Each look
 * reads the file if it has changed: a revoked token ends at once.
 */
#ifndef PIPELINE_REVIEW_TOKENS_H
#define PIPELINE_REVIEW_TOKENS_H

#include "pipeline/review/request.h"

enum { TOKENS_SIZE = 72, TOKENS_NAME_SIZE = 65, TOKENS_MAX = 1000 };

struct tokens_user {
    char name[TOKENS_NAME_SIZE];
    enum request_role role;
};

struct tokens_file;

/* The spool is borrowed. */
struct tokens_file *tokens_new(const struct spool *s);
void tokens_free(struct tokens_file *t); /* NULL: does nothing */

/* Whose token is it? False: nobody's. */
bool tokens_find(struct tokens_file *t, const char *token,
                 struct tokens_user *user);

/* Calls `one` for each line. FAIL: ERR_CONFIG with the line; "disk". */
void tokens_each(const struct spool *s,
                 void (*one)(void *arg, const struct tokens_user *user),
                 void *arg, struct err *err);

/* Makes a token, durably, and tells it, for the only time. FAIL: ERR_ARGS for a
 * name that is taken or has other characters than letters, digits, '-', '_' and
 * '.'; as tokens_each. */
void tokens_add(struct spool *s, const struct tokens_user *user,
                char token[static TOKENS_SIZE], struct err *err);

/* Removes one. FAIL: ERR_ARGS if there is none; as tokens_each. */
void tokens_revoke(struct spool *s, const char *name, struct err *err);

#endif
