/* model_get.h - platen model get, list and rm. */
#ifndef PIPELINE_MODELS_MODEL_GET_H
#define PIPELINE_MODELS_MODEL_GET_H

#include "pipeline/command/command.h"
#include "vlm/base/arena.h"

/* Where lies what was fetched. */
struct model_got {
    const char *model;  /* of a model in parts the first; NULL: nothing */
    const char *mmproj; /* or NULL */
};

/* Fetches `what`: hf:OWNER/REPO[:QUANT] or an address, and the vision file that
 * goes with it. Texts live as long as `arena`. FAIL: as model_fetch.h, and
 * ERR_ARGS where several models fit and nobody can be asked: they are listed on
 * stdout then. */
struct model_got model_get(const struct command_line *line, const char *what,
                           struct arena *arena, struct err *err);

/* Writes what was got into the platen.conf in use, or into the user's own. */
void model_get_use(const struct command_line *line, struct model_got got,
                   struct err *err);

/* Prints the models of the folder: bytes and path, one a line. */
void model_get_list(struct err *err);

/* Removes one of them: its path, or hf:OWNER/REPO[:QUANT] for all that fit.
 * FAIL: ERR_ARGS where there is none. */
void model_get_remove(const char *what, struct err *err);

#endif
