/* fetch_process.c - see fetch_process.h: starts and ends the process;
 * fetch_serve.c is what it does. */
#include "stages/engine/fetch_process.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "stages/children/child.h"
#include "stages/children/sandbox/sandbox.h"
#include "stages/document/reason.h"
#include "vlm/base/log.h"

enum { HEADER_SIZE = 8192 };

/* "Authorization: Bearer KEY", or "". signs: the key alone. */
static void read_key(int fd, bool signs, char header[static HEADER_SIZE])
{
    static const char before[] = "Authorization: Bearer ";
    size_t n = signs ? 0 : sizeof before - 1;
    memcpy(header, before, sizeof before);
    ssize_t got = fd > 0 ? pread(fd, header + n, HEADER_SIZE - n - 1, 0) : 0;
    header[got > 0 ? n + (size_t)got : 0] = '\0';
}

/* What name resolution and TLS read after their start. */
static const char *const readable[] = {"/etc/gai.conf",
                                       "/etc/host.conf",
                                       "/etc/hosts",
                                       "/etc/nsswitch.conf",
                                       "/etc/protocols",
                                       "/etc/resolv.conf",
                                       "/etc/services",
                                       "/etc/ssl",
                                       "/run/NetworkManager/resolv.conf",
                                       "/run/resolvconf",
                                       "/run/systemd/resolve",
                                       "/usr/lib/ssl",
                                       "/usr/local/share/ca-certificates",
                                       "/usr/share/ca-certificates"};

struct fetch_sandbox {
    const struct settings *settings;
    const int *keep;
};

/* Name services whose code is not loaded by then are not used: names come from
 * /etc/hosts and DNS. */
static void enter_sandbox(void *arg, struct err *err)
{
    const struct fetch_sandbox *s = arg;
    struct addrinfo *found = NULL;
    const struct sandbox_profile profile = {
        .readable = readable,
        .n_readable = sizeof readable / sizeof *readable,
        .threads = true, /* of libcurl's resolver */
        .messages = true,
        .network = true,
        .parent = getppid()};
    if (err_failed(err)) return;
    if (!getaddrinfo("localhost", NULL, NULL, &found)) freeaddrinfo(found);
    struct sandbox_layers walls = sandbox_confine(&profile, s->keep, 2);
    child_check_layers(walls.layers, "the fetch process", s->settings, NULL, "",
                       err);
}

/* Landlock's rules are for files, not for names. */
static bool is_outdated(void)
{
    static const char *const replaced[] = {"/etc/hosts", "/etc/nsswitch.conf",
                                           "/etc/resolv.conf"};
    bool outdated = false;
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        int fd = open(replaced[i], O_RDONLY | O_CLOEXEC);
        outdated |= fd < 0 && errno == EACCES;
        if (fd >= 0) close(fd);
    }
    return outdated;
}

static void run(void *arg, int door, const int keep[static 2])
{
    const struct settings *settings = arg;
    struct fetch_sandbox sandbox = {settings, keep};
    struct err err = {0};
    char header[HEADER_SIZE];
    prctl(PR_SET_DUMPABLE, 0);
    read_key(settings->endpoint_key_fd, settings->endpoint_signs, header);
    fetch_process_serve(&(struct fetch_post){.settings = settings,
                                             .door = door,
                                             .header = header,
                                             .opened = enter_sandbox,
                                             .arg = &sandbox,
                                             .outdated = is_outdated},
                        &err);
    if (!err_failed(&err)) return;
    log_warn("%s", err.text);
    _exit(EXIT_ARGS);
}

struct process_server *fetch_process_new(const struct settings *settings,
                                         struct err *err)
{
    if (err_failed(err)) return NULL;
    struct process_server *s = process_server_new(
        &(struct process_server_options){.name = "platen-fetch",
                                         .called = "the fetch process",
                                         .run = run,
                                         .arg = (void *)(uintptr_t)settings,
                                         .confined = true,
                                         .keep = settings->endpoint_key_fd},
        err);
    process_server_ensure(s);
    return s;
}
