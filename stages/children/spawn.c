/* spawn.c - see spawn.h. */
#define _GNU_SOURCE 1 /* posix_spawn_file_actions_addclosefrom_np */

#include "stages/children/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages/children/ocr_languages.h"
#include "stages/children/sandbox/sandbox.h"

enum { HIGH_FD = 20, NUMBER_SIZE = 24, ARGUMENTS_MAX = 40, NUMBERS_MAX = 16 };

struct arguments {
    const char *text[ARGUMENTS_MAX];
    char number[NUMBERS_MAX][NUMBER_SIZE];
    int n, n_number;
};

/* --- jobs ---------------------------------------------------------------- */

static bool is_text(const char *text, size_t size, const char *letters)
{
    size_t n = strnlen(text, size);
    return n < size && strspn(text, letters) == n;
}

bool spawn_job_is_good(const struct spawn_job *job)
{
    return job->program >= 0 && job->program < N_SPAWN_PROGRAM &&
           is_text(job->type, sizeof job->type, "abcdefghijlmnpqtwxyz2") &&
           is_text(job->pages, sizeof job->pages, "0123456789-, ") &&
           job->skip >= 0 && job->grid >= 0 && job->dpi >= 0 &&
           job->max_pixels >= 0;
}

/* --- arguments ------------------------------------------------------------ */

static void add(struct arguments *a, const char *text)
{
    a->text[a->n++] = text;
}

static void add_number(struct arguments *a, const char *option, long long n)
{
    char *text = a->number[a->n_number++];
    snprintf(text, NUMBER_SIZE, "%lld", n);
    add(a, option);
    add(a, text);
}

/* Only a PDF can need one. */
static bool needs_passwords(const struct spawn_job *job,
                            const struct settings *s)
{
    return job->program == SPAWN_RASTER && s->passwords_fd > 0 &&
           !strcmp(job->type, "pdf");
}

static void add_raster(struct arguments *a, const struct spawn_job *job,
                       const struct settings *s)
{
    add(a, "--type");
    add(a, job->type);
    add(a, "--pages");
    add(a, job->pages);
    add_number(a, "--skip", job->skip);
    add_number(a, "--max-pixels", job->max_pixels);
    add_number(a, "--grid", job->grid);
    add_number(a, "--dpi", job->dpi);
    add_number(a, "--max-decoded-pixels", s->max_decoded_pixels);
    add_number(a, "--max-pages", s->max_pages);
    if (job->words) add(a, "--words");
    if (job->invoice) add(a, "--invoice");
    if (job->lenient) add(a, "--lenient");
    if (job->codes) add(a, "--codes");
    if (job->layer) add(a, "--layer");
    if (job->files) {
        add(a, "--files");
        add_number(a, "--max-bytes", s->max_document_bytes);
    }
    if (needs_passwords(job, s)) add(a, "--passwords");
}

static void add_ocr(struct arguments *a, const struct settings *s)
{
    add(a, "--data");
    add(a, ocr_languages_folder(s));
    add(a, "--languages");
    add(a, s->ocr_languages);
    add(a, "--models");
    add(a, s->ocr_models);
    add(a, "--engine");
    add(a, s->ocr_engine);
    add_number(a, "--turns-max", s->max_pages);
}

static void fill_arguments(struct arguments *a, const struct spawn_job *job,
                           const struct settings *s)
{
    static const char *const name[] = {[SPAWN_RASTER] = "platen-raster",
                                       [SPAWN_OCR] = "platen-ocr",
                                       [SPAWN_ANNOTATE] = "platen-annotate"};
    *a = (struct arguments){.n = 0};
    add(a, name[job->program]);
    if (job->builds) {
        add(a, "--build");
        return;
    }
    add_number(a, "--memory", s->child_memory_limit);
    add_number(a, "--cpu", s->child_cpu_limit_s);
    add_number(a, "--parent", getpid());
    if (settings_unsandboxed(s)) add(a, "--allow-unsandboxed");
    if (job->program == SPAWN_RASTER) add_raster(a, job, s);
    if (job->program == SPAWN_OCR) add_ocr(a, s);
}

/* --- processes ------------------------------------------------------------- */

static const char *program_of(const struct spawn_job *job,
                              const struct settings *s)
{
    return job->program == SPAWN_RASTER ? s->raster_program
           : job->program == SPAWN_OCR  ? s->ocr_program
                                        : s->annotate_program;
}

static void check_program(const struct spawn_job *job, const char *path,
                          const struct settings *s, struct err *err)
{
    if (job->program == SPAWN_RASTER) return; /* checked with the settings */
    if (access(path, X_OK) == 0) {
        if (job->program == SPAWN_OCR && !job->builds)
            ocr_languages_check(s, err);
    } else if (job->program == SPAWN_OCR)
        err_set(err, ERR_MISSING, "%s is missing (ocr_program)", path);
    else
        err_set(err, ERR_MISSING,
                "%s is missing, which draws values onto pages "
                "(annotate_program)",
                path);
}

/* Duplicates fd above the child's descriptors, so that no move in the child
 * overwrites another. */
static int move_up(int fd, struct err *err)
{
    if (err_failed(err)) return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
    if (high < 0) err_errno(err, "cannot open a descriptor");
    return high;
}

static int run_program(long *out, const char *program,
                       const char *const *argument, int nothing,
                       const struct spawn_ends *ends, int passwords)
{
    char locale[] = "LC_ALL=C", home[] = "HOME=/nonexistent";
    char threads[] = "OMP_THREAD_LIMIT=1"; /* the sandbox forbids threads */
    char *const environment[] = {locale, home, threads, NULL};
    posix_spawn_file_actions_t moves;
    posix_spawnattr_t manner;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&moves);
    posix_spawn_file_actions_adddup2(&moves, nothing, 0);
    posix_spawn_file_actions_adddup2(&moves, nothing, 1);
    posix_spawn_file_actions_adddup2(&moves, ends->complaints, 2);
    posix_spawn_file_actions_adddup2(&moves, ends->in, SANDBOX_FD_IN);
    posix_spawn_file_actions_adddup2(&moves, ends->out, SANDBOX_FD_OUT);
    if (passwords >= 0)
        posix_spawn_file_actions_adddup2(&moves, passwords,
                                         SANDBOX_FD_PASSWORDS);
    posix_spawn_file_actions_addclosefrom_np(
        &moves, (passwords >= 0 ? SANDBOX_FD_PASSWORDS : SANDBOX_FD_OUT) + 1);
    posix_spawnattr_init(&manner);
    posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETPGROUP |
                                          POSIX_SPAWN_SETSIGMASK |
                                          POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&manner, 0); /* a terminal's ^C is for platen */
    posix_spawnattr_setsigmask(&manner, &none);
    posix_spawnattr_setsigdefault(&manner, &all);
    pid_t pid = 0;
    int failure = posix_spawn(&pid, program, &moves, &manner,
                              (char *const *)(uintptr_t)argument, environment);
    posix_spawnattr_destroy(&manner);
    posix_spawn_file_actions_destroy(&moves);
    *out = pid;
    return failure;
}

long spawn_start(const struct spawn_job *job, const struct settings *settings,
                 const struct spawn_ends *ends, struct err *err)
{
    struct arguments a;
    long pid = 0;
    if (err_failed(err)) return 0;
    const char *path = program_of(job, settings);
    check_program(job, path, settings, err);
    fill_arguments(&a, job, settings);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int nothing = move_up(null, err);
    struct spawn_ends high = {move_up(ends->in, err), move_up(ends->out, err),
                              move_up(ends->complaints, err)};
    int passwords = needs_passwords(job, settings)
                        ? move_up(settings->passwords_fd, err)
                        : -1;
    if (!err_failed(err)) {
        int sys = run_program(&pid, path, a.text, nothing, &high, passwords);
        if (sys)
            err_reason(err, sys == ENOENT ? ERR_MISSING : ERR_SYSTEM,
                       "no-process", "cannot start %s: %s", path,
                       strerror(sys));
    }
    const int opened[] = {null,     nothing,         high.in,
                          high.out, high.complaints, passwords};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        if (opened[i] >= 0) close(opened[i]);
    return err_failed(err) ? 0 : pid;
}

int spawn_end(long pid)
{
    int status = 0;
    kill((pid_t)pid, SIGKILL); /* no effect on its status if it has ended */
    while (waitpid((pid_t)pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}
