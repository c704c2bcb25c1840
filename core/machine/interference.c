/* SPDX-License-Identifier: MIT */
/* Reads the counters of the machine around a sample, and judges what others did meanwhile. */
#include "core/machine/interference.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/machine/cuda.h"
#include "core/machine/thread_pool.h"

#define UNKNOWN (-1.0)
#define PROC "/proc"
#define DEPTH_MAX 32 /* of processes below each other */

#define WAITED_MOST 0.01 /* of the time of a sample's threads */
#define LEFT_SHORT                                                                                 \
    0.25 /* cores that may be missing: the counters' error, and a machine's own work */
#define PRESSURE_LEAST 0.05
#define PRESSURE_S 0.02 /* a shorter sample has no pressure: Linux counts it by whole jiffies */
#define SPEED_LEAST 0.8
#define IDLE_LEAST 0.15 /* of a sample's time: threads that wait side by side are counted twice */
#define GPU_OTHERS_MOST 0.05
#define ANSWER_MOST_S 0.3e-3 /* a GPU that nobody else uses takes some 10 us */

const char *const ca_quiet_names[] = {"unknown", "quiet", "disturbed"};

/* --- the rule --------------------------------------------------------------------------------- */

bool ca_interference_slow(double speed, double best_speed)
{
    return best_speed > 0 && speed > 0 && speed < SPEED_LEAST * best_speed;
}

enum ca_quiet ca_interference_judge(const struct ca_interference *s, double best_speed)
{
    bool waited = (s->waited.known && s->waited.value > WAITED_MOST * s->threads) ||
                  (s->throttled.known && s->throttled.value > WAITED_MOST);
    bool waits = !s->pressure.known || s->pressure.value > PRESSURE_LEAST;
    bool crowded = s->others.known && s->cores - s->others.value < s->threads - LEFT_SHORT && waits;
    bool on_gpu = (s->gpu_others.known && s->gpu_others.value > GPU_OTHERS_MOST) ||
                  (s->answer_s.known && s->answer_s.value > ANSWER_MOST_S) ||
                  (s->held.known && s->held.value > 0);

    if (waited || crowded || ca_interference_slow(s->speed, best_speed) || (s->gpu && on_gpu))
        return CA_DISTURBED;
    if (s->gpu && !s->gpu_others.known && !s->answer_s.known)
        return CA_QUIET_UNKNOWN;
    return s->waited.known || s->others.known ? CA_QUIET : CA_QUIET_UNKNOWN;
}

double ca_interference_idle_s(const struct ca_interference *sample, double seconds)
{
    double waited = sample->waited.known ? sample->waited.value : 0;

    return seconds * fmax(1 - waited, IDLE_LEAST);
}

/* --- what became of samples ------------------------------------------------------------------- */

static void fact_most(struct ca_fact *most, struct ca_fact fact)
{
    if (fact.known && (!most->known || fact.value > most->value))
        *most = fact;
}

void ca_disturbance_add(struct ca_disturbance *sum, const struct ca_interference *sample,
                        double best_speed)
{
    enum ca_quiet quiet = ca_interference_judge(sample, best_speed);
    double relative = best_speed > 0 && sample->speed > 0 ? sample->speed / best_speed : 1;

    sum->samples++;
    sum->disturbed += quiet == CA_DISTURBED;
    sum->unknown += quiet == CA_QUIET_UNKNOWN;
    sum->cores = sample->cores;
    sum->gpu |= sample->gpu;
    sum->speed = fmax(sum->speed, sample->speed);
    sum->slowest = sum->samples == 1 ? relative : fmin(sum->slowest, relative);
    fact_most(&sum->others, sample->others);
    fact_most(&sum->gpu_others, sample->gpu_others);
    fact_most(&sum->waited, sample->waited);
    fact_most(&sum->answer_s, sample->answer_s);
    sum->held |= sample->held.known && sample->held.value > 0;
    sum->throttled |= sample->throttled.known && sample->throttled.value > WAITED_MOST;
}

char *ca_disturbance_text(char text[CA_DISTURBANCE_TEXT], const struct ca_disturbance *sum)
{
    const size_t size = CA_DISTURBANCE_TEXT;

    if (sum->disturbed == 0)
        snprintf(text, size, "%s",
                 sum->unknown > 0 ? "this system does not tell what others use" : "quiet");
    else if (sum->gpu && sum->gpu_others.known && sum->gpu_others.value > GPU_OTHERS_MOST)
        snprintf(text, size, "others used %.0f %% of the GPU", 100 * sum->gpu_others.value);
    else if (sum->gpu && sum->answer_s.known && sum->answer_s.value > ANSWER_MOST_S)
        snprintf(text, size, "others use the GPU: it answered after %.1f ms",
                 1e3 * sum->answer_s.value);
    else if (sum->gpu && sum->held)
        snprintf(text, size, "heat or a power brake held the GPU's clock down");
    else if (sum->others.known && sum->others.value >= LEFT_SHORT)
        snprintf(text, size, "others used %.1f of %.0f cores", sum->others.value, sum->cores);
    else if (sum->throttled)
        snprintf(text, size, "a control group held this process back");
    else if (sum->slowest > 0 && sum->slowest < SPEED_LEAST)
        snprintf(text, size, "the core ran a fixed loop at %.0f %% of its best speed",
                 100 * sum->slowest);
    else
        snprintf(text, size, "threads waited for a core %.0f %% of the time",
                 100 * sum->waited.value);
    return text;
}

/* --- counters --------------------------------------------------------------------------------- */

struct thread_sum {
    double waited_s;          /* UNKNOWN: a thread does not tell */
    unsigned long long ticks; /* of CPU time, with that of children that have ended */
};

static void thread_sum_process(struct thread_sum *sum, const char *proc, const char *pid,
                               bool windowed, int depth);

/* Adds the time that a thread was ready to run but not on a core, in ns, and its child processes.
 */
static void thread_sum_thread(struct thread_sum *sum, const char *proc, const char *pid,
                              const char *thread, bool windowed, int depth)
{
    char text[4096], *at, *word;
    unsigned long long ran, waited;

    if (!ca_machine_file(text, sizeof text, "%.60s/%.20s/task/%.20s/schedstat", proc, pid,
                         thread) ||
        sscanf(text, "%llu %llu", &ran, &waited) != 2)
        sum->waited_s = UNKNOWN;
    else if (sum->waited_s >= 0)
        sum->waited_s += 1e-9 * (double)waited;
    if (depth == DEPTH_MAX ||
        !ca_machine_file(text, sizeof text, "%.60s/%.20s/task/%.20s/children", proc, pid, thread))
        return;
    for (at = text; (word = strtok_r(at, " \n", &at)) != NULL;)
        thread_sum_process(sum, proc, word, windowed, depth + 1);
}

/* "PID (NAME) STATE PPID ... utime stime cutime cstime ...", see proc_pid_stat(5). */
static bool process_ticks(unsigned long long *ticks, int *parent, const char *proc, const char *pid)
{
    char text[1024], *after;
    unsigned long long v[4];

    if (!ca_machine_file(text, sizeof text, "%.60s/%.20s/stat", proc, pid) ||
        (after = strrchr(text, ')')) == NULL ||
        sscanf(after + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", parent,
               &v[0], &v[1], &v[2], &v[3]) != 5)
        return false;
    *ticks = v[0] + v[1] + v[2] + v[3];
    return true;
}

static void thread_sum_process(struct thread_sum *sum, const char *proc, const char *pid,
                               bool windowed, int depth)
{
    unsigned long long ticks;
    const struct dirent *entry;
    char path[120];
    int parent;
    DIR *folder;

    if (windowed && process_ticks(&ticks, &parent, proc, pid))
        sum->ticks += ticks;
    snprintf(path, sizeof path, "%.60s/%.20s/task", proc, pid);
    folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            thread_sum_thread(sum, proc, pid, entry->d_name, windowed, depth);
    if (folder)
        closedir(folder);
}

/* The topmost process above this one that runs the same program, which is looked for again once it
 * is gone. */
static int topmost_pid(void)
{
    static int topmost;
    unsigned long long ticks;
    struct stat own, other;
    char path[120], name[24];
    int parent;

    snprintf(name, sizeof name, "%d", topmost);
    if (topmost != 0 && process_ticks(&ticks, &parent, PROC, name))
        return topmost;
    topmost = (int)getpid();
    if (stat(PROC "/self/exe", &own) != 0)
        return topmost;
    for (int i = 0; i < DEPTH_MAX; i++) {
        snprintf(name, sizeof name, "%d", topmost);
        if (!process_ticks(&ticks, &parent, PROC, name) || parent <= 1)
            break;
        snprintf(path, sizeof path, PROC "/%d/exe", parent);
        if (stat(path, &other) != 0 || other.st_ino != own.st_ino || other.st_dev != own.st_dev)
            break;
        topmost = parent;
    }
    return topmost;
}

/* "cpuN user nice system idle iowait irq softirq steal ...", see proc_stat(5), of the cores that
 * this process may use. */
static double cores_busy_s(const char *proc)
{
    unsigned long long v[8], ticks = 0;
    char path[80], line[512];
    cpu_set_t cores;
    FILE *file;
    int core, found = 0;

    snprintf(path, sizeof path, "%.60s/stat", proc);
    file = fopen(path, "re");
    if (!file || sched_getaffinity(0, sizeof cores, &cores) != 0) {
        if (file)
            fclose(file);
        return UNKNOWN;
    }
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", &core, &v[0], &v[1],
                   &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 9 &&
            core >= 0 && core < CPU_SETSIZE && CPU_ISSET(core, &cores)) {
            ticks += v[0] + v[1] + v[2] + v[5] + v[6] + v[7];
            found++;
        }
    fclose(file);
    return found > 0 ? (double)ticks / (double)sysconf(_SC_CLK_TCK) : UNKNOWN;
}

/* The number behind `key` in a text, in microseconds there. UNKNOWN: none. */
static double microseconds_in(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? 1e-6 * strtod(at + strlen(key), NULL) : UNKNOWN;
}

bool ca_process_is_ours(int pid)
{
    const int topmost = topmost_pid();
    unsigned long long ticks;
    char name[24];

    for (int i = 0; i < DEPTH_MAX && pid > 1 && pid != topmost; i++) {
        snprintf(name, sizeof name, "%d", pid);
        if (!process_ticks(&ticks, &pid, PROC, name))
            return false;
    }
    return pid == topmost;
}

void ca_reading_take(struct ca_reading *reading, const char *proc, const char *group, bool windowed)
{
    struct thread_sum sum = {0}, family = {0};
    char text[2048], pid[24];

    *reading = (struct ca_reading){
        .busy_s = UNKNOWN, .own_s = UNKNOWN, .pressure_s = UNKNOWN, .throttled_s = UNKNOWN};
    if (ca_machine_file(text, sizeof text, "%.60s/pressure/cpu", proc) &&
        strstr(text, "some avg10="))
        reading->pressure_s = microseconds_in(text, "total=");
    if (group[0] && ca_machine_file(text, sizeof text, "%.400s/cpu.stat", group))
        reading->throttled_s = microseconds_in(text, "throttled_usec ");
    thread_sum_process(&sum, proc, "self", false, 0);
    reading->waited_s = sum.waited_s;
    if (windowed) {
        snprintf(pid, sizeof pid, "%d", topmost_pid());
        thread_sum_process(&family, proc, strcmp(proc, PROC) == 0 ? pid : "self", true, 0);
        reading->busy_s = cores_busy_s(proc);
        reading->own_s = (double)family.ticks / (double)sysconf(_SC_CLK_TCK);
    }
    reading->at_s = ca_now();
}

/* --- the fixed loop -----------------------------------------------------------------------------
 */

#define PASSES 4000
#define TRIES 10
#define CORES_MOST 1024

static struct {
    pthread_mutex_t lock;
    struct ca_thread_pool *pool; /* NULL: none, or none could be had */
    int threads;                 /* that it was made for */
    pid_t process;
    double speed[CORES_MOST];
} loops = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Eight chains that do not wait for each other fill a core's units, which a neighbour on the same
 * core would share. */
static uint64_t loop_passes(uint64_t x)
{
    uint64_t v[8];

    for (int i = 0; i < 8; i++)
        v[i] = x + (uint64_t)i;
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < 8; i++) {
            v[i] = (v[i] << 7 | v[i] >> 57) + 0x9e3779b97f4a7c15u;
            __asm__("" : "+r"(v[i]));
        }
    return v[0] ^ v[1] ^ v[2] ^ v[3] ^ v[4] ^ v[5] ^ v[6] ^ v[7];
}

static double speed_of_core(void)
{
    uint64_t result = 1;
    double best = 0;

    for (int i = 0; i < TRIES; i++) {
        double start = ca_now(), seconds;

        result = loop_passes(result);
        __asm__ volatile("" : : "r"(result));
        seconds = ca_now() - start;
        if (seconds > 0)
            best = fmax(best, PASSES / seconds);
    }
    return best;
}

static void speed_of_worker(void *context, int worker)
{
    (void)context;
    ca_thread_pool_barrier(loops.pool); /* all at once */
    loops.speed[worker] = speed_of_core();
}

double ca_fixed_loop(int threads)
{
    int cores = ca_cpu_cores();
    double slowest = INFINITY;
    struct ca_error ignored;

    threads = threads < cores ? threads : cores;
    threads = threads < CORES_MOST ? threads : CORES_MOST;
    if (threads < 2)
        return speed_of_core();
    pthread_mutex_lock(&loops.lock);
    /* Threads do not live on in a process that was forked: its pool is another. */
    if (loops.process != getpid() || loops.threads != threads) {
        if (loops.process == getpid())
            ca_thread_pool_destroy(loops.pool);
        loops.process = getpid();
        loops.threads = threads;
        if (ca_thread_pool_create(&loops.pool, threads, &ignored) != CA_OK)
            loops.pool = NULL;
    }
    if (loops.pool) {
        ca_thread_pool_run(loops.pool, speed_of_worker, NULL);
        for (int i = 0; i < threads; i++)
            slowest = fmin(slowest, loops.speed[i]);
    } else {
        slowest = speed_of_core();
    }
    pthread_mutex_unlock(&loops.lock);
    return slowest;
}

/* --- the meter ---------------------------------------------------------------------------------
 */

/* The folder of this process's control group in version 2, whose cpu.stat has microseconds. */
static const char *group_of_process(void)
{
    static char folder[400];
    static bool asked;
    char text[2048], *at;

    if (!asked && ca_machine_file(text, sizeof text, PROC "/self/cgroup") &&
        (at = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::")) != NULL) {
        at = strchr(at, '/');
        if (at) {
            at[strcspn(at, "\n")] = '\0';
            snprintf(folder, sizeof folder, "/sys/fs/cgroup%.300s", at);
        }
    }
    asked = true;
    return folder;
}

void ca_meter_open(struct ca_meter *meter, const struct ca_backend *backend,
                   const struct ca_values *options, int threads)
{
    *meter = (struct ca_meter){.threads = threads > 0 ? threads : 1, .cores = ca_cpu_cores()};
    if (backend && backend->device == CA_CUDA && !ca_device_emulated(backend))
        meter->gpus = ca_device_list(options, meter->gpu);
    ca_reading_take(&meter->window, PROC, group_of_process(), true);
}

static struct ca_fact share_between(double before, double after, double seconds)
{
    if (before < 0 || after < 0 || seconds <= 0)
        return (struct ca_fact){0};
    return (struct ca_fact){true, fmax(after - before, 0) / seconds};
}

/* The time of an answer by all GPUs of a sample; below 0: they cannot be asked, or there are
 * none. */
static double meter_answer_s(const struct ca_meter *meter)
{
    double longest = -1;

    for (int i = 0; i < meter->gpus; i++)
        longest = fmax(longest, ca_cuda_answer_s(meter->gpu[i]));
    return longest;
}

void ca_meter_start(struct ca_meter *meter)
{
    meter->answer_s = meter_answer_s(meter);
    meter->speed = ca_fixed_loop((int)meter->threads);
    ca_reading_take(&meter->start, PROC, group_of_process(), false);
}

/* Takes the figures of cores and GPUs of the window that is over. */
static void meter_window(struct ca_meter *meter)
{
    struct ca_interference *last = &meter->last;
    struct ca_reading now;
    double seconds;

    ca_reading_take(&now, PROC, group_of_process(), true);
    seconds = now.at_s - meter->window.at_s;
    last->others = share_between(meter->window.busy_s, now.busy_s, seconds);
    if (last->others.known)
        last->others.value =
            fmax(last->others.value - (now.own_s - meter->window.own_s) / seconds, 0);
    last->gpu_others = last->clock_mhz = last->held = (struct ca_fact){0};
    for (int i = 0; i < meter->gpus; i++) {
        struct ca_gpu_use use;

        ca_gpu_use(meter->gpu[i], &use);
        if (i == 0 || !use.others.known || use.others.value > last->gpu_others.value)
            last->gpu_others = use.others;
        if (i == 0 || use.clock_mhz.value < last->clock_mhz.value)
            last->clock_mhz = use.clock_mhz;
        if (i == 0 || use.held.value > last->held.value)
            last->held = use.held;
    }
    meter->window = now;
}

void ca_meter_look(struct ca_meter *meter, struct ca_interference *now)
{
    if (ca_now() - meter->window.at_s >= CA_WINDOW_S)
        meter_window(meter);
    *now = meter->last;
    now->cores = meter->cores;
    now->gpu = meter->gpus > 0;
}

void ca_meter_stop(struct ca_meter *meter, struct ca_interference *sample)
{
    const struct ca_reading *start = &meter->start;
    struct ca_reading stop;
    double seconds;

    ca_reading_take(&stop, PROC, group_of_process(), false);
    seconds = stop.at_s - start->at_s;
    if (stop.at_s - meter->window.at_s >= CA_WINDOW_S)
        meter_window(meter);
    *sample = meter->last;
    sample->gpu = meter->gpus > 0;
    sample->seconds = seconds;
    sample->cores = meter->cores;
    sample->threads = meter->threads;
    sample->waited = share_between(start->waited_s, stop.waited_s, seconds);
    if (seconds >= PRESSURE_S)
        sample->pressure = share_between(start->pressure_s, stop.pressure_s, seconds);
    sample->throttled = share_between(start->throttled_s, stop.throttled_s, seconds);
    if (meter->answer_s >= 0)
        sample->answer_s = (struct ca_fact){true, fmax(meter->answer_s, meter_answer_s(meter))};
    sample->speed = fmin(meter->speed, ca_fixed_loop((int)meter->threads));
}
