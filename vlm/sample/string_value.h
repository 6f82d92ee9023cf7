/* string_value.h - decoder of a complete or partial JSON string. */
#ifndef VLM_SAMPLE_STRING_VALUE_H
#define VLM_SAMPLE_STRING_VALUE_H

#include <stdbool.h>

struct string_value {
    const char *text;
    int at, end;           /* what is still to be decoded */
    unsigned char rest[4]; /* further bytes of an escape, as a stack */
    int n_rest;
};

/* The string with its opening quote at text[start]; `end` is the offset of its
 * closing quote, or of the end if it is partial. */
static inline struct string_value string_value(const char *text, int start,
                                               int end)
{
    return (struct string_value){.text = text, .at = start + 1, .end = end};
}

/* The next decoded byte; -1 at the end and at an incomplete escape. */
int string_value_next(struct string_value *w);

/* Are the strings equal? With `prefix`: does b begin with a? */
bool string_value_same(struct string_value a, struct string_value b,
                       bool prefix);

#endif
