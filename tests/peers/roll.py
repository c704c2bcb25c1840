# SPDX-License-Identifier: MIT
"""The experiment that jax_roll.py and torch_roll.py share: an array library beside calab.

Owns the arguments, calab's side, clocks, the comparison of the last states and the table. The
start and the last state are calab's own, as .npy; its rungs are timed by `calab bench` from that
start, in the same run. Rates of both sides are by the wall clock, from a call to when its cells are
there.
"""
import argparse
import os
import statistics
import sys
import tempfile
import time
from collections import namedtuple

try:
    import numpy
except ImportError:
    sys.exit("no numpy here: pip install numpy")

from peer import calab, leave_out, runnable

GPU_BACKENDS = "cuda-naive,cuda-bitslice,cuda-temporal,cuda-overlapped"
CPU_BACKENDS = "bitslice,bitslice-avx2,bitslice-avx512"
REPEATS = 5

# What a live cell survives with and an empty one is born with, as intervals (low, high); whether
# all outside the lattice is dead.
Rule = namedtuple("Rule", "survive born dead")
# name, device (words), gpu (bool), load(array) -> cells, fetch(cells) -> array, and
# ways(model, rule, steps, load), which yields (name, function of loaded cells -> finished cells).
Peer = namedtuple("Peer", "name device gpu load fetch ways")


def intervals(text):
    """Of 5,7..9: ((5, 5), (7, 9)); of nothing one that holds no number."""
    parts = [part.partition("..") for part in text.split(",") if part]
    return tuple((int(low), int(high or low)) for low, _, high in parts) or ((1, 0),)


def rule_of(model, parameters):
    """None for anneal, which has but one."""
    if model == "anneal":
        return None
    if parameters["rule"]:
        survive, born = map(intervals, parameters["rule"][2:].split("/"))
    else:
        r1, r2, r3, r4 = (parameters[key] for key in ("r1", "r2", "r3", "r4"))
        survive, born = ((r4, r3),), ((r1, r2),)
    return Rule(survive, born, parameters["boundary"] == "dead")


def calab_rates(experiment, steps, backends, end_hash):
    """10^9 cells a second by backend, of states that are all the one that the peer is held to."""
    rates = {}
    bench = calab("bench", *experiment, "-n", str(steps), "-b", ",".join(backends), "--time", "10")
    for line in bench["lines"]:
        name = line["experiment"]["backend"]
        if not line["available"]:  # it cannot hold this lattice
            leave_out(name, line["reason"])
            continue
        # bench gives none where its reference could not make one generation in time.
        found = line["hash"] or calab("run", *experiment, "-b", name, "-n", str(steps))["hash"]
        if found != end_hash:
            sys.exit(f"calab's {name} ends in state {found}, not in {end_hash}")
        rates[name] = line["cells_per_s"] / 1e9
    return rates


def same(name, last, end):
    if last.shape != end.shape:
        sys.exit(f"{name} ends in a lattice of {last.shape}, calab in one of {end.shape}")
    wrong = last != end
    if wrong.any():
        first = numpy.unravel_index(wrong.argmax(), wrong.shape)[::-1]
        sys.exit(f"{name}: {numpy.count_nonzero(wrong)} of {end.size} cells differ from calab's, "
                 f"the first at {','.join(map(str, first))}")


def peer_rates(peer, model, rule, steps, start, end):
    """10^9 cells a second by way. The first call, which compiles, is checked but not counted."""
    rates = {}
    for name, go in peer.ways(model, rule, steps, lambda: peer.load(start)):
        seconds = []
        for _ in range(1 + REPEATS):
            cells = peer.load(start)
            begun = time.perf_counter()
            cells = go(cells)
            seconds.append(time.perf_counter() - begun)
            same(name, peer.fetch(cells), end)
            del cells
        rates[name] = start.size * steps / statistics.median(seconds[1:]) / 1e9
    return rates


def arguments(name):
    parser = argparse.ArgumentParser(
        description=f"{name} beside calab: same start, same generations, one run, last states "
        f"compared cell for cell. Medians of {REPEATS} calls after one that compiles.",
        epilog="CALAB names the program (default: build/release/calab).")
    parser.add_argument("model", choices=("anneal", "life3d"))
    parser.add_argument("size", help="WxH or WxHxD")
    parser.add_argument("steps", type=int, help="generations, at least 1")
    parser.add_argument("--backend", metavar="NAME,...",
                        help=f"calab's; default on a GPU {GPU_BACKENDS}, else {CPU_BACKENDS}")
    parser.add_argument("--boundary", choices=("torus", "dead"), help="of life3d")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="another parameter of the model, as calab takes it; repeatable")
    parser.add_argument("--init", metavar="NAME", help="start, as calab takes it")
    parser.add_argument("--seed", metavar="N", default="1", help="of the start; default 1")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    args = parser.parse_args()
    if args.steps < 1:
        parser.error("steps: at least 1")
    if args.boundary and args.model == "anneal":
        parser.error("--boundary: anneal is a torus")
    return args


def print_text(title, peers, rungs):
    print(title)
    base, rate = max(peers.items(), key=lambda item: item[1])
    for name, value in {**peers, **rungs}.items():
        print(f"{name:30} {value:10.3f} Gcells/s {value / rate:9.1f} x {base}")


def print_markdown(title, args, peers, rungs):
    print(f"{title}\n\n| peer | size | generations | 10^9 cells/s | " + " | ".join(
        f"`{name}`" for name in rungs) + " |\n|---|---|---:|---:|" + "---:|" * len(rungs))
    for name, rate in peers.items():
        print(f"| {name} | {args.model} {args.size} | {args.steps} | {rate:.4g} | " + " | ".join(
            f"{value:.4g} ({value / rate:.3g} x)" for value in rungs.values()) + " |")


def main(peer):
    args = arguments(peer.name)
    sets = args.set + ([f"boundary={args.boundary}"] if args.boundary else [])
    experiment = [args.model, "-s", args.size, "--seed", args.seed,
                  *(word for pair in sets for word in ("--set", pair)),
                  *(("--init", args.init) if args.init else ())]
    wanted = args.backend or (GPU_BACKENDS if peer.gpu else CPU_BACKENDS)
    backends = runnable(wanted.split(","), args.model)
    with tempfile.TemporaryDirectory() as folder:
        first, last = os.path.join(folder, "first.npy"), os.path.join(folder, "last.npy")
        begun = calab("run", *experiment, "-b", "bitslice", "-n", "0", "-o", first)
        ended = calab("run", *experiment, "-b", backends[0], "-n",
                      str(args.steps), "-o", last)
        start, end = numpy.load(first), numpy.load(last)
    rungs = calab_rates(experiment, args.steps, backends, ended["hash"])
    rule = rule_of(args.model, begun["parameters"])
    try:
        peers = peer_rates(peer, args.model, rule, args.steps, start, end)
    except RuntimeError as error:
        if "memory" not in str(error).lower():
            raise
        sys.exit(f"{peer.name}: not enough memory for {args.size}: {str(error).splitlines()[0]}")
    title = (f"{args.model} {' '.join([args.size, *sets])}, {args.steps} generations: {peer.name} "
             f"on {peer.device}, calab on {ended['device']}; last states equal cell for cell, "
             f"medians of {REPEATS} calls (calab's: or more)")
    if args.markdown:
        print_markdown(title, args, peers, rungs)
    else:
        print_text(title, peers, rungs)
