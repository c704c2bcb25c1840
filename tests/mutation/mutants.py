# SPDX-License-Identifier: MIT
"""Mutants that were drawn: one operator or number of a source, what takes its place, and the tests that
are to notice. A file of them has a row for each; a slot has several, of which the first that makes a
difference is tried."""

import collections
import os
import sys

from tree import ROOT, read, write

Mutant = collections.namedtuple("Mutant", "slot file line column old new text tests")


def describe(mutant):
    return f"{mutant.file}:{mutant.line}:{mutant.column} '{mutant.old}' => '{mutant.new}'"


def write_draws(path, seed, slots):
    rows = [f"# SEED={seed}"]
    for mutant in (mutant for draws in slots for mutant in draws):
        tests = " ".join(f"{test}={seconds}" for test, seconds in mutant.tests)
        rows.append("\t".join(map(str, [*mutant[:-1], tests])))
    write(path, "\n".join(rows) + "\n")


def read_draws(path):
    slots = {}
    for number, row in enumerate(read(path).splitlines(), 1):
        if row.startswith("#"):
            continue
        try:
            slot, file, line, column, old, new, text, tests = row.split("\t")
            pairs = [test.split("=") for test in tests.split()]
            pairs = tuple((test, float(seconds)) for test, seconds in pairs)
            mutant = Mutant(int(slot), file, int(line), int(column), old, new, text, pairs)
        except ValueError:
            sys.exit(f"{path}:{number}: a row is SLOT, FILE, LINE, COLUMN, OLD, NEW, TEXT, TEST=SECONDS, between tabs")
        slots.setdefault(mutant.slot, []).append(mutant)
    return list(slots.values())


def broken_text(mutant, root=ROOT):
    """Its file's text with the mutant in it, or None where its line is no longer there. A line that
    moved is found."""
    path = os.path.join(root, mutant.file)
    lines = read(path).split("\n") if os.path.exists(path) else []
    same = [number for number, text in enumerate(lines, 1) if text == mutant.text]
    if not same:
        return None
    number = min(same, key=lambda number: abs(number - mutant.line))
    line, start = mutant.text.encode(), mutant.column - 1
    end = start + len(mutant.old.encode())
    lines[number - 1] = (line[:start] + mutant.new.encode() + line[end:]).decode()
    return "\n".join(lines)
