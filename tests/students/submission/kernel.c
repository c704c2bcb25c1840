/* SPDX-License-Identifier: MIT */
/*
 * One of the kernels of tests/students/student_tables.c as what a student hands in: this file is
 * copied to a folder of a lab, whose flags say where the sources are, of which table it is
 * (STUDENTS) and which of it (STUDENT).
 */
#include "calab_lab.h"

#include "kernels/fhp/collisions.c"
#include "tests/students/student_faults.c"
#undef UNUSED
#include "tests/students/student_kernels.c"
#include "tests/students/student_keeps.c"
#include "tests/students/student_styles.c"
#include "tests/students/student_tables.c"

static const struct lab *told;

int64_t ca_int(const struct ca_values *values, const char *name)
{
    (void)values;
    return (int64_t)lab_number(told, name);
}

int ca_choice(const struct ca_values *values, const char *name)
{
    (void)values;
    return (int)lab_number(told, name);
}

uint32_t ca_probability(const struct ca_values *values, const char *name)
{
    (void)values;
    return (uint32_t)lab_number(told, name);
}

static const struct student *student(void) { return &STUDENTS[STUDENT]; }

static struct ca_lattice lattice(const struct lab *lab)
{
    return (struct ca_lattice){.size = {lab->w, lab->h, lab->d},
                               .type = sizeof(lab_cell) == 1 ? CA_U8 : CA_F32,
                               .planes = LAB_PLANES};
}

static size_t bytes_of(const struct lab *lab)
{
    return (size_t)(lab->w * lab->h * lab->d) * sizeof(lab_cell);
}

static void generation(const struct lab *lab, struct ca_lattice *in, struct ca_lattice *out,
                       uint64_t t)
{
    struct ca_experiment experiment;

    told = lab;
    memset(&experiment, 0, sizeof experiment);
    experiment.seed = lab->seed;
    for (int p = 0; student()->inside && p < LAB_PLANES; p++)
        memcpy(out->plane[p], in->plane[p], bytes_of(lab));
    student()->step(student(), &experiment, student()->inside ? out : in, out, t);
}

#if LAB_OWN
/* Those whose number of generations is wrong. */
struct state {
    struct lab lab;
    struct ca_lattice now, next;
    bool loaded;
};

void *lab_open(const struct lab *lab)
{
    struct state *state = calloc(1, sizeof *state);

    state->lab = *lab;
    state->now = state->next = lattice(lab);
    for (int p = 0; p < LAB_PLANES; p++) {
        state->now.plane[p] = malloc(bytes_of(lab));
        state->next.plane[p] = malloc(bytes_of(lab));
    }
    return state;
}

void lab_load(void *self, uint64_t t, const lab_cell *const planes[])
{
    struct state *state = self;

    (void)t;
    if (state->loaded && student()->calls == CALLS_LOAD_ONCE)
        return;
    state->loaded = true;
    for (int p = 0; p < LAB_PLANES; p++)
        memcpy(state->now.plane[p], planes[p], bytes_of(&state->lab));
}

void lab_step(void *self, uint64_t t, uint64_t n)
{
    struct state *state = self;
    uint64_t made = student()->calls == CALLS_ONE_MORE ? n + 1
                    : student()->calls == CALLS_FIRST  ? 1
                                                       : n;

    for (uint64_t i = 0; i < made; i++) {
        struct ca_lattice before = state->now;

        generation(&state->lab, &state->now, &state->next,
                   student()->calls == CALLS_SAME_T ? t : t + i);
        state->now = state->next;
        state->next = before;
    }
}

void lab_store(void *self, lab_cell *const planes[])
{
    struct state *state = self;

    for (int p = 0; p < LAB_PLANES; p++)
        if (planes[p])
            memcpy(planes[p], state->now.plane[p], bytes_of(&state->lab));
}

void lab_close(void *self) { (void)self; }
#else
void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    struct ca_lattice from = lattice(lab), to = from;
    static lab_cell *unused; /* where a constant plane goes */
    static size_t held;

    if (held < bytes_of(lab))
        unused = realloc(unused, held = bytes_of(lab));
    for (int p = 0; p < LAB_PLANES; p++) {
        from.plane[p] = (void *)in[p];
        to.plane[p] = out[p] ? out[p] : unused;
    }
    generation(lab, &from, &to, lab->t);
    for (int p = 0; student()->written && p < LAB_PLANES; p++)
        memcpy(from.plane[p], to.plane[p], bytes_of(lab));
}
#endif
