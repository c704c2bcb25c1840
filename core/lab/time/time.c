/* SPDX-License-Identifier: MIT */
/* Runs bursts of a kernel and of the backend beside it, while nobody else uses the device, and
 * makes a figure of them. */
#include "core/lab/time/time.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/bench/choose.h"
#include "core/files/lock.h"
#include "core/lab/process/descendants.h"
#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/sim/simulation.h"

#define LIMIT_S 20.0 /* of a call, at least: bursts are longer than the calls of a check */
#define TRIAL_S 0.02 /* by which a burst that shows what a generation takes is longer than one */
#define OVERHEADS 20 /* a burst is so many times as long as handing over and taking */
#define LONGEST_S 0.2
#define CALLS 100      /* of which a burst is made, so that its length can be chosen */
#define LATEST 2000000 /* the last generation that a burst begins at */
#define ABOVE 1.25     /* times the ceiling that nothing reaches: it is measured, too */
#define ASK_AGAIN_S 15 /* whether others use a GPU */
#define STREAM_TIME 0x10000
#define ASK_S 0.2  /* for a lock, and how much others use a GPU */
#define IDLE_S 3.0 /* in which a GPU's figure forgets what was before */

const char *const ca_lab_timed_names[] = {
    [CA_LAB_UNTIMED] = "untimed",    [CA_LAB_TIMED] = "timed",   [CA_LAB_EMULATED] = "emulated",
    [CA_LAB_NO_RUNG] = "no backend", [CA_LAB_SHARED] = "shared", [CA_LAB_ABOVE] = "above",
    [CA_LAB_FAILED] = "failed",
};

struct timer {
    const struct ca_lab *lab;
    const struct ca_lab_secret *secret;
    uint32_t drawn;
    struct ca_experiment experiment;             /* of the rung */
    struct ca_simulation *rung, *trusted;        /* what is timed, and what results are held to */
    struct ca_lattice input, other, got, wanted; /* `other` is what the rung's result goes to */
    uint64_t t;                                  /* of the input */
    struct ca_lab_submission submission;
    uint64_t per_call[2];
    struct ca_meter meter[2];
    struct ca_interference interference; /* during the last burst */
    double alone_s; /* of a generation of the rung, while there was no kernel */
    struct ca_lab_timing *timing;
    ca_lab_progress *progress;
    void *context;
    struct ca_error *error;
};

static uint64_t timer_draw(struct timer *timer)
{
    return ca_lab_secret_draw(timer->secret, STREAM_TIME, timer->drawn++);
}

static enum ca_status timer_goes_on(const struct timer *timer, const char *what)
{
    if (timer->progress && !timer->progress(timer->context, what, 0, 0))
        return ca_fail(timer->error, CA_TIMEOUT, "stopped");
    return CA_OK;
}

static enum ca_status timer_failed(struct timer *timer, const char *text)
{
    timer->timing->what = CA_LAB_FAILED;
    snprintf(timer->timing->text, sizeof timer->timing->text, "%s", text);
    return CA_WRONG;
}

/* --- bursts ----------------------------------------------------------------------------------- */

/* A start that nobody has seen, and a generation for it. Where the lab's own start is the same for
 * every seed, it is the model's first. */
static enum ca_status new_input(struct timer *timer)
{
    struct ca_experiment experiment = timer->experiment;

    experiment.seed = timer_draw(timer);
    timer->t = timer_draw(timer) % LATEST;
    ca_lattice_free(&timer->input);
    return ca_initial_state(&experiment, &timer->input, timer->error);
}

static enum ca_status timer_run(struct timer *timer, struct ca_simulation *simulation, uint64_t n,
                                struct ca_lattice *result)
{
    CA_TRY(ca_simulation_load(simulation, &timer->input, timer->t, timer->error));
    CA_TRY(ca_simulation_step(simulation, n, timer->error));
    return ca_simulation_rows(simulation, result->plane, 0, ca_rows(result->size), timer->error);
}

static enum ca_status timer_compare(struct timer *timer, uint64_t n)
{
    struct ca_difference difference;
    char text[200];

    CA_TRY(timer_run(timer, timer->trusted, n, &timer->wanted));
    difference = ca_lattice_compare(&timer->wanted, &timer->got);
    if (difference.count == 0) {
        timer->timing->bursts++;
        return CA_OK;
    }
    snprintf(text, sizeof text,
             "where it was timed, on states that it had not seen, its cells are wrong: %lld of "
             "%lld after a call of %llu generations",
             (long long)difference.count, (long long)ca_cells(timer->got.size) * timer->got.planes,
             (unsigned long long)n);
    return timer_failed(timer, text);
}

/* One burst of the kernel, whose processes run in it alone. */
static enum ca_status burst_of_kernel(struct timer *timer, uint64_t n, double *seconds)
{
    enum ca_status status;

    CA_TRY(new_input(timer));
    ca_meter_start(&timer->meter[0]);
    descendants_signal(SIGCONT);
    status = ca_lab_submission_time(&timer->submission, &timer->input, timer->t, n, &timer->got,
                                    seconds);
    if (status == CA_OK)
        ca_meter_stop(&timer->meter[0], &timer->interference);
    if (status == CA_WRONG)
        return timer_failed(timer, timer->submission.fault.text);
    CA_TRY(status);
    descendants_signal(SIGSTOP);
    return timer_compare(timer, n);
}

/* One of side 0, the kernel, or 1, the rung, which gets the kernel's last input. */
static enum ca_status timer_burst(struct timer *timer, int side, uint64_t n, double *seconds)
{
    double start;
    enum ca_status status;

    if (side == 0)
        return burst_of_kernel(timer, n, seconds);
    ca_meter_start(&timer->meter[1]);
    start = ca_now();
    status = timer_run(timer, timer->rung, n, &timer->other);
    *seconds = ca_now() - start;
    ca_meter_stop(&timer->meter[1], &timer->interference);
    return status;
}

/* --- the roofline ----------------------------------------------------------------------------- */

/*
 * A kernel of the form "step" moves every changed plane in every generation, which is written and
 * has been read; one that has its own layout may keep several generations in registers, and is
 * bound by logic alone. That takes the fewest operations of a cell update among calab's backends.
 */
double ca_lab_ceiling(const struct ca_lab *lab, struct ca_size size, const struct ca_probe *probe)
{
    const struct ca_model *model = lab->model;
    const struct ca_backend *rung = ca_lab_rung(lab);
    struct ca_experiment experiment = ca_lab_experiment(lab, size, 1);
    struct ca_plan plan = {.generations = 0};
    struct ca_ceilings ceilings;
    double bytes = 0, ops = 0, memory, logic;

    for (int p = 0; p < model->planes; p++)
        bytes += model->constant_planes >> p & 1 ? 0 : 2.0 * (double)ca_type_bytes(model->type);
    for (const struct ca_backend *b = model->backends; b->name; b++)
        if (b->device == rung->device && b->ops_per_cell_step > 0 &&
            (ops == 0 || b->ops_per_cell_step < ops))
            ops = b->ops_per_cell_step;
    ca_experiment_backend(&experiment, rung, CA_FROM_EXPERIMENT);
    plan.memory_bytes = (int64_t)(bytes * (double)ca_cells(size));
    ceilings = ca_probe_ceilings(probe, &experiment, &plan);
    memory = lab->form == CA_LAB_STEP ? 1e9 * ceilings.copy_gb / bytes : 0;
    logic = ops > 0 ? 1e9 * ceilings.gops / ops : 0;
    return memory > 0 && (logic == 0 || memory < logic) ? memory : logic;
}

/* --- the measurement -------------------------------------------------------------------------- */

/* How many generations a call has: so many that CALLS of them are a burst, or one is, where handing
 * over and taking the state takes a twentieth of that. */
static enum ca_status find_call(struct timer *timer, int side, double *generation_s)
{
    double one_s, enough_s, many_s, step_s, overhead_s, wanted_s;
    uint64_t n = 1;

    for (int i = 0; i < 2; i++)
        CA_TRY(timer_burst(timer, side, 1, &one_s));
    enough_s = one_s < LONGEST_S ? one_s + TRIAL_S : 0;
    for (many_s = one_s; many_s < enough_s && n < 1000000;) {
        n = (uint64_t)fmin((double)n * 8, ceil((double)n * 1.5 * enough_s / many_s));
        CA_TRY(timer_goes_on(timer, side ? "the backend" : "the kernel"));
        CA_TRY(timer_burst(timer, side, n, &many_s));
    }
    step_s = fmax(n > 1 ? (many_s - one_s) / (double)(n - 1) : one_s, 1e-9);
    overhead_s = fmax(one_s - step_s, 0);
    wanted_s = fmin(fmax(OVERHEADS * overhead_s, CA_RATIO_BURST_S), LONGEST_S);
    if (wanted_s <= CA_RATIO_BURST_S)
        wanted_s /= CALLS;
    timer->per_call[side] = (uint64_t)fmax(1, wanted_s / step_s);
    *generation_s = many_s / (double)n;
    return CA_OK;
}

/* A side of the comparison: 0 is the kernel, 1 the backend. */
struct timed {
    struct timer *timer;
    int side;
    double seconds; /* of the last bursts */
};

static enum ca_status make_bursts(void *self, uint64_t generations, uint64_t calls,
                                  struct ca_error *error)
{
    struct timed *timed = self;
    struct timer *timer = timed->timer;
    uint64_t planned = generations * calls * timer->per_call[timed->side];
    /* By up to a 32nd more than planned, as their number is part of the question. */
    uint64_t n = planned + timer_draw(timer) % (planned / 32 + 1);

    (void)error; /* which is the timer's */
    CA_TRY(timer_burst(timer, timed->side, n, &timed->seconds));
    timed->seconds *= (double)planned / (double)n;
    return CA_OK;
}

static enum ca_status bursts_made(void *self, struct ca_side_result *result, struct ca_error *error)
{
    const struct timed *timed = self;

    (void)error;
    result->seconds = timed->seconds;
    result->others = timed->timer->interference;
    return CA_OK;
}

static bool watch_bursts(void *context, const char *what)
{
    const struct timer *timer = context;

    (void)what;
    return !timer->progress || timer->progress(timer->context, "bursts in turns", 0, 0);
}

static enum ca_status timer_measure(struct timer *timer)
{
    int64_t cells = ca_cells(timer->experiment.size);
    const int64_t work[2] = {cells * (int64_t)timer->per_call[0],
                             cells * (int64_t)timer->per_call[1]};
    struct timed timed[2] = {{timer, 0, 0}, {timer, 1, 0}};
    const struct ca_side side[2] = {
        {.self = &timed[0], .burst = make_bursts, .result = bursts_made},
        {.self = &timed[1], .burst = make_bursts, .result = bursts_made}};
    struct ca_ratio *ratio = malloc(sizeof *ratio);
    enum ca_status status;

    if (!ratio)
        return ca_fail(timer->error, CA_NO_MEMORY, "no memory");
    ca_ratio_begin(ratio, work, 1);
    status = ca_ratio_run(ratio, side, watch_bursts, timer, timer->error);
    timer->timing->ratio = ca_ratio_result(ratio);
    for (int i = 0; i < 2 && status == CA_OK; i++)
        timer->timing->generation_s[i] = (double)cells / timer->timing->ratio.rate[i];
    free(ratio);
    return status;
}

/* Whether the figure counts. */
static void judge_timing(struct timer *timer, const struct ca_probe *probe)
{
    struct ca_lab_timing *timing = timer->timing;
    double allowed = timer->lab->points.others, beside_s = timing->generation_s[1];
    char *text = timing->text;
    size_t size = sizeof timing->text;

    timing->what = CA_LAB_TIMED;
    timing->ceiling = probe ? ca_lab_ceiling(timer->lab, timing->size, probe) : 0;
    if (timing->ceiling > 0 && timing->ratio.rate[0] > ABOVE * timing->ceiling) {
        timing->what = CA_LAB_ABOVE;
        snprintf(text, size,
                 "%.3g cell updates a second are more than this machine can make, %.3g: the figure "
                 "is refused",
                 timing->ratio.rate[0], timing->ceiling);
    } else if (timing->others > allowed) {
        timing->what = CA_LAB_SHARED;
        snprintf(text, size, "others used %.2f cores meanwhile, and allowed are %.2f",
                 timing->others, allowed);
    } else if (timing->ratio.unsure && allowed < timing->ratio.disturbance.cores) {
        char why[CA_RATIO_VERDICT];

        timing->what = CA_LAB_SHARED;
        snprintf(text, size, "%s; %d of %d pairs of bursts count",
                 ca_ratio_verdict(why, &timing->ratio), timing->ratio.pairs, timing->ratio.made);
    } else if (beside_s > (1 + allowed) * timer->alone_s) {
        timing->what = CA_LAB_SHARED;
        snprintf(text, size,
                 "%s took %.3g s a generation alone and %.3g s beside the kernel: something else "
                 "used the device",
                 timing->rung, timer->alone_s, beside_s);
    }
}

static enum ca_status timer_beside(struct timer *timer, const struct ca_lab_program *program,
                                   const struct ca_probe *probe)
{
    const struct ca_setup *setup = ca_simulation_setup(timer->rung);
    struct ca_lab_program patient = *program;
    enum ca_status status;
    double kernel_s;

    patient.limit_s = fmax(patient.limit_s, LIMIT_S);
    status = ca_lab_submission_open(&timer->submission, timer->lab, setup, &patient, timer->error);
    if (status == CA_WRONG)
        return timer_failed(timer, timer->submission.fault.text);
    CA_TRY(status);
    CA_TRY(find_call(timer, 0, &kernel_s));
    CA_TRY(timer_measure(timer));
    if (!timer->lab->cuda)
        timer->timing->others = timer->timing->ratio.others;
    judge_timing(timer, probe);
    return CA_OK;
}

/* --- what is compared ------------------------------------------------------------------------- */

static struct ca_size size_of(const struct ca_lab *lab)
{
    struct ca_size best = lab->size[0];
    bool square = false;

    if (lab->points.size.w > 0)
        return lab->points.size;
    for (int i = 0; i < lab->sizes; i++) {
        bool is = ca_lab_group_of(lab->size[i], lab->model->dimensions, lab->tile) == CA_LAB_SQUARE;

        if (is > square || (is == square && ca_cells(lab->size[i]) > ca_cells(best)))
            best = lab->size[i];
        square = square || is;
    }
    return best;
}

static enum ca_status timer_prepare(struct timer *timer)
{
    const struct ca_model *model = timer->lab->model;
    struct ca_lattice *const lattices[] = {&timer->other, &timer->got, &timer->wanted};
    const struct ca_backend *choice;
    struct ca_experiment trusted;
    bool same;

    timer->experiment = ca_lab_experiment(timer->lab, timer->timing->size, timer_draw(timer));
    ca_experiment_backend(&timer->experiment, ca_lab_rung(timer->lab), CA_FROM_EXPERIMENT);
    CA_TRY(ca_experiment_check(&timer->experiment, timer->error));
    /* Answers could be kept where two seeds make the same start. */
    CA_TRY(new_input(timer));
    same = ca_initial_state(&timer->experiment, &timer->other, timer->error) == CA_OK &&
           ca_lattice_compare(&timer->input, &timer->other).count == 0;
    ca_lattice_free(&timer->other);
    if (same)
        snprintf(timer->experiment.init, sizeof timer->experiment.init, "%s",
                 model->start->named[0].name);
    CA_TRY(ca_simulation_open(&timer->rung, &timer->experiment, timer->error));
    for (int i = 0; i < 2; i++)
        ca_simulation_meter(timer->rung, &timer->meter[i]);
    /* The fastest backend of calab whose states are the reference's is trusted. */
    trusted = timer->experiment;
    CA_TRY(ca_backend_find(&choice, model, timer->lab->cuda ? "auto" : "cpu", timer->error));
    ca_experiment_backend(&trusted, choice, CA_FROM_EXPERIMENT);
    CA_TRY(ca_choose_backend(&trusted, timer->error));
    CA_TRY(ca_simulation_open(&timer->trusted, &trusted, timer->error));
    for (int i = 0; i < 3; i++)
        CA_TRY(ca_lattice_alloc(lattices[i], timer->timing->size, model->type, model->planes,
                                timer->error));
    return new_input(timer);
}

/* --- the device ------------------------------------------------------------------------------- */

int lab_use_lock(const char *name, bool (*wait)(void *context), void *context)
{
    enum ca_lock lock = CA_LOCK_HELD;
    char path[256];
    int fd;

    snprintf(path, sizeof path, "/tmp/calab-lab-%.200s.lock", name);
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    /* All users may lock it; one that somebody else has made is opened as it is. */
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0)
            fchmod(fd, 0666);
    }

    while (fd >= 0 && (lock = ca_lock_wait(fd, ASK_S)) == CA_LOCK_HELD && wait(context))
        ;
    if (fd >= 0 && lock != CA_LOCK_GOT) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* The share of time in which a GPU that this process leaves alone runs kernels, once it is at most
 * `allowed`, or else after some seconds; 0 where it is not known. */
static double use_of_gpu(double allowed)
{
    const struct timespec pause = {0, (long)(ASK_S * 1e9)};
    double until = ca_now() + IDLE_S;
    struct ca_device device;
    struct ca_error ignored;

    for (;;) {
        if (ca_device_gpu(0, &device, &ignored) != CA_OK || !device.utilisation.known)
            return 0;
        if (device.utilisation.value <= allowed || ca_now() > until)
            return device.utilisation.value;
        nanosleep(&pause, NULL);
    }
}

static bool waits(void *context)
{
    const struct timer *timer = context;

    return timer_goes_on(timer, "another grader has the device") == CA_OK;
}

/* The device is idle but for what this process does: says so where it is not. What was timed just
 * before is forgotten by a GPU's figure only after a second, so that it is not asked each time. */
static bool is_idle(struct timer *timer)
{
    static double asked_s = -ASK_AGAIN_S;
    double allowed = timer->lab->points.others;

    if (!timer->lab->cuda || ca_now() - asked_s < ASK_AGAIN_S)
        return true;
    asked_s = ca_now();
    timer->timing->others = use_of_gpu(allowed);
    if (timer->timing->others <= allowed)
        return true;
    asked_s = -ASK_AGAIN_S;
    timer->timing->what = CA_LAB_SHARED;
    snprintf(timer->timing->text, sizeof timer->timing->text,
             "others use the GPU %.0f %% of the time, and allowed are %.0f %%",
             100 * timer->timing->others, 100 * allowed);
    return false;
}

/* Fills in why nothing can be timed, and returns true, where that is known before. `program` is
 * whether there is one for the device itself. */
static bool is_untimed(const struct ca_lab *lab, bool program, struct ca_lab_timing *timing)
{
    const struct ca_backend *rung = ca_lab_rung(lab);
    struct ca_error why;

    *timing = (struct ca_lab_timing){.what = CA_LAB_UNTIMED, .size = size_of(lab)};
    snprintf(timing->rung, sizeof timing->rung, "%s", rung->name);
    if (ca_backend_available(rung, &why) != CA_OK) {
        timing->what = CA_LAB_NO_RUNG;
        snprintf(timing->text, sizeof timing->text, "%s does not run here: %.600s", rung->name,
                 why.text);
    } else if (!program || ca_device_emulated(rung)) {
        timing->what = CA_LAB_EMULATED;
        snprintf(timing->text, sizeof timing->text, "%s", CA_NOT_A_SPEED);
    }
    return timing->what != CA_LAB_UNTIMED;
}

enum ca_status ca_lab_time(const struct ca_lab *lab, const struct ca_lab_program *program,
                           const struct ca_lab_secret *secret, const struct ca_probe *probe,
                           struct ca_lab_timing *timing, ca_lab_progress *progress, void *context,
                           struct ca_error *error)
{
    struct timer timer = {
        .lab = lab,
        .secret = secret,
        .submission = {.socket = -1, .shared = -1, .process = {.pidfd = -1, .output = -1}},
        .timing = timing,
        .progress = progress,
        .context = context,
        .error = error};
    struct ca_cuda_device gpu;
    struct ca_device device;
    struct ca_error ignored;
    enum ca_status status;
    char name[64];
    int lock;

    if (is_untimed(lab, program != NULL, timing) || !program)
        return CA_OK;
    if (lab->cuda && ca_cuda_device(0, &gpu, &ignored) == CA_OK)
        snprintf(name, sizeof name, "gpu-%.32s", gpu.bus);
    else
        snprintf(name, sizeof name, "%s", lab->cuda ? "gpu" : "cpu");
    lock = lab_use_lock(name, waits, &timer);
    status = timer_goes_on(&timer, "the backend");
    if (status == CA_OK && is_idle(&timer)) {
        status = timer_prepare(&timer);
        ca_device_of(timer.experiment.backend, &timer.experiment.options, &device);
        snprintf(timing->device, sizeof timing->device, "%s", device.name);
        if (status == CA_OK)
            status = find_call(&timer, 1, &timer.alone_s);
        if (status == CA_OK)
            status = timer_beside(&timer, program, probe);
    }
    ca_lab_submission_end(&timer.submission);
    ca_lab_submission_free(&timer.submission);
    ca_simulation_close(timer.rung);
    ca_simulation_close(timer.trusted);
    ca_lattice_free(&timer.input);
    ca_lattice_free(&timer.other);
    ca_lattice_free(&timer.got);
    ca_lattice_free(&timer.wanted);
    if (lock >= 0)
        close(lock);
    return status == CA_WRONG && timing->what == CA_LAB_FAILED ? CA_OK : status;
}
