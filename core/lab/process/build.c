/* SPDX-License-Identifier: MIT */
/* Makes the temporary folder of a check, and runs compilers in it. */
#include "core/lab/process/build.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/compiler.h"
#include "core/lab/kernel/files.h"
#include "core/lab/process/process.h"

#define COPIED_MAX (16 << 20) /* bytes of a file of the folder */
#define COPIES_MAX 256        /* files of the folder */
#define COMPILES_S 120        /* a compiler may take */
#define EMULATOR_COMPILES_S 600

const char *const ca_lab_tool_names[] = {[CA_LAB_CC] = "cc",
                                         [CA_LAB_ASAN] = "the sanitizers",
                                         [CA_LAB_EMULATOR] = "the emulator",
                                         [CA_LAB_NVCC] = "the GPU"};

/* --- the folders ------------------------------------------------------------------------------ */

static int remove_one(const char *path, const struct stat *stat_of, int kind, struct FTW *at)
{
    (void)stat_of, (void)kind, (void)at;
    return remove(path) != 0 && errno != ENOENT;
}

/* A kernel may have taken away its own rights to its folder. */
void ca_lab_remove_folder(const char *folder)
{
    chmod(folder, 0700);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static enum ca_status make_build_folder(const char *path, struct ca_error *error)
{
    if (mkdir(path, 0700) != 0)
        return ca_fail(error, CA_IO, "the folder %.400s cannot be made: %s", path, strerror(errno));
    return CA_OK;
}

/* A user of its own may have to go through it: see sandbox.h. Others cannot list it. */
enum ca_status ca_lab_temporary(char *path, struct ca_error *error)
{
    if (mkdtemp(path) && (geteuid() != 0 || chmod(path, 0711) == 0))
        return CA_OK;
    ca_error_set(error, CA_IO, "no temporary folder %.300s: %s", path, strerror(errno));
    path[0] = '\0';
    return CA_IO;
}

static enum ca_status copy_file(const char *from, const char *to, struct ca_error *error)
{
    struct ca_file_writer writer;
    enum ca_status status;
    char *bytes;
    size_t size;

    CA_TRY(ca_file_read(from, COPIED_MAX, &bytes, &size, error));
    status = ca_file_begin(&writer, to, error);
    if (status == CA_OK) {
        fwrite(bytes, 1, size, writer.stream);
        status = ca_file_commit(&writer, error);
    }
    free(bytes);
    return status;
}

bool ca_lab_is_source(const char *name)
{
    static const char *const ends[] = {".c", ".h", ".cu", ".cuh", ".inc"};
    const char *end = strrchr(name, '.');

    for (size_t i = 0; end && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(end, ends[i]) == 0)
            return true;
    return false;
}

/* A link to a file of somebody else would be copied by calab, whom no wall keeps from it. */
static enum ca_status check_link(const char *folder, const char *file, struct ca_error *error)
{
    char real[PATH_MAX], of[PATH_MAX];
    size_t length;

    if (!realpath(folder, of) || !realpath(file, real))
        return ca_fail(error, CA_IO, "%.500s: %s", file, strerror(errno));
    length = strlen(of);
    if (strncmp(real, of, length) == 0 && (real[length] == '/' || length == 1))
        return CA_OK;
    return ca_fail(error, CA_IO,
                   "%.400s leads out of its folder, to %.400s: allowed are files of the folder",
                   file, real);
}

/* The sources and headers of the folder itself, but not those of calab's that an older one has. */
static enum ca_status copy_folder(const struct ca_lab *lab, const char *to, struct ca_error *error)
{
    char from[PATH_MAX + 280], path[900];
    DIR *folder = opendir(lab->folder);
    const struct dirent *entry;
    enum ca_status status = CA_OK;
    int count = 0;

    if (!folder)
        return ca_fail(error, CA_IO, "%.400s: %s", lab->folder, strerror(errno));
    while (status == CA_OK && (entry = readdir(folder)) != NULL) {
        if (!ca_lab_is_source(entry->d_name) || ca_lab_is_own_file(entry->d_name))
            continue;
        if (++count > COPIES_MAX) {
            status =
                ca_fail(error, CA_IO, "%.400s has more than %d sources", lab->folder, COPIES_MAX);
            break;
        }
        snprintf(from, sizeof from, "%s/%s", lab->folder, entry->d_name);
        snprintf(path, sizeof path, "%s/%s", to, entry->d_name);
        status = check_link(lab->folder, from, error);
        if (status == CA_OK)
            status = copy_file(from, path, error);
    }
    closedir(folder);
    return status;
}

enum ca_status ca_lab_build_open(struct ca_lab_build *build, const struct ca_lab *lab,
                                 struct ca_error *error)
{
    char source[PATH_MAX + CA_TEXT_MAX];

    *build = (struct ca_lab_build){.folder = ""};
    if (lab->form == CA_LAB_PROGRAM)
        return ca_fail(error, CA_USAGE,
                       "%.400s is a whole program: calab lab check takes it, but it is not graded, "
                       "watched or opened as a backend",
                       lab->folder);
    snprintf(source, sizeof source, "%s/%s", lab->folder, lab->source);
    if (access(source, R_OK) != 0)
        return ca_fail(error, CA_IO, "%.500s: %s", source, strerror(errno));
    CA_TRY(ca_lab_build_folder(build, error));
    CA_TRY(copy_folder(lab, build->source, error));
    return ca_lab_write_files(lab, build->source, error);
}

enum ca_status ca_lab_build_folder(struct ca_lab_build *build, struct ca_error *error)
{
    const char *temporary = getenv("TMPDIR");

    *build = (struct ca_lab_build){.folder = ""};
    if (snprintf(build->folder, sizeof build->folder, "%s/calab-lab-XXXXXX",
                 temporary && *temporary ? temporary : "/tmp") >= (int)sizeof build->folder) {
        build->folder[0] = '\0';
        return ca_fail(error, CA_IO, "TMPDIR is too long: %.100s...", temporary);
    }
    CA_TRY(ca_lab_temporary(build->folder, error));
    snprintf(build->source, sizeof build->source, "%s/source", build->folder);
    snprintf(build->run, sizeof build->run, "%s/run", build->folder);
    return make_build_folder(build->source, error);
}

enum ca_status ca_lab_build_empty(struct ca_lab_build *build, struct ca_error *error)
{
    ca_lab_remove_folder(build->run);
    return make_build_folder(build->run, error);
}

void ca_lab_build_close(struct ca_lab_build *build)
{
    ca_emulate_remove(&build->emulation);
    if (build->folder[0])
        ca_lab_remove_folder(build->folder);
    build->folder[0] = '\0';
}

void lab_build_shorten(char *text, const char *folder, bool findings)
{
    size_t length = strlen(folder);
    char *at = text;

    while (findings && *at) {
        size_t line = strcspn(at, "\n");

        line += at[line] == '\n';
        if (strncmp(at, "calab: ", 7) == 0) /* how many findings there are */
            memmove(at, at + line, strlen(at + line) + 1);
        else
            at += line;
    }
    at = text;
    while ((at = strstr(at, folder)) != NULL) {
        bool whole = findings && (at == text || at[-1] == '\n');
        size_t left = whole ? strcspn(at, "\n") : length;

        left += at[left] == (whole ? '\n' : '/');
        memmove(at, at + left, strlen(at + left) + 1);
    }
}

/* --- compilers -------------------------------------------------------------------------------- */

static enum ca_status compiler_says(const struct ca_lab_build *build, const struct ca_lab *lab,
                                    struct ca_error *error)
{
    char text[600];

    ca_compiler_first_error(build->said, text);
    return ca_fail(error, CA_COMPILE, "%.100s does not compile: %s", lab->source,
                   text[0] ? text : "the compiler says nothing");
}

/* Runs a compiler behind the walls. CA_OK: *event says how it has ended, and what it said is in the
 * process, which is to be closed in any case. */
static enum ca_status run_tool(struct ca_lab_process *process, const struct ca_lab *lab,
                               const char *const *argv, const char *folder, const char *writes,
                               const char *temporary, double seconds, enum ca_lab_event *event,
                               struct ca_error *error)
{
    char variable[600];
    const char *const variables[] = {variable, "CCACHE_DISABLE=1", NULL};
    const struct ca_lab_launch launch = {.argv = argv,
                                         .folder = folder,
                                         .writes = writes,
                                         .variables = variables,
                                         .inherits = lab->environment,
                                         .tool = true,
                                         .give = {-1, -1},
                                         .cpu_s = seconds,
                                         .memory_mb = 8192,
                                         .output_mb = 16};

    snprintf(variable, sizeof variable, "TMPDIR=%s", temporary);
    CA_TRY(ca_lab_process_start(process, &launch, error));
    *event = ca_lab_process_wait(process, -1, seconds);
    ca_lab_process_end(process);
    return CA_OK;
}

static enum ca_status run_compiler(struct ca_lab_build *build, const struct ca_lab *lab,
                                   const struct ca_command *words, struct ca_error *error)
{
    struct ca_lab_process process;
    struct ca_error cause;
    enum ca_lab_event event;
    enum ca_status status = run_tool(&process, lab, words->word, build->source, build->folder,
                                     build->folder, COMPILES_S, &event, &cause);
    bool good;

    if (status != CA_OK) {
        ca_lab_process_close(&process);
        if (status == CA_NO_MEMORY)
            return ca_fail(error, status, "%s", cause.text);
        return ca_fail(error, CA_COMPILE,
                       "there is no compiler: %.400s; install the Debian package gcc, or name one "
                       "in CC (in NVCC for CUDA)",
                       cause.text);
    }
    snprintf(build->said, sizeof build->said, "%s", process.said);
    lab_build_shorten(build->said, build->source, false);
    good = event == CA_LAB_ENDED && process.wait_status == 0;
    ca_lab_process_close(&process);
    if (event != CA_LAB_ENDED)
        return ca_fail(error, CA_COMPILE,
                       "%.100s: the compiler was ended: it took more than %d s, 8 GiB of memory "
                       "or 16 MiB of messages",
                       lab->source, COMPILES_S);
    return good ? CA_OK : compiler_says(build, lab, error);
}

/* A compiler of the emulator, behind the same walls: its exit status as a shell tells it, -1 where
 * it does not start. */
static int run_emulation_tool(const struct ca_emulation *emulation, const char *const *argv)
{
    struct ca_lab_process process;
    struct ca_error ignored;
    enum ca_lab_event event;
    FILE *messages;
    int status = -1;

    /* The compiler is allowed the whole of `place`: the rewritten sources lie there, too. */
    if (run_tool(&process, emulation->context, argv, emulation->folder, emulation->place,
                 emulation->folder, EMULATOR_COMPILES_S, &event, &ignored) == CA_OK) {
        status = event != CA_LAB_ENDED              ? 128 + SIGKILL
                 : WIFSIGNALED(process.wait_status) ? 128 + WTERMSIG(process.wait_status)
                                                    : WEXITSTATUS(process.wait_status);
        messages = process.kept > 0 ? fopen(emulation->messages, "ae") : NULL;
        if (messages) {
            fwrite(process.said, 1, process.kept, messages);
            fclose(messages);
        }
    }
    ca_lab_process_close(&process);
    return status;
}

enum ca_status lab_build_emulation(struct ca_emulation *emulation, const struct ca_lab *lab,
                                   const struct ca_lab_build *build, const char *messages,
                                   struct ca_error *error)
{
    char source[1100], runner[600], include[600];
    const char *const files[] = {source, runner}, *const options[] = {
                                                      include, build->notes ? "-DLAB_WHO" : NULL,
                                                      NULL};
    enum ca_status status;

    snprintf(source, sizeof source, "%s/%s", build->source, lab->source);
    snprintf(runner, sizeof runner, "%s/%s", build->source, ca_lab_file_name(CA_LAB_RUNNER, true));
    snprintf(include, sizeof include, "-I%s/" CA_LAB_FILES_FOLDER, build->source);
    emulation->files = files;
    emulation->count = 2;
    emulation->options = options;
    emulation->plain = build->notes;
    emulation->messages = messages;
    emulation->tool = run_emulation_tool;
    emulation->context = lab;
    emulation->place = build->folder;
    status = ca_emulate_build(emulation, error);
    emulation->files = NULL;
    emulation->options = NULL;
    emulation->messages = NULL;
    return status;
}

static enum ca_status emulated(struct ca_lab_build *build, const struct ca_lab *lab,
                               struct ca_error *error)
{
    char messages[600], *text = NULL;
    size_t size = 0;
    enum ca_status status;
    struct ca_error ignored;

    snprintf(messages, sizeof messages, "%s/messages", build->folder);
    build->emulation = (struct ca_emulation){.count = 0};
    status = lab_build_emulation(&build->emulation, lab, build, messages, error);
    snprintf(build->program[CA_LAB_EMULATOR], sizeof build->program[0], "%s/program",
             build->emulation.folder);
    if (status != CA_COMPILE || ca_file_read(messages, 1 << 20, &text, &size, &ignored) != CA_OK)
        return status;
    snprintf(build->said, sizeof build->said, "%s", text);
    free(text);
    lab_build_shorten(build->said, build->source, false);
    return build->said[0] ? compiler_says(build, lab, error) : status;
}

enum ca_status ca_lab_build_with(struct ca_lab_build *build, const struct ca_lab *lab,
                                 enum ca_lab_tool tool, struct ca_error *error)
{
    static const char *const flags[CA_LAB_TOOLS] = {
        [CA_LAB_CC] = "-std=gnu11 -O2 -g -ffp-contract=off -fno-strict-aliasing -pthread",
        [CA_LAB_ASAN] = "-std=gnu11 -O1 -g -ffp-contract=off -fno-strict-aliasing -pthread "
                        "-fsanitize=address,undefined -fno-sanitize-recover=undefined",
        [CA_LAB_NVCC] = "-std=c++17 -O2 -g -lineinfo -fmad=false -arch=native "
                        "-Xptxas -v", /* its registers and spills: resources.h */
    };
    struct ca_command words = {.count = 0};
    char path[600], *program = build->program[tool];

    build->said[0] = '\0';
    if (tool == CA_LAB_EMULATOR)
        return emulated(build, lab, error);
    snprintf(path, sizeof path, "%s/program%d", build->folder, (int)tool);
    memcpy(program, path, sizeof path);
    ca_command_add(&words, tool == CA_LAB_NVCC ? ca_compiler_named("NVCC", "nvcc")
                                               : ca_compiler_named("CC", "cc"));
    ca_command_add(&words, flags[tool]);
    ca_command_add(&words, "-I" CA_LAB_FILES_FOLDER);
    ca_command_add(&words, build->notes ? "-DLAB_WHO" : "");
    ca_command_add(&words, lab->flags);
    ca_command_add(&words, "-o");
    ca_command_word(&words, program);
    ca_command_word(&words, lab->source);
    ca_command_add(&words, ca_lab_file_name(CA_LAB_RUNNER, lab->cuda));
    ca_command_add(&words, "-lm");
    return run_compiler(build, lab, &words, error);
}

enum ca_status lab_build_ptxas(struct ca_lab_build *build, const struct ca_lab *lab,
                               struct ca_error *error)
{
    struct ca_command words = {.count = 0};
    char path[600];

    build->said[0] = '\0';
    snprintf(path, sizeof path, "%s/cubin", build->folder);
    ca_command_add(&words, ca_compiler_named("NVCC", "nvcc"));
    ca_command_add(&words, "-std=c++17 -O2 -fmad=false -cubin -arch=sm_90 -Xptxas -v "
                           "-I" CA_LAB_FILES_FOLDER);
    ca_command_add(&words, lab->flags);
    ca_command_add(&words, "-o");
    ca_command_word(&words, path);
    ca_command_word(&words, lab->source);
    return run_compiler(build, lab, &words, error);
}

bool ca_lab_build_has(const struct ca_lab_build *build, enum ca_lab_tool tool)
{
    return build->program[tool][0] && access(build->program[tool], X_OK) == 0;
}

bool ca_lab_has_gpu(void)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];

    if (access("/dev/nvidiactl", F_OK) != 0)
        return false;
    if (strchr(ca_compiler_named("NVCC", "nvcc"), '/'))
        return access(ca_compiler_named("NVCC", "nvcc"), X_OK) == 0;
    for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
        snprintf(file, sizeof file, "%.*s/nvcc", (int)strcspn(path, ":"), path);
        if (access(file, X_OK) == 0)
            return true;
    }
    return false;
}

enum ca_lab_tool ca_lab_tool_of(const struct ca_lab *lab)
{
    return !lab->cuda ? CA_LAB_CC : ca_lab_has_gpu() ? CA_LAB_NVCC : CA_LAB_EMULATOR;
}
