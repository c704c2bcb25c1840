/* SPDX-License-Identifier: MIT */
/* core/random and core/crand: check values, and the draws against their definitions in words. */
#include "core/base/crand.h"
#include "core/base/random.h"
#include "tests/support/support.h"

START_TEST(philox_check_value)
{
    philox4x32_ctr_t r = ca_philox(UINT64_C(0x600000005), 1, 2, 4, 3, 0);

    ck_assert_uint_eq(r.v[0], 0xcceb838b);
    ck_assert_uint_eq(r.v[1], 0x94b8d4ab);
    ck_assert_uint_eq(r.v[2], 0x3b19758c);
    ck_assert_uint_eq(r.v[3], 0x0e1a9304);
}
END_TEST

/* The counter of a draw written out as calab-models(7) has it. */
static uint32_t word(uint64_t seed, uint64_t x, uint64_t per_call, uint64_t per_word, uint64_t y,
                     uint64_t z, uint64_t t, uint32_t s)
{
    philox4x32_ctr_t counter = {
        {(uint32_t)(x / per_call), (uint32_t)y, (uint32_t)t, s * 16777216u + (uint32_t)z}};
    philox4x32_key_t key = {{(uint32_t)(seed & 0xffffffff), (uint32_t)(seed >> 32)}};

    return philox4x32_R(7, counter, key).v[x / per_word % 4];
}

START_TEST(draws_follow_their_definition)
{
    static const uint32_t chances[] = {0, 1, 2, 512, 32768, 40000, 65535, 65536};
    uint64_t seed = test_seed() * 0x9e3779b97f4a7c15u;
    int events = 0;

    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t x = i * 37 % 1009, y = i % 61, z = i % 7, t = i * i + UINT64_C(0xfffffff0);
        uint32_t u = 0;

        ck_assert_uint_eq(ca_uniform(seed, x, y, z, t, 5), word(seed, x, 4, 1, y, z, t, 5));
        for (uint32_t b = 0; b < 16; b++) {
            uint32_t bit = word(seed, x, 128, 32, y, z, t, 64 + b) >> (x % 32) & 1;

            ck_assert_uint_eq(ca_bit(seed, x, y, z, t, 64 + b), bit);
            u = u << 1 | bit;
        }
        for (size_t c = 0; c < sizeof chances / sizeof chances[0]; c++)
            ck_assert_int_eq(ca_event(seed, x, y, z, t, 64, chances[c]), u < chances[c]);
        events += ca_event(seed, x, y, z, t, 64, 32768);
    }
    ck_assert_int_gt(events, 1300); /* six sigma around 1500 is 164 */
    ck_assert_int_lt(events, 1700);
}
END_TEST

START_TEST(thresholds)
{
    ck_assert_uint_eq(ca_threshold(0), 0);
    ck_assert_uint_eq(ca_threshold(0.5), UINT64_C(1) << 31);
    ck_assert_uint_eq(ca_threshold(1), UINT64_C(1) << 32);
}
END_TEST

/* Outputs of glibc's own srand and rand, by seed. */
static const struct {
    uint32_t seed;
    int32_t first[3];
} rands[] = {
    {1234, {479142414, 465566339, 961126155}},
    {1, {1804289383, 846930886, 1681692777}},
    {0, {1804289383, 846930886, 1681692777}},
};

START_TEST(crand_is_glibc)
{
    struct ca_crand generator;

    ca_crand_seed(&generator, rands[_i].seed);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(ca_crand_next(&generator), rands[_i].first[i]);
}
END_TEST

#ifdef __GLIBC__
START_TEST(crand_goes_on_like_this_glibc)
{
    static const uint32_t seeds[] = {1, 7, 1234, 0x7fffffff, 0x80000000, 0xfffffff0};
    struct ca_crand generator;

    for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++) {
        ca_crand_seed(&generator, seeds[s]);
        srand(seeds[s]);
        for (int i = 0; i < 2000; i++)
            ck_assert_int_eq(ca_crand_next(&generator), rand());
    }
}
END_TEST
#endif

int main(void)
{
    return run_tests(&(const struct suite){
        .test =
            {
                philox_check_value,
                draws_follow_their_definition,
                thresholds,
#ifdef __GLIBC__
                crand_goes_on_like_this_glibc,
#endif
            },
        .table = {{crand_is_glibc, COUNT(rands)}},
    });
}
