/* SPDX-License-Identifier: MIT */
/*
 * Whether the kernel of a lab is right: compiled, run as a process of its own on all sizes and
 * seeds of the lab, several calls each, several times over, and compared with the reference cell
 * for cell. A tool that watches each access then looks at it on the small sizes, or first, where
 * CUDA runs on the emulator alone.
 */
#ifndef CALAB_CORE_LAB_CHECK_CHECK_H
#define CALAB_CORE_LAB_CHECK_CHECK_H

#include "core/lab/process/build.h"
#include "core/lab/kernel/command.h"
#include "core/lab/process/submission.h"
#include "core/lab/cause/influence.h"
#include "core/lab/time/time.h"
#include "core/lab/check/oracle.h"

#define CA_LAB_FINDINGS_MAX 12
#define CA_LAB_AROUND_MAX 1024 /* bytes of the text of a neighbourhood */

struct lab_kept;

struct ca_lab_report {
    enum ca_lab_verdict verdict;
    char text[768];  /* in words what is wrong, "" */
    const char *how; /* what ran it: "cc", "the emulator", ... */
    /* The case that failed; not of BROKEN: */
    struct ca_size size;
    uint64_t seed, start;  /* the generation at which it began */
    uint64_t call, passed; /* the generations of the call that failed, and of those before it */
    int repeat;            /* 0: the first time */
    char command[CA_LAB_COMMAND_MAX]; /* of a whole program, in that call; "" */
    /* With verdict CELL: */
    uint64_t generation; /* in which the first cell is wrong */
    bool only_together;  /* one generation a call, each is right */
    int64_t unwritten;   /* wrong cells that nobody wrote */
    struct ca_difference difference;
    char *map;
    char around[CA_LAB_AROUND_MAX]; /* the cells around the first wrong one, "" */
    char *said;             /* what the kernel has printed, or the compiler; NULL: nothing */
    int64_t printed;        /* bytes of it */
    struct ca_findings why; /* of CELL: what probes have found */
    char finding[CA_LAB_FINDINGS_MAX][400]; /* what a tool says that watched its accesses */
    int findings;
    char not_watched[400];     /* why none did, "" */
    struct ca_lab_slow slow;   /* of SLOW */
    int cases, sizes_left_out; /* that were right; that the model or the emulator does not take */
    int64_t cells;             /* compared */
    double seconds;
    struct ca_lab_timing timing; /* of a right one, where lab.cfg names a backend */
};

/*
 * CA_OK once there is a verdict, whatever it is. CA_IO, CA_NO_MEMORY, CA_NO_DEVICE where this
 * machine cannot check it; CA_WRONG with an empty text where it was stopped. Free the report in any
 * case.
 */
enum ca_status ca_lab_check(const struct ca_lab *lab, struct ca_lab_report *report,
                            ca_lab_progress *progress, void *context, struct ca_error *error);
/* The same of a folder that has been opened, and untimed: what was built stays there, and what is
 * there is not built again. Without `known` cases run where accesses are watched alone. */
enum ca_status ca_lab_check_built(const struct ca_lab *lab, struct ca_lab_build *build, bool known,
                                  struct ca_lab_report *report, ca_lab_progress *progress,
                                  void *context, struct ca_error *error);
/* One more case, of a build that ca_lab_check_built has made programs in: on the device itself, in
 * the process that is kept (NULL: one of its own), or, where there is no program for that, on the
 * emulator. CA_WRONG with report->verdict. */
enum ca_status ca_lab_check_case(const struct ca_lab *lab, struct ca_lab_build *build,
                                 const struct ca_lab_oracle *oracle, struct lab_kept *kept,
                                 int repeats, struct ca_lab_report *report, struct ca_error *error);
/* The same cases in one process, in another order, and each alone (core/lab/check/trial.h).
 * CA_WRONG with report->verdict, where case *failed is wrong. */
enum ca_status ca_lab_check_again(const struct ca_lab *lab, struct ca_lab_build *build,
                                  const struct ca_lab_case one[], int count, int *failed,
                                  struct ca_lab_report *report, ca_lab_progress *progress,
                                  void *context, struct ca_error *error);
/* Whether a case is too large for the emulator, where that is all that there is. */
bool ca_lab_is_too_large(const struct ca_lab *lab, const struct ca_lab_build *build,
                         struct ca_size size);
/* The program that was built for the device itself, to run in the folder for it; path "": none. */
struct ca_lab_program ca_lab_built(const struct ca_lab *lab, const struct ca_lab_build *build);
/* The status that the program ends with. */
enum ca_status ca_lab_status(enum ca_lab_verdict verdict);
void ca_lab_report_free(struct ca_lab_report *report);

#endif
