# SPDX-License-Identifier: MIT
"""A copy of the sources that is broken on purpose, built and tested.

The copies lie below build/mutation; the working tree is only read. A copy and its build stay, so that
a mutation compiles what it changes and links the programs that are asked for."""

import contextlib
import ctypes
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "build", "mutation")
BUILD = "build/mutation"  # within a copy
# What a make that runs this leaves in the environment: its jobs and its variables are not the copy's.
OF_MAKE = set(
    "MAKEFLAGS MFLAGS MAKELEVEL COUNT RANDOM SEED JOBS MATCH DRAW FROM ONLY EXCEPT VARIANT CUDA MPI BUILD DEPS WERROR".split()
)
LIMIT_S = 900  # of a build or a test program, whose tests have limits of their own
PR_SET_CHILD_SUBREAPER = 36


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def source_names():
    """The files that git tracks or would, or without git all but build/."""
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout.decode()
        return {name for name in names.split("\0") if name and os.path.isfile(os.path.join(ROOT, name))}
    found = set()
    for folder, folders, files in os.walk(ROOT):
        if folder == ROOT:
            folders[:] = [name for name in folders if name not in ("build", ".git")]
        found |= {os.path.relpath(os.path.join(folder, file), ROOT) for file in files}
    return found


def test_sources():
    """The source of each test, by its name."""
    names = [name for name in source_names() if re.fullmatch(r"tests/(.*/)?test_\w+\.c", name)]
    return {os.path.basename(name)[:-2]: name for name in names}


def processes_below(pid):
    """The processes that this one started, and those that they started."""
    children = {}
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int(read(f"/proc/{name}/stat").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found, new = [], [pid]
    while new:
        new = [child for parent in new for child in children.get(parent, [])]
        found += new
    return found


def end_children():
    """Ends what a test left running, which includes engines with sessions of their own."""
    while left := processes_below(os.getpid()):
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0):
                pass


def adopt_orphans():
    """From here on orphans of what this process starts are its children, for end_children."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def claim_copies():
    """One program at a time works in the copies. Returns what holds the claim."""
    os.makedirs(FOLDER, exist_ok=True)
    held = open(os.path.join(FOLDER, "lock"), "w", encoding="utf-8")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"another program breaks the copies in {FOLDER} at this time") from None
    return held


class Tree:
    """One copy, in build/mutation/NAME. A process works in one copy alone."""

    def __init__(self, name="source"):
        self.folder = os.path.join(FOLDER, name)

    def update(self):
        """Makes the copy what the sources are. What is the same keeps its time, for make."""
        names = source_names()
        for folder, folders, files in os.walk(self.folder):
            if folder == self.folder and "build" in folders:
                folders.remove("build")
            for file in files:
                path = os.path.join(folder, file)
                if os.path.relpath(path, self.folder) not in names:
                    os.unlink(path)
        for name in names:
            here, there = os.path.join(ROOT, name), os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(there), exist_ok=True)
            with open(here, "rb") as file:
                bytes_here = file.read()
            if os.path.exists(there):
                with open(there, "rb") as file:
                    if file.read() == bytes_here:
                        continue
            shutil.copy(here, there)

    def like(self, other):
        """Makes this copy and its build the same as another's."""
        shutil.rmtree(self.folder, ignore_errors=True)
        subprocess.run(["cp", "-a", other.folder, self.folder], check=True)

    def make(self, goals, limit_s=LIMIT_S, build=BUILD, flags="-O1", environment=None):
        """Whether make does it, or None after limit_s; and what it printed."""
        inherited = {k: v for k, v in os.environ.items() if k not in OF_MAKE}
        variables = ["CUDA=0", f"BUILD={build}", f"CFLAGS={flags}", "CFLAGS_MAP="]
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            process = subprocess.Popen(
                ["make", "-C", self.folder, *variables, *goals],
                env=inherited | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                done = process.wait(timeout=max(limit_s, 0)) == 0
            except subprocess.TimeoutExpired:
                done = None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                end_children()
            said.seek(0)
            return done, said.read()

    def tests(self):
        """The names of the tests of this build."""
        done, said = self.make(["--silent", "--no-print-directory", "test-names"])
        if not done:
            raise SystemExit(said)
        return said.split()

    def built(self):
        """A digest of what the program and the tests are linked from: of the objects, which
        libcalab.a only names."""
        digest = hashlib.sha256()
        for part in ("core", "kernels", "tui"):
            for folder, folders, files in os.walk(os.path.join(self.folder, BUILD, part)):
                folders.sort()
                for name in sorted(files):
                    if name.endswith(".o"):
                        with open(os.path.join(folder, name), "rb") as file:
                            digest.update(file.read())
        return digest.hexdigest()

    def check(self, test, limit_s=LIMIT_S):
        """Builds and runs one test: whether it builds, whether it passes (None: not in time), what it
        printed, and its seconds."""
        built, said = self.make(["all", f"{BUILD}/{test}"])
        if not built:
            return False, False, said, 0
        began = time.monotonic()
        passed, said = self.make(["check", "ONLY=" + test], limit_s)
        return True, passed, said, time.monotonic() - began

    @contextlib.contextmanager
    def broken(self, name, text):
        """The copy while one file of it has another text."""
        path = os.path.join(self.folder, name)
        original = read(path)
        write(path, text)
        try:
            yield
        finally:
            write(path, original)
