/* server_flags.c - see server_flags.h. */
#include "pipeline/command/server_flags.h"

#include "pipeline/config/config.h"
#include "pipeline/process/signals.h"
#include "pipeline/supervisor/hooks.h"
#include "stages/document/reason.h"

enum { PORT_MAX = 65535 };

/* --listen needs TLS and passwords. */
static struct server_address read_address(const struct command_line *line,
                                          struct err *err)
{
    struct server_address d = {
        .port = command_number(line, "port", PORT_MAX, 0, err),
        .listen = command_value(line, "listen"),
        .certificate = command_value(line, "tls-cert"),
        .key = command_value(line, "tls-key"),
        .passwords = command_value(line, "passwords")};
    if (d.listen && (!d.certificate || !d.key || !d.passwords))
        err_set(err, ERR_ARGS,
                "--listen needs --tls-cert, --tls-key and --passwords: "
                "connections from other machines are encrypted and need a "
                "password");
    if (!d.listen && (d.certificate || d.key || d.passwords))
        err_set(err, ERR_ARGS,
                "--tls-cert, --tls-key and --passwords need --listen ADDR");
    return d;
}

int server_flags_serve(const struct command_line *line, bool whole,
                       struct err *err)
{
    struct spool spool;
    if (err_failed(err)) return EXIT_ARGS;
    signals_open();
    struct server_address address = read_address(line, err);
    address.whole = whole;
    spool_open(&spool, line->operand[0], false, err);
    hooks_arm(&spool, line->config);
    server_run(&spool, line->config, &address, err);
    bool unsure = spool.unsure;
    spool_close(&spool);
    if (!unsure) return EXIT_OK;
    reason_log(err);
    *err = (struct err){0};
    return EXIT_ENVIRONMENT;
}
