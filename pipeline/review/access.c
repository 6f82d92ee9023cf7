/* access.c - see access.h. */
#include "pipeline/review/access.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "pipeline/review/users.h"
#include "pipeline/spool/event.h"
#include "vlm/base/log.h"

static const char token_file[] = "page-token";

static bool make_token(struct access *access)
{
    unsigned char bits[(ACCESS_TOKEN_SIZE - 1) / 2];
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) return false;
    for (size_t i = 0; i < sizeof bits; i++)
        snprintf(access->token + 2 * i, 3, "%02x", bits[i]);
    return true;
}

static bool is_private(int fd)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
           st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

bool access_open(struct access *access, int port, int keep)
{
    const size_t n = ACCESS_TOKEN_SIZE - 1;
    char kept[ACCESS_TOKEN_SIZE] = "";
    access->port = port;
    if (!make_token(access)) return false;
    int fd =
        keep < 0
            ? -1
            : openat(keep, token_file,
                     O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                     0600);
    /* a file that others can read or made is neither used nor written */
    if (is_private(fd)) {
        if (pread(fd, kept, n, 0) == (ssize_t)n &&
            strspn(kept, "0123456789abcdef") == n)
            memcpy(access->token, kept, n);
        else if (pwrite(fd, access->token, n, 0) != (ssize_t)n)
            log_warn("%s: not written, so the next address will be another one",
                     token_file);
    }
    if (fd >= 0) close(fd);
    return true;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Compares in constant time. */
static bool is_token(const struct access *access, const char *text)
{
    volatile unsigned char differ = 0;
    if (!text || strlen(text) != ACCESS_TOKEN_SIZE - 1) return false;
    for (size_t i = 0; i < ACCESS_TOKEN_SIZE - 1; i++)
        differ |= (unsigned char)(text[i] ^ access->token[i]);
    return !differ;
}

/* Is it a name of this server? Over TLS the certificate proves that. */
static bool is_host(const struct access *access, const char *host)
{
    if (access->users) return host && *host;
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char want[40];
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        snprintf(want, sizeof want, "%s:%d", names[i], access->port);
        if (!strcmp(want, host)) return true;
    }
    return false;
}

/* Is the origin our scheme with the request's own host? */
static bool is_origin(const struct access *access, const char *origin,
                      const char *host)
{
    const char *scheme = access->users ? "https://" : "http://";
    size_t n = strlen(scheme);
    return !strncmp(origin, scheme, n) && !strcmp(origin + n, host);
}

/* Finds headers that occur twice: different programs may use different ones. */
static enum MHD_Result count_twice(void *arg, enum MHD_ValueKind kind,
                                   const char *key, const char *value)
{
    static const char *const once[] = {
        "Host",          "Origin",          "X-Platen-Token",
        "Content-Type",  "Content-Length",  "Authorization",
        "Upload-Offset", "Idempotency-Key", "Accept"};
    unsigned *seen = arg;
    (void)kind;
    (void)value;
    for (unsigned i = 0; i < sizeof once / sizeof *once; i++)
        if (!strcasecmp(key, once[i])) seen[seen[0] >> i & 1] |= 1U << i;
    return MHD_YES;
}

struct access_refusal {
    const char **code, **why;
};

static unsigned refuse_request(struct access_refusal r, unsigned status,
                               const char *code, const char *text)
{
    *r.code = code;
    *r.why = text;
    return status;
}

/* The client's address as text; for IPv6 its network (/64), since one machine
 * has many addresses there. */
static void client_address(struct MHD_Connection *c,
                           char text[static INET6_ADDRSTRLEN])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info ? info->client_addr : NULL;
    *text = '\0';
    if (a && a->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, a, sizeof in);
        inet_ntop(AF_INET, &in.sin_addr, text, INET6_ADDRSTRLEN);
    } else if (a && a->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, a, sizeof in);
        if (!IN6_IS_ADDR_V4MAPPED(&in.sin6_addr))
            memset(&in.sin6_addr.s6_addr[8], 0, 8);
        inet_ntop(AF_INET6, &in.sin6_addr, text, INET6_ADDRSTRLEN);
    }
}

/* Checks user name and password. */
static unsigned check_user(const struct access *access,
                           struct MHD_Connection *c, struct access_user *user,
                           struct access_refusal r)
{
    char *password = NULL;
    char *name = MHD_basic_auth_get_username_password(c, &password);
    const char *found = NULL;
    enum users_verdict verdict =
        name && password ? users_check(access->users, user->client, name,
                                       password, &found, &user->role)
                         : USERS_WRONG;
    if (password) OPENSSL_cleanse(password, strlen(password));
    MHD_free(name);
    MHD_free(password);
    if (verdict == USERS_OK) event_cut(user->name, sizeof user->name, found);
    if (verdict == USERS_OK) return ACCESS_OK;
    if (verdict == USERS_LATER)
        return refuse_request(
            r, MHD_HTTP_TOO_MANY_REQUESTS, "too-many",
            "a password was wrong just now: try again in a second");
    return refuse_request(r, MHD_HTTP_UNAUTHORIZED, "no-access",
                          "a user name and a password are needed");
}

static const char *bearer(struct MHD_Connection *c)
{
    const char *text = header(c, "Authorization");
    return text && !strncasecmp(text, "Bearer ", 7) ? text + 7 : NULL;
}

static unsigned check_bearer(const struct access *access, const char *token,
                             struct access_user *user, struct access_refusal r)
{
    struct tokens_user found;
    if (!tokens_find(access->tokens, token, &found))
        return refuse_request(r, MHD_HTTP_UNAUTHORIZED, "no-access",
                              "this token is unknown or was revoked");
    event_cut(user->name, sizeof user->name, found.name);
    user->role = found.role;
    return ACCESS_OK;
}

static bool has_token(const struct access *access, struct MHD_Connection *c)
{
    const char *token = header(c, "X-Platen-Token");
    return access->users ? token != NULL : is_token(access, token);
}

/* Is it the page's own request, or one that no page can make? */
static unsigned check_origin(const struct access *access,
                             struct MHD_Connection *c, bool writes,
                             bool by_program, struct access_refusal r)
{
    const char *host = header(c, "Host"), *origin = header(c, "Origin");
    const char *site = header(c, "Sec-Fetch-Site");
    if ((origin && !is_origin(access, origin, host)) ||
        (site && strcmp(site, "same-origin") != 0))
        return refuse_request(r, MHD_HTTP_FORBIDDEN, "foreign",
                              "cross-origin requests are rejected");
    if (writes && !origin && !by_program)
        return refuse_request(r, MHD_HTTP_FORBIDDEN, "foreign",
                              "changes must come from the review page");
    return ACCESS_OK;
}

unsigned access_check(const struct access *access, struct MHD_Connection *c,
                      const char *method, bool api, struct access_user *user,
                      const char **code, const char **why)
{
    struct access_refusal r = {code, why};
    const char *token = api ? bearer(c) : NULL;
    unsigned seen[2] = {0, 0}; /* once, twice */
    *user = (struct access_user){.role = REQUEST_ADMIN};
    client_address(c, user->client);
    MHD_get_connection_values(c, MHD_HEADER_KIND, count_twice, seen);
    if (seen[1])
        return refuse_request(r, MHD_HTTP_BAD_REQUEST, "bad-request",
                              "a header occurs twice");
    if (!is_host(access, header(c, "Host")))
        return refuse_request(r, MHD_HTTP_MISDIRECTED_REQUEST, "foreign",
                              "this is not a host name of this server");
    unsigned status = token           ? check_bearer(access, token, user, r)
                      : access->users ? check_user(access, c, user, r)
                                      : ACCESS_OK;
    if (status != ACCESS_OK || !api) return status;
    if (!token && !has_token(access, c))
        return refuse_request(
            r, MHD_HTTP_UNAUTHORIZED, "no-access",
            "this link has expired: open the address printed by "
            "the running server");
    return check_origin(access, c, strcmp(method, "GET") != 0, token != NULL,
                        r);
}
