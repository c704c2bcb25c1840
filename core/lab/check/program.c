/* SPDX-License-Identifier: MIT */
/* Runs whole programs, and reads the files that they write. */
#include "core/files/compiler.h"
#include "core/lab/check/program.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/files/formats.h"
#include "core/lab/check/watch.h"

#define BUILDS_S 120 /* that make may take */

__attribute__((format(printf, 3, 4))) static enum ca_status
program_fault(struct lab_program *program, enum ca_lab_verdict verdict, const char *format, ...)
{
    va_list list;

    program->fault.verdict = verdict;
    va_start(list, format);
    vsnprintf(program->fault.text, sizeof program->fault.text, format, list);
    va_end(list);
    lab_build_shorten(program->fault.text, program->build.run, false);
    ca_plain(program->fault.text);
    return CA_WRONG;
}

/* --- folders with all that is in them --------------------------------------------------------- */

#define DEPTH_MAX 16
#define TREE_FILES_MAX 4096          /* a folder that is copied or searched has no more */
#define TREE_BYTES_MAX (256LL << 20) /* of a folder that is copied */
#define THREADS_BYTES_MAX (4 << 20)  /* of a file that is looked at for threads */

struct walk {
    const char *root, *to; /* to NULL: nothing is copied */
    const char *glob;
    struct ca_listing *found; /* NULL: what matches is left out */
    bool *threads;            /* set where a file has a word of them; NULL: nobody asks */
    int files, depth;
    long long bytes;
    struct ca_error *error;
};

static enum ca_status too_much(const struct walk *walk)
{
    return ca_fail(walk->error, CA_IO,
                   "%.400s has more than a check copies: %d files, %lld MB, %d folders in one "
                   "another",
                   walk->root, TREE_FILES_MAX, TREE_BYTES_MAX >> 20, DEPTH_MAX);
}

static enum ca_status copy_bytes(struct walk *walk, const char *from, const char *to, mode_t mode)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
    ssize_t got = -1;

    if (in >= 0)
        out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode & 0777) | 0600);
    if (out >= 0)
        while ((got = sendfile(out, in, NULL, 1 << 24)) > 0)
            if ((walk->bytes += got) > TREE_BYTES_MAX)
                break;
    if (got < 0)
        ca_error_set(walk->error, CA_IO, "%.300s cannot be copied to %.300s: %s", from, to,
                     strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return got < 0 ? CA_IO : got > 0 ? too_much(walk) : CA_OK;
}

static enum ca_status keep_path(const struct walk *walk, const char *path)
{
    struct ca_listing *found = walk->found;
    char **more = realloc(found->name, (size_t)(found->count + 1) * sizeof *more);

    if (more)
        found->name = more;
    if (!more || !(more[found->count] = strdup(path)))
        return ca_fail(walk->error, CA_NO_MEMORY, "no memory");
    found->count++;
    return CA_OK;
}

/* Whether a file, a source or a program that was built, has a word by which threads, or processes
 * that share work, are begun. */
static bool begins_threads(const char *path)
{
    static const char *const words[] = {"pthread_create",
                                        "#pragma omp",
                                        "GOMP_",
                                        "!$omp",
                                        "thrd_create",
                                        "std::thread",
                                        "std::jthread",
                                        "std::async",
                                        "std::execution",
                                        "MPI_Init",
                                        "mpi4py",
                                        "import threading",
                                        "multiprocessing",
                                        "concurrent.futures",
                                        "joblib",
                                        "prange",
                                        "numba",
                                        "jax",
                                        "torch",
                                        "cupy",
                                        "rayon",
                                        "thread::spawn",
                                        "go func",
                                        "Threads.@",
                                        "java.lang.Thread",
                                        "<<<",
                                        "cudaLaunch",
                                        "clEnqueue",
                                        "fork("};
    struct ca_error ignored;
    char *text;
    size_t size;
    bool any = false;

    if (ca_file_read(path, THREADS_BYTES_MAX, &text, &size, &ignored) != CA_OK)
        return false;
    for (size_t i = 0; !any && i < sizeof words / sizeof *words; i++)
        any = memmem(text, size, words[i], strlen(words[i])) != NULL;
    free(text);
    return any;
}

static enum ca_status walk_folder(struct walk *walk, const char *below);

/* Visits what has that path below the root. */
static enum ca_status visit(struct walk *walk, const char *path)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct stat file;
    bool matches = walk->glob && fnmatch(walk->glob, path, FNM_PATHNAME | FNM_PERIOD) == 0;

    if (++walk->files > TREE_FILES_MAX ||
        snprintf(from, sizeof from, "%s/%s", walk->root, path) >= (int)sizeof from)
        return too_much(walk);
    if ((walk->to ? stat(from, &file) : lstat(from, &file)) != 0)
        return CA_OK; /* a link to nowhere, or removed by now */
    if (walk->to && snprintf(to, sizeof to, "%s/%s", walk->to, path) >= (int)sizeof to)
        return too_much(walk);
    if (S_ISDIR(file.st_mode)) {
        if (walk->to && mkdir(to, 0700) != 0)
            return ca_fail(walk->error, CA_IO, "the folder %.400s cannot be made: %s", to,
                           strerror(errno));
        return walk_folder(walk, path);
    }
    if (!S_ISREG(file.st_mode) || (walk->to && matches))
        return CA_OK;
    if (walk->threads)
        *walk->threads = *walk->threads || begins_threads(from);
    if (walk->to)
        return copy_bytes(walk, from, to, file.st_mode);
    return matches ? keep_path(walk, path) : CA_OK;
}

static enum ca_status walk_folder(struct walk *walk, const char *below)
{
    char path[PATH_MAX];
    struct dirent **entry = NULL;
    enum ca_status status = CA_OK;
    int count;

    if (++walk->depth > DEPTH_MAX)
        return too_much(walk);
    snprintf(path, sizeof path, "%s/%s", walk->root, below);
    count = scandir(path, &entry, NULL, alphasort);
    if (count < 0 && walk->to)
        status = ca_fail(walk->error, CA_IO, "%.400s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == CA_OK && entry[i]->d_name[0] != '.') {
            int length =
                snprintf(path, sizeof path, "%s%s%s", below, *below ? "/" : "", entry[i]->d_name);

            status = length < (int)sizeof path ? visit(walk, path) : too_much(walk);
        }
        free(entry[i]);
    }
    free(entry);
    walk->depth--;
    return status;
}

/* Copies files and folders with their modes, but not what begins with a dot, nor files whose path
 * below `from` matches `but`. Links are followed. CA_IO, also where there is more than the above.
 */
static enum ca_status tree_copy(const char *from, const char *to, const char *but,
                                struct ca_error *error)
{
    struct walk walk = {.root = from, .to = to, .glob = but, .error = error};

    return walk_folder(&walk, "");
}

/* --- processes -------------------------------------------------------------------------------- */

/* Runs a shell command: its wait status, and in program->said what it has printed. */
static enum ca_status shell(struct lab_program *program, const char *command, const char *folder,
                            bool compiles, double limit_s, enum ca_lab_event *event,
                            struct ca_lab_slow *slow, int *wait_status, struct ca_error *error)
{
    const char *const argv[] = {"/bin/sh", "-c", command, NULL};
    char temporary[600];
    /* A `make` above this process passes variables on that are not meant for the student's. */
    const char *const variables[] = {temporary, "MAKEFLAGS=", "MAKELEVEL=", "CCACHE_DISABLE=1",
                                     NULL};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct ca_lab_launch launch = {
        .argv = argv,
        .folder = folder,
        .reads = program->build.folder,
        .variables = variables,
        .inherits = program->lab->environment,
        .tool = compiles,
        .give = {-1, -1},
        .cpu_s = limit_s * (double)(cores > 0 ? cores : 1) + 10,
        .memory_mb = program->lab->memory_mb,
        .output_mb = program->lab->output_mb,
    };
    struct ca_lab_process process;
    enum ca_status status;

    free(program->said);
    program->said = NULL;
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    status = ca_lab_process_start(&process, &launch, error);
    if (status == CA_OK) {
        *event = ca_lab_process_wait(&process, -1, limit_s);
        ca_lab_process_end(&process);
        *wait_status = process.wait_status;
        *slow = (struct ca_lab_slow){limit_s, process.late_s, process.cpu_s, process.waits};
        program->printed = process.printed;
        if (process.kept > 0 && !(program->said = strdup(process.said)))
            status = ca_fail(error, CA_NO_MEMORY, "no memory for what a program prints");
    }
    ca_lab_process_close(&process);
    return status;
}

/* A signal that ended it, also where its shell tells of it by an exit status; 0: none did. */
static int signal_of(int wait_status)
{
    if (WIFSIGNALED(wait_status))
        return WTERMSIG(wait_status);
    return WEXITSTATUS(wait_status) > 128 && WEXITSTATUS(wait_status) < 128 + 32
               ? WEXITSTATUS(wait_status) - 128
               : 0;
}

static enum ca_status too_slow(struct lab_program *program, const struct ca_lab_slow *slow)
{
    program->fault.slow = *slow;
    if (slow->took_s > 0)
        return program_fault(program, CA_LAB_SLOW, "no end after %.3g s (%.2g s of CPU)",
                             slow->took_s, slow->cpu_s);
    return program_fault(program, CA_LAB_SLOW, "no end in time");
}

static enum ca_status judge_run(struct lab_program *program, enum ca_lab_event event,
                                const struct ca_lab_slow *slow, int wait_status)
{
    const struct ca_lab *lab = program->lab;
    int by = signal_of(wait_status);

    if (event == CA_LAB_LATE || (event == CA_LAB_ENDED && by == SIGXCPU))
        return too_slow(program, slow);
    if (event == CA_LAB_MEMORY)
        return program_fault(program, CA_LAB_LARGE,
                             "the program takes more memory than it may, %lld MB",
                             (long long)lab->memory_mb);
    if (event == CA_LAB_TALKATIVE)
        return program_fault(program, CA_LAB_LOUD, "the program prints more than it may, %lld MB",
                             (long long)lab->output_mb);
    if (by)
        return program_fault(program, CA_LAB_CRASHED, "the program crashed: %s", strsignal(by));
    if (WEXITSTATUS(wait_status) != 0)
        return program_fault(
            program, CA_LAB_EXITED, "the program ended with exit status %d%s",
            WEXITSTATUS(wait_status),
            WEXITSTATUS(wait_status) == 127   ? ": the shell does not find the command"
            : WEXITSTATUS(wait_status) == 126 ? ": the shell cannot run the command"
                                              : "");
    return CA_OK;
}

/* --- the folder ------------------------------------------------------------------------------- */

static bool has_makefile(const char *folder)
{
    static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};
    char path[600];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%.528s/%s", folder, names[i]);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static enum ca_status build(struct lab_program *program, struct ca_error *error)
{
    const char *command = program->lab->build;
    char line[600];
    enum ca_lab_event event = CA_LAB_ENDED;
    struct ca_lab_slow slow;
    int wait_status = 0;

    if (!program->lab->builds && has_makefile(program->build.source))
        command = "make";
    if (!command[0])
        return CA_OK;
    CA_TRY(shell(program, command, program->build.source, true, BUILDS_S, &event, &slow,
                 &wait_status, error));
    if (event == CA_LAB_ENDED && wait_status == 0)
        return CA_OK;
    if (program->said)
        lab_build_shorten(program->said, program->build.source, false);
    ca_compiler_first_error(program->said ? program->said : "", line);
    return program_fault(program, CA_LAB_BROKEN, "%.100s fails: %.500s", command,
                         event != CA_LAB_ENDED
                             ? "it took more than 120 s, or more memory or messages than "
                               "the limits of lab.cfg allow"
                         : line[0] ? line
                                   : "it says nothing");
}

enum ca_status lab_program_open(struct lab_program *program, const struct ca_lab *lab,
                                struct ca_error *error)
{
    struct walk found = {
        .root = program->build.source, .threads = &program->has_threads, .error = error};

    memset(program, 0, sizeof *program);
    program->lab = lab;
    CA_TRY(ca_lab_command_check(lab, &program->has, error));
    CA_TRY(ca_lab_build_folder(&program->build, error));
    CA_TRY(tree_copy(lab->folder, program->build.source, lab->output, error));
    CA_TRY(build(program, error));
    CA_TRY(walk_folder(&found, ""));
    return CA_OK;
}

void lab_program_close(struct lab_program *program)
{
    free(program->said);
    program->said = NULL;
    ca_lab_build_close(&program->build);
}

/* --- outputs ---------------------------------------------------------------------------------- */

/* The digits that end a name before its ending: "frames/gen_0012.pbm" is 12. */
static bool generation_in_name(const char *path, uint64_t *number)
{
    const char *slash = strrchr(path, '/');
    size_t name = slash ? (size_t)(slash + 1 - path) : 0, from;
    size_t end = strlen(path) - strlen(ca_format_of(path)->ending);

    for (from = end; from > name && isdigit((unsigned char)path[from - 1]);)
        from--;
    if (from == end || end - from > 15)
        return false;
    *number = strtoull(path + from, NULL, 10);
    return true;
}

static enum ca_status several(struct lab_program *program, const struct lab_outputs *outputs,
                              const char *why)
{
    return program_fault(
        program, CA_LAB_OUTPUT,
        "%d files match '%.100s', %.100s and %.100s among them, and %s: let one match, or "
        "end each name in its generation, as in frame_0003",
        outputs->files.count, program->lab->output, outputs->files.name[0], outputs->files.name[1],
        why);
}

/* Only a file is compared: a program that prints its result is told how to send it to one. */
static enum ca_status no_output(struct lab_program *program)
{
    static const char *const beginnings[] = {"P1", "P4", "\x93NUMPY", "\x89HDF"};
    const char *output = program->lab->output, *said = program->said ? program->said : "";
    bool result = false;
    char hint[300] = "";

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        result |= strncmp(said, beginnings[i], strlen(beginnings[i])) == 0;
    if (program->printed > 0 && !strchr(program->lab->program, '>'))
        snprintf(hint, sizeof hint,
                 ", and prints %s to standard output: %swrite '> %.150s' behind the command",
                 result ? "its result" : "something", result ? "" : "if that is its result, ",
                 output[strcspn(output, "*?[")] ? "FILE" : output);
    return program_fault(program, CA_LAB_OUTPUT,
                         "the program has written no file that matches '%.200s'%s", output, hint);
}

static enum ca_status order(struct lab_program *program, const struct ca_lab_numbers *numbers,
                            struct lab_outputs *outputs, struct ca_error *error)
{
    int count = outputs->files.count;

    if (count == 0)
        return no_output(program);
    outputs->generation = calloc((size_t)count, sizeof *outputs->generation);
    if (!outputs->generation)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    outputs->generation[0] = numbers->n;
    if (count == 1)
        return CA_OK;
    for (int i = 0; i < count; i++)
        if (!generation_in_name(outputs->files.name[i], &outputs->generation[i]))
            return several(program, outputs, "not all of their names end in a number");
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && outputs->generation[k - 1] > outputs->generation[k]; k--) {
            uint64_t generation = outputs->generation[k];
            char *path = outputs->files.name[k];

            outputs->generation[k] = outputs->generation[k - 1];
            outputs->files.name[k] = outputs->files.name[k - 1];
            outputs->generation[k - 1] = generation;
            outputs->files.name[k - 1] = path;
        }
    for (int i = 0; i + 1 < count; i++)
        if (outputs->generation[i] == outputs->generation[i + 1])
            return several(program, outputs, "two of their names end in the same number");
    if (outputs->generation[count - 1] == numbers->n)
        return CA_OK;
    return program_fault(
        program, CA_LAB_OUTPUT,
        "%d files match '%.100s', and the last, %.100s, is not of generation %" PRIu64, count,
        program->lab->output, outputs->files.name[count - 1], numbers->n);
}

void lab_outputs_free(struct lab_outputs *outputs)
{
    ca_listing_free(&outputs->files);
    free(outputs->generation);
    outputs->generation = NULL;
}

/* --- a run ------------------------------------------------------------------------------------ */

static enum ca_status write_start(struct lab_program *program, const struct ca_lattice *start,
                                  struct ca_error *error)
{
    struct ca_row_source source = ca_lattice_source(start);
    char path[600], ending[32];

    snprintf(path, sizeof path, "%.510s/input%s", program->build.folder,
             ca_lab_input_ending(program->lab, ending));
    CA_TRY(ca_state_write(path, program->lab->model, &source, error));
    if (chmod(path, 0644) != 0) /* its user may be another */
        return ca_fail(error, CA_IO, "%.400s: %s", path, strerror(errno));
    return CA_OK;
}

enum ca_status lab_program_run(struct lab_program *program, const struct ca_lab_numbers *numbers,
                               const struct ca_lattice *start, struct lab_outputs *outputs,
                               struct ca_error *error)
{
    const char *run = program->build.run;
    struct walk found = {
        .root = run, .glob = program->lab->output, .found = &outputs->files, .error = error};
    enum ca_lab_event event = CA_LAB_ENDED;
    struct ca_lab_slow slow;
    int wait_status = 0;
    enum ca_status status;
    double begin;

    *outputs = (struct lab_outputs){.generation = NULL};
    ca_lab_command(program->command, program->lab, numbers);
    CA_TRY(ca_lab_build_empty(&program->build, error));
    CA_TRY(tree_copy(program->build.source, run, program->lab->output, error));
    if (program->has & CA_LAB_HAS_INPUT)
        CA_TRY(write_start(program, start, error));
    begin = ca_now();
    CA_TRY(shell(program, program->command, run, false, program->limit_s, &event, &slow,
                 &wait_status, error));
    if (ca_now() - begin > program->longest_s)
        program->longest_s = ca_now() - begin;
    CA_TRY(judge_run(program, event, &slow, wait_status));
    status = walk_folder(&found, "");
    if (status == CA_IO)
        return program_fault(
            program, CA_LAB_OUTPUT,
            "the program leaves more than a check looks at: %d files, or folders too deep "
            "in one another",
            TREE_FILES_MAX);
    CA_TRY(status);
    return order(program, numbers, outputs, error);
}

/* What a file has too much or too little of: "N bytes of values, expected M". Returns text. */
static const char *length_hint(char text[200], const char *error, const struct ca_model *model,
                               struct ca_size size)
{
    const char *at = strstr(error, " bytes of ");
    const int64_t cell = (int64_t)ca_type_bytes(model->type);
    int64_t row = size.w * cell, more;
    long long found, expected;

    text[0] = '\0';
    while (at && at > error && isdigit((unsigned char)at[-1]))
        at--;
    if (!at || sscanf(at, "%lld bytes of %*[a-z], expected %lld", &found, &expected) != 2)
        return text;
    if (strstr(error, " bytes of cells"))
        row = (size.w + 7) / 8;
    more = found - expected;
    if (found == ca_cells(size) && row < size.w && found > 1)
        snprintf(text, 200, ": it has a byte a cell, where a byte is eight cells of a row");
    else if (found == (ca_cells(size) + 7) / 8 && row < size.w)
        snprintf(text, 200, ": each row has to begin with a byte of its own");
    else if (more == 1 || more == -1 || more == cell || more == -cell)
        snprintf(text, 200, ": that is a %s too %s, or the header is as much %s than it says",
                 more == 1 || more == -1 ? "byte" : "value", more > 0 ? "many" : "few",
                 more > 0 ? "longer" : "shorter");
    else if (more == row || more == -row)
        snprintf(text, 200, ": that is a row too %s", more > 0 ? "many" : "few");
    return text;
}

enum ca_status lab_program_read(struct lab_program *program, const struct lab_outputs *outputs,
                                int i, struct ca_lattice *got, struct ca_error *error)
{
    const struct ca_model *model = program->lab->model;
    const char *name = outputs->files.name[i];
    char path[PATH_MAX + 600], given[64], expected[64], hint[200];
    struct ca_size size = got->size;
    struct ca_row_sink sink = ca_lattice_sink(got);
    uint64_t generation = 0;
    struct ca_error cause;
    enum ca_status status;

    snprintf(path, sizeof path, "%s/%s", program->build.run, name);
    status = ca_state_size(path, model, &size, &cause);
    if (status == CA_OK && !ca_size_equal(size, got->size)) {
        bool exchanged = size.w == got->size.h && size.h == got->size.w && size.d == got->size.d;

        return program_fault(program, CA_LAB_OUTPUT, "%.200s is %s, expected %s%s", name,
                             ca_size_format(given, size, model->dimensions),
                             ca_size_format(expected, got->size, model->dimensions),
                             exchanged ? ": width and height are exchanged" : "");
    }
    if (status == CA_OK)
        status = ca_state_read_cells(path, model, size, &sink, &generation, &cause);
    if (status == CA_OK)
        return CA_OK;
    if (status == CA_NO_MEMORY) {
        *error = cause;
        return status;
    }
    return program_fault(program, CA_LAB_OUTPUT, "%.500s%s", cause.text,
                         length_hint(hint, cause.text, model, got->size));
}
