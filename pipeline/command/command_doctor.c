/* command_doctor.c - platen doctor: what this machine offers. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "stages/engine/engine.h"
#include "stages/marker.h"
#include "stages/rasterise.h"
#include "stages/reason.h"
#include "stages/second_reader.h"
#include "stages/siblings.h"
#include "stages/version.h"
#include "vlm/base/cpu.h"
#include "vlm/vlm.h"

enum { GPUS_MOST = 16 };

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

static int say_spool(const char *path)
{
    struct statfs fs;
    struct statvfs v;
    struct spool spool;
    struct err err = {0};
    if (statfs(path, &fs) != 0 || statvfs(path, &v) != 0) {
        printf("spool: %s: %s\n", path, strerror(errno));
        return EXIT_ACCESS;
    }
    const char *name = file_system_name((unsigned long)fs.f_type);
    printf("spool: %s, %s, %.1f GiB free, %llu inodes free\n", path, name,
           (double)v.f_bavail * (double)v.f_frsize / (1 << 30),
           (unsigned long long)v.f_favail);
    if (!strcmp(name, "tmpfs"))
        printf("spool: tmpfs is memory: nothing survives a power cut\n");
    spool_open(&spool, path, false, &err);
    if (err_failed(&err)) printf("spool: %s\n", err.text);
    spool_close(&spool);
    return err_failed(&err) && err.kind != ERR_ARGS ? EXIT_CONFIG : EXIT_OK;
}

/* Which GPUs there are, and why one cannot be used. */
static void say_devices(void)
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

static void say_device(const struct settings *s, const struct engine_facts *f)
{
    if (!f->device) return;
    printf("device: %s (engine_device = %s)", f->device, s->device);
    if (f->no_gpu) printf("; no GPU: %s", f->no_gpu);
    printf("\n");
}

static int say_engine(const struct config *config)
{
    struct err err = {0};
    const struct settings *s = &config->stage;
    printf("engine: %s\n", s->engine);
    if (!strcmp(s->engine, "endpoint")) {
        printf("endpoint: %s, up to %d documents at once\n", s->endpoint,
               config_jobs(config));
        return EXIT_OK;
    }
    struct engine *engine = engine_open(s, &err);
    if (err_failed(&err)) {
        printf("model: %s [%s]\n", err.text, reason_of(&err)->code);
        return (int)reason_of(&err)->exit;
    }
    const struct engine_facts *f = engine_facts(engine);
    printf("model: %s, sha256 %.16s..., up to %lld pixels a page\n", f->model,
           *f->model_hash ? f->model_hash : "-", (long long)f->max_pixels);
    if (f->doubt) printf("model: doubtful: %s\n", f->doubt);
    say_device(s, f);
    if (!strcmp(s->engine, "native"))
        printf("model file: %s\nvision file: %s\n", s->model, s->mmproj);
    engine_close(engine);
    return EXIT_OK;
}

/* Without its tables poppler leaves Chinese, Japanese and Korean text out of
 * pages whose fonts are not embedded. */
static void say_tables(void)
{
    static const char folder[] = "/usr/share/poppler/cMap";
    bool there = access(folder, R_OK | X_OK) == 0;
    printf("East Asian tables: %s\n",
           there ? folder : "missing (install the package poppler-data)");
}

/* The programs that platen starts, then each of them behind its walls. */
static int say_programs(const struct settings *settings)
{
    static bool (*const doctor[])(const struct settings *, struct buf *) = {
        siblings_doctor, rasterise_doctor, second_reader_doctor, marker_doctor};
    bool well = true;
    for (size_t i = 0; i < sizeof doctor / sizeof *doctor; i++) {
        struct buf text = buf_limit(1 << 16);
        well &= doctor[i](settings, &text);
        fputs(buf_span(&text).data, stdout);
        buf_free(&text);
    }
    return well ? EXIT_OK : EXIT_DEPENDENCY;
}

static int doctor_command(const struct command_line *line, struct err *err)
{
    (void)err;
    const struct config *config = line->config;
    struct err check = {0};
    printf("platen %s\n", PLATEN_VERSION);
    printf("processors: %d, kernels: %s\n", cpu_count(),
           cpu_name(cpu_features()));
    printf("vision: %s, in %s\n", config->stage.vision,
           strcmp(config->stage.vision, "exact") != 0
               ? cpu_vision_name(cpu_features())
               : "f32");
    say_devices();
    int code = say_programs(&config->stage);
    say_tables();
    printf("schemas: %s\n", config->stage.schemas);
    printf("configuration: %s\n", *config->file ? config->file : "none");
    int engine = say_engine(config);
    if (code == EXIT_OK) code = engine;
    config_check(config, &check);
    if (err_failed(&check)) {
        printf("wrong: %s\n", check.text);
        if (code == EXIT_OK) code = (int)reason_of(&check)->exit;
    }
    if (line->n_operand) {
        int spool = say_spool(line->operand[0]);
        if (code == EXIT_OK) code = spool;
    }
    printf("%s\n", code ? "something is missing, see above" : "all is well");
    return code;
}

const struct command command_doctor_row = {
    .name = "doctor",
    .usage = "[SPOOL]",
    .summary = "what this machine offers: kernels, sandbox, model, file system",
    .help =
        "Looks at the processor's kernels, at GPUs, at the programs that "
        "platen "
        "starts "
        "(are they\nthere, and of this build?) and the sandbox around each, at "
        "the second reader and\nits languages, at the tables for East Asian "
        "text, at the model (which it opens),\nand at the file system of a "
        "spool. Ends with 0 when all is well, with 3 when a\nprogram, a layer "
        "of a sandbox or the second reader is missing, else with the code\nof "
        "the first thing that is.",
    .most = 1,
    .run = doctor_command,
};
