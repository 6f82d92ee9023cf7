/* page_time.h - how long a model takes for a page on this machine. */
#ifndef PIPELINE_MODELS_PAGE_TIME_H
#define PIPELINE_MODELS_PAGE_TIME_H

#include <stdint.h>

#include "vlm/base/err.h"

struct vlm;

/* The tokens of a question and of an answer that page_time counts with: those
 * of a receipt or a short invoice. */
enum { PAGE_TIME_QUESTION = 400, PAGE_TIME_ANSWER = 150 };

/* Estimates the seconds for a page of `pixels`, its question and its answer,
 * from the time of a part of each on the open model. Takes a fraction of that
 * time. FAIL: as vlm_session_open and vlm_feed_image. */
double page_time_measure(struct vlm *v, int64_t pixels, struct err *err);

#endif
