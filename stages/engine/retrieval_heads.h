/* retrieval_heads.h - a model's retrieval heads (attention heads that look at
 * what the model copies), as found by `platen model heads` and stored in a
 * small file.
 *
 * The file names the model by its hash (model and vision part together, as in
 * records). It is searched for in the cache folder, then next to the model
 * file: MODEL.heads.json for MODEL.gguf. Without one, or if its heads hit too
 * rarely, attention is not used.
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
        double hits; /* share of values' tokens, on held-out pages, for which
                      * it attended to the right word */
    } head[RETRIEVAL_HEADS_MAX];
    int n_head; /* the best first; 0: none is good enough */
    int n_page; /* held-out pages */
    int n_token;
    double chance; /* hits of a head that looks at random places */
};

/* The least share of hits of a usable head. */
extern const double retrieval_heads_hits_least;

/* Loads the heads of this model; none without a file, or if it is invalid or
 * for another model. `cache` and `model` can be "". */
struct retrieval_heads retrieval_heads_load(const char *cache,
                                            const char *model,
                                            const char *hash);

/* The file's path in the cache folder, in the arena. */
const char *retrieval_heads_path(const char *cache, const char *hash,
                                 struct arena *arena);

/* Prints the file's text. */
void retrieval_heads_print(const struct retrieval_heads *heads,
                           const char *hash, struct buf *out);

#endif
