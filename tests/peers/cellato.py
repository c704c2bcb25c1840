#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cellato beside calab on one GPU: its Game of Life beside anneal, its HPP gas beside fhp.

    tests/peers/cellato.py CHECKOUT [--steps N] [--rounds N] [--arch N] [--build-only]

CHECKOUT is one of github.com/matyas-brabec/2026-cellato-smpt-journal (1b5ffb6). It stays as it is:
a copy is cut down to two automata and four of the configurations that its authors found fastest on
an H100, and built by its Makefile. Needs nvcc, g++ and make; a minute on 16 cores.

Each of its end states must have the checksum (sums of 4x4 regions) that its own baseline gets on
the same lattice, else nothing is printed. Its rules are not calab's, so states are not compared
across. Rates of both sides are by events on the device around all generations of a call, long
enough that a clock that rises from idle shows little.
"""
import argparse
import csv
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

import peer

CUDA_HOME = os.environ.get("CUDA_HOME", "/usr/local/cuda")
AUTOMATA = ("game_of_life", "fluid")
DROPPED = "brian|critters|cyclic|excitable|fire|maze|traffic|wire"
SUITES = ("bit_planes", "tiled_bit_planes", "temporal_linear_bit_planes",
          "temporal_tiled_bit_planes")
# The best rows of its results/H100/_h100.csv: 64-bit words, blocks of 32 threads by `block`, tiles
# of `tile` rows of words, which must fit in 48 KiB. The second lattice suits all tilings.
Case = namedtuple("Case", "automaton model traverser layout size passed tile block")
CASES = (
    Case("game-of-life", "anneal", "simple", "bit_planes", "16384x16384", 1, 0, 4),
    Case("game-of-life", "anneal", "temporal", "bit_planes", "15360x17472", 4, 64, 4),
    Case("fluid", "fhp", "simple", "tiled_bit_planes", "16384x16384", 1, 0, 16),
    Case("fluid", "fhp", "temporal", "tiled_bit_planes", "15360x17472", 7, 16, 16),
)
BACKENDS = {"anneal": ("cuda-bitslice", "cuda-temporal", "cuda-overlapped"),
            "fhp": ("cuda-bitslice", "cuda-temporal")}
STEP_UNIT = 28  # generations: whole passes of 4 and of 7


def run(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")
    if done.returncode:
        sys.exit(f"{(done.stderr or done.stdout).strip()[-4000:]}\n"
                 f"exit status {done.returncode} of: {' '.join(command)}")
    return done


# --- Cellato's build -----------------------------------------------------------------------------

def edit(path, *changes):
    """Replaces each pattern at least once: sources that lack it are not those that are known."""
    text = path.read_text()
    for pattern, replacement in changes:
        text, times = re.subn(pattern, replacement, text, flags=re.DOTALL)
        if times == 0:
            sys.exit(f"{path}: no {pattern!r}; another version of Cellato?")
    path.write_text(text)


def options_of(name, values):
    """The list of a compile-time option in the section of temporal.cu that is for users."""
    return (rf"(using {name} *= std::integer_sequence<idx_type, )\d+(>;)",
            rf"\g<1>{', '.join(str(value) for value in sorted(values))}\g<2>")


def cut_down(root, arch):
    """Leaves two automata, 64-bit words, bit planes, the tiles of CASES, and one architecture."""
    temporal = [case for case in CASES if case.traverser == "temporal"]
    traversers = root / "include/traversers/cuda"
    others = rf'#include "[./]*src/(?:{DROPPED})/cuda_instantiations.cuh"\n'
    edit(traversers / "simple.cu", (others, ""))
    edit(traversers / "temporal.cu", (others, ""),
         options_of("temporal_steps_opts", {case.passed for case in temporal}),
         options_of("temporal_block_size_Y_opts", {case.tile for case in temporal}),
         options_of("cuda_th_block_y_opts", {case.block for case in temporal}))
    (traversers / "spacial_blocking.cu").unlink()
    # A block of instantiations reaches from its comment to the next.
    edit(root / "src/_shared/cuda_instantiation_template.cuh",
         (r"\n// (?![^\n]*it planes grid[^\n]*\(64-bit\))[^\n]*\n.*?(?=\n// |\n#endif)", ""))
    suites = ", ".join(f"test::on_cuda::using_<std::uint64_t>::{suite}<{automaton}::config>"
                       for automaton in AUTOMATA for suite in SUITES)
    edit(root / "src/main.cpp",
         (rf'#include "(?:{DROPPED})/config.hpp"\n', ""),
         (rf'\}} else if \(params\.automaton == "(?:{DROPPED})".*?(?=\}})', ""),
         (r"using _\w+_ = \w+::config;\n", ""),
         (r"#define cases_for.*?>::run\(params\);", f"switch_<{suites}>::run(params);"))
    edit(root / "src/Makefile", (r"(-gencode \S+ )+", f"-arch=sm_{arch} "))


def build(checkout, root, arch):
    """The program and the seconds that its build took."""
    for folder in ("include", "src"):
        shutil.copytree(checkout / folder, root / folder)
    cut_down(root, arch)
    begun = time.monotonic()
    run("make", "-C", str(root / "src"), f"-j{os.cpu_count()}", "../bin/cellato",
        f"NVCC={shutil.which('nvcc') or CUDA_HOME + '/bin/nvcc'}",
        f"NVCC_CC_BIN={shutil.which('g++')}", f"CUDA_HOME={CUDA_HOME}",
        "CUDA_DIRS=../include/traversers/cuda " + " ".join(f"./{name}" for name in AUTOMATA),
        "LIBS=-lcudart_static -lpthread -ldl -lrt")
    return str(root / "bin/cellato"), time.monotonic() - begun


def version(checkout):
    if (checkout / ".git").exists():
        return "commit " + run("git", "-C", str(checkout), "rev-parse", "HEAD").stdout[:12]
    digest = hashlib.sha256()
    for path in sorted(checkout.rglob("*")):
        if path.suffix in (".hpp", ".cpp", ".cu", ".cuh"):
            digest.update(f"{path.relative_to(checkout)}\n".encode() + path.read_bytes())
    return f"sources sha256 {digest.hexdigest()[:12]}"


# --- Rates ---------------------------------------------------------------------------------------

def cellato(program, *words):
    """Its line of CSV by column, and the seconds of each call, which its report alone has."""
    keys = run(program, "--print_csv_header").stdout.strip().split(",")
    done = run(program, *map(str, words))
    values = next(csv.reader(done.stdout.split()[-1:]), [])
    if len(values) != len(keys):
        sys.exit(f"no result of: {' '.join(map(str, words))}\n{done.stderr.strip()[-1000:]}")
    result = dict(zip(keys, values))
    report = re.sub(r"\033\[\d*m", "", done.stderr)
    times = re.search(r"Execution Times \(ms\):(.*?)Consistency", report, re.DOTALL)
    calls = ([float(word) for word in times[1].replace(",", " ").split()] if times
             else [float(result["average_time_ms"])])
    if abs(statistics.mean(calls) / float(result["average_time_ms"]) - 1) > 1e-3:
        sys.exit(f"Cellato's calls are not those of its CSV:\n{report.strip()[-1000:]}")
    return result, [ms / 1e3 for ms in calls]


def cellato_rate(program, case, steps, rounds):
    """10^12 cells a second, of end states that its baseline gets too."""
    w, h = case.size.split("x")
    lattice = ("--automaton", case.automaton, "--device", "CUDA", "--x_size", w, "--y_size", h,
               "--steps", steps, "--seed", 42)
    tiles = ("--temporal_steps", case.passed, "--temporal_tile_size_y", case.tile)
    result, calls = cellato(program, *lattice, "--traverser", case.traverser, "--evaluator",
                            case.layout, "--layout", case.layout, "--word_size", 64,
                            "--cuda_block_size_y", case.block, *(tiles if case.tile else ()),
                            "--warmup_rounds", 1, "--rounds", rounds)
    baseline, _ = cellato(program, *lattice, "--reference_impl", "baseline")
    if result["rounds_had_same_checksums"] != "true":
        sys.exit(f"Cellato's {case.automaton} {case.traverser} ends differently each time")
    if result["checksum"] != baseline["checksum"]:
        sys.exit(f"Cellato's {case.automaton} {case.traverser} ends in {result['checksum']}, its "
                 f"baseline in {baseline['checksum']}")
    return int(w) * int(h) * steps / statistics.median(calls) / 1e12


def calab_lines(case, steps):
    """Of bench, which checks their states; its provenance."""
    backends = peer.runnable(BACKENDS[case.model], case.model)
    bench = peer.calab("bench", case.model, "-s", case.size, "-n", str(steps), "-b",
                       ",".join(backends))
    lines = []
    for line in bench["lines"]:
        name = line["experiment"]["backend"]
        if not line["available"]:  # it cannot hold this lattice
            peer.leave_out(name, line["reason"])
        elif line["wrong"] != 0:
            sys.exit(f"calab's {name}: {line['wrong']} wrong cells")
        else:
            lines.append(line)
    return lines, bench["provenance"]


# --- Report --------------------------------------------------------------------------------------

def print_provenance(what, provenance):
    gpu = provenance.get("gpus", [{"name": "no GPU"}])[0]["name"]
    print(f"# {time.strftime('%Y-%m-%d')}, {gpu}, driver {provenance.get('driver')}, "
          f"CUDA {provenance.get('runtime_cuda')}, {provenance['cpu']}\n"
          f"# calab {provenance['version']}; Cellato {what}\n"
          "# The rules differ: Cellato's Game of Life is B3/S23 on 8 neighbours, anneal is "
          "B4678/S35678\n"
          "# on 9 cells; its gas is HPP, 4 bits on a square lattice, fhp has 7 bits on a "
          "triangular one.\n"
          "# Cellato's states are as its baseline's; what calab's are compared with is `checked`.",
          flush=True)


def print_case(case, steps, rate, lines):
    passed = f"{case.passed} generation{'s' if case.passed > 1 else ''} a pass"
    print(f"\n{case.automaton} beside {case.model}, {case.size}, {steps} generations\n"
          f"{f'Cellato {case.traverser} {case.layout}, {passed}':56} {rate:8.3f} T cells/s")
    w, h = map(int, case.size.split("x"))
    for line in lines:
        name = f"calab {case.model} {line['experiment']['backend']}"
        own = w * h * steps / line["device_s"] / 1e12
        print(f"{name:56} {own:8.3f} T cells/s {own / rate:6.2f} x  "
              f"checked: {line['checked']}")
    sys.stdout.flush()


def arguments():
    parser = argparse.ArgumentParser(
        description="Cellato beside calab on one GPU, in one run.",
        epilog="CALAB names the program (default: build/release/calab), CUDA_HOME the toolkit.")
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help="Cellato's sources")
    parser.add_argument("--steps", type=int, default=36 * STEP_UNIT, metavar="N",
                        help=f"generations of a call, a multiple of {STEP_UNIT}; "
                        "default %(default)s")
    parser.add_argument("--rounds", type=int, default=5, metavar="N",
                        help="calls of Cellato's after one of warm-up; default %(default)s")
    parser.add_argument("--arch", type=int, default=90, metavar="N",
                        help="compute capability that Cellato is built for; default %(default)s")
    parser.add_argument("--build-only", action="store_true", help="build Cellato; needs no GPU")
    args = parser.parse_args()
    if args.steps < 1 or args.steps % STEP_UNIT:
        parser.error(f"--steps: a multiple of {STEP_UNIT}")
    if args.rounds < 1:
        parser.error("--rounds: at least 1")
    if not (args.checkout / "include/traversers/cuda/temporal.cu").is_file():
        parser.error(f"{args.checkout}: not a checkout of Cellato")
    return args


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as folder:
        program, seconds = build(args.checkout, Path(folder), args.arch)
        what = (f"{version(args.checkout)}: cut down to {' and '.join(AUTOMATA)} and built for "
                f"sm_{args.arch} in {seconds:.0f} s\n# medians, Cellato's of {args.rounds} calls")
        if args.build_only:
            print(f"# Cellato {what.splitlines()[0]}")
            return
        for i, case in enumerate(CASES):
            lines, provenance = calab_lines(case, args.steps)
            rate = cellato_rate(program, case, args.steps, args.rounds)
            if i == 0:
                print_provenance(what, provenance)
            print_case(case, args.steps, rate, lines)


if __name__ == "__main__":
    main()
