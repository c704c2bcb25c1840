/* SPDX-License-Identifier: MIT */
/* A part of cooperative_groups.h. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_COOPERATIVE_GROUPS_SCAN_H
#define CALAB_CORE_EMULATOR_RUNTIME_COOPERATIVE_GROUPS_SCAN_H
#include <cooperative_groups.h>
#endif
