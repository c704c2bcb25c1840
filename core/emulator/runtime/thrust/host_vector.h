/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_THRUST_HOST_VECTOR_H
#define CALAB_CORE_EMULATOR_RUNTIME_THRUST_HOST_VECTOR_H
#error "calab's emulator has no Thrust (thrust/host_vector.h)"
#endif
