/* access.h - access control: only the page that this process served may use the
 * API.
 *
 * The page itself is public; the API needs a token in a header. The page gets
 * the token from the part of its address after #, which browsers do not send.
 * Host must be the loopback with our port (DNS rebinding has another name). A
 * request that changes something must have our own Origin and be JSON, which
 * other pages cannot send.
 *
 * From other machines (`users` set) everything, including the page, uses TLS
 * and needs a user's password. The password replaces the token; its header must
 * still be present, since other pages cannot send it.
 */
#ifndef PIPELINE_REVIEW_ACCESS_H
#define PIPELINE_REVIEW_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

struct MHD_Connection;

enum {
    ACCESS_TOKEN_SIZE = 65,
    ACCESS_BODY_MAX = 1 << 20,
    ACCESS_OK = 0 /* other values are HTTP statuses */
};

struct access {
    int port;
    struct users *users; /* NULL: on the loopback, with the token */
    char token[ACCESS_TOKEN_SIZE];
};

/* Makes a token of 256 random bits; false if the system provides none. */
bool access_open(struct access *access, int port);

/* ACCESS_OK, or the HTTP status that refuses the request; *why is then a text
 * for people. `api`: not one of the page's own files. *who: set to the name of
 * an authenticated user of access->users, else unchanged. */
unsigned access_check(const struct access *access,
                      struct MHD_Connection *connection, const char *method,
                      bool api, const char **who, const char **why);

#endif
