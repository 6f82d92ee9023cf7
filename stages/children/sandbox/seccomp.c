/* seccomp.c - the list of system calls that drawing needs; others kill.
 *
 * Measured for poppler-glib 22.12, cairo 1.16 and fontconfig 2.14
 * (docs/notes/pages.md, "The sandbox"). Images need no file except the open
 * one: for them the calls that take a file name are left out.
 */
#define _GNU_SOURCE 1 /* AT_EMPTY_PATH */

#include "stages/children/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

/* A call is allowed if (argument & mask) == want; otherwise it fails with errno
 * `otherwise` (0: the process is killed). Mask 0: always allowed. */
struct call_rule {
    int call;
    int argument;
    uint32_t mask, want;
    int otherwise;
};

#define ALWAYS(name)           \
    {                          \
        SYS_##name, 0, 0, 0, 0 \
    }
#define NEVER(name, error)         \
    {                              \
        SYS_##name, 0, 0, 1, error \
    }

enum { WRITING = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND };

static const struct call_rule every[] = {
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
    /* from here on no code can be generated or loaded */
    {SYS_mmap, 2, PROT_EXEC, 0, EPERM},
    {SYS_mprotect, 2, PROT_EXEC, 0, EPERM},
    {SYS_fcntl, 1, ~0u, F_GETFL, 0},
    {SYS_fcntl, 1, ~0u, F_GETFD, 0},
    {SYS_fcntl, 1, ~0u, F_SETFD, 0},
    {SYS_fcntl, 1, ~0u, F_DUPFD_CLOEXEC, 0},
    /* its own limits, up to the hard ones; not those of other processes */
    {SYS_prlimit64, 0, ~0u, 0, EPERM},
    NEVER(ioctl, ENOTTY),
    NEVER(getpeername, ENOTSOCK)};

static const struct call_rule files[] = {
    {SYS_openat, 2, WRITING, 0, EACCES},
    ALWAYS(newfstatat),
    ALWAYS(getdents64),
    ALWAYS(readlinkat),
    ALWAYS(faccessat),
    ALWAYS(statfs),
    ALWAYS(fstatfs),
#ifdef __x86_64__
    ALWAYS(access),
    ALWAYS(readlink),
    {SYS_open, 1, WRITING, 0, EACCES},
    ALWAYS(stat),
    ALWAYS(lstat),
#endif
};

/* For images, naming a file is an error, but does not kill: C libraries look
 * for message catalogues and time zones. fstat is newfstatat in newer ones. */
static const struct call_rule no_files[] = {
    NEVER(openat, EACCES),     {SYS_newfstatat, 3, ~0u, AT_EMPTY_PATH, EACCES},
    NEVER(readlinkat, EACCES), NEVER(faccessat, EACCES),
#ifdef __x86_64__
    NEVER(open, EACCES),       NEVER(access, EACCES),
    NEVER(readlink, EACCES),
#endif
};

enum { CODE_MAX = 512, RULE_STEPS = 8 };

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
        {SYS_tgkill, 0, ~0u, (uint32_t)getpid(), 0},
    };
    add_rules(p, own, 1);
}

unsigned sandbox_seccomp(bool may_open_files)
{
    struct program p = {.n = 0};
    add_load(&p, offsetof(struct seccomp_data, arch));
    add_step(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
    add_return(&p, SECCOMP_RET_KILL_PROCESS);
    add_load(&p, offsetof(struct seccomp_data, nr));
    if (X32_BIT) {
        add_step(&p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
        add_return(&p, SECCOMP_RET_KILL_PROCESS);
    }
    add_rules(&p, every, sizeof every / sizeof every[0]);
    add_signal_to_self(&p);
    if (may_open_files)
        add_rules(&p, files, sizeof files / sizeof files[0]);
    else
        add_rules(&p, no_files, sizeof no_files / sizeof no_files[0]);
    add_return(&p, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog filter = {p.n, p.code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter)
               ? 0
               : SANDBOX_SECCOMP;
}
