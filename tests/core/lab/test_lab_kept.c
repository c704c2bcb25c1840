/* SPDX-License-Identifier: MIT */
/* The cases of a check share the process that runs one after the other, the lock of a GPU, and the
 * look at the processes below this one. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/lab/check/check.h"
#include "core/base/isolated.h"
#include "core/lab/process/pool.h"
#include "core/lab/process/descendants.h"
#include "core/lab/process/process.h"
#include "core/lab/check/trial.h"
#include "tests/support/program.h"
#include "tests/students/student_cheats.h"
#include "tests/support/support.h"

static struct ca_error error;

static const char config[] =
    "version = 1; model = \"anneal\"; source = \"kernel.c\"; seeds = [3];\n"
    "sizes = [\"3x3\", \"9x5\", \"33x20\"]; repeats = 1; tile = [8, 8];\n"
    "generations = [1, 2]; limits : { seconds = 2.0; };\n";

static const char *make_lab(const char *body)
{
    const char *folder = test_path("lab");

    ck_assert_int_eq(mkdir(folder, 0700), 0);
    test_put("lab/lab.cfg", config);
    if (strstr(body, "LAB_OWN"))
        test_put("lab/lab.cfg", test_text("%sform = \"own\";\n", config));
    test_put("lab/kernel.c", test_text("%s%s\n", student_good, body));
    return test_path("lab");
}

/* --- one process for all cases ---------------------------------------------------------------- */

static const struct {
    const char *body;
    int status;
    const char *says;
} kernels[] = {
    /* Right only in a process that has seen no other lattice. */
    {"STEP { static int64_t w; if (!w) w = lab->w; GOOD; if (w != lab->w) out[0][0] ^= 1; }", 1,
     "static is kept between calls: this call is right alone in a process, and wrong after calls "
     "on 3x3, seed 3: generation 1"},
    {"STEP { static int64_t w; if (!w) w = lab->w; if (w != lab->w) raise(SIGSEGV); GOOD; }", 1,
     "wrong after calls on 3x3, seed 3: the kernel crashed in a step"},
    /* Right only in a process that has seen the smallest first. */
    {"STEP { static int64_t w; if (!w) w = lab->w; GOOD; if (w == 33) out[0][0] ^= 1; }", 1,
     "static is kept between calls: this call is right after calls on 3x3, seed 4, and wrong alone "
     "in a process: generation 1"},
    {"STEP { static int64_t w; if (!w) w = lab->w; GOOD; if (w == 9) out[0][0] ^= 1; }", 1,
     "right after others, and wrong as the first of its process: generation 1"},
    /* What a process may take counts for one case. */
    {"STEP { static int cases; static int64_t w; if (w != lab->w) cases++; w = lab->w;\n"
     "if (cases > 1) for (;;) pause(); GOOD; }",
     0, "right: 3 cases"},
    /* A process of several cases ends as that of one does. */
    {"static void late(void) { raise(SIGABRT); }\n"
     "STEP { static int64_t w; if (w && w != lab->w) atexit(late); w = lab->w; GOOD; }",
     1,
     "a process of several cases does not end as that of one does: the kernel crashed at its "
     "end"},
    /* Wrong, and from the second case on in a process that has been right before. */
    {"STEP { GOOD; if (lab->w > 5) out[0][4] ^= 1; }", 1, "on 9x5, seed 3"},
    /* What it prints before belongs to another case. */
    {"STEP { GOOD; printf(\"width %d\\n\", (int)lab->w); if (lab->w > 5) out[0][4] ^= 1; }", 1,
     "width 9"},
    /* Closing what it has for one case is a part of that case. */
    {"#if LAB_OWN\nstruct own { struct lab lab; lab_cell *now[2]; };\n"
     "void *lab_open(const struct lab *lab) { struct own *o = calloc(1, sizeof *o); o->lab = "
     "*lab;\n"
     "for (int i = 0; i < 2; i++) o->now[i] = malloc(lab->w * lab->h); return o; }\n"
     "void lab_load(void *o, uint64_t t, const lab_cell *const in[]) { struct own *own = o; "
     "(void)t;\n"
     "memcpy(own->now[0], in[0], own->lab.w * own->lab.h); }\n"
     "void lab_step(void *o, uint64_t t, uint64_t n) { struct own *own = o; (void)t;\n"
     "while (n--) { lab_cell *next = own->now[1]; good(&own->lab, (lab_input *const *)own->now,\n"
     "&next); own->now[1] = own->now[0]; own->now[0] = next; } }\n"
     "void lab_store(void *o, lab_cell *const out[]) { struct own *own = o;\n"
     "memcpy(out[0], own->now[0], own->lab.w * own->lab.h); }\n"
     "void lab_close(void *o) { struct own *own = o; if (own->lab.w == 9) raise(SIGSEGV);\n"
     "for (int i = 0; i < 2; i++) free(own->now[i]); free(own); }\n#endif\n",
     1, "wrong, on the CPU: the kernel crashed at its end: Segmentation fault\n    on 9x5"},
    /* At its end a process is as good as its kernel. */
    {"static void late(void) { raise(SIGABRT); }\n"
     "STEP { static int set; if (!set) atexit(late); set = 1; GOOD; }",
     1, "wrong, on the CPU: the kernel crashed at its end"},
};

START_TEST(cases_in_one_process)
{
    struct outcome o = calab("lab check %s", make_lab(kernels[_i].body));

    ck_assert_msg(o.status == kernels[_i].status && strstr(o.out, kernels[_i].says), "%s: %d: %s%s",
                  kernels[_i].body, o.status, o.out, o.err);
    ck_assert_msg(!strstr(o.out, "width 3"), "%s", o.out);
}
END_TEST

static struct ca_lab lab;
static struct ca_lab_build build;

static struct ca_lab_program built(const char *body)
{
    ck_assert_msg(ca_lab_read(&lab, make_lab(body), &error) == CA_OK &&
                      ca_lab_build_open(&build, &lab, &error) == CA_OK &&
                      ca_lab_build_with(&build, &lab, CA_LAB_CC, &error) == CA_OK &&
                      ca_lab_build_empty(&build, &error) == CA_OK,
                  "%s", error.text);
    return ca_lab_built(&lab, &build);
}

static char reason[200]; /* of the last case, what is wrong */

static enum ca_status run_case(const struct ca_lab_program *program, struct lab_kept *kept,
                               int size)
{
    struct ca_lab_report *report = calloc(1, sizeof *report);
    struct ca_lab_oracle oracle;
    enum ca_status status;

    ck_assert_ok(ca_lab_oracle_make(&oracle, &lab, lab.size[size], 0, &error));
    status =
        lab_trial(&lab, &oracle, program, kept, &(struct lab_calls){.repeats = 2}, report, &error);
    snprintf(reason, sizeof reason, "%.190s", report->text);
    ca_lab_oracle_free(&oracle);
    ca_lab_report_free(report);
    free(report);
    return status;
}

/* Small, large and small again; one larger than the memory that is shared is refused. There is one
 * slot, which each process gives back as it ends. */
START_TEST(the_process_stays)
{
    struct ca_lab_program program = built("STEP { GOOD; }");
    struct lab_kept kept = {.shared_bytes = 0};
    pid_t pid;

    program.device_lock = lab_device_lock_make(1);
    lab_kept_fits(&kept, &lab, lab.size[1]);
    ck_assert_int_eq(run_case(&program, &kept, 0), CA_OK);
    pid = kept.submission.process.pid;
    ck_assert_int_gt(pid, 0);
    for (int size = 1; size >= 0; size--) {
        ck_assert_int_eq(run_case(&program, &kept, size), CA_OK);
        ck_assert_int_eq(kept.submission.process.pid, pid);
    }
    ck_assert_int_eq(run_case(&program, &kept, 2), CA_NO_MEMORY);
    ck_assert(!kept.open);
    ck_assert_int_eq(kill(pid, 0), -1);
    ck_assert_int_eq(run_case(&program, &kept, 0), CA_OK);
    ck_assert_ok(lab_kept_finish(&kept));
    ck_assert(!kept.open);
    ck_assert_int_eq(lab_device_lock_take(program.device_lock), 0);
    lab_device_lock_give(program.device_lock, 0);
    lab_device_lock_free(program.device_lock);
    ca_lab_build_close(&build);
}
END_TEST

/* --- the limit of time ------------------------------------------------------------------------ */

/* Bodies that do not end, and where: also one whose other processes and threads go on. */
static const char *const endless[] = {
    "STEP { GOOD; for (volatile int i = 1; i;) ; }",
    "STEP { GOOD; if (fork() == 0) { setsid(); if (fork() == 0) for (;;) ; for (;;) pause(); }\n"
    "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, NULL); for (;;) ; }",
};

/* Once a trial has returned, nothing of the kernel is there. */
START_TEST(gone_after_the_limit)
{
    struct ca_lab_program program = built(endless[_i]);

    program.limit_s = 0.3;
    ck_assert_int_eq(run_case(&program, NULL, 0), CA_WRONG);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    ca_lab_build_close(&build);
}
END_TEST

#define SPINNERS 9

/* A limit holds for the time that a kernel has a core: one that shares a core with others, and
 * needs less than its limit of it, is not late. */
START_TEST(waiting_for_a_core_does_not_count)
{
    struct ca_lab_program program =
        built("STEP { GOOD; for (clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;) ; }");
    pid_t spinner[SPINNERS];
    cpu_set_t all, one;

    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < SPINNERS; i++)
        if ((spinner[i] = fork()) == 0)
            for (;;)
                ;
    program.limit_s = 1;
    ck_assert_msg(run_case(&program, NULL, 0) == CA_OK, "%s", reason);
    for (int i = 0; i < SPINNERS; i++) {
        kill(spinner[i], SIGKILL);
        waitpid(spinner[i], NULL, 0);
    }
    ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
    ca_lab_build_close(&build);
}
END_TEST

/* --- device locks ---------------------------------------------------------------------------- */

#define USERS 6
#define AT_ONCE 2

struct use {
    struct lab_device_lock *device_lock;
    int now, most, done; /* users that hold a slot, atomic */
};

static void hold_a_slot(void *context, int i)
{
    struct use *use = context;
    int slot = lab_device_lock_take(use->device_lock),
        now = __atomic_add_fetch(&use->now, 1, __ATOMIC_SEQ_CST), most = use->most;

    while (now > most && !__atomic_compare_exchange_n(&use->most, &most, now, false,
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    /* The first two are there together, as each waits for the other. */
    while (i < AT_ONCE && __atomic_load_n(&use->most, __ATOMIC_SEQ_CST) < AT_ONCE)
        usleep(1000);
    usleep(20000);
    __atomic_sub_fetch(&use->now, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&use->done, 1, __ATOMIC_SEQ_CST);
    if (i % 2)
        raise(SIGKILL); /* with its slot */
    lab_device_lock_give(use->device_lock, slot);
}

static void died(void *context, int i, const char *how) { (void)context, (void)i, (void)how; }

START_TEST(device_lock)
{
    struct use *use = ca_shared_memory(sizeof *use);
    const struct lab_pool pool = {
        .count = USERS, .most = USERS, .context = use, .work = hold_a_slot, .died = died};

    use->device_lock = lab_device_lock_make(AT_ONCE);
    ck_assert_ok(lab_pool_run(&pool, &error));
    ck_assert_int_eq(use->done, USERS);
    ck_assert_int_eq(use->most, AT_ONCE);
    ck_assert_int_eq(lab_device_lock_take(NULL), 0);
    lab_device_lock_give(NULL, 0);
    lab_device_lock_free(use->device_lock);
    ca_shared_free(use, sizeof *use);
}
END_TEST

/* --- descendants ------------------------------------------------------------------------------ */

#define HELD (48 << 20) /* bytes that each of them takes */

static int told[2];

static _Noreturn void hold(void)
{
    char *held = malloc(HELD);

    alarm(60); /* where nobody ends it */
    for (size_t i = 0; held && i < HELD; i += 4096)
        ((volatile char *)held)[i] = 1;
    if (write(told[1], "x", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static void *forks(void *none)
{
    if (fork() == 0)
        hold();
    pause(); /* the thread stays, so that the child is its own */
    return none;
}

/* A child, one of its second thread, and an orphan in another group: all are counted, then all are
 * ended. One that was there before is left alone. */
START_TEST(all_below)
{
    char byte;
    pid_t before, pid;
    int64_t all;

    ck_assert_int_eq(pipe(told), 0);
    before = fork();
    if (before == 0)
        hold();
    ck_assert(descendants_adopt());
    pid = fork();
    if (pid == 0) {
        pthread_t thread;

        pthread_create(&thread, NULL, forks, NULL);
        if (fork() == 0) {
            setsid();
            if (fork() == 0)
                hold();
            _exit(0);
        }
        hold();
    }
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(read(told[0], &byte, 1), 1);
    all = descendants_memory(); /* Linux counts pages by some hundreds */
    ck_assert_int_ge(all, 3L * HELD - HELD / 2);
    descendants_spare(pid, true);
    descendants_kill();
    ck_assert_int_eq(kill(pid, 0), 0);
    ck_assert_int_ge(descendants_memory(), 2L * HELD - HELD / 2);
    ck_assert_int_le(descendants_memory(), all - HELD / 2);
    descendants_spare(pid, false);
    descendants_kill();
    ck_assert_int_eq(kill(pid, 0), -1);
    ck_assert_int_eq(descendants_memory(), 0);
    ck_assert_int_eq(kill(before, SIGKILL), 0);
    ck_assert_int_eq(waitpid(-1, NULL, 0), before);
    ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {the_process_stays, waiting_for_a_core_does_not_count, device_lock,
                              all_below},
                     .table = {{cases_in_one_process, COUNT(kernels)},
                               {gone_after_the_limit, COUNT(endless)}});
}
