/* SPDX-License-Identifier: MIT */
/* Sets the rules of Landlock, by its system calls: glibc has no functions for them. */
#include "core/lab/process/sandbox_parts.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The rights that change files and folders, in Landlock's first version and in its third. */
#define WRITES                                                                                     \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                               \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
     LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define TRUNCATES (UINT64_C(1) << 14) /* LANDLOCK_ACCESS_FS_TRUNCATE */

static void allow(int rules, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr below = {.allowed_access = access,
                                               .parent_fd = open(path, O_PATH | O_CLOEXEC)};

    if (below.parent_fd < 0)
        return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
    close(below.parent_fd);
}

/* struct landlock_ruleset_attr, which headers of Linux before 6.12 have without its end. */
struct ruleset {
    uint64_t files, network, scoped;
};
#define SCOPE_SIGNAL (UINT64_C(1) << 1) /* LANDLOCK_SCOPE_SIGNAL */

int lab_landlock_version(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static int new_rules(struct ruleset handled)
{
    return (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
}

bool lab_landlock_restrict(int rules)
{
    bool done = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                syscall(SYS_landlock_restrict_self, rules, 0) == 0;

    close(rules);
    return done;
}

bool lab_landlock(const char *folder, bool own_proc)
{
    int version = lab_landlock_version(), rules;
    uint64_t all = WRITES | (version >= 3 ? TRUNCATES : 0);

    if (version < 1)
        return false;
    rules = new_rules((struct ruleset){.files = all, .scoped = version >= 6 ? SCOPE_SIGNAL : 0});
    if (rules < 0)
        return false;
    allow(rules, folder, all);
    allow(rules, "/dev/shm", all);
    allow(rules, "/dev", all & (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATES));
    allow(rules, own_proc ? "/proc" : "/proc/self",
          all & (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATES));
    return lab_landlock_restrict(rules);
}

/* All entries of a folder but one, and but processes. */
static void allow_others(int rules, const char *folder, const char *but)
{
    DIR *opened = opendir(folder);
    const struct dirent *entry;
    char path[PATH_MAX + 300];

    while (opened && (entry = readdir(opened)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, but) == 0 ||
            (strcmp(folder, "/proc") == 0 && isdigit((unsigned char)entry->d_name[0])))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        allow(rules, path, LANDLOCK_ACCESS_FS_READ_FILE);
    }
    if (opened)
        closedir(opened);
}

/* Landlock has no rule that forbids: so whatever stands beside the path is allowed. */
bool lab_landlock_hide(const char *file, const char *temporary)
{
    char path[PATH_MAX], *slash;
    int rules;

    rules = new_rules((struct ruleset){.files = LANDLOCK_ACCESS_FS_READ_FILE});
    if (!realpath(file, path) || rules < 0)
        return false;
    allow(rules, temporary, LANDLOCK_ACCESS_FS_READ_FILE);
    while ((slash = strrchr(path, '/')) != NULL) {
        *slash = '\0';
        allow_others(rules, *path ? path : "/", slash + 1);
    }
    return lab_landlock_restrict(rules);
}

/* /proc/self is that of this process alone: those below it cannot read theirs. */
bool lab_landlock_hide_processes(void)
{
    int rules = new_rules((struct ruleset){.files = LANDLOCK_ACCESS_FS_READ_FILE});

    if (rules < 0)
        return false;
    allow_others(rules, "/", "proc");
    allow_others(rules, "/proc", "");
    return lab_landlock_restrict(rules);
}
