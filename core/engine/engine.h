/* SPDX-License-Identifier: MIT */
/*
 * The engine: a simulation behind JSON lines on stdin and stdout. man/calab-engine.7 is the
 * protocol's description; this header is its summary.
 *
 * First line out: CALAB1 {"version":"0.1.0","pid":…,"host":…,"capabilities":[…]}
 * Requests {"id":7,"op":"step","n":100} are answered {"id":7,"ok":true,…} or
 * {"id":7,"ok":false,"error":{"code":"usage","message":"…"}}, one answer each, in order. While a
 * step, seek, burst, bench or verify is under way, ping, list, device, ack and (unless other
 * requests wait already) view are carried out at once, stop ends it at once, lines that are no
 * request are refused at once, and all other requests wait until it is done.
 *
 *   list                     models, parameters, backends with availability, starts; devices
 *   open {experiment keys, "generation":G, "state":FILE.npy}   a (new) simulation, paused; with
 *                            "state" the canonical planes are those of the file, at generation G
 *   step {"n":N,"hash":bool,"frame":bool}   answered when done or stopped: {"generation":…,
 *                            "stopped":bool, "hash":…}, behind a frame of the last generation
 *   run {"per_frame":N,"fps":F}   N generations a frame, F frames a second; without: all it can
 *   stop                     ends what is under way; what waits does not step: {"generation":…}
 *   change {"backend","parameters","options"}   keeps state and generation
 *   reset {"undo":bool}      generation 0; with "undo" the state before is saved for undo
 *   undo                     back to it
 *   put {"x","y","z","width","height","depth","planes":{name:[values]}}   changes cells; or with
 *                            "next":true a cell to the next of its states, or with "file":F those
 *                            of a pattern
 *   seek {"generation":G}    forward by steps, backward from generation 0
 *   mark, back, unmark       keeps a state, returns to it, forgets it: {"generation":…}
 *   burst {"n":N,"calls":C,"seconds":S}   calls of N generations from one state, to which it
 *                            returns: {"generation","stopped","seconds":[…],"device_s":[…]}
 *   view {"axis","slice","x","y","zoom","columns","lines","reduce","drawn","digests","fps"}
 *                            asks for frames from now on; "fps":0 ends them
 *   ack                      the last frame is drawn: the next one may come (no answer)
 *   cell {"x","y","z"}       {"planes":{name:value},"state":name}
 *   cells {"x","y","z","width","height","depth"}   {"planes":{name:[values]}}
 *   observe                  {"generation","observables":{…}}
 *   hash                     {"generation","hash":"16 hex digits"} (core/model/digest.h)
 *   digest {"first","rows","parts"}   of rows: {"digest":…,"digests":[of parts]}; they add up
 *   give {"first","rows"}    packed rows (core/engine/packed.h):
 * {"generation","first","rows","digest", "bytes":N} followed by N bytes take
 * {"first","rows","generation","digest","bytes":N} followed by N bytes: rows, in order, that become
 * the state with the last ones: {"rows","generation","hash"} save {"file":F}          the state by
 * the ending of F device                   facts of the device: see core/machine/device.h ping,
 * quit
 *
 * Events: {"event":"frame","bytes":2*columns*lines,…} followed by code bytes, then level bytes,
 * and with "digests" 8 bytes more for each character; sent when the state or the view has changed,
 * at most fps a second, never before the last one is acknowledged. It carries generation, running,
 * sampled, view, timing and observables:
 *   "timing":{"count","call","step_p50_s","step_p99_s","step_min_s","cells_per_s","gb_per_s",
 *             "mode":"step" or "free" or "paced","able":{as before "mode"},
 *             "generations","device_s","wall_s","transfer_s","copy_share","logic_share"}
 *   "observables":{"generation":G,"values":[…],"broken":index or -1,"seconds","in_place":bool}
 * {"event":"stopped","generation":G,"error":{…}} when a run ends by itself, or the device is lost
 * to this process; then the engine ends, with CA_CUDA_FAILED.
 * {"event":"log","level":"warning","message":"…"}.
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
