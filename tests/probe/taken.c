/* taken.c - a platen whose processes are taken over, for tests/e2e/taken*.sh: the
 * first page, record, pass or transfer that a process handles runs what
 * $TAKEN says there, with all that the process has.
 *
 *   TAKEN_IN     reader, drawn (a page was drawn), checker, server, fetch
 *   TAKEN        an action of actions.c, or one below
 *   TAKEN_WIDTH  reader: only by pages of this width, in pixels
 *   TAKEN_PATH   a file of another document, or where one could be written
 *   TAKEN_FDS    attack descriptors: how many it may have
 *
 * Says "taken: NAME: refused" or "allowed" on standard error. Linked with
 * --wrap for each function that is overridden.
 */
#define _GNU_SOURCE 1

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "pipeline/spool/document_folder.h"
#include "stages/input/rasterise.h"
#include "stages/page/prepare.h"
#include "tests/probe/actions.h"
#include "vlm/device/device.h"
#include "vlm/vlm.h"

enum { FDS = 64, JUNK = 4096, FLOOD = 20000 };

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static bool is_socket(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* --- attacks beyond single system calls ------------------------------------- */

static long open_other(void)
{
    return open(setting("TAKEN_PATH"), O_RDONLY);
}

static long write_other(void)
{
    return open(setting("TAKEN_PATH"), O_WRONLY | O_CREAT, 0600);
}

/* From a descriptor of a file the folders above cannot be reached. */
static long climb(void)
{
    char path[64];
    for (int fd = 3; fd < FDS; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d/..", fd);
        if (open(path, O_RDONLY) >= 0 || openat(fd, "..", O_RDONLY) >= 0 ||
            openat(fd, ".", O_RDONLY) >= 0)
            return 0;
    }
    return -1;
}

/* Junk, with descriptors, to all that listens. */
static long send_junk(void)
{
    char junk[JUNK];
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = (char)(i * 7 + 1);
    for (int fd = 3; fd < FDS; fd++)
        for (size_t n = 1; is_socket(fd) && n <= sizeof junk; n *= 2)
            (void)!send(fd, junk, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    return -1;
}

static long flood(void)
{
    char junk[JUNK] = {1};
    for (int i = 0; i < FLOOD; i++)
        for (int fd = 3; fd < FDS; fd++)
            if (is_socket(fd))
                (void)!send(fd, junk, sizeof junk, MSG_NOSIGNAL | MSG_DONTWAIT);
    return -1;
}

static long close_all(void)
{
    for (int fd = 3; fd < FDS; fd++)
        close(fd);
    return -1;
}

static long use_memory(void)
{
    enum { STEP = 1 << 28, MOST = 400 };
    for (int i = 0; i < MOST; i++) {
        char *p = malloc(STEP);
        if (!p) return -1;
        for (size_t k = 0; k < STEP; k += 1 << 20)
            p[k] = 1;
    }
    return 0;
}

static long loop(void)
{
    for (volatile unsigned n = 0;; n++)
        continue;
    return -1;
}

static long leave(void)
{
    _exit(0);
}

static long crash(void)
{
    abort();
}

static long end_self(void)
{
    return raise(SIGKILL);
}

/* More descriptors than a process of its kind should have. */
static long many_descriptors(void)
{
    int n = 0, most = atoi(setting("TAKEN_FDS"));
    for (int fd = 0; fd < FDS; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n > most ? n : -1;
}

static const struct {
    const char *name;
    long (*run)(void);
} attacks[] = {{"open-other", open_other},
               {"write-other", write_other},
               {"climb", climb},
               {"junk", send_junk},
               {"flood", flood},
               {"close", close_all},
               {"memory", use_memory},
               {"loop", loop},
               {"exit", leave},
               {"abort", crash},
               {"kill-self", end_self},
               {"descriptors", many_descriptors}};

static void be_taken(const char *where)
{
    static bool done;
    const char *name = setting("TAKEN");
    long got = -1;
    if (done || strcmp(setting("TAKEN_IN"), where) != 0) return;
    done = true;
    /* the process has no other socket and file of these kinds */
    struct actions_held held = {{-1, -1}, -1, -1};
    for (int fd = 3; fd < FDS && held.socket[0] < 0; fd++)
        if (is_socket(fd)) held.socket[0] = held.socket[1] = fd;
    fprintf(stderr, "taken: %s: begins\n", name);
    int known = actions_try(name, &held);
    if (known >= 0) got = known ? 0 : -1;
    for (size_t i = 0; known < 0 && i < sizeof attacks / sizeof *attacks; i++)
        if (!strcmp(attacks[i].name, name)) got = attacks[i].run();
    fprintf(stderr, "taken: %s: %s\n", name, got < 0 ? "refused" : "allowed");
}

/* --- where it happens ---------------------------------------------------------- */

void __real_prepare_page(struct image *image, const struct page_view *view,
                         struct page *page, const struct prepare_target *target,
                         const struct settings *settings, struct err *err);
void __wrap_prepare_page(struct image *image, const struct page_view *view,
                         struct page *page, const struct prepare_target *target,
                         const struct settings *settings, struct err *err);

void __wrap_prepare_page(struct image *image, const struct page_view *view,
                         struct page *page, const struct prepare_target *target,
                         const struct settings *settings, struct err *err)
{
    if (image->width_px == atoi(setting("TAKEN_WIDTH"))) be_taken("reader");
    __real_prepare_page(image, view, page, target, settings, err);
}

bool __real_rasterise_next(struct raster *r, struct image *page,
                           struct err *err);
bool __wrap_rasterise_next(struct raster *r, struct image *page,
                           struct err *err);

bool __wrap_rasterise_next(struct raster *r, struct image *page,
                           struct err *err)
{
    bool drawn = __real_rasterise_next(r, page, err);
    if (drawn) be_taken("drawn");
    return drawn;
}

const char *__real_document_folder_fault_of(const cJSON *record, const char *id,
                                            const char *hex);
const char *__wrap_document_folder_fault_of(const cJSON *record, const char *id,
                                            const char *hex);

const char *__wrap_document_folder_fault_of(const cJSON *record, const char *id,
                                            const char *hex)
{
    be_taken("checker");
    return __real_document_folder_fault_of(record, id, hex);
}

/* The server's passes, not those of a reader that has the model itself. */
static bool serves;

void __real_vlm_serve(struct vlm *v, const struct vlm_serving *with,
                      struct err *err);
void __wrap_vlm_serve(struct vlm *v, const struct vlm_serving *with,
                      struct err *err);

void __wrap_vlm_serve(struct vlm *v, const struct vlm_serving *with,
                      struct err *err)
{
    serves = true;
    __real_vlm_serve(v, with, err);
}

void __real_device_forward(struct device *d, const struct device_run *run,
                           int n_run, struct err *err);
void __wrap_device_forward(struct device *d, const struct device_run *run,
                           int n_run, struct err *err);

void __wrap_device_forward(struct device *d, const struct device_run *run,
                           int n_run, struct err *err)
{
    if (serves) be_taken("server");
    __real_device_forward(d, run, n_run, err);
}

CURLMcode __real_curl_multi_perform(CURLM *multi, int *n_running);
CURLMcode __wrap_curl_multi_perform(CURLM *multi, int *n_running);

CURLMcode __wrap_curl_multi_perform(CURLM *multi, int *n_running)
{
    be_taken("fetch");
    return __real_curl_multi_perform(multi, n_running);
}
