/* command_serve.c - platen serve: the spool in the browser, and over HTTP. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/server_flags.h"
#include "pipeline/review/tokens.h"
#include "stages/document/reason.h"

static void print_token(void *arg, const struct tokens_user *user)
{
    (void)arg;
    printf("%s\t%s\n", user->name, request_role_name(user->role));
}

static void add_token(struct spool *s, const char *name, const char *role,
                      struct err *err)
{
    char token[TOKENS_SIZE];
    struct tokens_user user = {.role = request_role_of(role)};
    if (err_failed(err)) return;
    if (user.role == REQUEST_ROLES)
        err_set(err, ERR_ARGS, "--role %s: must be upload, review or admin",
                role);
    if (strlen(name) >= sizeof user.name)
        err_set(err, ERR_ARGS, "the name of the token is too long");
    if (err_failed(err)) return;
    memcpy(user.name, name, strlen(name) + 1);
    tokens_add(s, &user, token, err);
    if (!err_failed(err)) printf("%s\n", token);
}

/* serve token SPOOL [NAME] */
static int token_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    const char *role = command_value(line, "role");
    const char *name = line->n_operand > 2 ? line->operand[2] : NULL;
    bool revoke = command_value(line, "revoke") != NULL;
    if (!name && (role || revoke))
        err_set(err, ERR_ARGS, "--role and --revoke need the name of a token");
    if (role && revoke)
        err_set(err, ERR_ARGS, "--role and --revoke exclude each other");
    umask(077); /* the file of tokens is its owner's */
    spool_open(&spool, line->operand[1], false, err);
    if (!name)
        tokens_each(&spool, print_token, NULL, err);
    else if (revoke)
        tokens_revoke(&spool, name, err);
    else
        add_token(&spool, name, role ? role : "upload", err);
    spool_close(&spool);
    return EXIT_OK;
}

static int serve_command(const struct command_line *line, struct err *err)
{
    bool token = line->n_operand > 1 && !strcmp(line->operand[0], "token");
    if (token) return token_command(line, err);
    if (line->n_operand > 1)
        err_set(err, ERR_ARGS, "%s: serve takes one spool", line->operand[1]);
    if (command_value(line, "role") || command_value(line, "revoke"))
        err_set(err, ERR_ARGS, "--role and --revoke belong to serve token");
    return server_flags_serve(line, true, err);
}

static const struct command_flag flags[] = {
    SERVER_FLAGS,
    {"role", "ROLE", "token: upload (default), review or admin", 0},
    {"revoke", NULL, "token: remove it", 0},
    {0},
};

const struct command command_serve_row = {
    .name = "serve",
    .usage = "SPOOL " SERVER_FLAGS_USAGE " | token SPOOL [NAME [--role ROLE | "
             "--revoke]]",
    .summary = "serve a spool in the browser and over HTTP",
    .help =
        "Prints an address, as platen review does, and serves the whole spool "
        "there: to add documents, to see what is waiting, being read, done and "
        "failed, and to review. It reads no document: a platen watch or run "
        "does. A document that is added is the same as one that is dropped "
        "into in/NAME/, and as durable once it is acknowledged.\n"
        "\n"
        "Programs use /api/v1 with a token; /api/v1/openapi.json describes it "
        "(OpenAPI 3.1).\n"
        "\n"
        "token SPOOL NAME\tmakes a token and prints it, for the only time: the "
        "file tokens of the spool has only its hash. --role says what it may: "
        "upload (add documents, see their state), review (also see records and "
        "pages, correct, retry, rotate, dismiss) or admin (also enter "
        "passwords "
        "of documents, delete, prune). --revoke removes it at once\n"
        "token SPOOL\tlists the tokens and their roles\n"
        "\n"
        "With --listen each user of the file has a role, too: NAME:HASH:ROLE; "
        "without one it is review. On the loopback the user is admin.\n"
        "\n"
        "  platen serve spool --port 8017\n"
        "  platen serve token spool scanner\n"
        "  curl -H \"Authorization: Bearer $TOKEN\" --data-binary @scan.pdf "
        "\\\n"
        "    \"http://127.0.0.1:8017/api/v1/documents?schema=receipt&name=scan."
        "pdf\"",
    .flag = flags,
    .least = 1,
    .most = 3,
    .run = serve_command,
};
