/* model_fetch.h - download of a file that ends up complete or absent.
 *
 * A file grows as PATH.part and is renamed once its length and hash match and
 * it is synced to disk (fsync): a failed download is never mistaken for a
 * model. Broken downloads are resumed. The token is sent only to its own
 * origin (scheme, host and port), never to a redirect's target elsewhere; a
 * redirect from https to http is an error.
 */
#ifndef PIPELINE_MODELS_MODEL_FETCH_H
#define PIPELINE_MODELS_MODEL_FETCH_H

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include <stdint.h>

enum { MODEL_FETCH_URL_MOST = 8192 };

/* The server and the access token for it. */
struct model_fetch_from {
    const char *origin; /* a URL on the server that the token is for */
    const char *token;  /* or NULL */
};

/* Fetches a small response into `out`, whose limit applies. `next` gets the URL
 * of the next page (a Link header to the same origin), or "".
 * FAIL: ERR_REMOTE, ERR_ARGS (not found), ERR_CONFIG (a token is needed). */
void model_fetch_text(const struct model_fetch_from *from, const char *url,
                      struct buf *out, char next[MODEL_FETCH_URL_MOST],
                      struct err *err);

/* A file to download. */
struct model_fetch_file {
    const char *url;
    const char *path;   /* destination; its folder exists */
    const char *name;   /* for messages */
    int64_t size;       /* bytes; -1: not known */
    const char *sha256; /* 64 hex digits; "": not known */
};

/* Downloads the file, unless it exists with the right length and hash. Resumes
 * a .part if the hash is known. Reports progress on stderr. FAIL: as above;
 * ERR_INPUT (wrong length or hash; the .part is removed), ERR_SYSTEM (disk). */
void model_fetch_file(const struct model_fetch_from *from,
                      const struct model_fetch_file *file, struct err *err);

/* The path percent-encoded, its slashes kept. */
const char *model_fetch_escape(struct arena *arena, const char *path);

#endif
