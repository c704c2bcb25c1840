/* SPDX-License-Identifier: MIT */
/*
 * The filter lists what is refused: a list of what is allowed would have to follow each version of
 * the C library, of compilers and of CUDA's driver, which needs ioctl, mmap and threads. Calls of
 * other architectures (int 0x80, x32) do not exist under it.
 */
#include "core/lab/process/sandbox_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "core/base/confined.h"

#define REFUSE SCMP_ACT_ERRNO(EPERM)
#define INT UINT64_C(0xffffffff) /* the kernel reads no more of an argument that is an int */

/* Other processes, what outlives a process, namespaces and mounts, the machine; io_uring makes
 * calls that no filter sees, and a filter of its own could answer for this one. */
static const char *const refused[] = {
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "process_mrelease",
    "kcmp",
    "pidfd_getfd",
    "migrate_pages",
    "move_pages",
    "shmget",
    "shmat",
    "shmctl",
    "shmdt",
    "semget",
    "semop",
    "semctl",
    "semtimedop",
    "msgget",
    "msgsnd",
    "msgrcv",
    "msgctl",
    "mq_open",
    "mq_unlink",
    "keyctl",
    "add_key",
    "request_key",
    "unshare",
    "setns",
    "mount",
    "umount",
    "umount2",
    "pivot_root",
    "chroot",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "open_by_handle_at",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "fanotify_init",
    "seccomp",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "acct",
    "adjtimex",
    "clock_adjtime",
    "clock_settime",
    "delete_module",
    "finit_module",
    "init_module",
    "ioperm",
    "iopl",
    "kexec_file_load",
    "kexec_load",
    "quotactl",
    "quotactl_fd",
    "reboot",
    "setdomainname",
    "sethostname",
    "settimeofday",
    "swapoff",
    "swapon",
    "syslog",
    "vhangup",
    "lookup_dcookie",
    "nfsservctl",
};

static const char *const modes[] = {
    "chmod",     "fchmod",    "fchmodat",    "chown",        "fchown",       "lchown",
    "fchownat",  "utime",     "utimes",      "futimesat",    "utimensat",    "setxattr",
    "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
};

/* Calls that are younger than the library may be: they have one number on all architectures. */
enum {
    FCHMODAT2 = 452,
    SETXATTRAT = 463,
    REMOVEXATTRAT = 466,
    OPEN_TREE_ATTR = 467,
    FILE_SETATTR = 469
};

struct rule {
    const char *name;
    unsigned argument;
    enum scmp_compare how;
    uint64_t a, b; /* of SCMP_CMP_MASKED_EQ the mask and the value */
};

#define FLAG(name, argument, flag)                                                                 \
    {                                                                                              \
        name, argument, SCMP_CMP_MASKED_EQ, flag, flag                                             \
    }
#define IS(name, argument, value)                                                                  \
    {                                                                                              \
        name, argument, SCMP_CMP_MASKED_EQ, INT, value                                             \
    }
#define NOT(name, argument, value)                                                                 \
    {                                                                                              \
        name, argument, SCMP_CMP_NE, value, 0                                                      \
    }

static const struct rule always[] = {
    FLAG("clone", 0, CLONE_NEWNS),
    FLAG("clone", 0, CLONE_NEWCGROUP),
    FLAG("clone", 0, CLONE_NEWUTS),
    FLAG("clone", 0, CLONE_NEWIPC),
    FLAG("clone", 0, CLONE_NEWUSER),
    FLAG("clone", 0, CLONE_NEWPID),
    FLAG("clone", 0, CLONE_NEWNET),
    NOT("prlimit64", 0, 0), /* of others; a process may know its own and lower them */
    IS("prctl", 0, PR_SET_SECCOMP),
    IS("prctl", 0, PR_SET_PDEATHSIG), /* with which it would outlive the grader */
    IS("fcntl", 1, F_SETOWN),         /* these send signals to others */
    IS("fcntl", 1, F_SETOWN_EX),
    IS("ioctl", 1, FIOSETOWN),
    IS("ioctl", 1, SIOCSPGRP),
    IS("ioctl", 1, TIOCSTI),
    IS("ioctl", 1, TIOCLINUX),
    /* Services of the user and of the machine listen on sockets, and would run a program. CUDA's
     * driver makes a local one and connects to none. */
    NOT("connect", 0, UINT64_MAX),
    {"socket", 0, SCMP_CMP_GT, AF_NETLINK, 0},
};

static const struct rule no_network[] = {NOT("socket", 0, AF_UNIX)};

static const struct rule modes_by_ioctl[] = {
    IS("ioctl", 1, FS_IOC_SETFLAGS),
    IS("ioctl", 1, FS_IOC32_SETFLAGS),
    IS("ioctl", 1, FS_IOC_FSSETXATTR),
};

static const struct rule of_others[] = {
    NOT("sched_setaffinity", 0, 0), NOT("sched_setscheduler", 0, 0), NOT("sched_setparam", 0, 0),
    NOT("sched_setattr", 0, 0),     NOT("setpriority", 0, 0),        NOT("setpriority", 1, 0),
    NOT("ioprio_set", 0, 1),        NOT("ioprio_set", 1, 0),
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The library's functions return the negative number of an error, and leave errno alone. Its EFAULT
 * is an inner failure, which a lack of memory is. */
static bool done(int result)
{
    if (result < 0)
        errno = result == -EFAULT ? ENOMEM : -result;
    return result == 0;
}

static bool refuse_all(scmp_filter_ctx filter, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);

        if (number != __NR_SCMP_ERROR && !done(seccomp_rule_add(filter, REFUSE, number, 0)))
            return false;
    }
    return true;
}

static bool refuse_rules(scmp_filter_ctx filter, const struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct rule *rule = &rules[i];
        struct scmp_arg_cmp compared = {rule->argument, rule->how, rule->a, rule->b};
        int number = seccomp_syscall_resolve_name(rule->name);

        if (number != __NR_SCMP_ERROR &&
            !done(seccomp_rule_add_array(filter, REFUSE, number, 1, &compared)))
            return false;
    }
    return true;
}

static bool refuse_numbers(scmp_filter_ctx filter, const int *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!done(seccomp_rule_add(filter, REFUSE, numbers[i], 0)))
            return false;
    return true;
}

bool lab_filter_install(const struct lab_filter *wanted)
{
    static const int younger[] = {OPEN_TREE_ATTR};
    static const int younger_modes[] = {FCHMODAT2, SETXATTRAT, REMOVEXATTRAT, FILE_SETATTR};
    static const char *const to_threads[] = {"tkill", "pidfd_send_signal"};
    const uint64_t self = (uint64_t)wanted->alone;
    const struct rule signals[] = {NOT("kill", 0, self), NOT("tgkill", 0, self),
                                   NOT("rt_sigqueueinfo", 0, self),
                                   NOT("rt_tgsigqueueinfo", 0, self)};
    /* These reach a service without connect. */
    const struct scmp_arg_cmp datagrams[] = {SCMP_CMP(0, SCMP_CMP_MASKED_EQ, INT, AF_UNIX),
                                             SCMP_CMP(1, SCMP_CMP_MASKED_EQ, 0xf, SOCK_DGRAM)};
    const struct scmp_arg_cmp mark =
        SCMP_CMP(0, SCMP_CMP_MASKED_EQ, INT, (uint64_t)CA_CONFINED_OPTION);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool made;

    if (!filter) {
        errno = ENOMEM; /* there is no other reason */
        return false;
    }
    seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1); /* what the system says of it */
    seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);      /* no slower than without a filter */
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a search in place of a list */
    /* The C library takes clone where there is no clone3, whose flags a filter cannot read. */
    made =
        refuse_all(filter, refused, COUNT(refused)) &&
        refuse_numbers(filter, younger, COUNT(younger)) &&
        refuse_rules(filter, always, COUNT(always)) &&
        done(seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0)) &&
        done(seccomp_rule_add(filter, SCMP_ACT_ERRNO(CA_CONFINED_ERRNO), SCMP_SYS(prctl), 1,
                              mark)) &&
        done(seccomp_rule_add_array(filter, REFUSE, SCMP_SYS(socket), COUNT(datagrams),
                                    datagrams)) &&
        (!wanted->no_network || refuse_rules(filter, no_network, COUNT(no_network))) &&
        (!wanted->keeps_modes || (refuse_all(filter, modes, COUNT(modes)) &&
                                  refuse_rules(filter, modes_by_ioctl, COUNT(modes_by_ioctl)) &&
                                  refuse_numbers(filter, younger_modes, COUNT(younger_modes)))) &&
        (!wanted->shares_user || refuse_rules(filter, of_others, COUNT(of_others))) &&
        (wanted->alone == 0 || (refuse_all(filter, to_threads, COUNT(to_threads)) &&
                                refuse_rules(filter, signals, COUNT(signals)))) &&
        done(seccomp_load(filter));
    seccomp_release(filter);
    return made;
}
