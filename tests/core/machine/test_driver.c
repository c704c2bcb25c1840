/* SPDX-License-Identifier: MIT */
/* A driver that does not answer, by a library that stands for it (tests/stand_in/libcuda.c): as a
 * library is asked that has no program of its own, and by the program in its commands. */
#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/machine/cuda.h"
#include "core/machine/driver.h"
#include "core/machine/device.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

/* The folder of the library, or the library itself. */
static const char *fake(const char *name)
{
    static char path[PATH_MAX];
    const char *program = test_program();

    snprintf(path, sizeof path, "%.*s/tests/stand_in%s%s", (int)(strrchr(program, '/') - program),
             program, name[0] ? "/" : "", name);
    return path;
}

/* In this process the library is there, and does this. */
static void install(const char *does)
{
    ck_assert_msg(dlopen(fake("libcuda.so.1"), RTLD_NOW | RTLD_LOCAL) != NULL, "%s", dlerror());
    setenv("CALAB_NVML", fake("libcuda.so.1"), 1);
    setenv("FAKE_DRIVER", does, 1);
    setenv("FAKE_DRIVER_LOG", test_path("calls"), 1);
    setenv("CALAB_DRIVER_WAIT", strcmp(does, "hangs") == 0 ? "0.2" : "300", 1);
}

/* The processes that have called the library, and how many calls there were. */
static int callers(pid_t pid[8])
{
    char *text, *at;
    size_t size;
    int count = 0;

    if (access(test_path("calls"), F_OK) != 0)
        return 0;
    at = text = test_read(test_path("calls"), &size);
    while (count < 8 && *at) {
        pid[count++] = (pid_t)strtol(at, &at, 10);
        at += strspn(at, "\n");
    }
    return count;
}

static bool is_gone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

/* Whether a child sleeps, as one does that has answered, and has not ended. */
static bool is_held(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};

    process_expect_sleep(pid);
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

static int noted;
static char note_text[sizeof((struct ca_error *)0)->text];

static void take_note(const char *reason)
{
    noted++;
    snprintf(note_text, sizeof note_text, "%s", reason);
}

/* --- as a library ----------------------------------------------------------------------------- */

/* The process that asked is killed and reaped; nothing is asked twice, the other library neither,
 * and what waited is told. */
START_TEST(driver_that_hangs)
{
    struct ca_error error = {.status = CA_OK}, again;
    pid_t pid[8];

    install("hangs");
    ca_driver_on_silence(take_note);
    ck_assert_int_eq(ca_driver_answers(CA_DRIVER_CUDA, &error), CA_NO_DEVICE);
    ck_assert_contains(error.text, "the NVIDIA driver did not answer within 0.2 s, so that no GPU",
                       "CALAB_DRIVER_WAIT");
    ck_assert_int_eq(noted, 1);
    ck_assert_str_eq(note_text, error.text);
    ck_assert_int_eq(callers(pid), 1);
    ck_assert_int_ne(pid[0], getpid());
    ck_assert(is_gone(pid[0]));
    setenv("FAKE_DRIVER", "answers", 1);
    ck_assert_int_eq(ca_driver_answers(CA_DRIVER_CUDA, &again), CA_NO_DEVICE);
    ck_assert_str_eq(again.text, error.text);
    ck_assert_int_eq(ca_driver_answers(CA_DRIVER_NVML, &again), CA_NO_DEVICE);
    ck_assert_str_eq(again.text, error.text);
    ck_assert_str_eq(ca_nvml_driver(), "");
    ca_driver_release(CA_DRIVER_CUDA);
    ck_assert_int_eq(callers(pid), 1);
    ck_assert_int_eq(noted, 1);
    ca_driver_on_silence(take_note);
    ck_assert_int_eq(noted, 2);
}
END_TEST

/* NVML alone: its figures are unknown, and CUDA is not concerned. */
START_TEST(management_library_that_hangs)
{
    struct ca_error error;
    pid_t pid[8];

    install("hangs");
    ck_assert_str_eq(ca_nvml_driver(), "");
    ck_assert_int_eq(ca_driver_answers(CA_DRIVER_NVML, &error), CA_NO_DEVICE);
    ck_assert_contains(error.text,
                       "management library did not answer within 0.2 s, so that clocks");
    ck_assert_int_eq(callers(pid), 1);
    setenv("FAKE_DRIVER", "answers", 1);
    ck_assert_ok(ca_driver_answers(CA_DRIVER_CUDA, &error));
}
END_TEST

/* The process that asked holds the driver until it is released, and is reaped then. */
START_TEST(driver_that_answers)
{
    struct ca_error error;
    pid_t pid[8];

    install("answers");
    ca_driver_on_silence(take_note);
    for (int part = 0; part < CA_DRIVER_PARTS; part++) {
        for (int i = 0; i < 3; i++)
            ck_assert_ok(ca_driver_answers((enum ca_driver_part)part, &error));
        ck_assert_int_eq(callers(pid), part + 1);
        ck_assert_int_ne(pid[part], getpid());
        ck_assert_int_eq(getpgid(pid[part]), pid[part]);
    }
    ck_assert(is_held(pid[0]));
    ck_assert(is_held(pid[1]));
    ca_driver_release(CA_DRIVER_CUDA);
    process_expect_end(pid[0]);
    ck_assert(is_held(pid[1]));
    ca_driver_release(CA_DRIVER_NVML);
    process_expect_end(pid[1]);
    ck_assert_int_eq(noted, 0);
    ck_assert_str_eq(ca_nvml_driver(), "1.2.3");
}
END_TEST

START_TEST(driver_that_crashes)
{
    struct ca_error error;
    pid_t pid[8];

    install("crashes");
    ck_assert_int_eq(ca_driver_answers(CA_DRIVER_CUDA, &error), CA_NO_DEVICE);
    ck_assert_contains(error.text, "the NVIDIA driver crashes when it is initialised (");
    ck_assert_contains(error.text, strsignal(SIGABRT));
    ck_assert_int_eq(callers(pid), 1);
    ck_assert(is_gone(pid[0]));
}
END_TEST

/* Where there is no library, there is nobody to ask, and no process. */
START_TEST(driver_that_is_not_installed)
{
    struct ca_error error;

    setenv("CALAB_NVML", test_path("none.so"), 1);
    ck_assert_str_eq(ca_driver_library(CA_DRIVER_NVML), test_path("none.so"));
    ck_assert_ok(ca_driver_answers(CA_DRIVER_NVML, &error));
    ck_assert_int_eq(process_child(getpid()), 0);
    unsetenv("CALAB_NVML");
    ck_assert_str_eq(ca_driver_library(CA_DRIVER_NVML), "libnvidia-ml.so.1");
    ck_assert_str_eq(ca_driver_library(CA_DRIVER_CUDA), "libcuda.so.1");
}
END_TEST

/* --- the program ------------------------------------------------------------------------------ */

/* NAME=VALUE of the library, and of what it does. */
static const char *const *variables(const char *does, const char *wait_s)
{
    static char text[5][PATH_MAX + 32];
    static const char *list[6];

    snprintf(text[0], sizeof text[0], "LD_LIBRARY_PATH=%s", fake(""));
    snprintf(text[1], sizeof text[1], "CALAB_NVML=%s", fake("libcuda.so.1"));
    snprintf(text[2], sizeof text[2], "FAKE_DRIVER=%s", does);
    snprintf(text[3], sizeof text[3], "FAKE_DRIVER_LOG=%s", test_path("calls"));
    snprintf(text[4], sizeof text[4], "CALAB_DRIVER_WAIT=%s", wait_s);
    for (int i = 0; i < 5; i++)
        list[i] = text[i];
    return list;
}

#define ASKS_CUDA (CALAB_CUDA && !ca_cuda_emulated())

/* Commands, and whether they ask CUDA, and NVML where CUDA is not asked. Those that name a backend
 * of the CPU ask neither. */
static const struct {
    const char *arguments;
    bool cuda, nvml;
} commands[] = {
    {"list", true, false},
    {"doctor", true, true},
    {"run anneal -n 1 -s 2048x2048 -b auto", true, false},
    {"verify anneal -b threads --cases 1 --small", false, false},
    {"bench anneal -s 64x64 -b threads --time 0.1", false, false},
};

/* They do their work without a GPU, and say why, once. */
START_TEST(commands_go_on)
{
    struct surroundings s = {.variable = variables("hangs", "0.2")};
    struct outcome outcome = calab_in(&s, "%s", commands[_i].arguments);
    bool asks = (ASKS_CUDA && commands[_i].cuda) || commands[_i].nvml;
    const char *said = strstr(outcome.err, "did not answer within 0.2 s");
    pid_t pid[8];

    ck_assert_msg(outcome.status == 0, "%s", outcome.err);
    ck_assert_msg(!said == !asks, "%s", outcome.err);
    if (said)
        ck_assert_ptr_null(strstr(said + 1, "did not answer"));
    ck_assert_int_eq(callers(pid), asks);
    if (asks)
        ck_assert(is_gone(pid[0]));
}
END_TEST

/* The program asks by itself: not the process that goes on with the answer calls first. */
START_TEST(program_asks)
{
    struct surroundings s = {.variable = variables("answers", "300")};
    struct outcome outcome = calab_in(&s, "doctor");
    int count;
    pid_t pid[8];

    ck_assert_int_eq(outcome.status, 0);
    ck_assert_str_eq(outcome.err, "");
    count = callers(pid);
    ck_assert_int_ge(count, 2);
    ck_assert_int_ne(pid[0], pid[1]);
}
END_TEST

/* An engine lists the processor, and says why there is no GPU. */
START_TEST(engine_goes_on)
{
    struct surroundings s = {.variable = variables("hangs", "0.2"),
                             .stdin_text = "{\"id\":1,\"op\":\"list\"}\n"};
    struct outcome outcome = calab_in(&s, "engine");
    const char *reply = strchr(outcome.out, '\n');
    json_t *json = reply ? json_loads(reply, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    const char *reason = json_text(json, "cuda.reason");

    ck_assert_int_eq(outcome.status, 0);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "devices")), 1 + ca_cuda_emulated());
    if (ASKS_CUDA)
        ck_assert_contains(reason, "did not answer within 0.2 s");
    ck_assert_str_eq(outcome.err, "");
    json_decref(json);
}
END_TEST

static void kill_while_it_asks(pid_t pid, void *context)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    pid_t asking[8];

    for (double end = seconds_now() + DEADLINE_S; callers(asking) == 0;) {
        ck_assert_msg(seconds_now() < end, "the library is not called");
        nanosleep(&pause, NULL);
    }
    *(pid_t *)context = asking[0];
    kill(pid, SIGKILL);
}

/* However the program ends, the process that asks ends with it. */
START_TEST(nothing_stays)
{
    pid_t asking = 0;
    struct surroundings s = {
        .variable = variables("hangs", "300"), .meanwhile = kill_while_it_asks, .context = &asking};
    struct outcome outcome = calab_in(&s, "doctor");

    ck_assert_int_eq(outcome.status, 128 + SIGKILL);
    process_expect_end(asking);
}
END_TEST

/* The question itself: without a driver, or about none, it ends at once. */
START_TEST(question)
{
    struct outcome outcome = calab_good(CA_DRIVER_QUESTION " none");

    ck_assert_str_eq(outcome.out, "");
    ck_assert_str_eq(outcome.err, "");
}
END_TEST

static const char *const wrong[] = {"0", "-1", "5s", "nan"};

START_TEST(wrong_wait)
{
    struct surroundings s = {.variable = variables("answers", wrong[_i])};
    struct outcome outcome = calab_in(&s, "list");

    ck_assert_int_eq(outcome.status, CA_USAGE);
    ck_assert_contains(outcome.err, "CALAB_DRIVER_WAIT = ", "allowed: 0.001 ... 86400");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {driver_that_hangs, management_library_that_hangs, driver_that_answers,
                              driver_that_crashes, driver_that_is_not_installed, program_asks,
                              engine_goes_on, nothing_stays, question},
                     .table = {{commands_go_on, COUNT(commands)}, {wrong_wait, COUNT(wrong)}});
}
