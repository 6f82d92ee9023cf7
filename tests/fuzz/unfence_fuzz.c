/* unfence_fuzz.c - any answer: what is taken out lies inside it, begins and
 * ends with no white space, and comes out of a second round as it is. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "stages/unfence.h"

int unfence_fuzz(const uint8_t *data, size_t size)
{
    struct span answer = {size ? (const char *)data : "", size};
    struct err err = {0}, again = {0};
    struct span inside = unfence(answer, &err);
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
