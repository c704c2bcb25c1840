# SPDX-License-Identifier: MIT
"""The places that can be broken by chance, found among clang's tokens: operators and numbers, outside
comments, strings, assertions, hints to the compiler, sizes of texts and preprocessor lines. Needs libclang (Debian package
python3-clang)."""

import collections
import os
import random
import re


import sys

from tree import ROOT, read, source_names

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, whichever python3 runs this
try:
    from clang.cindex import Index, TokenKind, TranslationUnit
except ImportError:
    sys.exit("there is no libclang for Python (Debian package python3-clang)")

TRIES = 10000  # lines of one slot
FOLDERS = ("core", "tui", "kernels")
OPERATORS = {
    "<": ["<=", ">", ">="],
    "<=": ["<", ">", ">="],
    ">": [">=", "<", "<="],
    ">=": [">", "<", "<="],
    "==": ["!=", "<=", ">="],
    "!=": ["==", "<", ">"],
    "+": ["-", "*"],
    "-": ["+", "*"],
    "*": ["/", "+"],
    "/": ["*", "%"],
    "%": ["/", "*"],
    "&": ["|", "^"],
    "|": ["&", "^"],
    "^": ["&", "|"],
    "<<": [">>"],
    ">>": ["<<"],
    "&&": ["||"],
    "||": ["&&"],
    "!": [""],
    "++": ["--"],
    "--": ["++"],
    "+=": ["-=", "="],
    "-=": ["+=", "="],
    "*=": ["/=", "="],
    "/=": ["*=", "="],
    "%=": ["/=", "="],
    "&=": ["|=", "="],
    "|=": ["&=", "="],
    "^=": ["|=", "="],
    "<<=": [">>=", "="],
    ">>=": ["<<=", "="],
}
UNARY = {"!", "++", "--"}
# With what is handed to them.
LEFT_OUT = {"assert", "static_assert", "_Static_assert", "__builtin_prefetch", "__builtin_expect"}
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")


def other_numbers(text):
    whole = NUMBER.match(text)
    if not whole:
        return [f"(2 * {text})"]
    digits, suffix = whole.groups()
    hexadecimal = digits[:2].lower() == "0x"
    octal = not hexadecimal and len(digits) > 1 and digits[0] == "0"
    value = int(digits, 16 if hexadecimal else 8 if octal else 10)
    write = hex if hexadecimal else (lambda n: f"0{n:o}") if octal else str
    return [write(n) + suffix for n in (value - 1, value + 1) if n >= 0]


TEXT_SIZE = re.compile(rb"(\bchar \w+|^\s*(const |static |unsigned )*char [^(]*, \w+)\[[^]]*$")


def is_text_size(before):
    """Whether what stands behind this part of a line is of the size of a text, as in char name[64 + 2].
    Nothing but a text of just that length, which the test of a limit has for itself, would notice another."""
    return TEXT_SIZE.search(before) is not None


def is_dead(name):
    """Whether no test of a build without CUDA runs this file: texts for compilers of GPUs, and what stands
    in for a GPU, which `make emulated-check` tests."""
    folders = ("kernels/cuda/", "core/emulator/runtime/")
    return name.startswith(folders) or name.endswith("_gpu.h") or not name.endswith((".c", ".h"))


Place = collections.namedtuple("Place", "column old new text")


def places_of(text, index):
    """The places of a source by line."""
    lines = text.encode().split(b"\n")
    unit = index.parse(
        "source.c",
        args=["-nostdinc"],
        unsaved_files=[("source.c", text)],
        options=TranslationUnit.PARSE_INCOMPLETE | TranslationUnit.PARSE_SKIP_FUNCTION_BODIES,
    )
    found, depth, left_out, directive = {}, 0, None, 0
    for token in unit.get_tokens(extent=unit.cursor.extent):
        kind, spelling = token.kind, token.spelling
        if kind == TokenKind.COMMENT:
            continue
        line, column = token.location.line, token.location.column
        source = lines[line - 1]
        before, after = source[: column - 1], source[column - 1 + len(spelling.encode()) :]
        if spelling == "#" and not before.strip():
            directive = line
            while lines[directive - 1].endswith(b"\\"):
                directive += 1
        if line <= directive:
            continue
        if spelling == "(":
            depth += 1
        elif spelling == ")":
            depth -= 1
            if left_out is not None and depth <= left_out:
                left_out = None
        elif spelling in LEFT_OUT:
            left_out = depth
        if left_out is not None or is_text_size(before):
            continue
        new = []
        if kind == TokenKind.PUNCTUATION and spelling in OPERATORS:
            # clang-format sets a binary operator apart, and nothing else that is spelled like one.
            if spelling in UNARY or (before[-1:] == b" " and after[:1] in (b" ", b"")):
                new = OPERATORS[spelling]
        elif kind == TokenKind.LITERAL and spelling[:1].isdigit():
            new = other_numbers(spelling)
        if new:
            found.setdefault(line, []).append(Place(column, spelling, new, source.decode()))
    return found


class Places:
    """All lines of core, tui and the kernels of the CPU, of which `draw` takes one after the other."""

    def __init__(self, match=""):
        self.index = Index.create()
        self.found, self.lines = {}, {}
        for name in sorted(source_names()):
            folder = name.partition("/")[0]
            if folder in FOLDERS and not is_dead(name) and re.search(match, name):
                count = read(os.path.join(ROOT, name)).count("\n")
                self.lines.setdefault(folder, []).extend((name, line) for line in range(1, count + 1))

    def draw(self, seed, slot):
        """Draws (file, line, column, old, new, text of the line) for one slot; the folders take turns. Each line of a
        folder comes as often as another that has something to break."""
        chance = random.Random(f"{seed}.{slot}")
        folders = [folder for folder in FOLDERS if folder in self.lines]
        lines = self.lines[folders[slot % len(folders)]]
        for _ in range(TRIES):
            name, line = chance.choice(lines)
            if name not in self.found:
                self.found[name] = places_of(read(os.path.join(ROOT, name)), self.index)
            if line in self.found[name]:
                place = chance.choice(self.found[name][line])
                yield name, line, place.column, place.old, chance.choice(place.new), place.text
