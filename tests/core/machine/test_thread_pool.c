/* SPDX-License-Identifier: MIT */
/* core/machine/thread_pool: every worker runs, barriers hold, shares cover. */
#include <stdatomic.h>
#include <string.h>

#include "core/machine/thread_pool.h"
#include "tests/support/support.h"

static struct ca_error error;

#define WORKERS_MAX 9
#define ROUNDS 300

static const int counts[] = {1, 2, 3, 4, WORKERS_MAX};

struct relay {
    struct ca_thread_pool *pool;
    int count;
    int value[2][WORKERS_MAX];
    atomic_int wrong, runs;
};

/* In each round every worker writes its entry and reads all entries of the round before. */
static void relay(void *context, int worker)
{
    struct relay *r = context;

    atomic_fetch_add(&r->runs, 1);
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < r->count; i++)
            if (r->value[(round + 1) % 2][i] != round - 1)
                atomic_fetch_add(&r->wrong, 1);
        r->value[round % 2][worker] = round;
        ca_thread_pool_barrier(r->pool);
    }
}

START_TEST(barriers_hold)
{
    struct relay r = {.count = counts[_i]};

    ck_assert_ok(ca_thread_pool_create(&r.pool, r.count, &error));
    ck_assert_int_eq(ca_thread_pool_size(r.pool), r.count);
    for (int job = 0; job < 20; job++) {
        memset(r.value, 0, sizeof r.value);
        ca_thread_pool_run(r.pool, relay, &r);
    }
    ck_assert_int_eq(atomic_load(&r.wrong), 0);
    ck_assert_int_eq(atomic_load(&r.runs), 20 * r.count);
    ca_thread_pool_destroy(r.pool);
}
END_TEST

START_TEST(shares_cover_without_overlap)
{
    static const int64_t items[] = {0, 1, 2, 7, 8, 1000003};
    struct ca_thread_pool *pool;

    ck_assert_ok(ca_thread_pool_create(&pool, counts[_i], &error));
    for (size_t n = 0; n < sizeof items / sizeof items[0]; n++) {
        int64_t next = 0, least = items[n], most = 0;

        for (int w = 0; w < counts[_i]; w++) {
            int64_t first, last;

            ca_thread_pool_share(pool, w, items[n], &first, &last);
            ck_assert_int_eq(first, next);
            ck_assert_int_ge(last, first);
            least = last - first < least ? last - first : least;
            most = last - first > most ? last - first : most;
            next = last;
        }
        ck_assert_int_eq(next, items[n]);
        ck_assert_int_le(most - least, 1);
    }
    ca_thread_pool_destroy(pool);
}
END_TEST

START_TEST(zero_is_every_core)
{
    struct ca_thread_pool *pool;

    ck_assert_ok(ca_thread_pool_create(&pool, 0, &error));
    ck_assert_int_ge(ca_thread_pool_size(pool), 1);
    ca_thread_pool_destroy(pool);
    ca_thread_pool_destroy(NULL);
}
END_TEST

int main(void)
{
    int n = sizeof counts / sizeof counts[0];

    return RUN_TESTS(.test = {zero_is_every_core},
                     .table = {{barriers_hold, n}, {shares_cover_without_overlap, n}});
}
