/* invoice_fuzz.c - any bytes as the XML of an e-invoice: what is read of it is
 * what its parent takes, and a comparison with it ends. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "stages/children/packed_invoice.h"
#include "stages/children/raster/pdf/cii.h"
#include "stages/evidence/einvoice_value.h"
#include "vlm/base/arena.h"

static void compare(const struct invoice_value *v, const char *text,
                    struct arena *arena)
{
    enum invoice_kind kind = einvoice_terms_kind(v->term);
    struct einvoice_value own = einvoice_value_of_text(v->text, kind, arena);
    cJSON *written = cJSON_CreateString(text);
    struct einvoice_value value = einvoice_value_of_value(written, arena);
    enum saying says = einvoice_value_compare(&value, &own, v->term);
    assert(text != v->text || kind == INVOICE_NUMBER || says != SAYS_OTHER);
    cJSON_Delete(written);
}

int invoice_fuzz(const uint8_t *data, size_t size)
{
    struct cii cii;
    struct invoice invoice;
    struct arena *arena = arena_new();
    char *copy = arena_copy(arena, (struct span){(const char *)data, size});
    if (cii_read(copy, size, &cii) == CII_READ) {
        assert(cii.n <= INVOICE_VALUES_MAX && cii.n_byte <= INVOICE_BYTES_MAX);
        assert(packed_invoice_unpack(cii.value, cii.n, cii.byte ? cii.byte : "",
                                     cii.n_byte, arena, &invoice));
        for (int i = 0; i < invoice.n && i < 100; i++) {
            compare(&invoice.value[i], invoice.value[i].text, arena);
            compare(&invoice.value[i], "1.234,50 EUR", arena);
        }
    } else {
        assert(cii.n == 0);
    }
    cii_free(&cii);
    arena_free(arena);
    return 0;
}
