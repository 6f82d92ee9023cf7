/* string_value.h - a JSON string that was written, or the part of it that is there,
 * as the bytes that it stands for. */
#ifndef VLM_SAMPLE_STRING_VALUE_H
#define VLM_SAMPLE_STRING_VALUE_H

#include <stdbool.h>

/* What is left of it; `rest` keeps the bytes of an escape. */
struct string_value {
    const char *text;
    int at, end;
    unsigned char rest[4];
    int n_rest;
};

/* The string at text[start], where its opening quote is; its closing quote, or
 * what is not there yet, is at `end`. */
static inline struct string_value string_value(const char *text, int start,
                                               int end)
{
    return (struct string_value){.text = text, .at = start + 1, .end = end};
}

/* The next byte; -1 at the end, and at an escape that is not finished. */
int string_value_next(struct string_value *w);

/* Compares two strings. True when a is b, or, with `prefix`, when b begins
 * with a. */
bool string_value_same(struct string_value a, struct string_value b,
                       bool prefix);

#endif
