/* seccomp.c - the list of system calls that a process needs; others kill.
 *
 * Measured for poppler-glib 22.12, cairo 1.16 and fontconfig 2.14
 * (docs/notes/pages.md, "The sandbox"), and for the processes that platen forks
 * with glibc 2.36, with and without sanitizers.
 */
#define _GNU_SOURCE 1 /* AT_EMPTY_PATH */

#include "stages/children/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#    define ARCH    AUDIT_ARCH_X86_64
#    define X32_BIT 0x40000000u
#elif defined(__aarch64__)
#    define ARCH    AUDIT_ARCH_AARCH64
#    define X32_BIT 0u
#else
#    error "seccomp.c: no system call numbers for this architecture"
#endif

/* What the profile asks for. A rule applies to profiles with one of the bits in
 * `when`; 0: to all. */
enum feature {
    FILES = 1, /* opens files */
    NO_FILES = 2,
    DEVICES = 4,
    NO_DEVICES = 8,
    THREADS = 16,
    MESSAGES = 32,
    NETWORK = 64,
    WRITES = 128 /* to open files */
};

/* A call is allowed if (argument & mask) == want; otherwise it fails with errno
 * `otherwise` (0: the process is killed). Mask 0: always allowed. */
struct call_rule {
    unsigned when;
    int call;
    int argument;
    uint32_t mask, want;
    int otherwise;
};

#define WHEN(feature, name)             \
    {                                   \
        feature, SYS_##name, 0, 0, 0, 0 \
    }
#define ALWAYS(name) WHEN(0, name)
#define NEVER(feature, name, error)         \
    {                                       \
        feature, SYS_##name, 0, 0, 1, error \
    }

enum {
    CREATING = O_CREAT | O_TRUNC | O_APPEND,
    WRITING = O_WRONLY | O_RDWR | CREATING,
    OTHER_NAMESPACE = CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS |
                      CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
                      CLONE_NEWCGROUP
};

static const struct call_rule rules[] = {
    ALWAYS(read),
    ALWAYS(write),
    ALWAYS(writev),
    ALWAYS(pread64),
    ALWAYS(lseek),
    ALWAYS(close),
    ALWAYS(fstat),
    ALWAYS(munmap),
    ALWAYS(mremap),
    ALWAYS(brk),
    ALWAYS(madvise),
    ALWAYS(futex),
    ALWAYS(exit),
    ALWAYS(exit_group),
    ALWAYS(rt_sigaction),
    ALWAYS(rt_sigprocmask),
    ALWAYS(rt_sigreturn),
    ALWAYS(sigaltstack),
    ALWAYS(restart_syscall),
    ALWAYS(getpid),
    ALWAYS(gettid),
    ALWAYS(getuid),
    ALWAYS(geteuid),
    ALWAYS(getgid),
    ALWAYS(getegid),
    ALWAYS(clock_gettime),
    ALWAYS(clock_getres),
    ALWAYS(gettimeofday),
    ALWAYS(getrandom),
    ALWAYS(sched_yield),
    ALWAYS(sched_getaffinity),
    ALWAYS(uname),
    ALWAYS(sysinfo),
    ALWAYS(dup),
    ALWAYS(fadvise64),
    /* No code can be generated or loaded. A GPU's driver may do so late: for its
     * process Landlock alone decides which files there are to load. */
    WHEN(DEVICES, mmap),
    WHEN(DEVICES, mprotect),
    {NO_DEVICES, SYS_mmap, 2, PROT_EXEC, 0, EPERM},
    {NO_DEVICES, SYS_mprotect, 2, PROT_EXEC, 0, EPERM},
    {0, SYS_fcntl, 1, ~0u, F_GETFL, 0},
    {0, SYS_fcntl, 1, ~0u, F_GETFD, 0},
    {0, SYS_fcntl, 1, ~0u, F_SETFD, 0},
    {0, SYS_fcntl, 1, ~0u, F_DUPFD_CLOEXEC, 0},
    {MESSAGES, SYS_fcntl, 1, ~0u, F_GET_SEALS, 0},
    {NETWORK | DEVICES, SYS_fcntl, 1, ~0u, F_SETFL, 0},
    /* its own limits, up to the hard ones; not those of other processes */
    {0, SYS_prlimit64, 0, ~0u, 0, EPERM},
    WHEN(DEVICES, ioctl),
    {NETWORK, SYS_ioctl, 1, ~0u, FIONBIO, ENOTTY},
    NEVER(NO_DEVICES, ioctl, ENOTTY),

    /* Files. Where there are none, naming one is an error, but does not kill: C
     * libraries look for message catalogues and time zones. fstat is newfstatat
     * in newer ones. */
    {DEVICES, SYS_openat, 2, CREATING, 0, EACCES},
    {FILES, SYS_openat, 2, WRITING, 0, EACCES},
    NEVER(NO_FILES, openat, EACCES),
    WHEN(FILES, newfstatat),
    {NO_FILES, SYS_newfstatat, 3, ~0u, AT_EMPTY_PATH, EACCES},
    WHEN(FILES, readlinkat),
    NEVER(NO_FILES, readlinkat, EACCES),
    WHEN(FILES, faccessat),
    NEVER(NO_FILES, faccessat, EACCES),
    WHEN(FILES, getdents64),
    WHEN(FILES, statfs),
    WHEN(FILES, fstatfs),
#ifdef __x86_64__
    {DEVICES, SYS_open, 1, CREATING, 0, EACCES},
    {FILES, SYS_open, 1, WRITING, 0, EACCES},
    NEVER(NO_FILES, open, EACCES),
    WHEN(FILES, access),
    NEVER(NO_FILES, access, EACCES),
    WHEN(FILES, readlink),
    NEVER(NO_FILES, readlink, EACCES),
    WHEN(FILES, stat),
    WHEN(FILES, lstat),
#endif
    WHEN(WRITES, pwrite64),
    WHEN(WRITES, ftruncate),
    WHEN(WRITES, fsync),
    WHEN(WRITES, fdatasync),

    /* Threads, no processes. The C library uses clone where there is no
     * clone3, whose flags a filter cannot see. */
    {THREADS, SYS_clone, 0, CLONE_THREAD | OTHER_NAMESPACE, CLONE_THREAD, 0},
    NEVER(THREADS, clone3, ENOSYS),
    WHEN(THREADS, set_robust_list),
    WHEN(THREADS, rseq),
    WHEN(THREADS, getcpu),
    {THREADS, SYS_prctl, 0, ~0u, PR_SET_NAME, EPERM},

    WHEN(MESSAGES | THREADS | NETWORK, nanosleep),
    WHEN(MESSAGES | THREADS | NETWORK, clock_nanosleep),
    WHEN(MESSAGES | NETWORK, ppoll),
    WHEN(MESSAGES | NETWORK, recvfrom),
    WHEN(MESSAGES | NETWORK, recvmsg),
    WHEN(MESSAGES | NETWORK, sendto),
    WHEN(MESSAGES | NETWORK, sendmsg),
    WHEN(MESSAGES | NETWORK, shutdown),
#ifdef __x86_64__
    WHEN(MESSAGES | NETWORK, poll),
#endif

    /* Netlink: the C library asks which addresses this machine has. A socket
     * pair: libcurl wakes its own threads. */
    {NETWORK, SYS_socket, 0, ~0u, AF_INET, EAFNOSUPPORT},
    {NETWORK, SYS_socket, 0, ~0u, AF_INET6, EAFNOSUPPORT},
    {NETWORK, SYS_socket, 0, ~0u, AF_NETLINK, EAFNOSUPPORT},
    WHEN(NETWORK, socketpair),
    WHEN(NETWORK, eventfd2),
    WHEN(NETWORK, pipe2),
    WHEN(NETWORK, connect),
    WHEN(NETWORK, bind),
    WHEN(NETWORK, sendmmsg),
    WHEN(NETWORK, getsockopt),
    WHEN(NETWORK, setsockopt),
    WHEN(NETWORK, getsockname),
    WHEN(NETWORK, getpeername),
    NEVER(0, getpeername, ENOTSOCK)};

enum { CODE_MAX = 1024, N_RULE = sizeof rules / sizeof rules[0] };

_Static_assert(CODE_MAX > 8 * N_RULE + 16, "a rule has at most 8 steps");

struct program {
    struct sock_filter code[CODE_MAX];
    unsigned short n;
};

static void add_step(struct program *p, unsigned code, uint32_t k, unsigned yes,
                     unsigned no)
{
    p->code[p->n++] =
        (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, k};
}

static void add_load(struct program *p, size_t offset)
{
    add_step(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void add_return(struct program *p, uint32_t action)
{
    add_step(p, BPF_RET | BPF_K, action, 0, 0);
}

static uint32_t refusal(int error)
{
    return error ? SECCOMP_RET_ERRNO | (uint32_t)error
                 : SECCOMP_RET_KILL_PROCESS;
}

/* The accumulator holds the call's number before and after each rule. Rules for
 * one call are consecutive; the first that matches allows it, and the last
 * decides what happens otherwise. */
static void add_rules(struct program *p, const struct call_rule *rule, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct call_rule *r = &rule[i];
        bool is_last = i + 1 == n || rule[i + 1].call != r->call;
        if (r->mask == 0) {
            add_step(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->call, 0, 1);
            add_return(p, r->want ? refusal(r->otherwise) : SECCOMP_RET_ALLOW);
            continue;
        }
        size_t low = offsetof(struct seccomp_data, args) +
                     8 * (size_t)r->argument; /* little-endian */
        add_step(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->call, 0, 6);
        add_load(p, low);
        add_step(p, BPF_ALU | BPF_AND | BPF_K, r->mask, 0, 0);
        add_step(p, BPF_JMP | BPF_JEQ | BPF_K, r->want, 0, 1);
        add_return(p, SECCOMP_RET_ALLOW);
        add_load(p, offsetof(struct seccomp_data, nr));
        if (is_last)
            add_return(p, refusal(r->otherwise));
        else
            add_step(p, BPF_JMP | BPF_JA, 0, 0, 0);
    }
}

static void add_signal_to_self(struct program *p)
{
    /* abort() sends a signal to the process itself; no other is allowed */
    const struct call_rule own[] = {
        {0, SYS_tgkill, 0, ~0u, (uint32_t)getpid(), 0},
    };
    add_rules(p, own, 1);
}

static unsigned features(const struct sandbox_profile *profile)
{
    bool opens = profile->n_readable > 0 || profile->n_device > 0;
    return (opens ? FILES : NO_FILES) |
           (profile->n_device > 0 ? DEVICES : NO_DEVICES) |
           (profile->threads ? THREADS : 0) |
           (profile->messages ? MESSAGES : 0) |
           (profile->network ? NETWORK : 0) |
           (profile->file_bytes > 0 ? WRITES : 0);
}

static size_t choose_rules(unsigned has, struct call_rule *chosen)
{
    size_t n = 0;
    for (size_t i = 0; i < N_RULE; i++)
        if (!rules[i].when || rules[i].when & has) chosen[n++] = rules[i];
    return n;
}

unsigned sandbox_seccomp(const struct sandbox_profile *profile)
{
    struct program p = {.n = 0};
    struct call_rule chosen[N_RULE];
    size_t n = choose_rules(features(profile), chosen);
    add_load(&p, offsetof(struct seccomp_data, arch));
    add_step(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
    add_return(&p, SECCOMP_RET_KILL_PROCESS);
    add_load(&p, offsetof(struct seccomp_data, nr));
    if (X32_BIT) {
        add_step(&p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
        add_return(&p, SECCOMP_RET_KILL_PROCESS);
    }
    add_rules(&p, chosen, n);
    add_signal_to_self(&p);
    /* what else a GPU's driver may try is not known */
    add_return(&p, refusal(profile->n_device > 0 ? ENOSYS : 0));
    struct sock_fprog filter = {p.n, p.code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                   SECCOMP_FILTER_FLAG_TSYNC, &filter)
               ? 0
               : SANDBOX_SECCOMP;
}
