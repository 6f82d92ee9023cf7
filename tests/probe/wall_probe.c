/* wall_probe.c - tries what a rasteriser taken over by its document would try.
 *
 *   wall-probe do ACTION pdf|picture   puts the walls up as platen-raster does
 *                                      and tries; ends with 0 where the kernel
 *                                      refused, 10 where it did not, or dies
 *   wall-probe list                    the actions
 *   wall-probe deny LAYER[,LAYER...] PROGRAM ARGUMENT...
 *                                      runs a program on a kernel without
 *                                      landlock, seccomp, network, user
 *   wall-probe layers                  puts the walls up, says which hold
 */
#define _GNU_SOURCE 1

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "stages/children/sandbox/sandbox.h"

static long own_page(int protection)
{
    void *p = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? -1 : 0;
}

static long make_executable(void)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(p, 4096, PROT_READ | PROT_EXEC);
}

static long limit_parent(void)
{
    struct rlimit none = {0, 0};
    return prlimit(getppid(), RLIMIT_CPU, &none, NULL);
}

static long reach_socket(int family)
{
    return socket(family, SOCK_STREAM, 0);
}

/* A datagram socket aimed at this machine: refused without a network. */
static long reach_network(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(9),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&to, sizeof to);
}

static long raise_cpu(void)
{
    struct rlimit endless = {RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_CPU, &endless);
}

static long run_program(void)
{
    char *const argument[] = {(char[]){"true"}, NULL};
    return execv("/bin/true", argument);
}

static const struct {
    const char *name;
    int kind;
} actions[] = {{"open-secret", 0},
               {"open-font", 1},
               {"write-file", 2},
               {"truncate", 3},
               {"chmod", 4},
               {"unlink", 5},
               {"socket", 6},
               {"unix-socket", 7},
               {"fork", 8},
               {"exec", 9},
               {"ptrace", 10},
               {"kill-parent", 11},
               {"io-uring", 12},
               {"userfaultfd", 13},
               {"bpf", 14},
               {"keyctl", 15},
               {"map-code", 16},
               {"make-code", 17},
               {"limit-parent", 18},
               {"mount", 19},
               {"tkill-parent", 20},
               {"raise-memory", 21},
               {"clone3", 22},
               {"perf", 23},
               {"process-memory", 24},
               {"landlock-again", 25},
               {"open-shadow", 26},
               {"reach-network", 27},
               {"raise-cpu", 28},
               {"become-root", 29}};

static long act(int kind)
{
    struct rlimit endless = {RLIM_INFINITY, RLIM_INFINITY};
    switch (kind) {
    case 0: return open("/etc/passwd", O_RDONLY);
    case 1: return open("/usr/share/fonts", O_RDONLY | O_DIRECTORY);
    case 2: return open("/tmp/wall-probe", O_WRONLY | O_CREAT, 0600);
    case 3: return truncate("/tmp/wall-probe-target", 0);
    case 4: return chmod("/tmp/wall-probe-target", 0777);
    case 5: return unlink("/tmp/wall-probe-target");
    case 6: return reach_socket(AF_INET);
    case 7: return reach_socket(AF_UNIX);
    case 8: return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    case 9: return run_program();
    case 10: return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
    case 11: return kill(getppid(), SIGURG);
    case 12:
        return syscall(SYS_io_uring_setup, 1, NULL) < 0 && errno == EFAULT ? 0
                                                                           : -1;
    case 13: return syscall(SYS_userfaultfd, 0);
    case 14: return syscall(SYS_bpf, 0, NULL, 0) < 0 && errno != EPERM ? 0 : -1;
    case 15: return syscall(SYS_keyctl, 0, -3, 1);
    case 16: return own_page(PROT_READ | PROT_EXEC);
    case 17: return make_executable();
    case 18: return limit_parent();
    case 19: return syscall(SYS_mount, "none", "/mnt", "tmpfs", 0, NULL);
    case 20: return syscall(SYS_tgkill, getppid(), getppid(), SIGURG);
    case 21: return setrlimit(RLIMIT_FSIZE, &endless);
    case 22:
        return syscall(SYS_clone3, NULL, 0) < 0 && errno == EINVAL ? 0 : -1;
    case 23:
        return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0 &&
                       errno == EFAULT
                   ? 0
                   : -1;
    case 24:
        return syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0);
    case 25: return syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
    case 26: return open("/etc/shadow", O_RDONLY);
    case 27: return reach_network();
    case 28: return raise_cpu();
    case 29: return setresuid(0, 0, 0);
    }
    return 0;
}

static int probe(const char *name, bool is_pdf)
{
    struct sandbox_limits job = {.cpu_s = 5, .memory_bytes = (int64_t)1 << 30};
    const char *const folder[] = {"/usr/share/fonts"};
    struct walls walls = sandbox_enter(&job, folder, is_pdf ? 1 : 0);
    if (!(walls.layers & (SANDBOX_SECCOMP | SANDBOX_LANDLOCK))) return 20;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (!strcmp(actions[i].name, name))
            return act(actions[i].kind) < 0 ? 0 : 10;
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

static int say_layers(void)
{
    struct sandbox_limits job = {.cpu_s = 5, .memory_bytes = (int64_t)1 << 30};
    const char *const folder[] = {"/usr/share/fonts"};
    struct walls walls = sandbox_enter(&job, folder, 1);
    printf("%u\n", walls.layers);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
            puts(actions[i].name);
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], "layers")) return say_layers();
    if (argc == 4 && !strcmp(argv[1], "do"))
        return probe(argv[2], !strcmp(argv[3], "pdf"));
    if (argc < 4 || strcmp(argv[1], "deny")) return 2;
    forget(argv[2]);
    execv(argv[3], argv + 3);
    return 2;
}
