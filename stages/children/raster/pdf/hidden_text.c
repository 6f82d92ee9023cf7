/* hidden_text.c - see hidden_text.h. */
#include "stages/children/raster/pdf/hidden_text.h"

#include <string.h>

#include "stages/children/raster/pdf/pdf_tokens.h"

enum { SAVED_MAX = 64, INVISIBLE = 3 };

/* The rendering mode, and those that q has saved. */
struct modes {
    int now, saved[SAVED_MAX], n_saved;
};

static bool is(const struct pdf_token *t, const char *operator)
{
    return !strcmp(t->text, operator);
}

static void follow_mode(struct modes *m, const struct pdf_token *t,
                        double operand)
{
    if (is(t, "Tr")) m->now = (int)operand;
    if (is(t, "q")) {
        if (m->n_saved < SAVED_MAX) m->saved[m->n_saved] = m->now;
        m->n_saved++;
    }
    if (is(t, "Q") && m->n_saved > 0 && --m->n_saved < SAVED_MAX)
        m->now = m->saved[m->n_saved];
}

/* Skips the bytes of an inline picture, which are no tokens. */
static void skip_picture(struct pdf_tokens *t)
{
    const uint8_t *at = t->at;
    while (t->end - at > 3 && !(pdf_tokens_is_space(at[0]) && at[1] == 'E' &&
                                at[2] == 'I' && pdf_tokens_is_space(at[3])))
        at++;
    t->at = t->end - at > 3 ? at + 3 : t->end;
}

bool hidden_text_drop(struct span content, struct buf *out)
{
    if (!content.size) return false; /* its data may be NULL */
    const uint8_t *byte = (const uint8_t *)content.data;
    struct pdf_tokens t = {byte, byte + content.size};
    const uint8_t *kept = byte, *operands = NULL;
    struct modes modes = {0};
    struct pdf_token token;
    double number = 0;
    bool any = false;
    for (pdf_tokens_next(&t, &token); token.kind != PDF_TOKEN_END;
         pdf_tokens_next(&t, &token)) {
        if (!operands) operands = token.from;
        if (token.kind == PDF_TOKEN_NUMBER) number = token.number;
        if (token.kind != PDF_TOKEN_OPERATOR) continue;
        follow_mode(&modes, &token, number);
        bool next = is(&token, "'") || is(&token, "\"");
        if (modes.now == INVISIBLE &&
            (next || is(&token, "Tj") || is(&token, "TJ"))) {
            buf_add(out, (const char *)kept, (size_t)(operands - kept));
            buf_add_text(out, next ? "T*" : "");
            kept = token.to;
            any = true;
        }
        if (is(&token, "ID")) skip_picture(&t);
        operands = NULL;
    }
    buf_add(out, (const char *)kept, (size_t)(t.end - kept));
    return any;
}
