/* SPDX-License-Identifier: MIT */
/*
 * This file compiles and loads models. The compiler gets the bytes that were digested, by standard
 * input, so that a file which is saved meanwhile is never taken for another; a line before them
 * tells it the file's name, for its messages.
 */
#include "kernels/file/object.h"

#include <dlfcn.h>
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

#include "core/files/compiler.h"
#include "core/files/embedded.h"
#include "core/files/file.h"
#include "core/machine/cpu.h"

#define SOURCE_MAX (8 << 20)
#define COMPILES_S 120
#define HEADER "calab_model.h"
#define HEADER_IN "kernels/file/" HEADER

/* sqrt becomes an instruction where it sets no errno. Without trapping math both sides of a
 * condition may be computed, which changes no value. */
#define FLAGS                                                                                      \
    "-std=c11 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math "                 \
    "-fno-strict-aliasing -fPIC -shared -fvisibility=hidden -Wl,-z,defs"

static const char *const variants[2] = {"-O3", "-O1 -DCA_CHECKED"};

extern char **environ;

/* --- digests ---------------------------------------------------------------------------------- */

static uint64_t add_bytes(uint64_t digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < count; i++)
        digest = (digest ^ at[i]) * UINT64_C(0x100000001B3); /* FNV-1a */
    return (digest ^ count) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t add_text(uint64_t digest, const char *text)
{
    return add_bytes(digest, text, strlen(text));
}

#define DIGEST_START UINT64_C(0xCBF29CE484222325)

static uint64_t digest_of(const char *bytes, size_t size)
{
    uint64_t u = add_bytes(DIGEST_START, bytes, size);

    return u ^ u >> 29;
}

enum ca_status file_object_digest(const char *path, uint64_t *digest, struct ca_error *error)
{
    char *bytes;
    size_t size;

    CA_TRY(ca_file_read(path, SOURCE_MAX, &bytes, &size, error));
    *digest = digest_of(bytes, size);
    free(bytes);
    return CA_OK;
}

/* The compiler as it is on this machine: a new version has another size or time. */
static uint64_t add_compiler(uint64_t digest, const char *command)
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
        digest = add_bytes(digest, &stat_of.st_size, sizeof stat_of.st_size);
        digest = add_bytes(digest, &stat_of.st_mtim.tv_sec, sizeof stat_of.st_mtim.tv_sec);
        break;
    }
    return add_text(digest, command);
}

/* Objects hold instructions of the processor, and a home folder may be several machines'. */
static uint64_t add_processor(uint64_t digest)
{
    static char text[1 << 14];
    FILE *file = fopen("/proc/cpuinfo", "re");
    char *line;

    while (file && fgets(text, sizeof text, file)) {
        line = text;
        if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0) {
            digest = add_text(digest, line);
            break;
        }
        if (strncmp(line, "model name", 10) == 0)
            digest = add_text(digest, line);
    }
    if (file)
        fclose(file);
    return digest;
}

/* --- compiling -------------------------------------------------------------------------------- */

/* What is compiled. Objects lie in `kept` or, where no folder can keep them, in `work`, which is
 * removed. */
struct job {
    const struct file_object *object;
    const char *source;
    size_t size;
    char kept[PATH_MAX];   /* the path of an object but for its ending */
    char work[PATH_MAX];   /* a temporary folder; "": none */
    char folder[PATH_MAX]; /* of the source */
    bool keeps;
};

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

static void remove_work(struct job *job)
{
    static const char *const names[] = {"source.c", HEADER, "0.so", "1.so", "said0", "said1"};
    char path[PATH_MAX + 32];

    for (size_t i = 0; job->work[0] && i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", job->work, names[i]);
        unlink(path);
    }
    if (job->work[0])
        rmdir(job->work);
    job->work[0] = '\0';
}

/* A folder beside the objects, as a rename needs, else one for temporary files. */
static enum ca_status make_work(struct job *job, struct ca_error *error)
{
    const char *temporary = getenv("TMPDIR"), *header = ca_embedded_text(HEADER_IN);
    char first[300], name[2 * sizeof job->object->name];
    size_t used = 0;
    struct ca_error ignored;

    job->keeps = job->kept[0] && ca_file_parents(job->kept, &ignored) == CA_OK;
    if (job->keeps) {
        snprintf(job->work, sizeof job->work, "%.*s/work-XXXXXX",
                 (int)(strrchr(job->kept, '/') - job->kept), job->kept);
        job->keeps = mkdtemp(job->work) != NULL;
    }
    if (!job->keeps) {
        snprintf(job->work, sizeof job->work, "%s/calab-model-XXXXXX",
                 temporary && *temporary ? temporary : "/tmp");
        if (!mkdtemp(job->work)) {
            ca_error_set(error, CA_IO, "no temporary folder %.300s: %s", job->work,
                         strerror(errno));
            job->work[0] = '\0';
            return CA_IO;
        }
    }
    for (const char *c = job->object->name; *c; c++) {
        if (*c == '"' || *c == '\\')
            name[used++] = '\\';
        name[used++] = *c;
    }
    name[used] = '\0';
    snprintf(first, sizeof first, "#line 1 \"%s\"\n", name);
    if (!write_file(job->work, "source.c", first, job->source, job->size) ||
        !write_file(job->work, HEADER, "", header, strlen(header)))
        return ca_fail(error, CA_IO, "%.300s cannot be written: %s", job->work, strerror(errno));
    return CA_OK;
}

/* Starts the compiler of a variant in the temporary folder. */
static enum ca_status start_compiler(const struct job *job, int variant, pid_t *pid,
                                     struct ca_error *error)
{
    char object[16], said[PATH_MAX + 16], input[PATH_MAX + 16], include[PATH_MAX + 16];
    struct ca_command command = {.count = 0};
    posix_spawn_file_actions_t actions;
    int failure;

    snprintf(object, sizeof object, "%d.so", variant);
    snprintf(said, sizeof said, "%s/said%d", job->work, variant);
    snprintf(input, sizeof input, "%s/source.c", job->work);
    snprintf(include, sizeof include, "-I%s", job->folder);
    ca_command_add(&command, ca_compiler_named("CC", "cc"));
    ca_command_add(&command, FLAGS);
    ca_command_add(&command, variants[variant]);
    ca_command_word(&command, "-I.");
    ca_command_word(&command, include);
    ca_command_word(&command, "-o");
    ca_command_word(&command, object);
    ca_command_add(&command, "-xc - -lm");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addchdir_np(&actions, job->work);
    failure =
        posix_spawnp(pid, command.word[0], &actions, NULL, (char *const *)command.word, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure)
        return ca_fail(error, CA_COMPILE,
                       "%s needs a compiler, and %.200s cannot be started: %s; install the Debian "
                       "package gcc, or name a compiler in CC",
                       job->object->name, command.word[0], strerror(failure));
    return CA_OK;
}

/* Waits for the compiler; *good: it has made an object. */
static bool await_compiler(pid_t pid, bool *good)
{
    const struct timespec pause = {0, 2000000};
    int status = 0;

    for (int i = 0; i < COMPILES_S * 500; i++) {
        pid_t ended = waitpid(pid, &status, WNOHANG);

        if (ended == pid || (ended < 0 && errno != EINTR)) {
            *good = ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
            return true;
        }
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

/* The compiler's first error, or what the source has not got. */
static enum ca_status compiler_failed(const struct job *job, int variant, struct ca_error *error)
{
    char path[PATH_MAX + 16], text[600] = "", *said;
    const char *name = job->object->name;
    struct ca_error ignored;
    size_t size;

    if (!strstr(job->source, "CA_MODEL"))
        return ca_fail(error, CA_COMPILE,
                       "%s describes no model: CA_MODEL(name, \"title\") is missing, see "
                       "calab-model(7)",
                       name);
    if (!strstr(job->source, "CA_CELL"))
        return ca_fail(error, CA_COMPILE,
                       "%s has no rule: the function CA_CELL cell(CA_NB nb) is missing, see "
                       "calab-model(7)",
                       name);
    snprintf(path, sizeof path, "%s/said%d", job->work, variant);
    if (ca_file_read(path, SOURCE_MAX, &said, &size, &ignored) == CA_OK) {
        ca_compiler_first_error(said, text);
        free(said);
    }
    return ca_fail(error, CA_COMPILE, "%.600s", text[0] ? text : "the compiler says nothing");
}

static enum ca_status compile(struct job *job, struct ca_error *error)
{
    enum ca_status status = make_work(job, error);
    pid_t pid[2] = {0, 0};
    bool good[2] = {false, false}, in_time = true;

    for (int v = 0; v < 2 && status == CA_OK; v++)
        status = start_compiler(job, v, &pid[v], error);
    for (int v = 0; v < 2; v++)
        if (pid[v])
            in_time &= await_compiler(pid[v], &good[v]);
    if (status == CA_OK && !in_time)
        status = ca_fail(error, CA_COMPILE, "%s: the compiler was ended after %d s",
                         job->object->name, COMPILES_S);
    for (int v = 0; v < 2 && status == CA_OK; v++)
        if (!good[v])
            status = compiler_failed(job, v, error);
    for (int v = 0; v < 2 && status == CA_OK; v++) {
        char from[PATH_MAX + 16], to[PATH_MAX + 16];

        snprintf(from, sizeof from, "%s/%d.so", job->work, v);
        snprintf(to, sizeof to, "%s-%d.so", job->kept, v);
        if (job->keeps && rename(from, to) != 0)
            status = ca_fail(error, CA_IO, "%.300s: %s", to, strerror(errno));
    }
    return status;
}

/* --- loading ---------------------------------------------------------------------------------- */

static enum ca_status load(const char *path, const struct file_object *object,
                           const struct ca_model_description **description, struct ca_error *error)
{
    const struct ca_model_description *(*describe)(void);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;

    if (!library)
        return ca_fail(error, CA_COMPILE, "%s cannot be loaded: %.400s", object->name, dlerror());
    symbol = dlsym(library, "ca_describe_model");
    if (!symbol)
        return ca_fail(error, CA_COMPILE,
                       "%s describes no model: CA_MODEL(name, \"title\") is missing, see "
                       "calab-model(7)",
                       object->name);
    memcpy(&describe, &symbol, sizeof describe);
    *description = describe();
    if ((*description)->abi != CA_MODEL_ABI || (*description)->bytes != sizeof **description)
        return ca_fail(error, CA_COMPILE,
                       "%s includes the " HEADER " of another version of calab: include \"" HEADER
                       "\" without a folder, and this program's own is taken",
                       object->name);
    return CA_OK;
}

static enum ca_status load_both(const char *stem, struct file_object *object,
                                struct ca_error *error)
{
    char path[PATH_MAX + 16];

    snprintf(path, sizeof path, "%s0.so", stem);
    CA_TRY(load(path, object, &object->fast, error));
    snprintf(path, sizeof path, "%s1.so", stem);
    return load(path, object, &object->checked, error);
}

static bool is_kept(const struct job *job)
{
    char path[PATH_MAX + 16];
    bool both = job->kept[0];

    for (int v = 0; v < 2; v++) {
        snprintf(path, sizeof path, "%s-%d.so", job->kept, v);
        both = both && access(path, R_OK) == 0;
    }
    return both;
}

/* The path of the objects but for their ending, by all that they depend on. */
static void name_objects(struct job *job)
{
    const char *command = ca_compiler_named("CC", "cc");
    uint64_t key = add_bytes(DIGEST_START, job->source, job->size), other;
    char end[64];

    key = add_text(key, ca_embedded_text(HEADER_IN));
    key = add_text(add_text(key, FLAGS), job->folder);
    key = add_processor(add_compiler(key, command));
    other = add_bytes(key, job->source, job->size);
    snprintf(end, sizeof end, "/calab/models/%016llx%016llx", (unsigned long long)key,
             (unsigned long long)other);
    ca_file_place(job->kept, "XDG_CACHE_HOME", "/.cache", end);
}

static enum ca_status open_source(struct file_object *object, struct job *job,
                                  struct ca_error *error)
{
    char stem[PATH_MAX + 8];
    enum ca_status status;

    snprintf(job->folder, sizeof job->folder, "%.*s",
             (int)(strrchr(object->path, '/') - object->path), object->path);
    name_objects(job);
    snprintf(stem, sizeof stem, "%s-", job->kept);
    if (is_kept(job) && load_both(stem, object, error) == CA_OK)
        return CA_OK;
    CA_TRY(compile(job, error));
    if (!job->keeps)
        snprintf(stem, sizeof stem, "%s/", job->work);
    status = load_both(stem, object, error);
    return status;
}

enum ca_status file_object_open(struct file_object *object, const char *path,
                                struct ca_error *error)
{
    struct job job = {.object = object};
    enum ca_status status;
    char *source;

    *object = (struct file_object){.fast = NULL};
    CA_TRY(ca_file_resolve(path, object->path, error));
    if (!strrchr(object->path, '/'))
        return ca_fail(error, CA_IO, "%.300s is not a file outside of the program", path);
    snprintf(object->name, sizeof object->name, "%s", strrchr(object->path, '/') + 1);
    ca_plain(object->name);
    CA_TRY(ca_file_read(object->path, SOURCE_MAX, &source, &job.size, error));
    job.source = source;
    object->digest = digest_of(source, job.size);
    status = open_source(object, &job, error);
    remove_work(&job);
    free(source);
    return status;
}
