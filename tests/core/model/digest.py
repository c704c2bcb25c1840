#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# The hash of a state as calab-models(7) defines it, by a program that shares nothing with calab's:
# digest.py STATE.npy PLANES BITS, with the bits of a byte's largest value, 1 for floats.
import ast, sys

MASK = 2**64 - 1

def mix(u):
    u = (u ^ u >> 30) * 0xBF58476D1CE4E5B9 & MASK
    u = (u ^ u >> 27) * 0x94D049BB133111EB & MASK
    return u ^ u >> 31

data, planes, bits = open(sys.argv[1], "rb").read(), int(sys.argv[2]), int(sys.argv[3])
start = 10 + int.from_bytes(data[8:10], "little")
header = ast.literal_eval(data[10:start].decode())
size, width = int(header["descr"][2:]), header["shape"][-1]
row_bytes, words = width * size, -(-width // (64 if size == 1 else 2))
rows, digest = (len(data) - start) // (row_bytes * planes), 0
for r in range(rows * planes):
    row = data[start + r * row_bytes:start + (r + 1) * row_bytes]
    for b in range(bits):
        row_bits = (sum((cell >> b & 1) << x for x, cell in enumerate(row)) if size == 1
                    else int.from_bytes(row, "little"))
        first = ((8 * (r // rows) + b) * rows + r % rows) * words
        for k in range(words):
            word = row_bits >> 64 * k & MASK
            digest += mix(word + (first + k + 1) * 0x9E3779B97F4A7C15 & MASK)
print("%016x" % (digest & MASK))
