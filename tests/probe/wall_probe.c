/* wall_probe.c - tries what a process taken over by its document would try.
 *
 *   wall-probe do ACTION PROFILE       enters the sandbox of that profile and
 *                                      tries; ends with 0 where the kernel
 *                                      refused, 10 where it did not, or dies
 *   wall-probe list                    the actions
 *   wall-probe deny LAYER[,LAYER...] PROGRAM ARGUMENT...
 *                                      runs a program on a kernel without
 *                                      landlock, seccomp, network, user
 *   wall-probe layers PROFILE          enters the sandbox, says which layers
 *                                      are active
 *
 * Profiles: pdf and picture (platen-raster), reader (a document's stages),
 * server (the model server), fetch (the network).
 */
#define _GNU_SOURCE 1

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stages/children/sandbox/sandbox.h"
#include "tests/probe/actions.h"

static const char *const folder[] = {"/usr/share/fonts"};

static const struct {
    const char *name;
    struct sandbox_profile profile;
} profiles[] = {{"pdf",
                 {.readable = folder,
                  .n_readable = 1,
                  .cpu_s = 5,
                  .memory_bytes = (int64_t)1 << 30}},
                {"picture", {.cpu_s = 5, .memory_bytes = (int64_t)1 << 30}},
                {"reader",
                 {.messages = true,
                  .file_bytes = ACTIONS_FILE_BYTES,
                  .cpu_s = 5,
                  .memory_bytes = (int64_t)1 << 40}},
                {"server", {.threads = true, .messages = true, .cpu_s = 5}},
                {"fetch", {.threads = true, .network = true, .cpu_s = 5}}};

static struct sandbox_layers enter(const char *name, struct actions_held *held)
{
    *held = (struct actions_held){.file = -1,
                                  .secret = open("/etc/passwd", O_RDONLY)};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, held->socket)) exit(20);
    held->file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    const int keep[] = {held->socket[0], held->socket[1], held->file};
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        if (!strcmp(profiles[i].name, name))
            return sandbox_confine(&profiles[i].profile, keep, 3);
    exit(2);
}

static int probe(const char *action, const char *profile)
{
    struct actions_held held;
    struct sandbox_layers walls = enter(profile, &held);
    if (!(walls.layers & (SANDBOX_SECCOMP | SANDBOX_LANDLOCK))) return 20;
    int got = actions_try(action, &held);
    if (got >= 0) return got ? 10 : 0;
    return 2;
}

static const struct {
    const char *layer;
    int call;
} calls[] = {{"landlock", SYS_landlock_create_ruleset},
             {"seccomp", SYS_seccomp},
             {"network", SYS_unshare},
             {"user", SYS_setresuid}};

static void refuse_call(int call)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {sizeof code / sizeof code[0], code};
    /* by prctl, which stays when the call seccomp is refused */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) exit(20);
}

/* A kernel that has never heard of these calls. */
static void forget(const char *layers)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strstr(layers, calls[i].layer)) refuse_call(calls[i].call);
}

static int say_layers(const char *profile)
{
    struct actions_held held;
    printf("%u\n", enter(profile, &held).layers);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (size_t i = 0; actions_name(i); i++)
            puts(actions_name(i));
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "layers")) return say_layers(argv[2]);
    if (argc == 4 && !strcmp(argv[1], "do")) return probe(argv[2], argv[3]);
    if (argc < 4 || strcmp(argv[1], "deny")) return 2;
    forget(argv[2]);
    execv(argv[3], argv + 3);
    return 2;
}
