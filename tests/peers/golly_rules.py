#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golly beside calab's model life, cell for cell: random rules of each family, and Golly's patterns.

    tests/peers/golly_rules.py [RULES [GENERATIONS [FOLDER]]]

RULES of each family run from random soups, on tori and with dead edges, for some generations. Then
the patterns (.rle) of FOLDER, by default those of Debian's package golly, run for GENERATIONS, in a
lattice at whose edges nothing can arrive. What calab refuses is counted by its reason. Needs Golly's
command line program bgolly. Golly keeps states of rules with B0 inverted: on a torus their even
generations are compared, where the rule does not have S8, which it takes for another rule.
"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

import peer

LETTERS = ("", "ce", "ceaikn", "ceaiknjqry", "ceaiknjqrytwz")
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
PATTERNS = "/usr/share/golly/Patterns"
CELLS_MAX = 1 << 24


def counts(draw, letters):
    text = ""
    for n in range(9):
        if draw.random() < 0.5:
            continue
        text += str(n)
        own = LETTERS[min(n, 8 - n)]
        if letters and own and draw.random() < 0.7:
            some = draw.sample(own, draw.randint(1, len(own) - 1))
            text += draw.choice(("", "-")) + "".join(some)
    return text


def random_rule(draw, family):
    if family == "MAP":
        return "MAP" + "".join(draw.choice(BASE64) for _ in range(85)) + draw.choice("AQgw")
    letters = family == "letters"
    return f"B{counts(draw, letters)}/S{counts(draw, letters)}"


def has_b0(rule):
    return rule.startswith("B0") or (rule.startswith("MAP") and BASE64.index(rule[3]) >= 32)


def has_s8(rule):
    """The last of the 512 bits of a MAP is the second of its last character."""
    return rule.endswith("8") if rule.startswith("B") else BASE64.index(rule[-1]) >> 4 & 1


def cells_of(path):
    """Of an .rle: the live cells, from the first row and column of any on; the rule; the sides."""
    rule, sides, body = None, (0, 0), []
    with open(path, encoding="latin-1") as lines:
        for line in lines:
            head = re.match(r"\s*x\s*=\s*(\d+)[\s,]+y\s*=\s*(\d+)(?:[\s,]+rule\s*=\s*(\S+))?", line)
            if line.startswith("#r "):
                rule = line[3:].strip()
            elif head and not body:
                sides, rule = (int(head[1]), int(head[2])), head[3] or rule
            elif not line.startswith("#"):
                body.append(line)
    live, x, y = [], 0, 0
    for count, tag in re.findall(r"(\d*)\s*([bo.A$!])", "".join(body)):
        run = int(count or 1)
        if tag == "!":
            break
        if tag == "$":
            x, y = 0, y + run
            continue
        if tag in "oA":
            live += [(x + i, y) for i in range(run)]
        x += run
    left, top = (min((c[k] for c in live), default=0) for k in (0, 1))
    wide, high = (max((c[k] for c in live), default=-1) + 1 for k in (0, 1))
    sides = max(sides[0], wide), max(sides[1], high)
    return {(x - left, y - top) for x, y in live}, rule or "B3/S23", sides


def golly(path, generations, folder):
    out = os.path.join(folder, "golly.rle")
    if os.path.exists(out):
        os.remove(out)
    try:
        said = subprocess.run(["bgolly", "-q", "-a", "QuickLife", "-m", str(generations), "-i", "1",
                               "-o", out, path], capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"bgolly: {error.strerror} (Debian package golly)")
    if not os.path.exists(out):
        sys.exit(f"bgolly: {path}: {said.stdout}{said.stderr}")
    return cells_of(out)[0]


def calab(words, folder):
    """The cells after a run, or calab's refusal."""
    out = os.path.join(folder, "calab.rle")
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run([peer.CALAB, "run", *words, "-q", "-o", out], capture_output=True,
                          text=True, check=False)
    return cells_of(out)[0] if done.returncode == 0 else done.stderr.strip()


def check_rules(rules, folder):
    compared = 0
    for seed in range(3 * rules):
        draw = random.Random(seed)
        rule = random_rule(draw, ("counts", "letters", "MAP")[seed % 3])
        w, h, steps = draw.randint(3, 90), draw.randint(3, 60), draw.randint(1, 9)
        kind = draw.choice("TP")
        if has_b0(rule):
            steps *= 2
            if kind == "P" or has_s8(rule):
                continue
        soup = os.path.join(folder, "soup.rle")
        words = ["life", "-s", f"{w}x{h}", "--seed", str(seed), "--set", f"rule={rule}", "--set",
                 "boundary=" + ("torus" if kind == "T" else "dead")]
        start = calab([*words, "-n", "0", "-b", "reference"], folder)
        os.replace(os.path.join(folder, "calab.rle"), soup)
        end = calab([soup, "-n", str(steps), "-b", draw.choice(("reference", "bitslice"))], folder)
        if isinstance(end, str) or isinstance(start, str):
            sys.exit(f"{rule}: {end}")
        if end != golly_in(soup, rule, kind, w, h, steps, folder):
            sys.exit(f"{rule} differs after {steps} generations on {w}x{h}, {kind}, seed {seed}")
        compared += 1
    print(f"random rules: {compared} of {3 * rules} compared, all equal")


def golly_in(soup, rule, kind, w, h, steps, folder):
    """bgolly with the rule as it was drawn, in place of calab's own text for it."""
    text = open(soup, encoding="ascii").read()
    path = os.path.join(folder, "as-drawn.rle")
    with open(path, "w", encoding="ascii") as out:
        out.write(re.sub(r"rule = \S+", lambda _: f"rule = {rule}:{kind}{w},{h}", text))
    return golly(path, steps, folder)


def reason_of(refusal):
    for part in (r"it is a rule of ([\w ]+)", r"(a cell of state)", r"(neither a torus nor a plane)",
                 r"(as in :T100,200)"):
        found = re.search(part, " ".join(refusal.split()))
        if found:
            return found[1]
    return "no rule of two states and nine cells" if "rule '" in refusal else refusal


def check_patterns(top, generations, folder):
    same, left = collections.Counter(), collections.Counter()
    paths = sorted(os.path.join(at, name) for at, _, names in os.walk(top) for name in names
                   if name.endswith(".rle"))
    for path in paths:
        _, rule, (w, h) = cells_of(path)
        words = [path, "-n", str(generations), "-b", "bitslice"]
        if ":" not in rule:
            w, h = w + 2 * generations + 2, h + 2 * generations + 2
            words += ["-s", f"{w}x{h}"]
        if w * h > CELLS_MAX:
            left["a larger lattice"] += 1
            continue
        end = calab(words, folder)
        if isinstance(end, str):
            left[reason_of(end)] += 1
        elif has_b0(rule.upper()):
            left["B0"] += 1
        elif end != golly(path, generations, folder):
            sys.exit(f"{path} differs after {generations} generations")
        else:
            same[rule.split(":")[0]] += 1
    print(f"patterns: {same.total()} of {len(paths)} compared, all equal after {generations} "
          f"generations, of {len(same)} rules")
    for reason, count in left.most_common():
        print(f"  {count:3} left out: {reason}")


def main():
    words = sys.argv[1:]
    rules, generations = (int(w) for w in (words + ["200", "64"][len(words):])[:2])
    with tempfile.TemporaryDirectory() as folder:
        check_rules(rules, folder)
        check_patterns(words[2] if len(words) > 2 else PATTERNS, generations, folder)


if __name__ == "__main__":
    main()
