/* confidence_model.h - the weights of confidence.h: a logistic model for each reader. */
#ifndef STAGES_CONFIDENCE_CONFIDENCE_MODEL_H
#define STAGES_CONFIDENCE_CONFIDENCE_MODEL_H

#include <stdbool.h>

/* What is weighed, in the order of the weights. `odds` is log(p / (1 - p)) of a
 * probability, which is held within 1e-6 .. 1 - 1e-6. */
enum trust_feature {
    TRUST_ONE,    /* 1 */
    TRUST_P,      /* odds of p */
    TRUST_P_MIN,  /* odds of the value's least probable token */
    TRUST_P_KIN,  /* odds of the least that its tokens got anywhere (vlm.h) */
    TRUST_LEGAL,  /* odds of p_legal */
    TRUST_TOKEN,  /* odds of the record's mean token (confidence.h, token_p) */
    TRUST_NULL,   /* 1 for a null */
    TRUST_FIGURE, /* 1 for a number, or digits without letters */
    TRUST_HELD,   /* 1 in a check that holds */
    TRUST_BROKEN, /* 1 in a check that is broken */
    TRUST_FEATURES
};

struct confidence_model {
    const char *hash; /* of model and vision part together (a record's) */
    double weight[TRUST_FEATURES];
    double unread, doubtful; /* a mean token below that makes a record so */
    double unconfirmed_most; /* confidence of a value that OCR was
                              * asked about and does not confirm, at most */
};

/* The weights for the model with this hash; NULL or an unknown one: cautious
 * ones. */
const struct confidence_model *confidence_model_for(const char *hash);

/* log(p / (1 - p)), and back. */
double confidence_odds(double p);
double confidence_chance(double odds);

#endif
