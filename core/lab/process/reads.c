/* SPDX-License-Identifier: MIT */
/*
 * Limits what code of submissions can read and execute: its own folder, and what belongs to the
 * system, that is compilers, libraries and devices. No home, no other submission and no file of
 * the teacher's is in it. Compilers outside of the system's folders are found by PATH, CC, CXX,
 * NVCC and the variables of libraries.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/lab/process/sandbox.h"
#include "core/lab/process/sandbox_parts.h"

#define OF_FILES (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE)
#define READS (OF_FILES | LANDLOCK_ACCESS_FS_READ_DIR)
#define GUARDS_MAX 16
#define ALLOWED_MAX 256

static char guard[GUARDS_MAX][PATH_MAX]; /* folders that are never allowed with what is above */
static int guards;

/* What is allowed, found before processes are forked, whose environment is another one. */
static char *allowed[ALLOWED_MAX];
static int alloweds;
static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;
static bool found;

static void guard_add(const char *folder)
{
    char path[PATH_MAX];

    if (!realpath(folder, path))
        return;
    for (int i = 0; i < guards; i++)
        if (strcmp(guard[i], path) == 0)
            return;
    if (guards < GUARDS_MAX)
        snprintf(guard[guards++], PATH_MAX, "%s", path);
}

void ca_lab_guard(const char *const folders[], int count)
{
    char path[PATH_MAX + 4];

    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%.4090s/..", folders[i]);
        guard_add(folders[i]);
        guard_add(path);
    }
}

/* Whether a path is `folder` or below it. */
static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 &&
           (path[length] == '\0' || path[length] == '/' || length == 1);
}

static void allow_one(int rules, const char *path)
{
    struct landlock_path_beneath_attr below = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    struct stat facts;

    if (below.parent_fd < 0)
        return;
    below.allowed_access =
        fstat(below.parent_fd, &facts) == 0 && S_ISDIR(facts.st_mode) ? READS : OF_FILES;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
    close(below.parent_fd);
}

/* A folder with all below it but guarded folders. */
static void allow_but_guarded(int rules, const char *path)
{
    char below[PATH_MAX + 300];
    const struct dirent *entry;
    bool holds = false;
    DIR *folder;

    for (int i = 0; i < guards; i++) {
        if (strcmp(guard[i], path) == 0)
            return;
        holds = holds || is_below(guard[i], path);
    }
    if (!holds) {
        allow_one(rules, path);
        return;
    }
    folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            entry->d_type == DT_LNK) /* what it leads to is allowed where it stands, or is not */
            continue;
        snprintf(below, sizeof below, "%s/%s", strcmp(path, "/") == 0 ? "" : path, entry->d_name);
        if (strlen(below) < PATH_MAX)
            allow_but_guarded(rules, below);
    }
    if (folder)
        closedir(folder);
}

static void allow_path(const char *path)
{
    char real[PATH_MAX];

    if (alloweds < ALLOWED_MAX && path && path[0] == '/' && realpath(path, real) &&
        strcmp(real, "/") != 0 && (allowed[alloweds] = strdup(real)) != NULL)
        alloweds++;
}

/* A folder of programs, and what is installed with it: of /apps/cuda/bin all of /apps/cuda. */
static void allow_installed(const char *folder)
{
    static const char *const names[] = {"bin", "sbin", "shims"};
    char real[PATH_MAX], *slash;

    if (folder[0] != '/' || !realpath(folder, real))
        return;
    allow_path(real);
    slash = strrchr(real, '/');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slash && slash > real && strcmp(slash + 1, names[i]) == 0) {
            *slash = '\0';
            allow_path(real);
            return;
        }
}

/* The folders of a list such as PATH. */
static void allow_list(const char *variable, void (*allow)(const char *))
{
    const char *list = getenv(variable);
    char folder[PATH_MAX];

    for (; list && *list; list += *list == ':') {
        size_t length = strcspn(list, ":");

        if (length > 0 && length < sizeof folder) {
            snprintf(folder, sizeof folder, "%.*s", (int)length, list);
            allow(folder);
        }
        list += length;
    }
}

/* A compiler that is named by its path, and what is installed with it. */
static void allow_compiler(const char *variable)
{
    const char *named = getenv(variable);
    char path[PATH_MAX], *slash;

    if (!named || named[0] != '/')
        return;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(named, " "), named);
    allow_path(path);
    slash = strrchr(path, '/');
    *slash = '\0';
    if (slash - path > 4 && strcmp(slash - 4, "/bin") == 0)
        allow_installed(path);
}

/* What the emulator's compilers read, beside calab or where it is installed: calab itself is not
 * among it. */
static void allow_emulator(void)
{
    static const char *const names[] = {"include", "libcalab-emulated.a",
                                        "../lib/libcalab-emulated.a", "../share/calab"};
    char path[PATH_MAX + 64], folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);

    if (length <= 0)
        return;
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        allow_path(path);
    }
}

static void find_allowed(void)
{
    static const char *const system[] = {"/usr",
                                         "/bin",
                                         "/sbin",
                                         "/lib",
                                         "/lib32",
                                         "/lib64",
                                         "/libx32",
                                         "/etc",
                                         "/opt",
                                         "/dev",
                                         "/proc",
                                         "/sys",
                                         "/nix/store",
                                         "/gnu/store",
                                         "/run/nvidia-persistenced",
                                         "/run/nvidia-fabricmanager",
                                         "/tmp/nvidia-mps"};
    static const char *const compilers[] = {"CC", "CXX", "NVCC"};
    const struct passwd *user = getpwuid(getuid());

    if (user)
        guard_add(user->pw_dir);
    if (getenv("HOME"))
        guard_add(getenv("HOME"));
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        allow_path(system[i]);
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        allow_compiler(compilers[i]);
    allow_list("PATH", allow_installed);
    allow_list("LD_LIBRARY_PATH", allow_path);
    allow_list("CALAB_LAB_READS", allow_path);
    allow_path(getenv("CUDA_HOME"));
    allow_path(getenv("CUDA_MPS_PIPE_DIRECTORY"));
    allow_emulator();
}

void lab_reads_find(void)
{
    pthread_mutex_lock(&finding);
    if (!found)
        find_allowed();
    found = true;
    pthread_mutex_unlock(&finding);
}

bool lab_landlock_reads(const char *folder, const char *reads)
{
    const struct {
        uint64_t files;
    } handled = {READS};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);

    if (rules < 0)
        return false;
    allow_one(rules, folder);
    if (reads)
        allow_one(rules, reads);
    for (int i = 0; i < alloweds; i++)
        allow_but_guarded(rules, allowed[i]);
    return lab_landlock_restrict(rules);
}
