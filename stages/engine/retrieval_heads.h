/* retrieval_heads.h - which heads of a model look at what they copy, as found once by
 * `platen model heads` and kept in a small file.
 *
 * The file names the model by its hash (model and vision part together, as in
 * records) and is looked for in the cache folder, then beside the model file,
 * MODEL.heads.json for MODEL.gguf. A model without one, or whose heads hit too
 * seldom, is read as ever: nobody is asked where it looks.
 */
#ifndef STAGES_ENGINE_RETRIEVAL_HEADS_H
#define STAGES_ENGINE_RETRIEVAL_HEADS_H

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

enum { RETRIEVAL_HEADS_MAX = 4 };

struct retrieval_heads {
    struct {
        int layer, head;
        double hits; /* share of a value's tokens, on pages held out, for
                      * which it looked at the word that they are of */
    } head[RETRIEVAL_HEADS_MAX];
    int n_head; /* the best first; 0: none that hits */
    int n_page; /* held-out pages */
    int n_token;
    double chance; /* hits of one that looks anywhere */
};

/* At least so many hits make a head one that points. */
extern const double retrieval_heads_hits_least;

/* What is kept for this model; none where nothing is, or is for another. A file
 * that cannot be understood counts as none. `cache` and `model` may be "". */
struct retrieval_heads retrieval_heads_load(const char *cache,
                                            const char *model,
                                            const char *hash);

/* The file's path in the cache folder, in the arena. */
const char *retrieval_heads_path(const char *cache, const char *hash,
                                 struct arena *arena);

/* The file's text. */
void retrieval_heads_print(const struct retrieval_heads *heads,
                           const char *hash, struct buf *out);

#endif
