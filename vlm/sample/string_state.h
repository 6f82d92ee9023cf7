/* string_state.h - the inside of a JSON string as it is being written, byte by byte.
 *
 * Wherever the bytes stop, there is a way on: a character of several bytes, an
 * escape or a surrogate pair is only begun where one of the characters that it
 * may become is wanted. \u is offered in free text alone, since where there is
 * a pattern every character can be written as itself.
 */
#ifndef VLM_SAMPLE_STRING_STATE_H
#define VLM_SAMPLE_STRING_STATE_H

#include "vlm/grammar/grammar_rules.h"

enum string_state_part {
    STRING_STATE_WHOLE,  /* between characters */
    STRING_STATE_UTF8,   /* n_left bytes of a character to come */
    STRING_STATE_ESCAPE, /* behind a backslash */
    STRING_STATE_HEX,    /* n_left digits of \uXXXX to come */
    STRING_STATE_PAIR, /* a high surrogate is there: a backslash must follow */
    STRING_STATE_PAIR_U, /* and the "u" behind it */
    STRING_STATE_LOW     /* n_left digits of the low surrogate to come */
};

struct string_state_init {
    int state;     /* of the dfa */
    int n_char;    /* whole characters so far */
    uint32_t c;    /* what is known of the present one */
    uint16_t high; /* surrogate */
    uint8_t part, n_left;
    uint32_t least; /* smallest code point of a UTF-8 form of this length */
};

/* Behind the opening quote. */
void string_state_start(const struct text_rule *t, struct string_state_init *s);

/* Advances by a byte that is not the closing quote; false, and no change, when
 * it is not legal here. */
bool string_state_step(const struct text_rule *t, struct string_state_init *s,
                       unsigned char byte);

/* May the closing quote come here: no character half written, and the text
 * one that the rule takes? */
bool string_state_may_close(const struct text_rule *t,
                            const struct string_state_init *s);

/* How many texts may still come of it, counted up to `most`; fewer where
 * counting them takes too long. */
int string_state_count(const struct text_rule *t,
                       const struct string_state_init *s, int most);

#endif
