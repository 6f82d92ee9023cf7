/* sandbox.c - see sandbox.h; the two filters are in seccomp.c and
 * landlock.c. */
#define _GNU_SOURCE 1 /* unshare, setresuid */

#include "stages/children/sandbox/sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vlm/base/clock.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define ADDRESS_LIMIT 0
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#        define ADDRESS_LIMIT 0
#    endif
#endif
#ifndef ADDRESS_LIMIT
#    define ADDRESS_LIMIT 1 /* AddressSanitizer's shadow memory: terabytes */
#endif

/* The model server has a descriptor for each of its clients. */
enum { DESCRIPTORS_MAX = 256, USER_NOBODY = 65534 };

/* A user ID that owns nothing, not even what the user nobody owns: tried first.
 * In a container that maps few IDs, nobody is used instead. */
static const uid_t unused_user = 1879048191;

/* Gives up root's capabilities (capabilities(7)). */
static void drop_capabilities(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    syscall(SYS_capset, &head, none);
}

void sandbox_close_others(const int *keep, int n)
{
    unsigned from = 3;
    for (;;) {
        unsigned next = ~0U;
        for (int i = 0; i < n; i++)
            if (keep[i] >= 0 && (unsigned)keep[i] >= from &&
                (unsigned)keep[i] < next)
                next = (unsigned)keep[i];
        if (next > from) syscall(SYS_close_range, from, next - 1, 0);
        if (next == ~0U) return;
        from = next + 1;
    }
}

static void die_with_parent(const struct sandbox_profile *profile)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (profile->parent && getppid() != (pid_t)profile->parent) raise(SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
}

static bool set_limit(int what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)what, &now)) return false;
    if (now.rlim_max != RLIM_INFINITY && most > now.rlim_max)
        most = now.rlim_max;
    return !setrlimit((__rlimit_resource_t)what, &(struct rlimit){most, most});
}

static bool set_limits(const struct sandbox_profile *profile)
{
    signal(SIGXFSZ, SIG_IGN); /* a row file that is full is an error */
    bool held = set_limit(RLIMIT_CORE, 0);
    held &= set_limit(RLIMIT_FSIZE, (rlim_t)profile->file_bytes);
    held &= set_limit(RLIMIT_NOFILE, DESCRIPTORS_MAX);
    held &= set_limit(RLIMIT_MEMLOCK, 0);
    /* counts threads, too, and those of the user's other processes */
    if (!profile->threads) held &= set_limit(RLIMIT_NPROC, 0);
    return held;
}

static bool change_user(uid_t user)
{
    return !setgroups(0, NULL) && !setresgid(user, user, user) &&
           !setresuid(user, user, user);
}

/* Gives up root: without Landlock it could read every file. Also true for a
 * user who was not root. */
static bool leave_root(void)
{
    if (geteuid() == 0 && !change_user(unused_user)) change_user(USER_NOBODY);
    return geteuid() != 0 && getuid() != 0;
}

/* Enters a network without interfaces. An unprivileged user can do so in a new
 * user namespace, if the kernel allows it. */
static bool leave_network(bool is_unshared)
{
    return is_unshared || !unshare(CLONE_NEWUSER | CLONE_NEWNET);
}

/* Limits each turn to cpu_s; a child that raises its own limit still cannot
 * exceed the total of all turns. */
static void limit_cpu_for_good(const struct sandbox_profile *profile)
{
    if (profile->cpu_s <= 0) return;
    rlim_t all = (rlim_t)profile->cpu_s * ((rlim_t)profile->turns_max + 2);
    struct rlimit now;
    if (getrlimit(RLIMIT_CPU, &now)) return;
    if (all < now.rlim_max) now.rlim_max = all;
    if (now.rlim_cur > now.rlim_max) now.rlim_cur = now.rlim_max;
    setrlimit(RLIMIT_CPU, &now);
}

void sandbox_cpu(const struct sandbox_profile *profile)
{
    if (profile->cpu_s <= 0) return;
    struct rlimit now;
    if (getrlimit(RLIMIT_CPU, &now)) return;
    now.rlim_cur = (rlim_t)(clock_cpu_seconds() + 1) + (rlim_t)profile->cpu_s;
    if (now.rlim_cur > now.rlim_max) now.rlim_cur = now.rlim_max;
    setrlimit(RLIMIT_CPU, &now);
}

struct sandbox_layers sandbox_confine(const struct sandbox_profile *profile,
                                      const int *keep, int n_keep)
{
    struct sandbox_layers walls = {0};
    die_with_parent(profile);
    sandbox_close_others(keep, n_keep);
    bool is_unshared = !profile->network && !unshare(CLONE_NEWNET);
    if (leave_root()) walls.layers |= SANDBOX_USER;
    if (!profile->network && leave_network(is_unshared))
        walls.layers |= SANDBOX_NETWORK;
    die_with_parent(profile); /* a change of user clears it */
    sandbox_cpu(profile);
    limit_cpu_for_good(profile);
    if (set_limits(profile)) walls.layers |= SANDBOX_RLIMITS;
    if (ADDRESS_LIMIT && profile->memory_bytes > 0 &&
        set_limit(RLIMIT_AS, (rlim_t)profile->memory_bytes))
        walls.layers |= SANDBOX_ADDRESS_LIMIT;
    if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        walls.layers |= SANDBOX_NO_NEW_PRIVS;
    drop_capabilities();
    walls.landlock_abi = sandbox_landlock(profile);
    if (walls.landlock_abi > 0) walls.layers |= SANDBOX_LANDLOCK;
    walls.layers |= sandbox_seccomp(profile);
    return walls;
}

struct sandbox_layers sandbox_confine_child(
    const struct sandbox_profile *profile)
{
    const int keep[] = {SANDBOX_FD_IN, SANDBOX_FD_OUT};
    return sandbox_confine(profile, keep, 2);
}
