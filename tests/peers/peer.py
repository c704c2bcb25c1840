# SPDX-License-Identifier: MIT
"""calab's side of a comparison, which all scripts of this folder share: how it is run, and which of
its backends can run here."""
import json
import os
import subprocess
import sys

CALAB = os.environ.get("CALAB", "build/release/calab")


def calab(*words):
    """What `calab WORDS --json` prints. Its failure, in its own words, ends the script."""
    command = [CALAB, *words, "--json", *(() if words[0] == "list" else ("-q",))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"{CALAB}: {error.strerror}; `make` builds it, CALAB=PROGRAM names another")
    if done.returncode:
        sys.exit(done.stderr.strip() or f"exit status {done.returncode} of: {' '.join(command)}")
    return json.loads(done.stdout)


def leave_out(backend, reason):
    print(f"calab's {backend} is left out: {reason}", file=sys.stderr)


def runnable(backends, model):
    """Those of a list of a model's backends that can run on this machine. The others are named on
    stderr, each with calab's reason; where none is left the script ends. Each is as behind calab's
    -b: with options after a slash, or a name for several, which calab judges itself."""
    reasons = {line["name"]: line["reason"] for line in calab("list", "backends")["backends"]
               if line["model"] == model and not line["available"]}
    left = []
    for backend in backends:
        reason = reasons.get(backend.partition("/")[0])
        if reason is None:
            left.append(backend)
        else:
            leave_out(backend, reason)
    if not left:
        sys.exit(f"none of these backends of {model} can run here")
    return left
