/* SPDX-License-Identifier: MIT */
/* Numbers and lists as they are typed: what is not wholly one is refused, wherever it stands. */
#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static const struct {
    const char *text;
    bool is_unsigned, is_whole, is_seed, is_real;
    double value;
} numbers[] = {
    {"0", true, true, true, true, 0},
    {"7", true, true, true, true, 7},
    {"007", true, true, true, true, 7},
    {"-7", false, true, false, true, -7},
    {"-0", false, true, false, true, 0},
    {"+7", false, false, false, false, 0},
    {"--7", false, false, false, false, 0},
    {" 7", false, false, false, false, 0},
    {"7 ", false, false, false, false, 0},
    {"7\n", false, false, false, false, 0},
    {"", false, false, false, false, 0},
    {"-", false, false, false, false, 0},
    {"0x", false, false, false, false, 0},
    {"0x1f", false, false, true, false, 31},
    {"0XfF", false, false, true, false, 255},
    {"0x1g", false, false, false, false, 0},
    {"-0x1", false, false, false, false, 0},
    {"0x1.8p1", false, false, false, false, 0},
    {"1e3", false, false, false, true, 1000},
    {"1e", false, false, false, false, 0},
    {"1e+2", false, false, false, true, 100},
    {"1.0", false, false, false, true, 1},
    {".5", false, false, false, true, 0.5},
    {"-.5e-1", false, false, false, true, -0.05},
    {"1.2.3", false, false, false, false, 0},
    {"1-2", false, false, false, false, 0},
    {"nan", false, false, false, false, 0},
    {"inf", false, false, false, false, 0},
    {"1e999", false, false, false, true, HUGE_VAL},
    {"-1e999", false, false, false, true, -HUGE_VAL},
    {"1,5", false, false, false, false, 0},
    {"abc", false, false, false, false, 0},
    {"9223372036854775807", true, true, true, true, 9223372036854775807.0},
    {"9223372036854775808", true, false, true, true, 9223372036854775808.0},
    {"-9223372036854775807", false, true, false, true, -9223372036854775807.0},
    {"18446744073709551615", true, false, true, true, 18446744073709551615.0},
    {"18446744073709551616", false, false, false, true, 18446744073709551616.0},
    {"0xffffffffffffffff", false, false, true, false, 18446744073709551615.0},
    {"0x10000000000000000", false, false, false, false, 0},
    {"99999999999999999999", false, false, false, true, 99999999999999999999.0},
};

START_TEST(reads)
{
    const char *text = numbers[_i].text;
    uint64_t any = 99, seed = 99;
    int64_t whole = 99;
    double real = 99;

    ck_assert_int_eq(ca_read_unsigned(text, &any), numbers[_i].is_unsigned);
    ck_assert_int_eq(ca_read_whole(text, &whole), numbers[_i].is_whole);
    ck_assert_int_eq(ca_read_seed(text, &seed), numbers[_i].is_seed);
    ck_assert_int_eq(ca_read_real(text, &real), numbers[_i].is_real);
    ck_assert((double)any == (numbers[_i].is_unsigned ? numbers[_i].value : 99));
    ck_assert((double)whole == (numbers[_i].is_whole ? numbers[_i].value : 99));
    ck_assert((double)seed == (numbers[_i].is_seed ? numbers[_i].value : 99));
    ck_assert(real == (numbers[_i].is_real ? numbers[_i].value : 99));
}
END_TEST

START_TEST(takes)
{
    uint64_t number = 99;

    ck_assert_str_eq(ca_take_digits("12x34", &number), "x34");
    ck_assert_uint_eq(number, 12);
    ck_assert_ptr_null(ca_take_digits("x34", &number));
    ck_assert_ptr_null(ca_take_digits("18446744073709551616,", &number));
    ck_assert_uint_eq(number, 12);
    ck_assert_str_eq(ca_take_digits("18446744073709551615,", &number), ",");
    ck_assert(number == UINT64_MAX);
}
END_TEST

static const struct refusal refusals[] = {
    {"run anneal -b threads --ranks 0x1.8p1", 2, "ranks = '0x1.8p1' is not a number", "0 ... 64"},
    {"run anneal -b threads --ranks 2.0", 2, "ranks = '2.0' is not a whole number", "0 ... 64"},
    {"run anneal -b threads --threads 1e3", 2, "threads = '1e3' is not a whole", "0 ... 1024"},
    {"run anneal -b threads --threads 0x2", 2, "threads = '0x2'", "0 ... 1024, whole"},
    {"run anneal -b threads --threads +2", 2, "threads = '+2'", "0 ... 1024, whole"},
    {"run anneal -b threads --threads 99999999999999999999", 2, "out of range", "0 ... 1024"},
    {"run anneal -b threads --set threads=", 2, "threads = ''", "0 ... 1024, whole"},
    {"run anneal --set density=0x1p-1", 2, "density = '0x1p-1' is not a number", "0 ... 1"},
    {"run anneal --set density=1e999", 2, "density = 'inf' is not a finite", "0 ... 1"},
    {"bench anneal --time 1e999", 2, "--time: '1e999' is not allowed", "a number"},
    {"run anneal --seconds 1e999", 2, "--seconds: '1e999'", "above 0"},
    {"run anneal --set density=nan", 2, "density = 'nan' is not a number", "0 ... 1"},
    {"run anneal -n 0x10", 2, "--steps: '0x10' is not allowed", "decimal digits"},
    {"run anneal -n 1e3", 2, "--steps: '1e3' is not allowed", "decimal digits"},
    {"run anneal --seed 1e3", 2, "--seed: '1e3' is not allowed", "decimal or 0x..."},
    {"run anneal --seed 0x", 2, "--seed: '0x' is not allowed", "decimal or 0x..."},
    {"run anneal --seed 18446744073709551616", 2, "--seed: '18446744073709551616'", "0x..."},
    {"run anneal -s +8x8", 2, "--size: '+8x8'", "WIDTHxHEIGHT"},
    {"run anneal -s 8x+8", 2, "--size: '8x+8'", "WIDTHxHEIGHT"},
    {"run anneal -s 8x8x", 2, "--size: '8x8x'", "WIDTHxHEIGHT"},
    {"run anneal -s 99999999999999999999x8", 2, "W in '99999999999999999999x8'", "1 ... "},
    {"run anneal -s -8x8", 2, "W = -8 is out of range", "1 ... "},
    {"run anneal --init x.npy --at 3,+4", 2, "--at: '3,+4'", "X,Y"},
    {"run anneal --seconds 0x1", 2, "--seconds: '0x1'", "above 0"},
    {"run anneal --seconds inf", 2, "--seconds: 'inf'", "above 0"},
    {"run anneal -s 8x8 -o x.png --scale 0x2", 2, "scale = '0x2'", "is not allowed"},
    {"run fhp -o picture,rate=1e1:x.mp4 --every 1", 2, "rate = '1e1'", "1 ... 120"},
    {"verify anneal --cases 1e3", 2, "--cases: '1e3'", "a whole number 1 ... "},
    {"verify anneal --ranks 1,2,", 2, "--ranks: '1,2,' is not allowed", "between two items"},
    {"verify anneal --ranks ,1", 2, "--ranks: ',1' is not allowed", "between two items"},
    {"verify anneal -b threads,,avx2", 2, "--backend: 'threads,,avx2'", "between two items"},
    {"bench anneal -s 8x8,", 2, "--size: '8x8,' is not allowed", "between two items"},
    {"bench anneal -s ,8x8", 2, "--size: ',8x8' is not allowed", "between two items"},
    {"bench anneal -s 8x8,,9x9", 2, "--size: '8x8,,9x9' is not allowed", "between two items"},
    {"bench anneal -s ,", 2, "--size: ',' is not allowed", "between two items"},
    {"bench anneal -s 8x8 --threads 1,2,", 2, "--threads: '1,2,'", "between two items"},
    {"bench anneal -s 8x8 --ranks 1,", 2, "--ranks: '1,'", "between two items"},
    {"bench anneal -s 8x8 -b threads,", 2, "--backend: 'threads,'", "between two items"},
    {"bench anneal --time 0x1", 2, "--time: '0x1' is not allowed", "a number"},
    {"bench anneal --price 1e", 2, "--price: '1e' is not allowed", "a number"},
    {"run anneal -b threads,", 2, "--backend: 'threads,'", "between two items"},
    {"run anneal -b threads/threads=1/threads=2,avx2", 2, "there twice", "OPTION=VALUE"},
    {"run anneal -b cuda-naive --devices garbage", 2, "--devices: devices: 'garbage'", "0,1"},
    {"run anneal -b cuda-naive --set devices=0,", 2, "devices: '0,' is not allowed", "0,1"},
    {"run fhp -o speed,block=2x2,block=4x4:x.csv", 2, "block=4x4", "twice"},
    {"run fhp -o speed,window=2,block=4x4,window=4:x.csv", 2, "window=4", "twice"},
    {"run fhp -o picture,scale=2,scale=2:x.png", 2, "a picture has scale= once", "twice"},
    {"run fhp -o picture,rate=2,rate=3:x.mp4 --every 1", 2, "a picture has rate= once", "twice"},
    {"emulate x.cu --order random:1e3", 2, "--order is 'random:1e3'", "random:SEED"},
};

/* The properties of a picture that it has itself go before those of all pictures. */
START_TEST(a_picture_of_its_own)
{
    const char *path = test_path("a.pgm");
    struct outcome o = calab("run life3d -s 8x6x4 -n 1 --scale 3 -o picture,scale=2:%s", path);
    char *text;

    ck_assert_msg(o.status == 0, "%s", o.err);
    text = test_read(path, NULL);
    ck_assert_contains(text, "16 12");
}
END_TEST

/* Of an option that is given again, the last one counts. */
START_TEST(the_last_of_an_option)
{
    struct outcome one = calab("run anneal -s 16x16 -n 3 --set density=0.3 -b reference"), two;

    two = calab("run anneal -s 9x9 -n 8 --set density=0.9 --set density=0.3 -n 3 -s 16x16 -b "
                "reference");
    ck_assert_str_eq(outcome_value(&one, "hash"), outcome_value(&two, "hash"));
}
END_TEST

static const struct {
    const char *variable, *says;
    const char *command; /* NULL: run, on a backend that has no use for it */
} variables[] = {
    {"CALAB_DEVICES=garbage", "CALAB_DEVICES: devices: 'garbage' is not allowed", NULL},
    {"CALAB_DEVICES=0,", "CALAB_DEVICES: devices: '0,' is not allowed", NULL},
    {"CALAB_DEVICE=x", "CALAB_DEVICE: device = 'x' is not a number", NULL},
    {"CALAB_DEVICE=-1", "CALAB_DEVICE: device = '-1' is out of range", NULL},
    {"CALAB_THREADS=1e3", "CALAB_THREADS: threads = '1e3' is not a whole number", NULL},
    {"CALAB_THREADS=9999", "CALAB_THREADS: threads = '9999' is out of range", NULL},
    {"CALAB_RANKS=0x1.8p1", "CALAB_RANKS: ranks = '0x1.8p1' is not a number", NULL},
    {"CALAB_SEED=1e3", "CALAB_SEED: '1e3' is not allowed", "run anneal --seed 3 -n 1 -s 8x8"},
    {"CALAB_STEPS=0x3", "CALAB_STEPS: '0x3' is not allowed", NULL},
    {"CALAB_SIZE=8", "CALAB_SIZE: '8' is not a 2D size", NULL},
    {"CALAB_SIZE=8x8x0", "CALAB_SIZE: D = 0 is out of range", NULL},
    {"CALAB_AT=3", "CALAB_AT: '3' is not a cell", NULL},
    {"CALAB_MODEL=aneal", "CALAB_MODEL: ", NULL},
    {"CALAB_BACKEND=thread", "did you mean 'threads'", NULL},
    {"CALAB_SET=density", "CALAB_SET: 'density' is not of the form key=value", NULL},
    {"CALAB_SET=density=0.5,", "CALAB_SET: 'density=0.5,' is not allowed", NULL},
    {"CALAB_SET=density=0.5,density=0.4", "CALAB_SET: density is set twice", NULL},
    {"CALAB_DEVICES=garbage", "CALAB_DEVICES", "list backends"},
    {"CALAB_DEVICES=garbage", "CALAB_DEVICES", "verify anneal --small --cases 1 -b threads"},
    {"CALAB_DEVICES=garbage", "CALAB_DEVICES", "config check"},
};

START_TEST(variable)
{
    const char *const set[] = {variables[_i].variable, NULL};
    const struct surroundings s = {.variable = set};
    struct outcome o =
        calab_in(&s, "%s",
                 variables[_i].command ? variables[_i].command
                                       : "run anneal -n 1 -s 8x8 --seed 3 -b reference");

    ck_assert_msg(o.status == 2, "%s: %d", variables[_i].variable, o.status);
    ck_assert_contains(o.err, variables[_i].says);
    ck_assert_str_eq(o.out, "");
}
END_TEST

/* What is right of them counts, also where a backend has no use for it. */
START_TEST(right_variables)
{
    static const char *const set[] = {"CALAB_DEVICES=0,1",
                                      "CALAB_DEVICE=3",
                                      "CALAB_THREADS=2",
                                      "CALAB_RANKS=1",
                                      "CALAB_SEED=0x1F",
                                      "CALAB_SIZE=16x9",
                                      "CALAB_SET=density=0.25,horizon=3",
                                      "CALAB_STEPS=7",
                                      NULL};
    static const char *const some[] = {"CALAB_SET=density=0.25", NULL};
    const struct surroundings all = {.variable = set}, one = {.variable = some};
    struct outcome o = calab_in(&all, "run anneal -b reference --set density=0.5");

    ck_assert_int_eq(o.status, 2);
    ck_assert_contains(o.err, "CALAB_SET: 'horizon'");
    o = calab_good_in(&one, "run anneal -s 16x9 -n 7 --seed 31 -b reference");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {takes, a_picture_of_its_own, the_last_of_an_option, right_variables},
                     .table = {{reads, COUNT(numbers)},
                               {refusals_test(refusals), COUNT(refusals)},
                               {variable, COUNT(variables)}});
}
