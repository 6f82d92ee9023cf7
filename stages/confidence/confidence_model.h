/* confidence_model.h - the weights of confidence.h: a logistic model for each
 * VLM. */
#ifndef STAGES_CONFIDENCE_CONFIDENCE_MODEL_H
#define STAGES_CONFIDENCE_CONFIDENCE_MODEL_H

#include <stdbool.h>

/* The features, in the order of the weights. `odds` is log(p / (1 - p)) of a
 * probability, limited to 1e-6 .. 1 - 1e-6. */
enum confidence_feature {
    CONFIDENCE_ONE,    /* 1 */
    CONFIDENCE_P,      /* odds of p */
    CONFIDENCE_P_MIN,  /* odds of the value's least probable token */
    CONFIDENCE_P_KIN,  /* odds of p_min_of_siblings (vlm.h) */
    CONFIDENCE_LEGAL,  /* odds of p_legal */
    CONFIDENCE_TOKEN,  /* odds of the record's token_p (confidence.h) */
    CONFIDENCE_NULL,   /* 1 for a null */
    CONFIDENCE_FIGURE, /* 1 for a number, or digits without letters */
    CONFIDENCE_HELD,   /* 1 in a check that holds */
    CONFIDENCE_BROKEN, /* 1 in a check that is broken */
    CONFIDENCE_FEATURES
};

struct confidence_model {
    const char *hash; /* of model and mmproj together, as in a record */
    double weight[CONFIDENCE_FEATURES];
    double unread, doubtful; /* records with a lower token_p are so */
    double unconfirmed_most; /* highest confidence of a value that the page's
                              * words do not confirm */
};

/* The weights for the model with this hash; cautious ones for NULL or an
 * unknown hash. */
const struct confidence_model *confidence_model_for(const char *hash);

/* log(p / (1 - p)), and back. */
double confidence_odds(double p);
double confidence_chance(double odds);

#endif
