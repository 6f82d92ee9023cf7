/* model_fetch.h - bytes from a server to a file that is whole or not there.
 *
 * A file grows as PATH.part and gets its name once its length and its hash are
 * those that were told, behind an fsync: nothing of a failed download is ever
 * taken for a model. What a broken connection leaves is gone on with.
 * The token goes to the origin (scheme, host and port) that it is for, never
 * to one that a redirect names; a redirect from https to http is an error.
 */
#ifndef PIPELINE_MODELS_MODEL_FETCH_H
#define PIPELINE_MODELS_MODEL_FETCH_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

enum { MODEL_FETCH_URL_MOST = 8192 };

/* Who is asked, in whose name. */
struct model_fetch_from {
    const char *origin; /* an address of the server that the token is for */
    const char *token;  /* or NULL */
};

/* A small answer in `out` (its limit is the limit), and the address of the next
 * page of it, or "" (a Link header that stays with the same origin).
 * FAIL: ERR_REMOTE, ERR_ARGS (not found), ERR_CONFIG (a token is needed). */
void model_fetch_text(const struct model_fetch_from *from, const char *url,
                      struct buf *out, char next[MODEL_FETCH_URL_MOST],
                      struct err *err);

/* What is to be fetched. */
struct model_fetch_file {
    const char *url;
    const char *path;   /* its folder is there */
    const char *name;   /* for people */
    int64_t size;       /* bytes; -1: not known */
    const char *sha256; /* 64 digits, or "": not known */
};

/* Fetches it, or finds it there with the right length and hash. Goes on with a
 * .part where the hash is known. Reports progress on stderr.
 * FAIL: as above; ERR_INPUT (other bytes than told; the .part is gone then),
 * ERR_SYSTEM (disk). */
void model_fetch_file(const struct model_fetch_from *from,
                      const struct model_fetch_file *file, struct err *err);

/* The path with its odd bytes as %XX, slashes kept. */
const char *model_fetch_escape(struct arena *arena, const char *path);

#endif
