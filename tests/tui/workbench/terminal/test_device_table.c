/* SPDX-License-Identifier: MIT */
/* Several GPUs as lines: which figures fit, what is left out, the sums, and what is unknown. */
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tui/workbench/panels/panels.h"

#define GPUS 5

static const struct ca_fact unknown;

/* GPU 0 ... of a machine; what grows tells which is which. */
static void make(struct ca_device device[CA_RANKS_MAX], int count)
{
    for (int i = 0; i < count; i++) {
        device[i] = (struct ca_device){
            .kind = CA_CUDA,
            .index = i,
            .name = "NVIDIA H200",
            .utilisation = {true, 0.9 + 0.01 * (i % 10)},
            .power_w = {true, 600 + i},
            .temperature_c = {true, 60 + i % 10},
            .clock_mhz = {true, 1980 - i},
            .memory_bytes = {true, 140 * 0x1p30},
            .memory_free_bytes = {true, (100 + i % 10) * 0x1p30},
            .held_by = "power cap",
        };
    }
}

static const struct {
    int count, rows, columns;
    const char *text; /* lines, each with its end */
} tables[] = {
    /* 80x24: three lines of 29 columns */
    {2, 3, 29,
     "0   90% 600 W 60 C 1980 MHz\n"
     "1   91% 601 W 61 C 1979 MHz\n"
     "all 1201 W, 12.5 nJ an update\n"},
    {4, 3, 29,
     "0   90% 600 W 60 C 1980 MHz\n"
     "+3 more\n"
     "all 2406 W, 12.5 nJ an update\n"},
    {4, 5, 30,
     "0   90% 600 W 60 C 1980 MHz\n"
     "1   91% 601 W 61 C 1979 MHz\n"
     "2   92% 602 W 62 C 1978 MHz\n"
     "3   93% 603 W 63 C 1977 MHz\n"
     "all 2406 W, 12.5 nJ an update\n"},
    {2, 4, 70,
     "2 x NVIDIA H200\n"
     "0   90% 600 W 60 C 1980 MHz 100 of 140 GiB free power cap\n"
     "1   91% 601 W 61 C 1979 MHz 101 of 140 GiB free power cap\n"
     "all 1201 W, 12.5 J per 10^9 updates, 201 of 280 GiB free\n"},
    {2, 2, 29, "2 GPUs\nall 1201 W, 12.5 nJ an update\n"},
    {2, 1, 29, "all 1201 W, 12.5 nJ an update\n"},
    {2, 0, 29, ""},
    /* figures go by importance, and a narrow one takes the place of a wide one */
    {2, 4, 20, "2 x NVIDIA H200\n0   90% 600 W 60 C\n1   91% 601 W 61 C\nall 1201 W\n"},
    {2, 4, 11, "2 x NVIDIA\n0   90%\n1   91%\nall 1201 W\n"},
    {2, 3, 15, "0   90% 600 W\n1   91% 601 W\nall 1201 W\n"},
};

static void join(char *text, char line[][DEVICE_LINE], int count)
{
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        strcat(text, line[i]);
        strcat(text, "\n");
    }
}

START_TEST(what_fits)
{
    struct ca_device device[CA_RANKS_MAX];
    char line[GPUS + 2][DEVICE_LINE], text[(GPUS + 2) * DEVICE_LINE];

    make(device, tables[_i].count);
    join(text, line,
         device_table(device, tables[_i].count, (struct ca_fact){true, 12.5}, tables[_i].rows,
                      tables[_i].columns, line));
    ck_assert_str_eq(text, tables[_i].text);
}
END_TEST

/* A sum is unknown where a part of it is, a column where all of it is. */
START_TEST(what_is_unknown)
{
    struct ca_device device[CA_RANKS_MAX];
    char line[4][DEVICE_LINE], text[4 * DEVICE_LINE];

    make(device, 2);
    device[0].utilisation = device[1].utilisation = device[1].power_w = unknown;
    device[0].memory_free_bytes = device[0].clock_mhz = unknown;
    device[1].held_by[0] = '\0';
    strcpy(device[1].name, "NVIDIA A100");
    join(text, line, device_table(device, 2, unknown, 4, 70, line));
    ck_assert_str_eq(text, "1 x NVIDIA H200, 1 x NVIDIA A100\n"
                           "0   600 W 60 C        -                   - power cap\n"
                           "1       - 61 C 1979 MHz 101 of 140 GiB free -\n"
                           "all power unknown\n");
}
END_TEST

/* The number of each stands in its own line, and one tells of those that have none. */
START_TEST(every_size)
{
    static char line[CA_RANKS_MAX + 2][DEVICE_LINE];
    static struct ca_device device[CA_RANKS_MAX];

    make(device, CA_RANKS_MAX);
    for (int count = 2; count <= CA_RANKS_MAX; count += 7)
        for (int rows = 1; rows <= CA_RANKS_MAX + 2; rows++)
            for (int columns = 11; columns < 120; columns++) {
                int n = device_table(device, count, (struct ca_fact){true, 1.234e-5}, rows, columns,
                                     line);
                int gpus = 0, more = 0;

                ck_assert_int_eq(n, rows < count + 2 ? rows : count + 2);
                for (int i = 0; i < n; i++) {
                    int number = -1;

                    must_hold((int)strlen(line[i]) <= columns, "%d columns: '%s'", columns,
                              line[i]);
                    sscanf(line[i], "+%d more", &more);
                    if (line[i][0] != '+' && !strstr(line[i], " x ") && strstr(line[i], "%"))
                        must_hold(sscanf(line[i], "%d", &number) == 1, "'%s'", line[i]);
                    must_hold(number < 0 || number == gpus++, "'%s' is GPU %d", line[i], gpus);
                }
                ck_assert(rows < 3 || gpus + more == count);
                ck_assert(strncmp(line[n - 1], "all 1", 5) == 0 || strstr(line[n - 1], " W"));
            }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {what_is_unknown, every_size}, .table = {{what_fits, COUNT(tables)}});
}
