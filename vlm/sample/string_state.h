/* string_state.h - the inside of a JSON string being written, byte by byte.
 *
 * There is always a continuation: a multi-byte character, an escape or a
 * surrogate pair only begins if it can become an allowed character. \u is only
 * allowed without a pattern; with one, every character can be written as
 * itself.
 */
#ifndef VLM_SAMPLE_STRING_STATE_H
#define VLM_SAMPLE_STRING_STATE_H

#include "vlm/grammar/grammar_rules.h"

enum string_state_part {
    STRING_STATE_WHOLE,  /* between characters */
    STRING_STATE_UTF8,   /* n_left bytes of the character follow */
    STRING_STATE_ESCAPE, /* after a backslash */
    STRING_STATE_HEX,    /* n_left digits of \uXXXX follow */
    STRING_STATE_PAIR,   /* after a high surrogate: a backslash follows */
    STRING_STATE_PAIR_U, /* after that backslash: "u" follows */
    STRING_STATE_LOW     /* n_left digits of the low surrogate follow */
};

struct string_state {
    int state;     /* of the dfa */
    int n_char;    /* complete characters so far */
    uint32_t c;    /* known bits of the current character */
    uint16_t high; /* high surrogate */
    uint8_t part,
        n_left;     /* enum string_state_part; bytes or digits to follow */
    uint32_t least; /* smallest code point of a UTF-8 form of this length */
};

/* The state after the opening quote. */
void string_state_start(const struct text_rule *t, struct string_state *s);

/* Advances by a byte other than the closing quote. False, without any change,
 * if it is not legal here. */
bool string_state_step(const struct text_rule *t, struct string_state *s,
                       unsigned char byte);

/* Can the closing quote come here: no incomplete character, and a text that
 * the rule admits? */
bool string_state_may_close(const struct text_rule *t,
                            const struct string_state *s);

/* Number of texts that it can still become, at most `most`; a lower bound if
 * counting takes too long. */
int string_state_count(const struct text_rule *t, const struct string_state *s,
                       int most);

#endif
