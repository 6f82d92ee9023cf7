/* unfence_fuzz.c - any answer: what is taken out lies inside it, begins and
 * ends with no white space, and comes out of a second round as it is. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "stages/ask/unfence.h"

/* Whatever stands among words lies inside the answer, apart and in order, and
 * is closed: one found alone is found again. */
static void look_among_words(struct span answer)
{
    struct err err = {0};
    struct span value[UNFENCE_MAX], same[UNFENCE_MAX];
    const char *behind = answer.data;
    int n = unfence_values(answer, value, &err);
    assert(!err_failed(&err) || n == 0);
    for (int i = 0; i < n; i++) {
        assert(value[i].data >= behind && value[i].size >= 2);
        behind = value[i].data + value[i].size;
        assert(behind <= answer.data + answer.size);
        struct err again = {0};
        if (unfence_values(value[i], same, &again) == 1)
            assert(span_equal(same[0], value[i]));
    }
}

int unfence_fuzz(const uint8_t *data, size_t size)
{
    struct span answer = {size ? (const char *)data : "", size};
    struct err err = {0}, again = {0};
    struct span inside = unfence(answer, &err);
    look_among_words(answer);
    if (err_failed(&err)) {
        assert(err.kind == ERR_ANSWER && inside.size == 0);
        assert(!strcmp(err.reason, "model-invalid-json"));
        return 0;
    }
    assert(inside.size > 0 && inside.data >= answer.data);
    assert(inside.data + inside.size <= answer.data + answer.size);
    assert(!strchr(" \t\r\n", inside.data[0]));
    struct span same = unfence(inside, &again);
    assert(!err_failed(&again) && span_equal(same, inside));
    return 0;
}
