/* SPDX-License-Identifier: MIT */
/*
 * The grades of a class: each submission is a folder with a kernel. Each is checked on the cases of
 * lab.cfg and then on secret ones of the same kinds, several at a time and each in a process of its
 * own; those that are right are then timed, one at a time. What becomes of one touches no other.
 *
 * The text of a grade tells of the cases of lab.cfg alone; of the secret ones it says how many are
 * right.
 */
#ifndef CALAB_CORE_LAB_GRADE_GRADE_H
#define CALAB_CORE_LAB_GRADE_GRADE_H

#include "core/lab/check/check.h"
#include "core/lab/kernel/secret.h"
#include "core/lab/process/structure.h"

struct ca_lab_grade {
    char name[128];         /* of its folder, without those above */
    char folder[PATH_MAX];  /* as it was given */
    struct ca_lab lab;      /* that it is graded by */
    enum ca_status failure; /* not CA_OK: it has no grade, and `text` says why */
    /* On the cases of lab.cfg: */
    enum ca_lab_verdict verdict;
    char text[768], how[64];
    char place[200]; /* where it went wrong, "" */
    struct ca_findings why;
    char finding[CA_LAB_FINDINGS_MAX][400];
    int findings;
    char not_watched[400];
    /* On the secret cases: how many there are, and are right, of each group. */
    int cases[CA_LAB_GROUPS], right[CA_LAB_GROUPS];
    enum ca_lab_verdict secret; /* of the first that is not right */
    struct ca_lab_timing timing;
    bool no_gpu; /* that speed could be measured on, of whatever kernel */
    struct ca_lab_structure structure;
    double points[CA_LAB_GROUPS];
    double of[CA_LAB_GROUPS]; /* that could be had on this machine: 0 for a group that was not
                                 graded */
    double seconds;           /* that all of it took */
    struct ca_lab_build build;
};

/* "checked", "timed"; false: stop. */
typedef bool ca_lab_class_progress(void *context, const char *what, int done, int all);

struct ca_lab_class {
    struct ca_lab_grade *grade; /* in memory that the processes share */
    int count;
    struct ca_lab_secret secret;
    unsigned walls;      /* around the kernels: ca_lab_walls */
    const char *hidden;  /* a file that the kernels shall not read, NULL: none */
    char temporary[512]; /* where all of them are built */
    char skeleton[600];  /* a folder with the task as it is handed out, "": none */
    ca_lab_class_progress *progress;
    void *context;
    pid_t first; /* the process that the others were forked from */
    bool each;   /* set before ca_lab_class_open: each by its own lab.cfg, whatever it asks for */
    struct ca_probe *probe;              /* NULL: the ceilings are not known */
    struct lab_device_lock *device_lock; /* at the GPU */
};

/*
 * Folders of submissions, held to a task's lab.cfg, of which they have their own source, form,
 * border and tile; without a task (NULL) to their own, which must be the same for all. CA_USAGE
 * where they are not; a folder that cannot be read is a grade with a failure.
 */
enum ca_status ca_lab_class_open(struct ca_lab_class *class, const char *const folders[], int count,
                                 const struct ca_lab *task, struct ca_error *error);
/* Reads the ceilings of this machine, or else, if asked to, measures and keeps them. CA_TIMEOUT,
 * CA_IO. */
enum ca_status ca_lab_class_probe(struct ca_lab_class *class, bool measure, struct ca_error *error);
/* Grades all. CA_TIMEOUT where it was stopped. */
enum ca_status ca_lab_class_run(struct ca_lab_class *class, struct ca_error *error);
/* Removes what was built; takes a zeroed one. */
void ca_lab_class_close(struct ca_lab_class *class);

/* The points of a grade whose results are in. */
void ca_lab_grade_points(struct ca_lab_grade *grade);
/* Right on all cases, public and secret. */
bool ca_lab_grade_right(const struct ca_lab_grade *grade);
/* Label i of a grade that is not right, which is counted over a class, such as "halo", "race",
 * "crashed" or "known cases only". False beyond the last. */
bool ca_lab_grade_label(const struct ca_lab_grade *grade, int i, char label[64]);

/* class.c calls these in the process for one submission: the check and the secret cases; then the
 * time of one that has passed both. What fails is told by the grade. */
void grade_check(struct ca_lab_class *class, struct ca_lab_grade *grade);
void grade_time(struct ca_lab_class *class, struct ca_lab_grade *grade);

#endif
