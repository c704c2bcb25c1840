/* SPDX-License-Identifier: MIT */
/* Makes the temporary folder, runs the compiler, and then the program. */
#include "core/emulator/emulate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/emulator/rewrite.h"
#include "core/files/file.h"

#define SOURCE_MAX (256 << 20)
#define WORDS_MAX 256
#define GRACE_S 5 /* for a program that is told that its time is over */

/* emulator.mk has them, for the emulator's own kernels: every access of a kernel calls a function
 * of the emulator, in place of libtsan's and libubsan's. */
#ifndef CALAB_WATCH_GCC
#define CALAB_EMULATOR_LANGUAGE NULL
#define CALAB_WATCH_GCC NULL
#define CALAB_WATCH_CLANG NULL
#define CALAB_COUNT_GCC NULL
#define CALAB_COUNT_CLANG NULL
#define CALAB_WATCH_NAMES NULL
#endif
static const char *const watched[] = {CALAB_WATCH_GCC, NULL};
static const char *const watched_clang[] = {CALAB_WATCH_CLANG, NULL};
static const char *const counted[] = {CALAB_COUNT_GCC, NULL};
static const char *const counted_clang[] = {CALAB_COUNT_CLANG, NULL};
static const char *const renamed[] = {CALAB_WATCH_NAMES, NULL};
static const char *const language[] = {
    CALAB_EMULATOR_LANGUAGE, "-D__NVCC__", "-DCALAB_REWRITTEN", "-g", "-O1", "-Wno-volatile", NULL};

/* --- a command line --------------------------------------------------------------------------- */

struct words {
    const char *word[WORDS_MAX + 1];
    int count;
};

static void add_word(struct words *words, const char *word)
{
    if (words->count < WORDS_MAX)
        words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

static void add_words(struct words *words, const char *const *word)
{
    for (; *word; word++)
        add_word(words, *word);
}

/* Runs it and waits; its exit status, 128 + n after signal n, -1 where there is no such program. */
static int run_tool(const struct ca_emulation *e, const struct words *words)
{
    int status;
    pid_t child;

    if (e->tool)
        return e->tool(e, words->word);
    child = fork();
    if (child == 0) {
        int file =
            e->messages ? open(e->messages, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (file >= 0) {
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
        }
        execvp(words->word[0], (char *const *)words->word);
        _exit(127);
    }
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (WIFSIGNALED(status))
        return 128 + WTERMSIG(status);
    return WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}

/* --- where the emulator is -------------------------------------------------------------------- */

struct support {
    char curand[PATH_MAX + 96], thrust[PATH_MAX + 64]; /* headers of libraries; "": none */
    char missing[PATH_MAX + 80];
    char library[PATH_MAX + 64], include[PATH_MAX + 64], headers[PATH_MAX + 64];
    const char *compiler;
    bool clang;
};

static bool is_readable(const char *path) { return access(path, R_OK) == 0; }

/* They are beside the program in a build folder, or where `make install` puts them. */
static enum ca_status find_support(struct support *support, struct ca_error *error)
{
    static const char *const place[][2] = {{"", "/include"},
                                           {"/../lib", "/../share/calab/include"}};
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 64);

    if (length <= 0)
        return ca_fail(error, CA_IO, "cannot tell where this program is: %m");
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < 2; i++) {
        snprintf(support->library, sizeof support->library, "%s%s/libcalab-emulated.a", folder,
                 place[i][0]);
        snprintf(support->include, sizeof support->include, "%s%s", folder, place[i][1]);
        snprintf(support->headers, sizeof support->headers, "%s%s/core/emulator/runtime", folder,
                 place[i][1]);
        if (is_readable(support->library) && is_readable(support->headers))
            return CA_OK;
    }
    return ca_fail(
        error, CA_IO,
        "calab emulate needs libcalab-emulated.a and its headers, which are not in %.300s "
        "nor installed: `make emulated` builds them",
        folder);
}

static bool is_clang(const char *compiler)
{
    char command[PATH_MAX + 32], line[256] = "";
    FILE *out;

    snprintf(command, sizeof command, "%s --version 2>/dev/null", compiler);
    out = popen(command, "r");
    if (!out)
        return false;
    if (!fgets(line, sizeof line, out))
        line[0] = '\0';
    pclose(out);
    return strstr(line, "clang") != NULL;
}

static enum ca_status rewrite_file(const char *from, const char *to, bool relocatable,
                                   struct ca_error *error)
{
    char *source, *result;
    enum ca_status status;
    size_t size;
    FILE *file;

    CA_TRY(ca_file_read_text(from, SOURCE_MAX, &source, &size, error));
    status = ca_rewrite_cuda(source, size, relocatable, &result, error);
    free(source);
    if (status == CA_WRONG)
        status = error->status = CA_COMPILE;
    CA_TRY(status);
    file = fopen(to, "w");
    if (!file || fputs(result, file) < 0)
        status = ca_fail(error, CA_IO, "%.500s: %m", to);
    if (file && fclose(file) != 0 && status == CA_OK)
        status = ca_fail(error, CA_IO, "%.500s: %m", to);
    free(result);
    return status;
}

/* --- compiling -------------------------------------------------------------------------------- */

/* Says whether nvcc would hand the file to the host's compiler as it stands. */
static bool is_host_source(const struct ca_emulation *e, const char *file)
{
    static const char *const ends[] = {".cpp", ".cc", ".cxx", ".c"};
    const char *dot = strrchr(file, '.');

    for (size_t i = 0; e->has_host_files && dot && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

static void add_language(struct words *words, const struct ca_emulation *e,
                         const struct support *support)
{
    add_word(words, support->compiler);
    add_words(words, language);
    if (e->options)
        add_words(words, e->options);
    if (!e->plain)
        add_words(words, support->clang ? watched_clang : watched);
    if (e->counts)
        add_words(words, support->clang ? counted_clang : counted);
}

/* Adds what an installed CUDA Toolkit, or Debian's libthrust-dev, has that the emulator takes. */
static void find_libraries(struct support *support)
{
    const char *home = getenv("CUDA_HOME");
    static const char *const folders[] = {"/include/cccl", "/include", NULL};
    char path[PATH_MAX + 64];

    if (!home || !*home)
        home = getenv("CUDA_PATH");
    if (!home || !*home)
        home = "/usr/local/cuda";
    snprintf(support->missing, sizeof support->missing, "%s/missing", support->headers);
    snprintf(path, sizeof path, "%.4000s/include/curand_kernel.h", home);
    if (is_readable(path))
        snprintf(support->curand, sizeof support->curand, "-DEMULATED_CURAND=\"%s\"", path);
    for (int i = 0; folders[i] && !support->thrust[0]; i++) {
        snprintf(path, sizeof path, "%.4000s%s/thrust/version.h", home, folders[i]);
        if (is_readable(path))
            snprintf(support->thrust, sizeof support->thrust, "%.4000s%s", home, folders[i]);
    }
}

static void add_libraries(struct words *words, const struct support *support)
{
    add_word(words, "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP");
    if (support->curand[0])
        add_word(words, support->curand);
    if (support->thrust[0] && strcmp(support->thrust, "/usr/include") != 0) {
        add_word(words, "-isystem");
        add_word(words, support->thrust);
    } else { /* behind what the compiler finds by itself, which Debian's libthrust-dev is */
        add_word(words, "-idirafter");
        add_word(words, support->missing);
    }
}

/* Writes a source as the preprocessor makes it. */
static enum ca_status preprocess(const struct ca_emulation *e, const struct support *support,
                                 const char *file, const char *read, struct ca_error *error)
{
    char include[PATH_MAX + 72], headers[PATH_MAX + 72];
    struct words line = {.count = 0};
    int status;

    snprintf(include, sizeof include, "-I%s", support->include);
    snprintf(headers, sizeof headers, "-I%s", support->headers);
    add_language(&line, e, support);
    if (is_host_source(e, file))
        add_words(&line, (const char *const[]){"-DEMULATED_HOST_ONLY", "-U__CUDACC__", "-U__NVCC__",
                                               NULL});
    else
        add_words(&line, (const char *const[]){"-include", "cuda_runtime.h", NULL});
    add_libraries(&line, support);
    add_words(&line,
              (const char *const[]){"-x", "c++", headers, include, "-E", file, "-o", read, NULL});
    status = run_tool(e, &line);
    if (status < 0)
        return ca_fail(error, CA_COMPILE,
                       "calab emulate compiles with %.100s, which cannot be run: install the "
                       "Debian package g++, or name a compiler of C++20 in CXX",
                       support->compiler);
    return status == 0 ? CA_OK : ca_fail(error, CA_COMPILE, "%.300s does not compile", file);
}

static enum ca_status compile(const struct ca_emulation *e, const struct support *support,
                              const char *file, const char *object, bool relocatable,
                              struct ca_error *error)
{
    char read[600], rewritten[600];
    struct words line = {.count = 0}, rename = {.count = 0};

    snprintf(read, sizeof read, "%.580s.read.ii", object);
    snprintf(rewritten, sizeof rewritten, "%.580s.ii", object);
    if (!is_host_source(e, file))
        CA_TRY(rewrite_file(read, rewritten, relocatable, error));
    add_language(&line, e, support);
    add_words(&line, (const char *const[]){"-x", "c++-cpp-output", "-c",
                                           is_host_source(e, file) ? read : rewritten, "-o", object,
                                           NULL});
    if (run_tool(e, &line) != 0)
        return ca_fail(error, CA_COMPILE, "%.300s does not compile", file);
    if (e->plain)
        return CA_OK;
    add_word(&rename, "objcopy");
    add_words(&rename, renamed);
    add_word(&rename, object);
    if (run_tool(e, &rename) != 0)
        return ca_fail(error, CA_COMPILE, "objcopy (Debian package binutils) failed for %.300s",
                       file);
    return CA_OK;
}

/* Reads all files before the first is compiled: one may use another one's device variables. */
static enum ca_status preprocess_all(const struct ca_emulation *e, const struct support *support,
                                     char (*object)[600], bool *relocatable, struct ca_error *error)
{
    *relocatable = e->relocatable;
    for (int i = 0; i < e->count; i++) {
        char read[640], *source;
        bool shares = false;
        enum ca_status status;
        size_t size;

        snprintf(read, sizeof read, "%.580s.read.ii", object[i]);
        CA_TRY(preprocess(e, support, e->files[i], read, error));
        if (e->count == 1 || *relocatable)
            continue;
        CA_TRY(ca_file_read_text(read, SOURCE_MAX, &source, &size, error));
        status = ca_rewrite_shares(source, size, &shares, error);
        free(source);
        CA_TRY(status);
        *relocatable = shares;
    }
    return CA_OK;
}

static enum ca_status make_emulation_folder(struct ca_emulation *e, struct ca_error *error)
{
    const char *temporary = e->place ? e->place : getenv("TMPDIR");

    if (snprintf(e->folder, sizeof e->folder, "%s/calab-emulate-XXXXXX",
                 temporary && *temporary ? temporary : "/tmp") >= (int)sizeof e->folder) {
        e->folder[0] = '\0';
        return ca_fail(error, CA_IO, "TMPDIR is too long: %.100s...", temporary);
    }
    if (!mkdtemp(e->folder)) {
        ca_error_set(error, CA_IO, "no temporary folder %.300s: %m", e->folder);
        e->folder[0] = '\0';
        return CA_IO;
    }
    if (e->place && chmod(e->folder, 0711) != 0) /* another user may start the program */
        return ca_fail(error, CA_IO, "%.300s: %m", e->folder);
    snprintf(e->findings, sizeof e->findings, "%s/findings", e->folder);
    return CA_OK;
}

enum ca_status ca_emulate_build(struct ca_emulation *e, struct ca_error *error)
{
    struct support support = {.compiler = getenv("CXX")};
    char object[16][600], program[600];
    struct words link = {.count = 0};
    double start = ca_now();
    bool relocatable;

    e->folder[0] = '\0';
    if (!support.compiler || !*support.compiler)
        support.compiler = "g++";
    if (e->count > 16)
        return ca_fail(error, CA_USAGE, "a program of %d files: at most 16 are allowed", e->count);
    for (int i = 0; i < e->count; i++)
        if (access(e->files[i], R_OK) != 0)
            return ca_fail(error, CA_IO, "%.300s: %m", e->files[i]);
    CA_TRY(find_support(&support, error));
    CA_TRY(make_emulation_folder(e, error));
    support.clang = is_clang(support.compiler);
    find_libraries(&support);
    add_word(&link, support.compiler);
    for (int i = 0; i < e->count; i++)
        snprintf(object[i], sizeof object[i], "%s/%d.o", e->folder, i);
    CA_TRY(preprocess_all(e, &support, object, &relocatable, error));
    for (int i = 0; i < e->count; i++) {
        CA_TRY(compile(e, &support, e->files[i], object[i], relocatable, error));
        add_word(&link, object[i]);
    }
    if (e->linked)
        add_words(&link, e->linked);
    snprintf(program, sizeof program, "%s/program", e->folder);
    if (e->library)
        add_words(&link, (const char *const[]){"-shared", "-o", e->library, NULL});
    else
        add_words(&link, (const char *const[]){support.library, "-pthread", "-ldl", "-lm", "-o",
                                               program, NULL});
    if (run_tool(e, &link) != 0)
        return ca_fail(error, CA_COMPILE, "%.300s does not link", e->files[0]);
    e->build_s = ca_now() - start;
    return CA_OK;
}

/* --- running ---------------------------------------------------------------------------------- */

static bool set_variable(const char *name, const char *value)
{
    return !value || setenv(name, value, 1) == 0;
}

/* Runs in the child. Reports errno where it cannot go on. */
static _Noreturn void exec_program(const struct ca_emulation *e, const char *program, int report)
{
    struct words words = {.count = 0};
    char limit[32];
    int code;

    add_word(&words, program);
    for (const char *const *a = e->arguments; a && *a; a++)
        add_word(&words, *a);
    if (e->output_to_stderr)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    snprintf(limit, sizeof limit, "%.3f", e->limit_s);
    if (set_variable("CALAB_EMULATED_ORDER", e->order) &&
        set_variable("CALAB_EMULATED_CC", e->cc) &&
        set_variable("CALAB_EMULATED_COUNT", !e->counts ? NULL
                                             : e->cc    ? e->cc
                                                        : "9.0") &&
        set_variable("CALAB_EMULATED_JSON", e->findings) &&
        set_variable("CALAB_EMULATED_STATUS", "1") &&
        set_variable("CALAB_EMULATED_LIMIT", e->limit_s > 0 ? limit : NULL))
        execv(program, (char *const *)words.word);
    code = errno;
    if (write(report, &code, sizeof code) < 0)
        _exit(126);
    _exit(127);
}

/* Forks, and waits until the program runs; the child, -1 with errno where it does not. */
static pid_t launch_program(const struct ca_emulation *e, const char *program,
                            const sigset_t *signals)
{
    int report[2], code;
    ssize_t got = 0;
    pid_t child;

    if (pipe2(report, O_CLOEXEC) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, signals, NULL);
        exec_program(e, program, report[1]);
    }
    code = errno;
    close(report[1]);
    do
        got = child > 0 ? read(report[0], &code, sizeof code) : 0;
    while (got < 0 && errno == EINTR);
    close(report[0]);
    if (got == (ssize_t)sizeof code) {
        waitpid(child, NULL, 0);
        child = -1;
    }
    errno = code;
    return child;
}

/* Waits until the process has ended or the time is over: whether it has ended. */
static bool ended_in_time(pid_t child, double seconds, int *status)
{
    sigset_t ends;
    double until = ca_now() + seconds;

    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    while (waitpid(child, status, WNOHANG) == 0) {
        double left = until - ca_now();
        struct timespec wait = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};

        if (seconds > 0 && left <= 0)
            return false;
        if (seconds > 0)
            sigtimedwait(&ends, NULL, &wait);
        else
            sigwaitinfo(&ends, NULL);
    }
    return true;
}

enum ca_status ca_emulate_run(struct ca_emulation *e, struct ca_error *error)
{
    char program[600];
    sigset_t ends, before;
    double start = ca_now();
    int status = 0;
    pid_t child;

    snprintf(program, sizeof program, "%s/program", e->folder);
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    child = launch_program(e, program, &before);
    if (child < 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return ca_fail(error, errno == ENOMEM ? CA_NO_MEMORY : CA_IO,
                       "the program cannot be started: %m");
    }
    /* It says itself where it is when its time is over; if it cannot, it is ended. */
    e->timed_out = !ended_in_time(child, e->limit_s > 0 ? e->limit_s + GRACE_S : 0, &status);
    if (e->timed_out) {
        kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    e->run_s = ca_now() - start;
    e->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    e->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + e->signal;
    e->timed_out |= e->signal == SIGALRM;
    return CA_OK;
}

void ca_emulate_remove(struct ca_emulation *e)
{
    static const char *const ends[] = {"o", "o.ii", "o.read.ii"};
    char path[600];

    if (!e->folder[0])
        return;
    for (int i = 0; i < e->count; i++)
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++) {
            snprintf(path, sizeof path, "%s/%d.%s", e->folder, i, ends[j]);
            unlink(path);
        }
    snprintf(path, sizeof path, "%s/program", e->folder);
    unlink(path);
    unlink(e->findings);
    rmdir(e->folder);
    e->folder[0] = '\0';
}
