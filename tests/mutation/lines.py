# SPDX-License-Identifier: MIT
"""Which tests run a line, and in how many seconds: each test program is run once in a build whose
lines are counted (gcov). build/mutation/lines.json keeps the answer until the sources change; of a
test that changes, only the test is run again. A program that a test starts counts as well, unless it
is killed."""

import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess

from tree import BUILD, FOLDER, ROOT, Tree, adopt_orphans, read, source_names, test_sources, write

KEPT = os.path.join(FOLDER, "lines.json")
COUNTED_BUILD = BUILD + "/lines"
COUNTED_FLAGS = "-O1 --coverage"
TESTS_PER_LINE = 8
LIMIT_S = 600  # of one test whose lines are counted
SLOW_S = 300  # a test that takes longer than this, counted and perhaps on a busy machine, is not chosen


def digest(names):
    """What changes with the files' text."""
    found = hashlib.sha256()
    for name in sorted(names):
        found.update(name.encode() + b"\0" + read(os.path.join(ROOT, name)).encode() + b"\0")
    return found.hexdigest()


def ranges(lines):
    """1,2,3,7 as [[1, 3], [7, 7]]"""
    found = []
    for line in sorted(lines):
        if found and line == found[-1][1] + 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def unfold(found):
    return {line for first, last in found for line in range(first, last + 1)}


def counted_lines(tree, ran):
    """The lines with code that gcov counted below the folder, and those that ran, by file."""
    notes = []
    for folder, _, files in os.walk(os.path.join(ran, COUNTED_BUILD)):
        if "/tests" in folder[len(ran) :]:
            continue
        for name in files:
            if name.endswith(".gcda"):
                note = os.path.join(folder, name)[:-5] + ".gcno"
                os.symlink(os.path.join(tree.folder, os.path.relpath(note, ran)), note)
                notes.append(os.path.relpath(note, ran))
    lines, run = {}, {}
    said = subprocess.run(
        ["xargs", "gcov", "--json-format", "--stdout"],
        cwd=ran,
        input="\n".join(notes).encode(),
        capture_output=True,
        check=False,
    ).stdout
    for document in said.splitlines():
        for source in json.loads(document)["files"]:
            name = source["file"]
            if name.startswith("/") or not name.startswith(("core/", "tui/", "kernels/")):
                continue
            lines.setdefault(name, set()).update(line["line_number"] for line in source["lines"])
            run.setdefault(name, set()).update(line["line_number"] for line in source["lines"] if line["count"])
    return lines, run


def run_counted(test):
    """(test, its seconds, whether it passes, the lines with code, those that it ran)"""
    adopt_orphans()
    tree = Tree()
    ran = os.path.join(FOLDER, "ran", test)
    shutil.rmtree(ran, ignore_errors=True)
    os.makedirs(ran)
    environment = {
        "GCOV_PREFIX": ran,
        "GCOV_PREFIX_STRIP": str(tree.folder.count("/")),
        "GCOV_ERROR_FILE": "/dev/null",
    }
    program = os.path.join(tree.folder, COUNTED_BUILD, test)
    began = os.times().elapsed
    passed, _ = tree.make(["check", "ONLY=" + test], LIMIT_S, COUNTED_BUILD, COUNTED_FLAGS, environment)
    seconds = os.times().elapsed - began
    lines, run = counted_lines(tree, ran)
    shutil.rmtree(ran)
    os.unlink(program)  # it is as large as all of calab
    return test, seconds, passed, lines, run


class Lines:
    """The map. `tests_for` is all that others need of it."""

    def __init__(self, jobs, say):
        names = source_names()
        of_all = digest({name for name in names if name.startswith(("core/", "tui/", "kernels/"))})
        kept = json.loads(read(KEPT)) if os.path.exists(KEPT) else {}
        if kept.get("sources") != of_all:
            kept = {"sources": of_all, "lines": {}, "tests": {}}
        tree = Tree()
        tree.update()
        tests = tree.tests()
        sources = test_sources()
        digests = {test: digest([sources[test]]) for test in tests}
        kept["tests"] = {t: row for t, row in kept["tests"].items() if digests.get(t) == row["digest"]}
        missing = [test for test in tests if test not in kept["tests"]]
        if missing:
            say(f"counting the lines that {len(missing)} of {len(tests)} tests run")
            goals = ["all", *(f"{COUNTED_BUILD}/{test}" for test in missing)]
            built, said = tree.make(goals, build=COUNTED_BUILD, flags=COUNTED_FLAGS)
            if not built:
                raise SystemExit(said)
            with multiprocessing.Pool(jobs) as pool:
                for test, seconds, passed, lines, run in pool.imap_unordered(run_counted, missing, 1):
                    say(f"{seconds:5.1f} s  {test}{'' if passed else ': does not pass'}")
                    for name, found in lines.items():
                        kept["lines"][name] = ranges(found | unfold(kept["lines"].get(name, [])))
                    kept["tests"][test] = {
                        "digest": digests[test],
                        "seconds": round(seconds, 1),
                        "ran": {name: ranges(found) for name, found in run.items() if found},
                    }
                    write(KEPT, json.dumps(kept))
        self.code = {name: unfold(found) for name, found in kept["lines"].items()}
        self.tests = {
            test: (row["seconds"], {name: unfold(found) for name, found in row["ran"].items()})
            for test, row in kept["tests"].items()
            if row["seconds"] <= SLOW_S
        }

    def tests_for(self, name, line):
        """At most TESTS_PER_LINE tests and their seconds, the quickest first: half of them run little
        beside this file, the others run most of it. Of a line without code, such as a table's, they
        are chosen by the file, and of a file without code by its folder."""
        if name in self.code:
            within = lambda other: other == name
        else:
            within = lambda other: os.path.dirname(other) == os.path.dirname(name)
        has_code = line in self.code.get(name, ())
        found = []
        for test, (seconds, ran) in self.tests.items():
            if has_code and line not in ran.get(name, ()):
                continue
            here = sum(len(lines) for other, lines in ran.items() if within(other))
            if here:
                found.append((test, seconds, here, here / sum(map(len, ran.values()))))
        most = sorted(found, key=lambda row: (-row[2], row[1]))
        alone = sorted(found, key=lambda row: (-row[3], row[1]))[: TESTS_PER_LINE // 2]
        chosen = (alone + [row for row in most if row not in alone])[:TESTS_PER_LINE]
        return [(test, seconds) for test, seconds, _, _ in sorted(chosen, key=lambda row: row[1])]
