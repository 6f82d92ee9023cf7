/* command_doctor.c - platen doctor: checks this machine. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/process/document_sandbox.h"
#include "pipeline/spool/spool.h"
#include "stages/children/annotate.h"
#include "stages/children/child_programs.h"
#include "stages/children/wire/installed.h"
#include "stages/document/reason.h"
#include "stages/document/version.h"
#include "stages/engine/endpoint_dialect.h"
#include "stages/engine/engine.h"
#include "stages/input/rasterise.h"
#include "stages/print/ocr.h"
#include "vlm/base/cpu.h"
#include "vlm/base/redact_url.h"
#include "vlm/tensor/kernels_measure.h"
#include "vlm/vlm.h"

enum { GPUS_MOST = 16, TEST_S = 60 };

struct checkup {
    int n_marked; /* problems: lines that begin with "! " */
};

static void print_line(struct checkup *r, bool well, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void print_line(struct checkup *r, bool well, const char *fmt, ...)
{
    va_list args;
    if (!well) fputs("! ", stdout);
    r->n_marked += !well;
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
}

/* Prints lines of which those with problems are marked already. */
static void print_lines(struct checkup *r, const char *text)
{
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        r->n_marked += *line == '!';
        line = end ? end + 1 : line + strlen(line);
    }
    fputs(text, stdout);
}

static const char *file_system_name(unsigned long magic)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } known[] = {
        {0xef53, "ext4"},      {0x58465342, "XFS"},     {0x9123683e, "Btrfs"},
        {0x01021994, "tmpfs"}, {0x794c7630, "overlay"}, {0x2fc12fc1, "ZFS"},
        {0xf2f52010, "F2FS"},  {0x6969, "NFS"},         {0x65735546, "FUSE"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].magic == (magic & 0xffffffff)) return known[i].name;
    return "another file system";
}

static bool check_needs(struct checkup *r, const struct spool *spool)
{
    struct buf text = buf_limit(4096);
    bool well = spool_probe_needs(spool, &text);
    print_lines(r, buf_span(&text).data);
    buf_free(&text);
    return well;
}

static int check_spool(struct checkup *r, const char *path)
{
    struct statfs fs;
    struct statvfs v;
    struct spool spool;
    struct err err = {0};
    if (statfs(path, &fs) != 0 || statvfs(path, &v) != 0) {
        print_line(r, false, "spool: %s: %s\n", path, strerror(errno));
        return EXIT_ACCESS;
    }
    const char *name = file_system_name((unsigned long)fs.f_type);
    printf("spool: %s, %s, %.1f GiB free, %llu inodes free\n", path, name,
           (double)v.f_bavail * (double)v.f_frsize / (1 << 30),
           (unsigned long long)v.f_favail);
    if (!strcmp(name, "tmpfs"))
        print_line(r, false,
                   "spool: tmpfs is memory; its files are lost when the "
                   "machine stops\n");
    spool_open(&spool, path, false, &err);
    if (err_failed(&err)) print_line(r, false, "spool: %s\n", err.text);
    bool well = err_failed(&err) || check_needs(r, &spool);
    spool_close(&spool);
    if (!well) return EXIT_ACCESS;
    return err_failed(&err) && err.kind != ERR_ARGS ? EXIT_CONFIG : EXIT_OK;
}

/* Lists the GPUs, and why one cannot be used. */
static void print_devices(void)
{
    struct vlm_device seen[GPUS_MOST];
    struct err err = {0};
    int n = vlm_device_list(seen, GPUS_MOST, &err);
    if (n == 0) printf("GPU: none%s%s\n", *err.text ? ": " : "", err.text);
    for (int i = 0; i < n; i++) {
        const struct vlm_device *d = &seen[i];
        printf("GPU: cuda:%d %s, generation %d.%d, %.1f GiB free%s%s%s\n", i,
               d->name, d->major, d->minor, (double)d->left / (1 << 30),
               d->unified ? ", shared with the processor" : "",
               *d->why ? "; not usable: " : "", d->why);
    }
}

static void print_device(const struct settings *s, const struct engine_facts *f)
{
    if (!f->device) return;
    printf("device: %s (engine_device = %s)", f->device, s->device);
    if (f->no_gpu) printf("; no GPU: %s", f->no_gpu);
    printf("\n");
    for (const char *line = f->kernels; line && *line; line += *line == '\n') {
        size_t n = strcspn(line, "\n");
        printf("kernels: %.*s\n", (int)n, line);
        line += n;
    }
}

static int print_problem(struct checkup *r, const char *what,
                         const struct err *err)
{
    const struct reason *reason = reason_of(err);
    print_line(r, false, "%s: %s [%s]. %s\n", what, err->text, reason->code,
               reason->remedy);
    return (int)reason->exit;
}

/* Reports in what the endpoint differs from other endpoints. */
static void print_dialect(struct checkup *r, unsigned dialect)
{
    struct buf text = buf_limit(4096);
    endpoint_dialect_print(dialect, &text);
    if (text.size) print_line(r, true, "endpoint: %s\n", buf_span(&text).data);
    buf_free(&text);
}

/* Reports the server, its model and context; then sends a small request. */
static int check_endpoint(struct checkup *r, const struct config *config)
{
    struct err err = {0};
    struct settings s = config->stage;
    s.endpoint_tries = 1;
    if (s.endpoint_timeout_s > TEST_S) s.endpoint_timeout_s = TEST_S;
    struct engine *engine = engine_open(&s, &err);
    if (!err_failed(&err)) {
        const struct engine_facts *f = engine_facts(engine);
        print_line(r, true, "endpoint: %s, up to %d documents at once\n",
                   redact_url_in_message(s.endpoint).text, config_jobs(config));
        print_line(r, true, "model: %s, context of %d tokens\n", f->model,
                   f->n_ctx);
        engine_test(engine, &err);
        if (!err_failed(&err)) {
            print_line(r, true, "endpoint: it answered a test request\n");
            print_dialect(r, engine->dialect);
        }
    }
    engine_close(engine);
    return err_failed(&err) ? print_problem(r, "endpoint", &err) : EXIT_OK;
}

static int check_engine(struct checkup *r, const struct config *config)
{
    struct err err = {0};
    const struct settings *s = &config->stage;
    printf("engine: %s\n", s->engine);
    if (!strcmp(s->engine, "endpoint")) return check_endpoint(r, config);
    struct engine *engine = engine_open(s, &err);
    if (err_failed(&err)) return print_problem(r, "model", &err);
    const struct engine_facts *f = engine_facts(engine);
    printf("model: %s, sha256 %.16s..., up to %lld pixels a page\n", f->model,
           *f->model_hash ? f->model_hash : "-", (long long)f->max_pixels);
    if (f->doubt) print_line(r, false, "model: doubtful: %s\n", f->doubt);
    print_device(s, f);
    if (settings_have_model(s))
        printf("model file: %s\nvision file: %s\n", s->model, s->mmproj);
    engine_close(engine);
    return EXIT_OK;
}

/* That of the configuration, and those of its sections. */
static int check_engines(struct checkup *r, const struct config *config)
{
    int code = check_engine(r, config);
    for (const struct config *s = config_each_schema(config, config); s;
         s = config_each_schema(config, s)) {
        printf("[schema.%s]\n", s->of_schema);
        int one = check_engine(r, s);
        if (code == EXIT_OK) code = one;
    }
    if (config->several_models)
        printf("memory for models at the same time: %.1f MiB "
               "(model_memory)\n",
               (double)config_model_memory(config) / (1 << 20));
    return code;
}

/* Without its tables poppler leaves Chinese, Japanese and Korean text out of
 * pages whose fonts are not embedded. */
static void check_tables(struct checkup *r)
{
    char folder[INSTALLED_PATH];
    installed_tables(folder);
    size_t n = strlen(folder);
    snprintf(folder + n, sizeof folder - n, "/cMap");
    bool there = access(folder, R_OK | X_OK) == 0;
    print_line(r, there, "East Asian tables: %s\n",
               there ? folder : "missing (install the package poppler-data)");
}

/* The programs that platen starts, and each of them in its sandbox. */
static int check_programs(struct checkup *r, const struct settings *settings)
{
    static bool (*const doctor[])(const struct settings *, struct buf *) = {
        child_programs_doctor, rasterise_doctor, ocr_doctor, annotate_doctor,
        document_sandbox_doctor};
    bool well = true;
    for (size_t i = 0; i < sizeof doctor / sizeof *doctor; i++) {
        struct buf text = buf_limit(1 << 16);
        well &= doctor[i](settings, &text);
        print_lines(r, buf_span(&text).data);
        buf_free(&text);
    }
    return well ? EXIT_OK : EXIT_DEPENDENCY;
}

static void print_kernels(void)
{
    struct kernels_rate rate[KERNELS_SETS_MAX];
    int n = kernels_measure(cpu_features(), rate);
    printf("processors: %d, kernels: %s\n", cpu_count(),
           rate[kernels_fastest(rate, n)].name);
    for (int i = 0; i < n; i++)
        printf("  %s: %.0f GOP/s for a prompt, %.0f for one token (a thread)\n",
               rate[i].name, rate[i].prompt / 1e9, rate[i].token / 1e9);
}

static int doctor_command(const struct command_line *line, struct err *err)
{
    (void)err;
    const struct config *config = line->config;
    struct err check = {0};
    struct checkup r = {0};
    printf("platen %s\n", PLATEN_VERSION);
    print_kernels();
    printf("vision: %s, in %s\n", config->stage.vision,
           strcmp(config->stage.vision, "exact") != 0
               ? cpu_vision_name(cpu_features())
               : "f32");
    printf("prompt: %s%s\n", config->stage.prompt,
           strcmp(config->stage.prompt, "exact") != 0 &&
                   (cpu_features() & CPU_AMX_BF16)
               ? ", in bf16 tiles (amx)"
               : ", as the tokens of an answer");
    print_devices();
    int code = check_programs(&r, &config->stage);
    check_tables(&r);
    printf("schemas: %s\n", config->stage.schemas);
    printf("configuration: %s\n", *config->file ? config->file : "none");
    int engine = check_engines(&r, config);
    if (code == EXIT_OK) code = engine;
    config_check(config, &check);
    if (err_failed(&check)) {
        print_line(&r, false, "configuration: %s\n", check.text);
        if (code == EXIT_OK) code = (int)reason_of(&check)->exit;
    }
    if (line->n_operand) {
        int spool = check_spool(&r, line->operand[0]);
        if (code == EXIT_OK) code = spool;
    }
    if (r.n_marked)
        printf("%d problem%s, marked with !\n", r.n_marked,
               r.n_marked == 1 ? "" : "s");
    else
        printf("no problems found\n");
    return code;
}

const struct command command_doctor_row = {
    .name = "doctor",
    .usage = "[SPOOL]",
    .summary = "check this machine: processor, sandbox, model, file system",
    .help =
        "Checks processor features, GPUs, the programs that platen starts and "
        "their sandboxes, OCR and its languages, tables for East Asian text, "
        "the models, which are opened, and whether the file system of a spool "
        "does what a spool needs. An endpoint is sent a small test request. "
        "Problems are lines that begin with \"! \".\n"
        "\n"
        "Exits with 0 if no problem was found, 3 if a program, a layer of a "
        "sandbox or OCR is missing, else with the code of the first problem.\n"
        "\n"
        "  platen doctor\n"
        "  platen doctor spool --engine endpoint --endpoint "
        "http://127.0.0.1:8080/v1",
    .most = 1,
    .run = doctor_command,
};
