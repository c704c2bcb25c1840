/* SPDX-License-Identifier: MIT */
/*
 * The engine: a simulation behind JSON lines on stdin and stdout, as man/calab-engine.7 describes
 * it. Requests {"id":7,"op":"step","n":100} have one reply each, {"id":7,"ok":true,...} or
 * {"id":7,"ok":false,"error":{"code":"usage","message":"..."}}; the table in ops.c has all of them.
 */
#ifndef CALAB_CORE_ENGINE_ENGINE_H
#define CALAB_CORE_ENGINE_ENGINE_H

#include "core/base/error.h"

/*
 * Serves until end of input or quit. Requests come from `in`, answers go to `out`; neither is
 * closed. The engine never waits for a slow reader while it steps. CA_IO when `out` breaks,
 * CA_CUDA_FAILED when the device is lost to this process.
 */
enum ca_status ca_engine_serve(int in, int out, struct ca_error *error);

#endif
