/* pdf_tokens.h - splits a content stream into tokens. */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_TOKENS_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pdf_token_kind {
    PDF_TOKEN_END,
    PDF_TOKEN_OPERATOR, /* or true, false, null */
    PDF_TOKEN_NAME,     /* text without its slash */
    PDF_TOKEN_NUMBER,
    PDF_TOKEN_STRING, /* pdf_tokens_codes */
    PDF_TOKEN_OPEN,   /* [ or << */
    PDF_TOKEN_CLOSE
};

enum { PDF_TOKEN_TEXT = 128 };

struct pdf_token {
    enum pdf_token_kind kind;
    char text[PDF_TOKEN_TEXT]; /* operator or name, cut */
    double number;
    const uint8_t *from, *to; /* its bytes */
};

struct pdf_tokens {
    const uint8_t *at, *end;
};

/* Reads the next token; at the end always PDF_TOKEN_END. */
void pdf_tokens_next(struct pdf_tokens *t, struct pdf_token *out);

/* Sets used[c] for each byte c of a string. */
void pdf_tokens_codes(const struct pdf_token *string, bool used[256]);

/* Whether it is a blank, line end or NUL. */
bool pdf_tokens_is_space(uint8_t c);

#endif
