# SPDX-License-Identifier: MIT
"""Which tests run a line, and in how many seconds: each test program is run once in a build whose
lines are counted (gcov). build/mutation/lines.json keeps the answer until the sources change; of a
test that changes, only the test is run again. A program that a test starts counts as well, unless it
is killed."""

import collections
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
CLOSE_LINES = 20  # of a line: about its function
LONG_S = 120  # of a test that may take more than a minute where its lines are not counted
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


def name_words(path):
    """core/files/h5_chunk.c: h5, chunk; test_ladders: ladder"""
    words = os.path.splitext(os.path.basename(path))[0].split("_")
    return {word.removesuffix("s") for word in words} - {"test"}


def likeness(test, name):
    """How much a test's source is like that of a file: words of their names, a folder that has the
    file's folder, and one that the test is named after."""
    folder, of_test = os.path.dirname(name), name_words(test)
    beside = os.path.dirname(test).removeprefix("tests").strip("/")
    near = beside and (folder + "/").startswith(beside + "/")
    return 2 * len(name_words(name) & of_test) + bool(near) + bool(of_test & set(folder.split("/")))


def most_telling(ran, all_lines, seconds, sources, name, line):
    """At most TESTS_PER_LINE of the tests that run these places, (file, line) each: three whose sources
    are most like the file, two that run little beside these places, two that run what few others run
    close to the line; the others run what few run of all these places. Those that may not end in time
    come last."""
    runners = collections.Counter(place for places in ran.values() for place in places)

    def rare(test, reach):
        return sum(1 / runners[place] for place in ran[test] if abs(place[1] - line) <= reach)

    def first(score):
        best = sorted(ran, key=lambda test: (seconds[test], test))
        best.sort(key=score, reverse=True)
        return sorted(best, key=lambda test: seconds[test] > LONG_S)

    like = {test: likeness(sources[test], name) for test in ran}
    whole = first(lambda test: rare(test, float("inf")))
    rankings = (
        (3, [test for test in first(lambda test: (like[test], rare(test, float("inf")))) if like[test]]),
        (2, first(lambda test: len(ran[test]) / max(all_lines[test], 1))),
        (2, first(lambda test: rare(test, CLOSE_LINES))),
    )
    chosen = []
    for count, ranking in rankings:
        chosen += [test for test in ranking if test not in chosen][:count]
    return (chosen + [test for test in whole if test not in chosen])[:TESTS_PER_LINE]


class Lines:
    """The map. `tests_for` is all that others need of it."""

    def __init__(self, jobs, say):
        names = source_names()
        self.sources = test_sources()
        of_all = digest({name for name in names if name.startswith(("core/", "tui/", "kernels/"))})
        kept = json.loads(read(KEPT)) if os.path.exists(KEPT) else {}
        if kept.get("sources") != of_all:
            kept = {"sources": of_all, "lines": {}, "tests": {}}
        tree = Tree()
        tree.update()
        tests = tree.tests()
        digests = {test: digest([self.sources[test]]) for test in tests}
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
        """At most TESTS_PER_LINE tests and their seconds, the quickest first. Of a line without code,
        such as a table's, they are chosen by the file, and of a file without code by its folder; tests that
        are like the file may be among them though they run nothing of it."""
        if name in self.code:
            within = lambda other: other == name
        else:
            within = lambda other: os.path.dirname(other) == os.path.dirname(name)
        ran = {
            test: {(other, number) for other, lines in files.items() if within(other) for number in lines}
            for test, (_, files) in self.tests.items()
        }
        if line in self.code.get(name, ()):
            ran = {test: places for test, places in ran.items() if (name, line) in places}
        else:
            least = 2 if name in self.code else 1
            alike = {test for test in ran if likeness(self.sources[test], name) >= least}
            ran = {test: places for test, places in ran.items() if places or test in alike}
        seconds = {test: self.tests[test][0] for test in ran}
        others = {test: sum(map(len, self.tests[test][1].values())) for test in ran}
        chosen = most_telling(ran, others, seconds, self.sources, name, line)
        return sorted(((test, seconds[test]) for test in chosen), key=lambda row: row[1])
