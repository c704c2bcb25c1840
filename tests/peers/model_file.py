#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NumPy and CellPyLib beside calab on Wireworld, a model in one file: same start, same torus, equal
cells at the end, in one run.

    tests/peers/model_file.py [SIDE [GENERATIONS [SIDE [GENERATIONS]]]]

The first two are for NumPy, the last two for CellPyLib, which calls a function of Python for each
cell. Needs numpy; CellPyLib (pip install cellpylib) is left out where it is not installed.
"""
import os
import sys
import tempfile
import time

import numpy

import peer

MODEL = os.path.join(os.path.dirname(__file__), "..", "..", "configs", "models", "wireworld.c")
HEAD, TAIL, WIRE = 1, 2, 3


def by_numpy(cells, steps):
    becomes = numpy.array([0, TAIL, WIRE, WIRE], numpy.uint8)
    for _ in range(steps):
        heads = (cells == HEAD).astype(numpy.uint8)
        near = heads + numpy.roll(heads, 1, 0) + numpy.roll(heads, -1, 0)
        near = near + numpy.roll(near, 1, 1) + numpy.roll(near, -1, 1)
        excited = (cells == WIRE) & ((near == 1) | (near == 2))
        cells = numpy.where(excited, numpy.uint8(HEAD), becomes[cells])
    return cells


def by_cellpylib(cells, steps):
    import cellpylib

    def rule(around, _, __):
        cell = around[1][1]
        if cell == HEAD:
            return TAIL
        if cell == TAIL:
            return WIRE
        return HEAD if cell == WIRE and 0 < (around == HEAD).sum() < 3 else cell

    return cellpylib.evolve2d(cells[numpy.newaxis].astype(int), timesteps=steps + 1,
                              apply_rule=rule, neighbourhood="Moore")[-1]


def compare(name, step, side, steps, folder):
    """Prints the rates of both, if their cells are equal at the end."""
    start, end = os.path.join(folder, "start.npy"), os.path.join(folder, "end.npy")
    run = ("run", MODEL, "-b", "threads", "--threads", "1", "-s", f"{side}x{side}")
    peer.calab(*run, "-n", "0", "-o", start)
    peer.calab(*run, "-n", str(steps), "-o", end)
    cells = numpy.load(start).reshape(side, side)
    began = time.perf_counter()
    last = step(cells, steps)
    seconds = time.perf_counter() - began
    if (last != numpy.load(end).reshape(side, side)).any():
        sys.exit(f"{name}: cells after {steps} generations differ")
    # Long enough a run that starting up does not show.
    times = max(steps, (1 << 29) // (side * side))
    rates = {name: side * side * steps / seconds,
             "calab threads": side * side * times / peer.calab(*run, "-n", str(times))["device_s"]}
    print(f"Wireworld {side}x{side}, {steps} generations, one thread: all cells equal at the end")
    for who, rate in rates.items():
        print(f"{who:14} {rate / 1e6:10.3f} Mcells/s {rate / rates[name]:10.1f} x {name}")


def main():
    sizes = (list(map(int, sys.argv[1:])) + [1024, 20, 64, 10][len(sys.argv) - 1:])[:4]
    with tempfile.TemporaryDirectory() as folder:
        compare("NumPy", by_numpy, *sizes[:2], folder)
        try:
            import cellpylib  # pylint: disable=unused-import
        except ImportError as error:
            print(f"CellPyLib is left out: {error}", file=sys.stderr)
        else:
            compare("CellPyLib", by_cellpylib, *sizes[2:], folder)


if __name__ == "__main__":
    main()
