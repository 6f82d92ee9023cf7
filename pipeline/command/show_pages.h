/* show_pages.h - pages of a record's document as pictures with its values. */
#ifndef PIPELINE_COMMAND_SHOW_PAGES_H
#define PIPELINE_COMMAND_SHOW_PAGES_H

#include <cjson/cJSON.h>

#include "stages/settings.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* Takes the picture of a page as the bytes of a PNG file. */
typedef void show_take(void *arg, int page, struct span png, struct err *err);

struct show_pages {
    const cJSON *record;
    int fd;           /* its document, from the start */
    const char *name; /* of the document, for people */
    const struct settings *settings;
    show_take *take;
    void *arg;
};

/* Draws page `page` of the document, or, where that is 0, every page on which a
 * value stands; the first where none does. The document must have the SHA-256
 * that is in the record. FAIL: [no-such-page]; ERR_ARGS where it is another
 * document or the record is none; as rasterise_next and marker_draw. */
void show_pages_draw(const struct show_pages *s, int page, struct err *err);

#endif
