/* SPDX-License-Identifier: MIT */
/*
 * How fast the kernel of a lab is, beside a backend on the same device. The two run
 * alternately (core/compare/ratio.h), in bursts of at least 20 ms while this process has the
 * device's lock.
 *
 * A burst begins when this process hands over a state and ends when it has taken the result, by the
 * clock of this process. Each has a state that the kernel has never seen, another number of
 * generations, and a result that is compared with that of a backend of calab: answers that were
 * kept, work that was put off, and what the kernel's process says about itself are of no use. Its
 * processes are stopped while the backend runs.
 */
#ifndef CALAB_CORE_LAB_TIME_TIME_H
#define CALAB_CORE_LAB_TIME_TIME_H

#include "core/compare/drive.h"
#include "core/lab/process/submission.h"
#include "core/lab/kernel/secret.h"
#include "core/probe/probe.h"

enum ca_lab_timed {
    CA_LAB_UNTIMED, /* nobody has tried */
    CA_LAB_TIMED,
    CA_LAB_EMULATED, /* on an emulated GPU no time is a speed */
    CA_LAB_NO_RUNG,  /* the backend that it is held against does not run here */
    CA_LAB_SHARED,   /* others used the device */
    CA_LAB_ABOVE,    /* it is faster than this machine can be */
    CA_LAB_FAILED,   /* it was wrong, or failed, in a burst */
};
extern const char *const ca_lab_timed_names[];

struct ca_lab_timing {
    enum ca_lab_timed what;
    char text[768]; /* why it is not scored, "" where it is */
    struct ca_size size;
    char rung[64], device[128];
    struct ca_ratio_result ratio; /* of the kernel to the rung */
    double generation_s[2];       /* of the kernel, and of the rung: medians */
    double ceiling;               /* of the machine, in cell updates a second; 0: not known */
    double others;                /* cores, or the share of a GPU, that others used */
    uint64_t bursts;              /* of the kernel, each of which was right */
};

/* Told before each case of a check; false: stop, as the user wants. While the kernel is timed it is
 * asked some times a second, `all` is 0 and `how` what is done. */
typedef bool ca_lab_progress(void *context, const char *how, int done, int all);

/*
 * Times a program that has passed the check. `probe` has the ceilings of this machine, NULL: they
 * are not known. CA_OK also where there is no figure; CA_TIMEOUT where it was stopped.
 */
enum ca_status ca_lab_time(const struct ca_lab *lab, const struct ca_lab_program *program,
                           const struct ca_lab_secret *secret, const struct ca_probe *probe,
                           struct ca_lab_timing *timing, ca_lab_progress *progress, void *context,
                           struct ca_error *error);
/* The most that the machine can do of the lab's model, in cell updates a second; 0: not known. */
double ca_lab_ceiling(const struct ca_lab *lab, struct ca_size size, const struct ca_probe *probe);

/*
 * Opens the lock of the CPU, or of a GPU, /tmp/calab-lab-NAME.lock, which all users of the machine
 * share so that one grader at a time times, and waits for it as long as `wait` returns true, which
 * is asked some times a second. Close the descriptor to give it back. -1: `wait` has ended it, or
 * there are no locks there.
 */
int lab_use_lock(const char *name, bool (*wait)(void *context), void *context);

#endif
