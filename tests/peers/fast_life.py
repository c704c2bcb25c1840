#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fast-game-of-life beside calab's model life on one GPU: one soup, dead edges, one run.

    tests/peers/fast_life.py CHECKOUT [--steps N] [--rounds N] [--rows N] [--arch N] [--build-only]

CHECKOUT is one of github.com/binary-banter/fast-game-of-life (b7d743e). It stays as it is: its
kernel is compiled elsewhere, with the constants of its settings.toml or with --rows in place of its
16 rows a thread, and launched by fast_life.cu as its own program does. Needs nvcc and g++.

Both start from calab's soup, and both last states have to be equal, bit for bit, else nothing is
printed. Rates of both sides are by events on the device around all generations of a call.
"""
import argparse
import filecmp
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import peer

NVCC = shutil.which("nvcc") or os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin/nvcc"
BACKENDS = ("cuda-bitslice", "cuda-temporal", "cuda-overlapped")
WIDTHS = (4096, 16384, 65536)


def run(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")
    if done.returncode:
        sys.exit(f"{(done.stderr or done.stdout).strip()[-4000:]}\n"
                 f"exit status {done.returncode} of: {' '.join(command)}")
    return done.stdout


def constants(checkout, rows):
    """Rows a thread and generations a launch, as its settings have them for CUDA."""
    section = (checkout / "settings.toml").read_text().partition("[cuda]")[2]
    found = dict(re.findall(r"^(work-per-thread|step-size) *= *(\d+)", section, re.MULTILINE))
    if len(found) != 2:
        sys.exit(f"{checkout}/settings.toml: another version of fast-game-of-life?")
    return rows or int(found["work-per-thread"]), int(found["step-size"])


def build(checkout, folder, rows, steps, arch):
    shutil.copy(checkout / "src/kernels/gol.cu", folder)
    shutil.copy(Path(__file__).parent / "fast_life.cu", folder)
    (folder / "constants.h").write_text(f"#define WORK_PER_THREAD {rows}\n"
                                        f"#define STEP_SIZE {steps}\n")
    program = str(folder / "fast_life")
    run(NVCC, "-O3", "-std=c++17", f"-arch=sm_{arch}", str(folder / "fast_life.cu"), "-o", program)
    return program


def compare(program, folder, size, args):
    """Rates in 10^12 cells a second by name, of runs that end in the same state."""
    w, h = size
    cells = w * h * args.steps
    soup, theirs, ours = (str(folder / name) for name in ("soup.pbm", "theirs.pbm", "ours.pbm"))
    lattice = ("run", "life", "-s", f"{w}x{h}", "--set", "boundary=dead")
    backends = peer.runnable(BACKENDS, "life")
    peer.calab(*lattice, "-b", backends[0], "-n", "0", "-o", soup)
    seconds = run(program, str(w), str(h), str(args.steps), str(args.rounds + 1), soup,
                  theirs).split()[1:]
    rates = {"fast-game-of-life": cells / statistics.median(map(float, seconds)) / 1e12}
    for backend in backends:
        result = peer.calab(*lattice, "-b", backend, "--init", soup, "-n", str(args.steps), "-o",
                            ours)
        if not filecmp.cmp(theirs, ours, shallow=False):
            sys.exit(f"{w}x{h}: states after {args.steps} generations differ from those of calab's "
                     f"{backend}")
        # A run of its own, by events: the first one wrote its state.
        times = [peer.calab(*lattice, "-b", backend, "--init", soup, "-n", str(args.steps))
                 for _ in range(args.rounds)]
        rates[f"calab {backend}"] = cells / statistics.median(
            one["device_s"] for one in [result, *times]) / 1e12
    return rates


def main():
    parser = argparse.ArgumentParser(
        description="fast-game-of-life beside calab's life on one GPU, in one run.",
        epilog="CALAB names the program (default: build/release/calab), CUDA_HOME the toolkit.")
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help="its sources")
    parser.add_argument("--steps", type=int, default=960, metavar="N",
                        help="generations of a call, whole launches; default %(default)s")
    parser.add_argument("--rounds", type=int, default=3, metavar="N",
                        help="calls after one of warm-up; default %(default)s")
    parser.add_argument("--rows", type=int, default=0, metavar="N",
                        help="rows a thread, a multiple of 4, in place of its own")
    parser.add_argument("--arch", type=int, default=90, metavar="N",
                        help="compute capability it is built for; default %(default)s")
    parser.add_argument("--build-only", action="store_true", help="build it; needs no GPU")
    args = parser.parse_args()
    if not (args.checkout / "src/kernels/gol.cu").is_file():
        parser.error(f"{args.checkout}: not a checkout of fast-game-of-life")
    rows, steps = constants(args.checkout, args.rows)
    if rows % 4 or 32 * rows <= 2 * steps:
        parser.error(f"--rows: a multiple of 4, more than {2 * steps // 32}")
    if args.steps < 1 or args.steps % steps or args.rounds < 1:
        parser.error(f"--steps: a multiple of {steps}; --rounds: at least 1")
    group = 32 * rows - 2 * steps
    with tempfile.TemporaryDirectory() as name:
        program = build(args.checkout, Path(name), rows, steps, args.arch)
        print(f"# fast-game-of-life, {rows} rows a thread, {steps} generations a launch, built for "
              f"sm_{args.arch}", flush=True)
        for w in () if args.build_only else WIDTHS:
            size = (w, w // group * group)
            rates = compare(program, Path(name), size, args)
            print(f"\nB3/S23, dead edges, {size[0]}x{size[1]}, {args.steps} generations, last "
                  "states equal")
            for which, rate in rates.items():
                print(f"{which:24} {rate:8.3f} T cells/s {rate / rates['fast-game-of-life']:6.2f} x",
                      flush=True)


if __name__ == "__main__":
    main()
