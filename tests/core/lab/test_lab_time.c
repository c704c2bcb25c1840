/* SPDX-License-Identifier: MIT */
/*
 * core/lab/time: how many generations a burst of a kernel has, whose times this test makes up: to
 * hand a state over and to take it has a time of its own, beside that of the generations.
 */
#include "core/lab/process/submission.h"
#include "core/lab/time/time.h"
#include "core/model/registry.h"
#include "tests/support/support.h"

#define CALLS_MAX 64
#define LONGER_S 0.02 /* than one generation is a burst that tells what generations take */

static const struct {
    double overhead_s, generation_s;
    uint64_t burst;
} kernels[] = {
    {0.005, 1e-6, 100000},                       /* handing over takes a twentieth of 100 ms */
    {0.002, 1e-6, 40000},  {0.015, 1e-5, 20000}, /* 0.2 s at most */
    {0.05, 1e-5, 20000},                         /* which long handing over alone exceeds */
    {0.001, 1e-6, 250}, /* a hundredth of 25 ms, of which bursts are made */
    {0, 0.002, 1},         {0, 0.5, 1},
};
static uint64_t calls[CALLS_MAX];
static double seconds_of[CALLS_MAX];
static int call_count, tested;

enum ca_status ca_lab_submission_open(struct ca_lab_submission *submission,
                                      const struct ca_lab *lab, const struct ca_setup *setup,
                                      const struct ca_lab_program *program, struct ca_error *error)
{
    (void)submission, (void)lab, (void)setup, (void)program, (void)error;
    return CA_OK;
}

/* Ends with the first burst after two of one generation and, unless those take 0.2 s, one that is
 * long enough. */
enum ca_status ca_lab_submission_time(struct ca_lab_submission *submission,
                                      const struct ca_lattice *state, uint64_t t, uint64_t n,
                                      struct ca_lattice *result, double *seconds)
{
    (void)submission, (void)state, (void)t, (void)result;
    ck_assert_int_lt(call_count, CALLS_MAX);
    *seconds = kernels[tested].overhead_s + kernels[tested].generation_s * (double)n;
    seconds_of[call_count] = *seconds;
    calls[call_count++] = n;
    if (call_count > 2 &&
        (seconds_of[1] >= 0.2 || seconds_of[call_count - 2] >= seconds_of[1] + LONGER_S))
        return CA_TIMEOUT;
    return CA_OK;
}

/* The kernel is right. */
struct ca_difference ca_lattice_compare(const struct ca_lattice *expected,
                                        const struct ca_lattice *got)
{
    (void)expected, (void)got;
    return (struct ca_difference){.count = 0};
}

START_TEST(bursts_are_long_enough)
{
    struct ca_lab_secret secret = {.key = {1, 2}};
    struct ca_lab_program program = {.path = "kernel"};
    struct ca_lab_timing timing;
    struct ca_error error;
    struct ca_lab lab;
    uint64_t last;

    tested = _i;
    ca_lab_default(&lab, &anneal_model);
    lab.points.size = (struct ca_size){64, 8, 1};
    ck_assert_int_eq(ca_lab_time(&lab, &program, &secret, NULL, &timing, NULL, NULL, &error),
                     CA_TIMEOUT);
    ck_assert_int_ge(call_count, 3);
    ck_assert_uint_eq(calls[0], 1);
    ck_assert_uint_eq(calls[1], 1);
    for (int i = 2; i < call_count - 1; i++) {
        ck_assert_uint_gt(calls[i], calls[i - 1]);
        ck_assert_uint_le(calls[i], 8 * calls[i - 1]);
    }
    last = calls[call_count - 1]; /* by up to a 32nd more, by chance */
    ck_assert_msg(last >= kernels[_i].burst - 1 && last <= kernels[_i].burst * 33 / 32 + 1,
                  "%llu generations", (unsigned long long)last);
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{bursts_are_long_enough, COUNT(kernels)}}); }
