/* written.h - a JSON string that was written, or the part of it that is there,
 * as the bytes that it stands for. */
#ifndef VLM_SAMPLE_WRITTEN_H
#define VLM_SAMPLE_WRITTEN_H

#include <stdbool.h>

/* What is left of it; `rest` keeps the bytes of an escape. */
struct written {
    const char *text;
    int at, end;
    unsigned char rest[4];
    int n_rest;
};

/* The string at text[start], where its opening quote is; its closing quote, or
 * what is not there yet, is at `end`. */
static inline struct written written_string(const char *text, int start,
                                            int end)
{
    return (struct written){.text = text, .at = start + 1, .end = end};
}

/* The next byte; -1 at the end, and at an escape that is not finished. */
int written_next(struct written *w);

/* Compares two strings. True when a is b, or, with `prefix`, when b begins
 * with a. */
bool written_same(struct written a, struct written b, bool prefix);

#endif
