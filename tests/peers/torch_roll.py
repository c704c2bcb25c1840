#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PyTorch beside calab on anneal and life3d: torch.compile of a step of torch.roll, in a loop.

    tests/peers/torch_roll.py MODEL SIZE STEPS [--backend NAME,...] [--boundary dead] [--markdown]

Takes the first GPU where there is one; CUDA_VISIBLE_DEVICES= keeps it off. There the compiled step
is also replayed as a CUDA graph, which saves the launches that bind small lattices. Compiled as the
documentation advises for speed; its modes with graphs of their own are none for a step whose output
is its next input.
"""
import functools
import math
import operator
import sys

import roll

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit("no PyTorch here: pip install torch")

MODE = "max-autotune-no-cudagraphs"
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
GPU = DEVICE.type == "cuda"


def box(cells):
    """Live cells of the 3x3 square or 3x3x3 cube around each cell, itself included."""
    for axis in range(cells.ndim):
        cells = cells + torch.roll(cells, 1, axis) + torch.roll(cells, -1, axis)
    return cells


def anneal(cells, _):
    count = box(cells)
    return ((count == 4) | (count >= 6)).to(torch.uint8)


def within(count, intervals):
    return functools.reduce(operator.or_, [(count >= low) & (count <= high)
                                           for low, high in intervals])


def life3d(cells, rule):
    around = box(F.pad(cells, (1,) * 6))[1:-1, 1:-1, 1:-1] if rule.dead else box(cells)
    count = around - cells
    return torch.where(cells == 1, within(count, rule.survive),
                       within(count, rule.born)).to(torch.uint8)


def finished():
    if GPU:
        torch.cuda.synchronize()


def load(array):
    cells = torch.from_numpy(array).to(DEVICE)
    finished()
    return cells


def looped(step, steps):
    def go(cells):
        for _ in range(steps):
            cells = step(cells)
        finished()
        return cells
    return go


def graphed(step, steps, cells):
    """As many generations as divide both steps and 100, recorded once and replayed."""
    recorded = math.gcd(steps, 100)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        last = cells
        for _ in range(recorded):
            last = step(last)
        cells.copy_(last)

    def go(start):
        cells.copy_(start)
        for _ in range(steps // recorded):
            graph.replay()
        finished()
        return cells
    return go


def attempt(what, otherwise, function):
    """What the function returns, or None and a line to stderr where this machine cannot do it."""
    try:
        return function()
    except torch.cuda.OutOfMemoryError:
        raise
    except Exception as error:  # whatever a compiler that is missing or broken throws
        print(f"{what} does not work here, {otherwise}: {str(error).strip().partition(chr(10))[0]}",
              file=sys.stderr)
        return None


def ways(model, rule, steps, start):
    rule_step = {"anneal": anneal, "life3d": life3d}[model]

    def step(cells):
        return rule_step(cells, rule)
    fast = torch.compile(step, mode=MODE)
    if attempt("torch.compile", "eager PyTorch in its place", lambda: fast(start())) is None:
        yield "PyTorch eager", looped(step, steps)
        return
    yield "PyTorch compile", looped(fast, steps)
    if GPU:
        go = attempt("a CUDA graph", "without it", lambda: graphed(fast, steps, start()))
        if go:
            yield "PyTorch compile, CUDA graph", go


if __name__ == "__main__":
    roll.main(roll.Peer(f"PyTorch {torch.__version__}",
                        torch.cuda.get_device_name() if GPU else "cpu", GPU, load,
                        lambda cells: cells.cpu().numpy(), ways))
