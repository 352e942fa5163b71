#!/usr/bin/env python3
"""A rank that a test controls. It uses only the standard library.

    obedient.py ON_STOP

ON_STOP is what it does when it is asked to stop: a word for all ranks, or one a rank with commas.
    save    saves its step, reports it, exits with 75
    ahead   the same, one step further
    leave   saves its step, does not report it, exits with 75
    zero    exits with 0, nothing saved
    done    says that the work is done, exits with 0
    late    begins to save its step, and exits with 75 at SIGTERM
    fail    exits with 3, nothing saved
    ignore  records the signal and goes on, even after SIGTERM
The test creates files in its folder: "save-N" (every rank saves step N and goes on), "half-N"
(every rank begins to save step N, but does not report it), "finish" (exits with 0), "quit-C"
(exits with C). The rank writes begin.ATTEMPT.RANK as JSON when it has begun, stop.ATTEMPT.RANK when
it is asked to stop, and saved-N.ATTEMPT.RANK when it has reported step N.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

EXIT_SAVED = 75
# A rank that is asked to stop saves the step it began with plus this number.
STEPS_UNTIL_STOPPED = 10
LOOK_AGAIN_S = 0.03

signals = []


def record_signal(number, _frame):
    signals.append(number)


class Obedient:
    def __init__(self, on_stop):
        self.rank = int(os.environ.get("RANK", "0"))
        self.attempt = os.environ["COX_ATTEMPT_ID"].rpartition(".")[2]
        words = on_stop.split(",")
        self.on_stop = words[self.rank] if len(words) > 1 else words[0]
        self.resumed = 0
        self.is_stopping = False
        self.saved = set()

    def write(self, name, what):
        part = Path(f"{name}.{self.attempt}.{self.rank}.part")
        part.write_text(json.dumps(what))
        part.rename(part.with_suffix(""))

    def begin(self):
        given = os.environ.get("COX_RESUME_FROM")
        state = None
        if given:
            file = Path(given) / f"rank-{self.rank}" / "state"
            state = file.read_text() if file.exists() else None
            self.resumed = int(Path(given).name.removeprefix("step-"))
        self.write("begin", {"resume_from": given, "state": state, "pid": os.getpid(),
                             "environment": dict(os.environ)})

    def save(self, step, report=True):
        folder = Path(os.environ["COX_CHECKPOINT_DIR"]) / f"step-{step}" / f"rank-{self.rank}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "state").write_text(f"step {step} of rank {self.rank}\n" * 100)
        if report:
            subprocess.run(["cox", "checkpoint", "done", "--step", str(step)], check=True)
            self.write(f"saved-{step}", step)

    def stop(self):
        self.is_stopping = True
        self.write("stop", {"reason": Path(os.environ["COX_STOP_REASON_FILE"]).read_text(),
                            "signals": signals})
        step = self.resumed + STEPS_UNTIL_STOPPED
        if self.on_stop in ("save", "ahead", "leave"):
            self.save(step + (self.on_stop == "ahead"), report=self.on_stop != "leave")
            sys.exit(EXIT_SAVED)
        if self.on_stop == "done":
            subprocess.run(["cox", "checkpoint", "finished"], check=True)
        if self.on_stop == "late":
            self.save(step, report=False)
            while signal.SIGTERM not in signals:
                time.sleep(LOOK_AGAIN_S)
            sys.exit(EXIT_SAVED)
        if self.on_stop != "ignore":
            sys.exit({"zero": 0, "done": 0, "fail": 3}[self.on_stop])

    def obey(self, file):
        word, _, number = file.name.partition("-")
        if word == "finish":
            sys.exit(0)
        if word == "quit":
            sys.exit(int(number))
        if word == "half" and int(number) > self.resumed:
            self.save(int(number), report=False)
        if word == "save" and int(number) not in self.saved and int(number) > self.resumed:
            self.saved.add(int(number))
            self.save(int(number))

    def run(self):
        self.begin()
        while True:
            for file in sorted(Path.cwd().iterdir()):
                self.obey(file)
            if signals and not self.is_stopping:
                self.stop()
            time.sleep(LOOK_AGAIN_S)


for each in (signal.SIGUSR1, signal.SIGTERM):
    signal.signal(each, record_signal)
Obedient(sys.argv[1]).run()
