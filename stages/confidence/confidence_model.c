/* confidence_model.c - see confidence_model.h. tests/eval/trust_fit.py fits the
 * weights of the embedded model on generated pages; docs/notes/confidence.md
 * has the figures. */
#include "stages/confidence/confidence_model.h"

#include <math.h>
#include <string.h>

static const struct confidence_model shipped[] = {
    {"dc7fe5402a0e3e6f4ca2dd13da34a265c91e13f58bc456c8f5e4dd63360efb9b",
     {-3.483, 1.269, -0.772, 0.105, 0.129, 0.885, -1.655, -0.037, 2.824,
      -0.114},
     0.8,
     0.9,
     1},
};

/* Not fitted: a model's own odds count for two thirds, and a value of p 0.95 is
 * to be reviewed; so is a sure value that the page's words do not confirm. */
static const struct confidence_model cautious = {
    "", {0, 0.45, 0.2, 0, 0, 0, -0.5, 0, 2, -0.6}, 0.8, 0.9, 0.85};

const struct confidence_model *confidence_model_for(const char *hash)
{
    for (size_t i = 0; hash && i < sizeof shipped / sizeof *shipped; i++)
        if (!strcmp(shipped[i].hash, hash)) return &shipped[i];
    return &cautious;
}

double confidence_odds(double p)
{
    static const double least = 1e-6;
    p = p < least ? least : p > 1 - least ? 1 - least : p;
    return log(p / (1 - p));
}

double confidence_chance(double odds)
{
    return 1 / (1 + exp(-odds));
}
