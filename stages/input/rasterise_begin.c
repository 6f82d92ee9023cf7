/* rasterise_begin.c - a child that draws is begun, and begun again where somebody
 * killed it; see rasterise.h. */
#include "stages/input/rasterise_inside.h"

struct raster *rasterise_child(struct document *doc,
                               const struct settings *settings,
                               const struct prepare_target *target, int from,
                               const struct jail_stop *stop, bool codes,
                               struct err *err)
{
    struct raster *r = NULL;
    bool killed = !err_failed(err);
    for (int n = 0; !r && killed && n <= RASTERISE_AGAIN_MAX; n++) {
        killed = false;
        *err = (struct err){0};
        r = rasterise_child_once(doc, settings, target, from, stop, codes,
                                 &killed, err);
    }
    return r;
}

bool rasterise_was_killed(const struct raster *r)
{
    return r && r->child.killed;
}
