/* completion_fuzz.c - any reply of an endpoint, JSON or event stream: a text is
 * there or a reason, and tokens lie in the text, in order. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>

#include "stages/engine/endpoint_dialect.h"
#include "stages/engine/engine_endpoint_reply.h"

int completion_fuzz(const uint8_t *data, size_t size)
{
    static const int status[] = {200, 200, 200, 400, 500};
    struct engine_endpoint_reply r = {.outcome = FETCH_ANSWERED,
                                      .body = buf_limit(size + 1)};
    r.status = status[size % (sizeof status / sizeof *status)];
    buf_add(&r.body, size ? (const char *)data : "", size);
    struct arena *arena = arena_new();
    struct engine_endpoint_answer answer;
    struct err err = {0};
    (void)engine_endpoint_reply_passes(&r);
    unsigned bit = engine_endpoint_reply_names(&r, 0);
    assert((bit & ~(unsigned)ENDPOINT_REFUSED) == 0);
    engine_endpoint_reply_read(&r, "URL", 99, arena, &answer, &err);
    assert(err_failed(&err) ? err.reason != NULL : answer.text.size > 0);
    assert(r.status == 200 || err_failed(&err));
    size_t last = 0;
    for (int i = 0; i < answer.token_probs.n; i++) {
        assert(answer.token_probs.token[i].end >= last);
        last = answer.token_probs.token[i].end;
    }
    arena_free(arena);
    buf_free(&r.body);
    return 0;
}
