#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golly's RuleLoader beside calab on Wireworld, a model in one file: one pattern, some generations,
equal cells at the end, in one run.

    tests/peers/golly_wireworld.py [PATTERN [GENERATIONS [REPEATS]]]

PATTERN is one that Golly opens, without edges of its own; if none is named, the computer of primes
that comes with Golly. Needs bgolly (Debian: golly). Golly's time is that of stepping alone, from the
stamps of its option -b; it keeps what it has computed before (HashLife), calab steps all cells.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

import peer

FOLDER = "/usr/share/golly"
MODEL = os.path.join(os.path.dirname(__file__), "..", "..", "configs", "models", "wireworld.c")


def bgolly(*words):
    command = ["bgolly", "-a", "RuleLoader", "-s", f"{FOLDER}/Rules/", *map(str, words)]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except OSError as error:
        sys.exit(f"bgolly: {error.strerror} (Debian package golly)")
    except subprocess.CalledProcessError as error:
        sys.exit(f"bgolly {error.returncode}: {error.stdout}{error.stderr}")


def cells_of(path):
    """A pattern of several states as rows of bytes, without what is empty at its right and end."""
    lines = [line for line in open(path, encoding="ascii") if not line.startswith("#")]
    header = re.match(r"x = (\d+), y = (\d+), rule = WireWorld\s*$", lines[0])
    if not header:
        sys.exit(f"{path}: not a pattern of WireWorld without edges: {lines[0].strip()}")
    rows, row = [], bytearray()
    for count, sign in re.findall(r"(\d*)([.A-C$!])", "".join(lines[1:])):
        count = int(count or 1)
        if sign in "$!":
            rows.append(bytes(row))
            rows += [b""] * (count - 1)
            row = bytearray()
        else:
            row += bytes([".ABC".index(sign)]) * count
    return int(header[1]), int(header[2]), rows


def write_npy(path, w, h, rows):
    """The pattern within a rim of empty cells, so that it does not meet itself on the torus."""
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({h + 2}, {w + 2}), }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    padded = [b""] + rows + [b""] * (h + 1 - len(rows))
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        out.writelines((b"\0" + row).ljust(w + 2, b"\0") for row in padded)


def read_npy(path, w, h):
    data = open(path, "rb").read()[-(w + 2) * (h + 2):]
    return [data[y * (w + 2) + 1:(y + 1) * (w + 2) - 1] for y in range(1, h + 1)]


def main():
    words = sys.argv[1:]
    pattern = words[0] if words else f"{FOLDER}/Patterns/WireWorld/primes.mc"
    steps, repeats = (list(map(int, words[1:])) + [10000, 3][max(0, len(words) - 1):])[:2]
    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name)
                 for name in ("start.rle", "end.rle", "start.npy", "end.npy")}
        bgolly("-m", 0, "-o", paths["start.rle"], pattern)
        w, h, rows = cells_of(paths["start.rle"])
        write_npy(paths["start.npy"], w, h, rows)
        bgolly("-m", steps, "-i", steps, "-o", paths["end.rle"], pattern)
        run = ("run", MODEL, "-b", "threads", "--threads", "1", "-s", f"{w + 2}x{h + 2}", "--init",
               paths["start.npy"], "-n", str(steps))
        peer.calab(*run, "-o", paths["end.npy"])
        golly_w, golly_h, end = cells_of(paths["end.rle"])
        end = [row.ljust(w, b"\0") for row in end] + [bytes(w)] * (h - len(end))
        if (golly_w, golly_h) != (w, h) or end != read_npy(paths["end.npy"], w, h):
            sys.exit(f"cells after {steps} generations differ")
        for _ in range(repeats):
            stamps = bgolly("-b", "-q", "-q", "-m", steps, "-i", steps, pattern).splitlines()[-1]
            stamps = [float(word) for word in stamps.split()]
            rates.setdefault("golly RuleLoader", []).append(steps / (stamps[-1] - stamps[0]))
            rates.setdefault("threads", []).append(steps / peer.calab(*run)["device_s"])
    print(f"Wireworld, {os.path.basename(pattern)}, {w}x{h}, {steps} generations, one thread, median "
          f"of {repeats}; all cells equal at the end")
    for name, values in rates.items():
        median = statistics.median(values)
        print(f"{name:18} {median:9.0f} generations/s, {median * w * h / 1e9:6.2f} Gcells/s")


if __name__ == "__main__":
    main()
