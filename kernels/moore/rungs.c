/* SPDX-License-Identifier: MIT */
/* The ladders of the rules of nine cells share these options of the GPU's backends. */
#include "kernels/moore/rungs.h"

static const char *const shapes[] = {"32x32", "32x16", "32x8", "16x16", "64x4", "256x1", NULL};

const char *const moore_still_choices[] = {
    [MOORE_STILL_AUTO] = "auto", [MOORE_STILL_ON] = "on", [MOORE_STILL_OFF] = "off", NULL};

const char *const moore_logic_choices[] = {[MOORE_LOGIC_AUTO] = "auto",
                                           [MOORE_LOGIC_TABLE] = "table",
                                           [MOORE_LOGIC_CIRCUIT] = "circuit",
                                           NULL};

const struct ca_param moore_block_options[] = {CUDA_DEVICES, CUDA_BLOCK(shapes, 0), {.name = NULL}};

const struct ca_param moore_bitslice_options[] = {
    CUDA_DEVICES, MOORE_BITSLICE_ROWS, {.name = NULL}};

const struct ca_param moore_overlapped_options[] = {MOORE_OVERLAPPED_OPTIONS, {.name = NULL}};
