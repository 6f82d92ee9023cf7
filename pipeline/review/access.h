/* access.h - access control: only the page that this process served, and programs
 * with a token, may use the API.
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
 *
 * A program sends a bearer token (tokens.h) instead of both. Browsers send none by
 * themselves, so it may change something without an Origin; a foreign one is
 * refused.
 */
#ifndef PIPELINE_REVIEW_ACCESS_H
#define PIPELINE_REVIEW_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "pipeline/review/request.h"
#include "pipeline/review/tokens.h"

struct MHD_Connection;

enum { ACCESS_TOKEN_SIZE = 65, ACCESS_OK = 0 /* others are HTTP statuses */ };

struct access {
    int port;
    struct users *users; /* NULL: on the loopback, with the token */
    struct tokens_file *tokens;
    char token[ACCESS_TOKEN_SIZE];
};

/* Who asks. */
struct access_user {
    char name[80]; /* "": the user who started the server */
    enum request_role role;
    char client[48]; /* the address, as text */
};

/* Makes a token of 256 random bits; false if the system provides none. `keep`: a
 * folder whose file page-token keeps it, mode 0600, so that the pages that are
 * open go on with the next server; -1: none does. */
bool access_open(struct access *access, int port, int keep);

/* ACCESS_OK, or the HTTP status that refuses the request; *why is then a text
 * for people, and *code its code. `api`: not one of the page's own files. */
unsigned access_check(const struct access *access,
                      struct MHD_Connection *connection, const char *method,
                      bool api, struct access_user *user, const char **code,
                      const char **why);

#endif
