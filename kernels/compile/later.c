/* SPDX-License-Identifier: MIT */
/* This file compiles texts in a thread of its own. */
#include "kernels/compile/later.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/driver_compiler.h"
#include "core/machine/thread_signals.h"

struct compile_later {
    struct compile_later *next;
    char *copy;
    char name[64];
    enum compile_gpu compiler;
    int capability;
    enum compile_state state;
    bool looked; /* whether it is kept */
    bool queued; /* for the thread */
    struct compile_text text;
    struct compile_job job;
    char path[PATH_MAX];
    struct ca_error error;
};

/* The mutex guards all states; `changed` tells of each change. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct compile_later *first;
    bool runs;   /* the thread */
    bool ending; /* the program */
    bool at_exit;
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static const char *const no_headers[] = {NULL};

static struct compile_later *find_later(const char *text, enum compile_gpu compiler, int capability)
{
    struct compile_later *later = all.first;

    while (later && (strcmp(later->copy, text) != 0 || later->compiler != compiler ||
                     later->capability != capability))
        later = later->next;
    return later;
}

static struct compile_later *add_later(const char *text, const char *name,
                                       enum compile_gpu compiler, int capability)
{
    struct compile_later *later = calloc(1, sizeof *later);

    if (later)
        later->copy = strdup(text);
    if (!later || !later->copy) {
        free(later);
        return NULL;
    }
    snprintf(later->name, sizeof later->name, "%s", name);
    later->compiler = compiler;
    later->capability = capability;
    later->text = (struct compile_text){.name = later->name,
                                        .text = later->copy,
                                        .size = strlen(later->copy),
                                        .headers = no_headers,
                                        .kept = "kernels"};
    later->job = (struct compile_job){.from = &later->text};
    later->next = all.first;
    return all.first = later;
}

struct compile_later *compile_later_of(const char *text, const char *name,
                                       enum compile_gpu compiler, int capability)
{
    struct compile_later *later;

    pthread_mutex_lock(&all.mutex);
    later = find_later(text, compiler, capability);
    if (!later)
        later = add_later(text, name, compiler, capability);
    pthread_mutex_unlock(&all.mutex);
    return later;
}

static void look_for_kept(struct compile_later *later)
{
    if (later->state != COMPILE_NOT_YET || later->looked)
        return;
    later->looked = true;
    if (compile_gpu_kept(&later->job, later->compiler, later->capability, later->path))
        later->state = COMPILE_MADE;
}

enum compile_state compile_later_state(struct compile_later *later)
{
    enum compile_state state;

    pthread_mutex_lock(&all.mutex);
    look_for_kept(later);
    state = later->state;
    pthread_mutex_unlock(&all.mutex);
    return state;
}

/* Compiles it, the mutex being held but for that time. */
static void compile_now(struct compile_later *later)
{
    enum ca_status status;

    later->state = COMPILE_UNDER_WAY;
    later->queued = false;
    pthread_mutex_unlock(&all.mutex);
    status =
        compile_gpu(&later->job, later->compiler, later->capability, later->path, &later->error);
    if (status != CA_OK || later->job.keeps)
        compile_close(&later->job);
    pthread_mutex_lock(&all.mutex);
    later->state = status == CA_OK ? COMPILE_MADE : COMPILE_REFUSED;
    pthread_cond_broadcast(&all.changed);
}

/* --- the thread ------------------------------------------------------------------------------- */

static struct compile_later *next_queued(void)
{
    struct compile_later *later = all.first;

    while (later && !later->queued)
        later = later->next;
    return all.ending ? NULL : later;
}

static void *compile_queued(void *none)
{
    struct compile_later *later;

    pthread_mutex_lock(&all.mutex);
    while ((later = next_queued()))
        compile_now(later);
    all.runs = false;
    pthread_cond_broadcast(&all.changed);
    pthread_mutex_unlock(&all.mutex);
    return none;
}

/* A compiler in this process must not run while what it uses is taken down. */
static void end_thread(void)
{
    pthread_mutex_lock(&all.mutex);
    all.ending = true;
    while (all.runs)
        pthread_cond_wait(&all.changed, &all.mutex);
    pthread_mutex_unlock(&all.mutex);
}

static bool start_thread(enum compile_gpu compiler, int capability)
{
    pthread_attr_t attributes;
    sigset_t before;
    pthread_t thread;
    bool good;

    if (!all.at_exit) {
        if (compiler == COMPILE_DRIVER) /* at exit it has to be there until end_thread() returns */
            ca_driver_compiler_load(capability);
        all.at_exit = atexit(end_thread) == 0;
    }
    ca_thread_signals(&before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    good = pthread_create(&thread, &attributes, compile_queued, NULL) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

void compile_later_begin(struct compile_later *later)
{
    pthread_mutex_lock(&all.mutex);
    look_for_kept(later);
    if (later->state == COMPILE_NOT_YET) {
        later->queued = true;
        later->state = COMPILE_UNDER_WAY;
        if (!all.runs)
            all.runs = start_thread(later->compiler, later->capability);
        if (!all.runs) {
            later->queued = false;
            later->state = COMPILE_NOT_YET;
        }
    }
    pthread_mutex_unlock(&all.mutex);
}

enum ca_status compile_later_await(struct compile_later *later, struct ca_error *error)
{
    enum ca_status status = CA_OK;

    pthread_mutex_lock(&all.mutex);
    look_for_kept(later);
    if (later->state == COMPILE_NOT_YET || later->queued)
        compile_now(later);
    while (later->state == COMPILE_UNDER_WAY)
        pthread_cond_wait(&all.changed, &all.mutex);
    if (later->state == COMPILE_REFUSED)
        status = ca_fail(error, CA_COMPILE, "%s", later->error.text);
    pthread_mutex_unlock(&all.mutex);
    return status;
}

const char *compile_later_path(const struct compile_later *later) { return later->path; }

void compile_later_loaded(struct compile_later *later)
{
    pthread_mutex_lock(&all.mutex);
    compile_close(&later->job);
    pthread_mutex_unlock(&all.mutex);
}
