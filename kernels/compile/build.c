/* SPDX-License-Identifier: MIT */
/*
 * This file runs compilers for models in files. They get the bytes that were digested, so that a
 * file which is saved meanwhile is never taken for another; a line before them tells its name, for
 * messages.
 */
#include "kernels/file/build.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/files/embedded.h"
#include "core/files/file.h"
#include "kernels/file/lock.h"

#define SAID_MAX (8 << 20)
#define COMPILES_S 120

extern char **environ;

const char *const file_headers[] = {
    FILE_HEADER,          "calab_model_draws.h", "calab_model_rows.h",   "calab_model_gpu.h",
    "calab_model_bits.h", "calab_model_areas.h", "calab_model_checks.h", NULL};

const char *file_header_text(const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "kernels/file/%s", name);
    return ca_embedded_text(path);
}

/* --- digests ---------------------------------------------------------------------------------- */

uint64_t file_digest_bytes(uint64_t digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < count; i++)
        digest = (digest ^ at[i]) * UINT64_C(0x100000001B3); /* FNV-1a */
    return (digest ^ count) * UINT64_C(0x9E3779B97F4A7C15);
}

uint64_t file_digest_text(uint64_t digest, const char *text)
{
    return file_digest_bytes(digest, text, strlen(text));
}

uint64_t file_digest_compiler(uint64_t digest, const char *command)
{
    char file[PATH_MAX], word[PATH_MAX];
    const char *folders = getenv("PATH");
    struct stat stat_of;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(command, " \t"), command);
    for (; folders && *folders; folders += strcspn(folders, ":"), folders += *folders == ':') {
        if (strchr(word, '/'))
            snprintf(file, sizeof file, "%s", word);
        else if (snprintf(file, sizeof file, "%.*s/%s", (int)strcspn(folders, ":"), folders,
                          word) >= (int)sizeof file)
            continue;
        if (stat(file, &stat_of) != 0)
            continue;
        digest = file_digest_bytes(digest, &stat_of.st_size, sizeof stat_of.st_size);
        digest = file_digest_bytes(digest, &stat_of.st_mtim.tv_sec, sizeof stat_of.st_mtim.tv_sec);
        break;
    }
    return file_digest_text(digest, command);
}

void file_build_name(struct file_build *build, uint64_t key)
{
    const char *path = build->object->path;
    uint64_t other;
    char end[64];

    snprintf(build->folder, sizeof build->folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    key = file_digest_bytes(key, build->object->source, build->object->size);
    for (int i = 0; file_headers[i]; i++)
        key = file_digest_text(key, file_header_text(file_headers[i]));
    key = file_digest_text(key, build->folder);
    other = file_digest_bytes(key, build->object->source, build->object->size);
    snprintf(end, sizeof end, "/calab/models/%016llx%016llx", (unsigned long long)key,
             (unsigned long long)other);
    ca_file_place(build->kept, "XDG_CACHE_HOME", "/.cache", end);
}

/* --- the temporary folder --------------------------------------------------------------------- */

static bool write_file(const char *folder, const char *name, const char *first, const char *bytes,
                       size_t size)
{
    char path[PATH_MAX + 32];
    FILE *file;
    bool good;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "we");
    if (!file)
        return false;
    good = fputs(first, file) >= 0 && fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

static enum ca_status cannot_write(const struct file_build *build, struct ca_error *error)
{
    return ca_fail(error, CA_IO, "%.300s cannot be written: %s", build->work, strerror(errno));
}

enum ca_status file_build_write(const struct file_build *build, const char *name, const char *text,
                                struct ca_error *error)
{
    return write_file(build->work, name, "", text, strlen(text)) ? CA_OK
                                                                 : cannot_write(build, error);
}

/* A folder beside what is kept, as a rename needs, else one for temporary files. */
static enum ca_status make_work(struct file_build *build, struct ca_error *error)
{
    const char *temporary = getenv("TMPDIR");
    struct ca_error ignored;

    build->keeps = build->kept[0] && ca_file_parents(build->kept, &ignored) == CA_OK;
    if (build->keeps) {
        snprintf(build->work, sizeof build->work, "%.*s/work-XXXXXX",
                 (int)(strrchr(build->kept, '/') - build->kept), build->kept);
        build->keeps = mkdtemp(build->work) != NULL;
    }
    if (build->keeps)
        return CA_OK;
    snprintf(build->work, sizeof build->work, "%s/calab-model-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(build->work))
        return CA_OK;
    ca_error_set(error, CA_IO, "no temporary folder %.300s: %s", build->work, strerror(errno));
    build->work[0] = '\0';
    return CA_IO;
}

enum ca_status file_build_open(struct file_build *build, const char *first, struct ca_error *error)
{
    char line[600], name[2 * sizeof build->object->name];
    size_t used = 0;

    CA_TRY(make_work(build, error));
    for (const char *c = build->object->name; *c; c++) {
        if (*c == '"' || *c == '\\')
            name[used++] = '\\';
        name[used++] = *c;
    }
    name[used] = '\0';
    snprintf(line, sizeof line, "%s#line 1 \"%s\"\n", first, name);
    if (!write_file(build->work, FILE_SOURCE, line, build->object->source, build->object->size))
        return cannot_write(build, error);
    for (int i = 0; file_headers[i]; i++)
        CA_TRY(file_build_write(build, file_headers[i], file_header_text(file_headers[i]), error));
    return CA_OK;
}

static void lock_path(char path[PATH_MAX + 16], const struct file_build *build)
{
    snprintf(path, PATH_MAX + 16, "%s.lock", build->kept);
}

void file_build_turn(struct file_build *build)
{
    char path[PATH_MAX + 16];
    struct ca_error ignored;
    int held;

    lock_path(path, build);
    if (!build->kept[0] || ca_file_parents(path, &ignored) != CA_OK)
        return;
    held = file_lock(path, COMPILES_S);
    build->lock = held > 0 ? held : 0;
}

void file_build_close(struct file_build *build)
{
    char path[PATH_MAX + 300];
    struct dirent *entry;
    DIR *folder = build->work[0] ? opendir(build->work) : NULL;

    while (folder && (entry = readdir(folder))) {
        snprintf(path, sizeof path, "%s/%s", build->work, entry->d_name);
        unlink(path);
    }
    if (folder)
        closedir(folder);
    if (build->work[0])
        rmdir(build->work);
    build->work[0] = '\0';
    lock_path(path, build);
    if (build->lock > 0)
        file_unlock(build->lock, path);
    build->lock = 0;
}

/* --- compilers -------------------------------------------------------------------------------- */

enum ca_status file_build_start(const struct file_build *build, const struct ca_command *command,
                                const char *said, const char *needs, pid_t *pid,
                                struct ca_error *error)
{
    char output[PATH_MAX + 32], input[PATH_MAX + 32];
    posix_spawn_file_actions_t actions;
    int failure;

    snprintf(output, sizeof output, "%s/%s", build->work, said);
    snprintf(input, sizeof input, "%s/" FILE_SOURCE, build->work);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addchdir_np(&actions, build->work);
    failure =
        posix_spawnp(pid, command->word[0], &actions, NULL, (char *const *)command->word, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure)
        return ca_fail(error, CA_COMPILE, "%s needs a compiler, and %.200s cannot be started: %s%s",
                       build->object->name, command->word[0], strerror(failure), needs);
    return CA_OK;
}

enum ca_status file_build_await(const struct file_build *build, pid_t pid, bool *good,
                                struct ca_error *error)
{
    const struct timespec pause = {0, 2000000};
    const double end = ca_now() + COMPILES_S;
    int status = 0;

    while (ca_now() < end) {
        pid_t ended = waitpid(pid, &status, WNOHANG);

        if (ended == pid || (ended < 0 && errno != EINTR)) {
            *good = ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
            return CA_OK;
        }
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *good = false;
    return ca_fail(error, CA_COMPILE, "%s: the compiler was ended after %d s", build->object->name,
                   COMPILES_S);
}

enum ca_status file_build_failed(const struct file_build *build, const char *said,
                                 struct ca_error *error)
{
    char path[PATH_MAX + 32], text[600] = "", *words;
    const char *name = build->object->name;
    struct ca_error ignored;
    size_t size;

    if (!strstr(build->object->source, "CA_MODEL"))
        return ca_fail(error, CA_COMPILE,
                       "%s describes no model: CA_MODEL(name, \"title\") is missing, see "
                       "calab-model(7)",
                       name);
    if (!strstr(build->object->source, "CA_CELL"))
        return ca_fail(error, CA_COMPILE,
                       "%s has no rule: the function CA_CELL cell(CA_NB nb) is missing, see "
                       "calab-model(7)",
                       name);
    snprintf(path, sizeof path, "%s/%s", build->work, said);
    if (ca_file_read(path, SAID_MAX, &words, &size, &ignored) == CA_OK) {
        ca_compiler_first_error(words, text);
        free(words);
    }
    return ca_fail(error, CA_COMPILE, "%.600s", text[0] ? text : "the compiler says nothing");
}

enum ca_status file_build_keep(const struct file_build *build, const char *name, const char *ending,
                               struct ca_error *error)
{
    char from[PATH_MAX + 32], to[PATH_MAX + 32];

    snprintf(from, sizeof from, "%s/%s", build->work, name);
    snprintf(to, sizeof to, "%s%s", build->kept, ending);
    if (build->keeps && rename(from, to) != 0)
        return ca_fail(error, CA_IO, "%.300s: %s", to, strerror(errno));
    return CA_OK;
}
