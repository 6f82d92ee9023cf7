/* chars.h - the inside of a JSON string as it is being written, byte by byte.
 *
 * Wherever the bytes stop, there is a way on: a character of several bytes, an
 * escape or a surrogate pair is only begun where one of the characters that it
 * may become is wanted. \u is offered in free text alone, since where there is
 * a pattern every character can be written as itself.
 */
#ifndef VLM_SAMPLE_CHARS_H
#define VLM_SAMPLE_CHARS_H

#include "vlm/grammar/grammar_rules.h"

enum chars_part {
    CHARS_WHOLE,  /* between characters */
    CHARS_UTF8,   /* n_left bytes of a character to come */
    CHARS_ESCAPE, /* behind a backslash */
    CHARS_HEX,    /* n_left digits of \uXXXX to come */
    CHARS_PAIR,   /* a high surrogate is there: a backslash must follow */
    CHARS_PAIR_U, /* and the "u" behind it */
    CHARS_LOW     /* n_left digits of the low surrogate to come */
};

struct chars_state {
    int state;     /* of the dfa */
    int n_char;    /* whole characters so far */
    uint32_t c;    /* what is known of the present one */
    uint16_t high; /* surrogate */
    uint8_t part, n_left;
    uint32_t least; /* smallest code point of a UTF-8 form of this length */
};

/* Behind the opening quote. */
void chars_start(const struct text_rule *t, struct chars_state *s);

/* Advances by a byte that is not the closing quote; false, and no change, when
 * it is not legal here. */
bool chars_step(const struct text_rule *t, struct chars_state *s,
                unsigned char byte);

/* May the closing quote come here: no character half written, and the text
 * one that the rule takes? */
bool chars_may_close(const struct text_rule *t, const struct chars_state *s);

/* How many texts may still come of it, counted up to `most`; fewer where
 * counting them takes too long. */
int chars_count(const struct text_rule *t, const struct chars_state *s,
                int most);

#endif
