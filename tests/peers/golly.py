#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golly's QuickLife beside calab on ANNEAL: same soup, same torus, same generations, in one run.

    tests/peers/golly.py [SIDE [GENERATIONS [REPEATS]]]

Needs Golly's command line program bgolly (Debian: golly). Golly's time is that of stepping alone,
from the stamps of its option -b. The populations at the end must agree, else nothing is printed.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

import peer

RULE = "B4678/S35678"
BACKENDS = ("reference", "bitslice", "bitslice-avx2", "bitslice-avx512")


def calab(backend, side, steps, *more):
    threads = () if backend == "reference" else ("--threads", "1")
    return peer.calab("run", "anneal", "-b", backend, "-s", f"{side}x{side}", "-n", str(steps),
                      *threads, *more)


def rle(pbm, path):
    """The P4 bitmap as Golly's run-length encoding, a row at a time."""
    data = open(pbm, "rb").read()
    header = re.match(rb"P4\s+(?:#[^\n]*\n)?(\d+)\s+(\d+)\s", data)
    w, h = int(header[1]), int(header[2])
    stride = (w + 7) // 8
    with open(path, "w") as out:
        out.write(f"x = {w}, y = {h}, rule = {RULE}:T{w},{h}\n")
        for y in range(h):
            row = data[header.end() + y * stride:header.end() + (y + 1) * stride]
            bits = "".join(f"{byte:08b}" for byte in row)[:w]
            runs = (f"{len(run[0])}{'bo'[run[0][0] == '1']}"
                    for run in re.finditer(r"0+|1+", bits))
            out.write("".join(runs) + ("$\n" if y < h - 1 else "!\n"))


def bgolly(path, steps, *quiet):
    command = ["bgolly", "-a", "QuickLife", "-M", "8000", "-b", *quiet, "-m", str(steps), "-i", "1",
               path]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except OSError as error:
        sys.exit(f"bgolly: {error.strerror} (Debian package golly)")


def golly_seconds(path, steps):
    """Of stepping alone: from the stamp of generation 0 to that of the last."""
    stamps = [float(word) for word in bgolly(path, steps, "-q", "-q").splitlines()[-1].split()]
    return stamps[-1] - stamps[0]


def golly_population(path, steps):
    return int(re.findall(r"pop ([\d,]+)", bgolly(path, steps))[-1].replace(",", ""))


def main():
    side, steps, repeats = (list(map(int, sys.argv[1:])) + [2048, 64, 5][len(sys.argv) - 1:])[:3]
    cells = side * side * steps
    backends = peer.runnable(BACKENDS, "anneal")
    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        pbm, soup = os.path.join(folder, "soup.pbm"), os.path.join(folder, "soup.rle")
        calab("reference", side, 0, "-o", pbm)
        rle(pbm, soup)
        for _ in range(repeats):
            seconds = golly_seconds(soup, steps)
            rates.setdefault("golly QuickLife", []).append(cells / seconds / 1e9)
            for backend in backends:
                # Long enough a run that starting up threads and clocks does not show.
                times = steps if backend == "reference" else 16 * steps
                result = calab(backend, side, times)
                rates.setdefault(backend, []).append(side * side * times /
                                                     result["device_s"] / 1e9)
        population = golly_population(soup, steps)
        live = calab("bitslice", side, steps)["observables"]["live"]
    if live != population:
        sys.exit(f"populations after {steps} generations differ: calab {live}, Golly {population}")
    print(f"ANNEAL {side}x{side} torus, {steps} generations, one thread, median of {repeats}; "
          f"population {population} in both")
    base = statistics.median(rates["golly QuickLife"])
    for name, values in rates.items():
        median = statistics.median(values)
        print(f"{name:18} {median:9.3f} Gcells/s {median / base:8.1f} x Golly")


if __name__ == "__main__":
    main()
