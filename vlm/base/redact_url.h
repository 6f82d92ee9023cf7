/* redact_url.h - addresses without the passwords in them, for messages and lists.
 *
 *   http://user:secret@host/v1?key=abc   ->  http://user:***@host/v1?key=***
 *   host=db user=x password='a b'        ->  host=db user=x password=***
 */
#ifndef VLM_BASE_REDACT_URL_H
#define VLM_BASE_REDACT_URL_H

#include <stdbool.h>

#include "vlm/base/buf.h"

/* Appends a URL, or a connection string of libpq, to `out`. Hidden are the password
 * of a URL, or its user if that is all there is (it may be a token), and the values
 * of parameters whose name contains pass, key, token, secret or sig. A connection
 * string that cannot be read is hidden altogether. */
void redact_url_secrets(const char *address, struct buf *out);

/* The same, cut to what a message has room for. */
struct redact_url_text {
    char text[256];
};
struct redact_url_text redact_url_in_message(const char *address);

#endif
