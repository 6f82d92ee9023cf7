/* redact_url.h - removes passwords from addresses, for messages and lists.
 *
 *   http://user:secret@host/v1?key=abc   ->  http://user:***@host/v1?key=***
 *   host=db user=x password='a b'        ->  host=db user=x password=***
 */
#ifndef VLM_BASE_REDACT_URL_H
#define VLM_BASE_REDACT_URL_H

#include <stdbool.h>

#include "vlm/base/buf.h"

/* Appends a URL, or a libpq connection string, to `out`. Redacts the password
 * of a URL, or its user if it has no password (it can be a token), and the
 * values of parameters whose name contains pass, key, token, secret or sig. A
 * connection string that cannot be parsed is redacted completely. */
void redact_url_secrets(const char *address, struct buf *out);

/* The same, truncated for a message. */
struct redact_url_text {
    char text[256];
};
struct redact_url_text redact_url_in_message(const char *address);

#endif
