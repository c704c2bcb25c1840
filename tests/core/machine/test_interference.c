/* SPDX-License-Identifier: MIT */
/* What others did of the machine: the rule, counters read from copies of Linux's files, the sums
 * and sentences, JSON, and a meter beside a process that computes. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/engine/interference_json.h"
#include "core/machine/interference.h"
#include "tests/support/support.h"

static const struct ca_interference quiet = {.seconds = 0.025,
                                             .cores = 2,
                                             .threads = 1,
                                             .waited = {true, 0},
                                             .others = {true, 0.05},
                                             .pressure = {true, 0},
                                             .speed = 1e9};

static enum ca_quiet judge(struct ca_interference sample)
{
    return ca_interference_judge(&sample, 1e9);
}

#define WITH(...)                                                                                  \
    ({                                                                                             \
        struct ca_interference s = quiet;                                                          \
        __VA_ARGS__;                                                                               \
        judge(s);                                                                                  \
    })
#define FACT(VALUE) ((struct ca_fact){true, (VALUE)})
#define UNKNOWN ((struct ca_fact){0})

START_TEST(rule_of_cores)
{
    ck_assert_int_eq(judge(quiet), CA_QUIET);
    ck_assert_int_eq(WITH(s.waited = FACT(0.009)), CA_QUIET);
    ck_assert_int_eq(WITH(s.waited = FACT(0.011)), CA_DISTURBED);
    ck_assert_int_eq(WITH(s.throttled = FACT(0.02)), CA_DISTURBED);
    /* One of two cores is enough for one thread, and not for two. */
    ck_assert_int_eq(WITH(s.others = FACT(1)), CA_QUIET);
    ck_assert_int_eq(WITH(s.others = FACT(1.2); s.pressure = FACT(1)), CA_QUIET);
    ck_assert_int_eq(WITH(s.others = FACT(1.3); s.pressure = FACT(1)), CA_DISTURBED);
    ck_assert_int_eq(WITH(s.others = FACT(1.3); s.pressure = UNKNOWN), CA_DISTURBED);
    ck_assert_int_eq(WITH(s.others = FACT(0.3); s.threads = 2; s.pressure = FACT(0.5)),
                     CA_DISTURBED);
    /* Others came and went within the window, but not while this sample ran. */
    ck_assert_int_eq(WITH(s.others = FACT(1.9); s.pressure = FACT(0.04)), CA_QUIET);
    /* A host of 64 cores whose others are on idle ones. */
    ck_assert_int_eq(WITH(s.cores = 64; s.threads = 16; s.others = FACT(40); s.pressure = FACT(1)),
                     CA_QUIET);
    ck_assert_int_eq(WITH(s.speed = 0.81e9), CA_QUIET);
    ck_assert_int_eq(WITH(s.speed = 0.79e9), CA_DISTURBED);
    ck_assert_int_eq(WITH(s.speed = 0), CA_QUIET);
    ck_assert(ca_interference_slow(0.79, 1) && !ca_interference_slow(0.79, 0));
}
END_TEST

START_TEST(rule_of_the_unknown)
{
    ck_assert_int_eq(WITH(s.waited = UNKNOWN), CA_QUIET);
    ck_assert_int_eq(WITH(s.others = UNKNOWN), CA_QUIET);
    ck_assert_int_eq(WITH(s.others = s.waited = UNKNOWN), CA_QUIET_UNKNOWN);
    ck_assert_int_eq(WITH(s.gpu = true), CA_QUIET_UNKNOWN);
    ck_assert_int_eq(WITH(s.gpu = true; s.gpu_others = FACT(0)), CA_QUIET);
    ck_assert_int_eq(WITH(s.gpu = true; s.gpu_others = FACT(0.04)), CA_QUIET);
    ck_assert_int_eq(WITH(s.gpu = true; s.gpu_others = FACT(0.06)), CA_DISTURBED);
    ck_assert_int_eq(WITH(s.gpu = true; s.answer_s = FACT(0.2e-3)), CA_QUIET);
    ck_assert_int_eq(WITH(s.gpu = true; s.answer_s = FACT(0.4e-3)), CA_DISTURBED);
    ck_assert_int_eq(WITH(s.gpu = true; s.gpu_others = FACT(0); s.answer_s = FACT(2e-3)),
                     CA_DISTURBED);
    ck_assert_int_eq(WITH(s.gpu = true; s.held = FACT(1)), CA_DISTURBED);
    ck_assert_int_eq(WITH(s.held = FACT(1)), CA_QUIET); /* a GPU that it does not use */
}
END_TEST

static const char *text_of(struct ca_interference sample)
{
    static char text[CA_DISTURBANCE_TEXT];
    struct ca_disturbance sum = {0};

    ca_disturbance_add(&sum, &quiet, 1e9);
    ca_disturbance_add(&sum, &sample, 1e9);
    ck_assert_int_eq(sum.samples, 2);
    return ca_disturbance_text(text, &sum);
}

#define TEXT(...)                                                                                  \
    ({                                                                                             \
        struct ca_interference s = quiet;                                                          \
        __VA_ARGS__;                                                                               \
        text_of(s);                                                                                \
    })

START_TEST(sentences)
{
    ck_assert_str_eq(TEXT(s.seconds = 1), "quiet");
    ck_assert_str_eq(TEXT(s.others = s.waited = UNKNOWN),
                     "this system does not tell what others use");
    ck_assert_str_eq(TEXT(s.others = FACT(1.34); s.waited = FACT(0.5)),
                     "others used 1.3 of 2 cores");
    ck_assert_str_eq(TEXT(s.waited = FACT(0.5)), "threads waited for a core 50 % of the time");
    ck_assert_str_eq(TEXT(s.throttled = FACT(0.5)), "a control group held this process back");
    ck_assert_str_eq(TEXT(s.speed = 0.55e9), "the core ran a fixed loop at 55 % of its best speed");
    ck_assert_str_eq(TEXT(s.gpu = true; s.gpu_others = FACT(0.4)), "others used 40 % of the GPU");
    ck_assert_str_eq(TEXT(s.gpu = true; s.answer_s = FACT(1.34e-3)),
                     "others use the GPU: it answered after 1.3 ms");
    ck_assert_str_eq(TEXT(s.gpu = true; s.gpu_others = FACT(0); s.held = FACT(1)),
                     "heat or a power brake held the GPU's clock down");
}
END_TEST

/* The most of what others used is told, and counts are right. */
START_TEST(sums)
{
    struct ca_interference busy = quiet, unknown = {.cores = 2, .threads = 1};
    struct ca_disturbance sum = {0};

    busy.others.value = 1.5;
    busy.waited.value = 0.2;
    busy.speed = 0.7e9;
    ca_disturbance_add(&sum, &quiet, 1e9);
    ca_disturbance_add(&sum, &busy, 1e9);
    ca_disturbance_add(&sum, &unknown, 1e9);
    ck_assert_int_eq(sum.samples, 3);
    ck_assert_int_eq(sum.disturbed, 1);
    ck_assert_int_eq(sum.unknown, 1);
    ck_assert_double_eq(sum.others.value, 1.5);
    ck_assert_double_eq(sum.waited.value, 0.2);
    ck_assert_double_eq(sum.speed, 1e9);
    ck_assert_double_eq_tol(sum.slowest, 0.7, 1e-12);
}
END_TEST

START_TEST(as_json)
{
    struct ca_interference sample = {.seconds = 0.5,
                                     .cores = 16,
                                     .threads = 3,
                                     .waited = {true, 0.25},
                                     .others = {true, 1.5},
                                     .throttled = {true, 0.125},
                                     .speed = 1e9,
                                     .gpu = true,
                                     .gpu_others = {true, 0.75},
                                     .answer_s = {true, 0.5},
                                     .held = {true, 1}},
                           back;
    json_t *json = ca_interference_to_json(&sample);
    json_t *reply = json_pack("{s:[f,f], s:o}", "seconds", 0.25, 0.5, "interference", json);

    ck_assert(json_is_null(json_object_get(json, "pressure")));
    ck_assert_double_eq(ca_burst_from_json(&back, reply), 0.75);
    ck_assert_int_eq(memcmp(&sample, &back, sizeof back), 0);
    json_decref(reply);
    ca_interference_from_json(&back, NULL);
    ck_assert_int_eq(ca_interference_judge(&back, 0), CA_QUIET_UNKNOWN);
}
END_TEST

/* --- counters ----------------------------------------------------------------------------------
 */

static char folder[64];

static void put_file(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0777);
    }
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void remove_folder(void) { ck_assert_int_eq(system(test_text("rm -r '%s'", folder)), 0); }

#define STAT "7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 %d 20 3 4 20 0 2 0 5 0 0"

/* Of those that this process may use. */
static int first_core(void)
{
    cpu_set_t cores;
    int core = 0;

    ck_assert_int_eq(sched_getaffinity(0, sizeof cores, &cores), 0);
    while (!CPU_ISSET(core, &cores))
        core++;
    return core;
}

START_TEST(counters)
{
    struct ca_reading reading;
    char stat[160], cores[160];

    strcpy(folder, "/tmp/calab-interference-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(stat, sizeof stat, STAT, 100);
    put_file("self/stat", stat);
    put_file("self/task/7/schedstat", "5000000000 1500000000 3\n");
    put_file("self/task/8/schedstat", "5000000000 250000000 3\n");
    put_file("self/task/7/children", "9 ");
    put_file("9/stat", "9 (child) R 7 7 7 0 -1 0 0 0 0 0 40 2 0 0 20 0 1 0 5 0 0");
    put_file("9/task/9/schedstat", "1 250000000 1\n");
    put_file("pressure/cpu", "some avg10=1.00 avg60=0 avg300=0 total=2500000\nfull avg10=0.00 "
                             "avg60=0.00 avg300=0.00 total=7\n");
    snprintf(cores, sizeof cores, "cpu 9 9 9 9 9 9 9 9 0 0\ncpu%d 100 10 20 5000 700 3 4 5 9 9\n",
             first_core());
    put_file("stat", cores);
    put_file("group/cpu.stat", "usage_usec 5\nnr_throttled 3\nthrottled_usec 750000\n");
    snprintf(stat, sizeof stat, "%s/group", folder);
    ca_reading_take(&reading, folder, stat, true);
    ck_assert_double_eq_tol(reading.waited_s, 2, 1e-9);
    ck_assert_double_eq_tol(reading.pressure_s, 2.5, 1e-9);
    ck_assert_double_eq_tol(reading.throttled_s, 0.75, 1e-9);
    ck_assert_double_eq_tol(reading.own_s * (double)sysconf(_SC_CLK_TCK), 127 + 42, 1e-9);
    ck_assert_double_eq_tol(reading.busy_s * (double)sysconf(_SC_CLK_TCK), 142, 1e-9);
    put_file("self/task/8/schedstat", "garbage\n");
    put_file("pressure/cpu", "nothing\n");
    ca_reading_take(&reading, folder, "", false);
    ck_assert_double_lt(reading.waited_s, 0);
    ck_assert_double_lt(reading.pressure_s, 0);
    ck_assert_double_lt(reading.throttled_s, 0);
    ck_assert_double_lt(reading.busy_s, 0);
    remove_folder();
}
END_TEST

/* --- a meter -----------------------------------------------------------------------------------
 */

static void compute_for(double seconds)
{
    double until = ca_now() + seconds;

    while (ca_now() < until)
        ;
}

/* The CPU time of a child is not that of others: it is below this process. */
START_TEST(own_processes)
{
    struct ca_interference sample;
    struct ca_meter meter;
    pid_t child = fork();

    if (child == 0) {
        compute_for(60);
        _exit(0);
    }
    ck_assert(ca_process_is_ours(getpid()));
    ck_assert(ca_process_is_ours(child));
    ck_assert(!ca_process_is_ours(1));
    ca_meter_open(&meter, NULL, NULL, 1);
    ca_meter_start(&meter);
    compute_for(0.6);
    ca_meter_stop(&meter, &sample);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert_double_ge(sample.seconds, 0.6);
    ck_assert_double_gt(sample.speed, 1e6);
    ck_assert_double_ge(sample.cores, 1);
    /* This process and its child computed; on a busy machine others did, too, but together they
     * cannot have used more than there is. */
    if (sample.others.known)
        ck_assert_double_le(sample.others.value, sample.cores - 0.6 * 0.1);
    ck_assert(!sample.gpu);
}
END_TEST

/* On one core, on several, on more than there are, again, and in a process of its own, where the
 * threads of the process above do not live on. */
START_TEST(loop_on_several_cores)
{
    int status;
    pid_t child;

    for (int i = 0; i < 2; i++) {
        ck_assert_double_gt(ca_fixed_loop(0), 1e6);
        ck_assert_double_gt(ca_fixed_loop(1), 1e6);
        ck_assert_double_gt(ca_fixed_loop(2), 1e6);
        ck_assert_double_gt(ca_fixed_loop(100000), 1e6);
    }
    child = fork();
    if (child == 0)
        _exit(ca_fixed_loop(2) > 1e6 ? 3 : 4);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 3);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {rule_of_cores, rule_of_the_unknown, sentences, sums, as_json,
                              counters, own_processes, loop_on_several_cores});
}
