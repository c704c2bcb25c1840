/* SPDX-License-Identifier: MIT */
/*
 * This file runs compilers. They get the bytes that were digested, so that a file which is saved
 * meanwhile is never taken for another; a line before them tells its name, for messages.
 */
#include "kernels/compile/build.h"

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
#include "core/files/file.h"
#include "kernels/compile/lock.h"

#define SAID_MAX (8 << 20)
#define COMPILES_S 120

extern char **environ;

/* --- digests ---------------------------------------------------------------------------------- */

uint64_t compile_digest_bytes(uint64_t digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < count; i++)
        digest = (digest ^ at[i]) * UINT64_C(0x100000001B3); /* FNV-1a */
    return (digest ^ count) * UINT64_C(0x9E3779B97F4A7C15);
}

uint64_t compile_digest_text(uint64_t digest, const char *text)
{
    return compile_digest_bytes(digest, text, strlen(text));
}

uint64_t compile_digest_compiler(uint64_t digest, const char *command)
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
        digest = compile_digest_bytes(digest, &stat_of.st_size, sizeof stat_of.st_size);
        digest =
            compile_digest_bytes(digest, &stat_of.st_mtim.tv_sec, sizeof stat_of.st_mtim.tv_sec);
        break;
    }
    return compile_digest_text(digest, command);
}

void compile_name(struct compile_job *job, uint64_t key)
{
    const struct compile_text *from = job->from;
    uint64_t other;
    char end[80];

    key = compile_digest_bytes(key, from->text, from->size);
    for (int i = 0; from->headers[i]; i++)
        key = compile_digest_text(key, from->header(from->headers[i]));
    other = compile_digest_bytes(key, from->text, from->size);
    snprintf(end, sizeof end, "/calab/%.16s/%016llx%016llx", from->kept, (unsigned long long)key,
             (unsigned long long)other);
    ca_file_place(job->kept, "XDG_CACHE_HOME", "/.cache", end);
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

static enum ca_status cannot_write(const struct compile_job *job, struct ca_error *error)
{
    return ca_fail(error, CA_IO, "%.300s cannot be written: %s", job->work, strerror(errno));
}

enum ca_status compile_write(const struct compile_job *job, const char *name, const char *text,
                             struct ca_error *error)
{
    return write_file(job->work, name, "", text, strlen(text)) ? CA_OK : cannot_write(job, error);
}

/* A folder beside what is kept, as a rename needs, else one for temporary files. */
static enum ca_status make_work(struct compile_job *job, struct ca_error *error)
{
    const char *temporary = getenv("TMPDIR");
    struct ca_error ignored;

    job->keeps = job->kept[0] && ca_file_parents(job->kept, &ignored) == CA_OK;
    if (job->keeps) {
        snprintf(job->work, sizeof job->work, "%.*s/work-XXXXXX",
                 (int)(strrchr(job->kept, '/') - job->kept), job->kept);
        job->keeps = mkdtemp(job->work) != NULL;
    }
    if (job->keeps)
        return CA_OK;
    snprintf(job->work, sizeof job->work, "%s/calab-compile-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(job->work))
        return CA_OK;
    ca_error_set(error, CA_IO, "no temporary folder %.300s: %s", job->work, strerror(errno));
    job->work[0] = '\0';
    return CA_IO;
}

enum ca_status compile_open(struct compile_job *job, const char *first, struct ca_error *error)
{
    const struct compile_text *from = job->from;
    char line[600], name[2 * 128 + 2];
    size_t used = 0;

    CA_TRY(make_work(job, error));
    for (const char *c = from->name; *c && used + 2 < sizeof name; c++) {
        if (*c == '"' || *c == '\\')
            name[used++] = '\\';
        name[used++] = *c;
    }
    name[used] = '\0';
    snprintf(line, sizeof line, "%s#line 1 \"%s\"\n", first, name);
    if (!write_file(job->work, COMPILE_SOURCE, line, from->text, from->size))
        return cannot_write(job, error);
    for (int i = 0; from->headers[i]; i++)
        CA_TRY(compile_write(job, from->headers[i], from->header(from->headers[i]), error));
    return CA_OK;
}

static void lock_path(char path[PATH_MAX + 16], const struct compile_job *job)
{
    snprintf(path, PATH_MAX + 16, "%s.lock", job->kept);
}

void compile_turn(struct compile_job *job)
{
    char path[PATH_MAX + 16];
    struct ca_error ignored;
    int held;

    lock_path(path, job);
    if (!job->kept[0] || ca_file_parents(path, &ignored) != CA_OK)
        return;
    held = compile_lock(path, COMPILES_S);
    job->lock = held > 0 ? held : 0;
}

void compile_close(struct compile_job *job)
{
    char path[PATH_MAX + 300];
    struct dirent *entry;
    DIR *folder = job->work[0] ? opendir(job->work) : NULL;

    while (folder && (entry = readdir(folder))) {
        snprintf(path, sizeof path, "%s/%s", job->work, entry->d_name);
        unlink(path);
    }
    if (folder)
        closedir(folder);
    if (job->work[0])
        rmdir(job->work);
    job->work[0] = '\0';
    lock_path(path, job);
    if (job->lock > 0)
        compile_unlock(job->lock, path);
    job->lock = 0;
}

/* --- compilers -------------------------------------------------------------------------------- */

enum ca_status compile_start(const struct compile_job *job, const struct ca_command *command,
                             const char *said, const char *needs, pid_t *pid,
                             struct ca_error *error)
{
    char output[PATH_MAX + 32], input[PATH_MAX + 32];
    posix_spawn_file_actions_t actions;
    int failure;

    snprintf(output, sizeof output, "%s/%s", job->work, said);
    snprintf(input, sizeof input, "%s/" COMPILE_SOURCE, job->work);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addchdir_np(&actions, job->work);
    failure =
        posix_spawnp(pid, command->word[0], &actions, NULL, (char *const *)command->word, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure)
        return ca_fail(error, CA_COMPILE, "%s needs a compiler, and %.200s cannot be started: %s%s",
                       job->from->name, command->word[0], strerror(failure), needs);
    return CA_OK;
}

enum ca_status compile_await(const struct compile_job *job, pid_t pid, bool *good,
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
    return ca_fail(error, CA_COMPILE, "%s: the compiler was ended after %d s", job->from->name,
                   COMPILES_S);
}

/* The number behind a text and a name, as in "from mine.c:2", in a part of what a compiler said; 0:
 * there is none. */
static int line_behind(const char *said, const char *end, const char *before, const char *name)
{
    char sought[160];
    const char *at;

    snprintf(sought, sizeof sought, "%s%s:", before, name);
    at = strstr(said, sought);
    return at && (!end || at < end) ? atoi(at + strlen(sought)) : 0;
}

/* An error in a header has the line of the file, too, that used a macro of it or included it. */
static void name_own_line(const struct compile_job *job, const char *said, char text[600])
{
    const char *name = job->from->name, *error = strstr(said, text), *next;
    bool in_header = false;
    char whole[600];
    int line;

    for (int i = 0; job->from->headers[i]; i++)
        in_header |= strncmp(text, job->from->headers[i], strlen(job->from->headers[i])) == 0;
    if (!in_header || !error)
        return;
    next = strstr(error + strlen(text), " error: ");
    line = line_behind(error, next, "\n", name);
    line = line ? line : line_behind(said, error, "from ", name);
    if (line) {
        snprintf(whole, sizeof whole, "%s:%d: in %.500s", name, line, text);
        memcpy(text, whole, sizeof whole);
    }
}

enum ca_status compile_failed(const struct compile_job *job, const char *said,
                              struct ca_error *error)
{
    char path[PATH_MAX + 32], text[600] = "", *words;
    struct ca_error ignored;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", job->work, said);
    if (ca_file_read(path, SAID_MAX, &words, &size, &ignored) == CA_OK) {
        ca_compiler_first_error(words, text);
        name_own_line(job, words, text);
        free(words);
    }
    return ca_fail(error, CA_COMPILE, "%.600s", text[0] ? text : "the compiler says nothing");
}

enum ca_status compile_keep(const struct compile_job *job, const char *name, const char *ending,
                            struct ca_error *error)
{
    char from[PATH_MAX + 32], to[PATH_MAX + 32];

    snprintf(from, sizeof from, "%s/%s", job->work, name);
    snprintf(to, sizeof to, "%s%s", job->kept, ending);
    if (job->keeps && rename(from, to) != 0)
        return ca_fail(error, CA_IO, "%.300s: %s", to, strerror(errno));
    return CA_OK;
}
