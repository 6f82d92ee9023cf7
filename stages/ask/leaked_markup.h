/* leaked_markup.h - JSON syntax and chat roles inside a text value.
 *
 * A small model that does not find the end of a text goes on with what usually
 * follows an answer: ]}assistant{"total": null}. The grammar makes this a text,
 * but nothing of it was read on the page.
 */
#ifndef STAGES_ASK_LEAKED_MARKUP_H
#define STAGES_ASK_LEAKED_MARKUP_H

#include <stdbool.h>

#include <cjson/cJSON.h>

/* Cuts every text of `value` where the markup begins; a text that is empty then
 * becomes null if `nullable`. Returns how many texts were cut. */
int leaked_markup_cut(cJSON *value, bool nullable);

#endif
