/* SPDX-License-Identifier: MIT */
/* Wrong: the host reads a file that is not there, through NULL. */
#include <stdio.h>

int main(int argc, char **argv)
{
    FILE *file = fopen(argc > 1 ? argv[1] : "/nowhere/at/all", "r");
    int value = 0, *values = file ? &value : NULL;

    printf("reads\n");
    fflush(stdout);
    *(volatile int *)values = 1; // expect: crash
    return value;
}
