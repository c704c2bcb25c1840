#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""JAX beside calab on anneal and life3d: jit over a loop of jnp.roll, the buffer donated.

    tests/peers/jax_roll.py MODEL SIZE STEPS [--backend NAME,...] [--boundary dead] [--markdown]

Takes JAX's default device; JAX_PLATFORMS=cpu keeps it off a GPU.
"""
import functools
import operator
import os
import sys

import roll

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # calab needs memory there too
try:
    import jax
    import jax.numpy as jnp
except ImportError:
    sys.exit("no JAX here: pip install jax (for an NVIDIA GPU: 'jax[cuda13]')")


def box(cells):
    """Live cells of the 3x3 square or 3x3x3 cube around each cell, itself included."""
    for axis in range(cells.ndim):
        cells = cells + jnp.roll(cells, 1, axis) + jnp.roll(cells, -1, axis)
    return cells


def anneal(cells, _):
    count = box(cells)
    return ((count == 4) | (count >= 6)).astype(jnp.uint8)


def within(count, intervals):
    return functools.reduce(operator.or_, [(count >= low) & (count <= high)
                                           for low, high in intervals])


def life3d(cells, rule):
    around = box(jnp.pad(cells, 1))[1:-1, 1:-1, 1:-1] if rule.dead else box(cells)
    count = around - cells
    return jnp.where(cells == 1, within(count, rule.survive),
                     within(count, rule.born)).astype(jnp.uint8)


@functools.partial(jax.jit, static_argnums=(1, 2), donate_argnums=0)
def run(cells, step, steps):
    return jax.lax.fori_loop(0, steps, lambda _, cells: step(cells), cells)


def ways(model, rule, steps, _):
    rule_step = {"anneal": anneal, "life3d": life3d}[model]

    def step(cells):
        return rule_step(cells, rule)
    yield "JAX jit", lambda cells: run(cells, step, steps).block_until_ready()


if __name__ == "__main__":
    DEVICE = jax.devices()[0]
    roll.main(roll.Peer(f"JAX {jax.__version__}", DEVICE.device_kind, DEVICE.platform == "gpu",
                        lambda array: jnp.array(array).block_until_ready(), jax.device_get, ways))
