/* access.h - who is let in: the page that this process gave out, and nobody else.
 *
 * The page is public, what it asks for is not: a token in a header, which came to
 * it behind the # of its address and so never went over a wire by itself. Host
 * must be the loopback with our port (a name that somebody lets point at us has
 * another), what changes something must come from our own page and be JSON, so
 * that no other page can send it.
 *
 * From another machine (`users` set) everything goes over TLS and wants a user's
 * password, the page itself as well; that takes the place of the token, of which
 * the header alone is wanted, since no other page can send that.
 */
#ifndef PIPELINE_REVIEW_ACCESS_H
#define PIPELINE_REVIEW_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

struct MHD_Connection;

enum {
    ACCESS_TOKEN_SIZE = 65,
    ACCESS_BODY_MAX = 1 << 20,
    ACCESS_OK = 0 /* else a status of HTTP */
};

struct access {
    int port;
    struct users *users; /* NULL: on the loopback, by the token */
    char token[ACCESS_TOKEN_SIZE];
};

/* A token of 256 random bits; false where the system gives none. */
bool access_open(struct access *gate, int port);

/* May this come in? ACCESS_OK, or the status that it is refused with; *why then says
 * so for people. `api`: not one of the page's own files. *who: the user, of the
 * gate's users; else it is left as it is. */
unsigned access_check(const struct access *gate,
                      struct MHD_Connection *connection, const char *method,
                      bool api, const char **who, const char **why);

#endif
