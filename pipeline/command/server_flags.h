/* server_flags.h - the flags of the commands that serve a spool over HTTP. */
#ifndef PIPELINE_COMMAND_SERVER_FLAGS_H
#define PIPELINE_COMMAND_SERVER_FLAGS_H

#include "pipeline/config/command.h"
#include "pipeline/review/server.h"

#define SERVER_FLAGS                                                           \
    {"port", "N", "listen on this port (default: any free port)", 'p'},        \
        {"listen", "ADDR", "listen on this address, with TLS and passwords",   \
         0},                                                                   \
        {"tls-cert", "FILE", "with --listen: certificate and chain (PEM)", 0}, \
        {"tls-key", "FILE", "with --listen: key of the certificate (PEM)", 0}, \
    {                                                                          \
        "passwords", "FILE",                                                   \
            "with --listen: lines NAME:HASH[:ROLE], yescrypt or SHA-512", 0    \
    }
#define SERVER_FLAGS_USAGE                                                  \
    "[--port N] [--listen ADDR --tls-cert FILE --tls-key FILE --passwords " \
    "FILE]"

/* Serves the spool until a signal stops it; returns the exit code. whole: the
 * page shows the whole spool first. FAIL: ERR_ARGS for flags that do not go
 * together; as spool_open and server_run. */
int server_flags_serve(const struct command_line *line, bool whole,
                       struct err *err);

#endif
