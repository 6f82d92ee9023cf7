/* currency.h - the codes and signs of currencies. */
#ifndef STAGES_PRINT_CURRENCY_H
#define STAGES_PRINT_CURRENCY_H

#include <stdbool.h>

/* The signs of the currency of that code ("EUR"), ended by NULL; NULL: unknown
 * code. */
const char *const *currency_signs(const char *code);

/* The code of the currency whose code or sign the text is or has beside digits
 * ("EUR", "€12.50"), if it is one currency's alone; NULL: none. */
const char *currency_code(const char *text);

/* Whether the currency of the code is divided into thousandths (ISO 4217): 2.150 KWD is no
 * two thousand. */
bool currency_has_thousandths(const char *code);

/* Whether the text is, or has beside digits, the code or a sign of any currency. */
bool currency_is_sign(const char *text);

#endif
