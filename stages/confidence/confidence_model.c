/* confidence_model.c - see confidence_model.h. tests/eval/trust_fit.py makes the weights of
 * the embedded model from pages that were generated; docs/notes/confidence.md has the figures. */
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

/* Nothing was fitted: what a model says counts for two thirds, and a value that
 * it gives 0.95 is one to look at; so is one that it is sure of and that nobody
 * sees on the page. */
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
