"""Shows the main case end to end on a private cluster: ./dev demo or cox demo [--keep].

A training starts on nodes n1 and n2. An urgent gang preempts it there, and the training saves a
checkpoint. It resumes on n3 and n4, and finishes with the weights of an uninterrupted run.
"""

import argparse
import importlib.util
import signal
import sys
from pathlib import Path

from private_cluster import ROOT, CommandFailed, PrivateCluster
from proof import NotProven, prove, read_trace
from story import Story, StoryFailed

STEPS = 400
STEPS_BEFORE_URGENT = 120
STEP_TIME_S = 0.025

IN_A_CLONE = (ROOT / "dev").exists()
NEXT_IN_A_CLONE = """\
  ./dev cluster 4                    a cluster of your own, which stays
  build/default/bin/cox submit -N2 -n4 -- hostname
  ./dev psql -c 'SELECT * FROM cox.history'"""
NEXT = """\
  cox up --nodes 4                   a cluster of your own, which stays
  cox submit -N2 -n4 -- hostname
  cox queue --all"""


def training_command(folder, step_time):
    return ["/usr/bin/python3", str(ROOT / "examples/digits/train.py"), "--steps", str(STEPS),
            "--step-time", str(step_time), "--trace", str(folder / "trace"), "--weights",
            str(folder / "weights")]


def wait_for_file(name):
    """Returns the command of a job that runs until a file of this name is in its folder."""
    return ["/bin/sh", "-c", f"until [ -e {name} ]; do sleep 0.1; done"]


def steps_done(folder):
    """Returns the number of steps that rank 0 has done, from its trace file."""
    try:
        lines = (folder / "trace/rank-0").read_text().splitlines()
    except FileNotFoundError:
        return 0
    return int(lines[-1].split()[1]) if lines else 0


class Demo:
    def __init__(self, cluster):
        self.cluster = cluster
        self.story = Story(cluster)
        self.folder = cluster.base / "training"
        self.committed = []

    def training_has_done(self, steps):
        done = steps_done(self.folder)
        self.story.show_status(f"         training: step {done} of {STEPS}")
        return done >= steps

    def accuracy(self):
        """Returns the line with the accuracy that rank 0 of the training printed."""
        log = self.cluster.run("logs", "-r", "0", str(self.story.jobs["training"]))
        return next(line for line in log.splitlines() if line.startswith("test accuracy"))

    def start_training(self):
        story = self.story
        story.submit("short", ["-N2", "-n4", "-w", "n[3-4]"], wait_for_file("done"))
        story.wait_for_state("short", "RUNNING", 30)
        story.submit("training", ["-N2", "-n4", "--checkpoint-signal=USR1"],
                     training_command(self.folder, STEP_TIME_S))
        story.wait(f"the training has done {STEPS_BEFORE_URGENT} steps",
                   lambda: self.training_has_done(STEPS_BEFORE_URGENT), 120)
        story.line("training", f"has done {steps_done(self.folder)} of {STEPS} steps on n1 and n2")

    def preempt_and_resume(self):
        story = self.story
        story.submit("urgent", ["-N2", "-n4", "--qos=critical", "--constraint=fast"],
                     wait_for_file("done"))
        story.wait_for_state("urgent", "RUNNING", 60)
        saved = steps_done(self.folder)
        # This is read now, because no checkpoint is kept after the training's end.
        self.committed = story.detail("training")["checkpoints"]
        story.line("urgent", f"runs on {' and '.join(story.detail('urgent')['view']['nodes'])}; "
                   f"the training waits with step {saved} saved")
        (self.cluster.base / "short/done").touch()
        story.wait("the training continues from its checkpoint",
                   lambda: self.training_has_done(saved + 1), 60)
        story.line("training", f"continues at step {steps_done(self.folder)} on "
                   f"{' and '.join(story.detail('training')['view']['nodes'])}")
        (self.cluster.base / "urgent/done").touch()

    def finish(self):
        story = self.story
        story.wait("the training is COMPLETED", lambda: self.training_has_done(STEPS) and
                   story.detail("training")["view"]["job"]["state"] == "COMPLETED", 180)
        story.show_status("")
        story.line("training", f"{self.accuracy()} on digits it had not seen")
        story.submit("reference", ["-N2", "-n4"],
                     training_command(self.cluster.base / "reference", 0))
        story.wait_for_state("reference", "COMPLETED", 180)

    def prove(self):
        reference = self.cluster.base / "reference"
        sentences = prove(dict(self.story.detail("training"), checkpoints=self.committed),
                          read_trace(self.folder / "trace", 4), read_trace(reference / "trace", 4),
                          (self.folder / "weights").read_bytes(),
                          (reference / "weights").read_bytes(), STEPS)
        print("\nProven:")
        for sentence in sentences:
            print(f"  - {sentence}")

    def show_history(self):
        job = self.story.jobs["training"]
        print(f"\nThe history of job {job} (training), from PostgreSQL:\n")
        print(self.cluster.psql(
            "SELECT to_char(at, 'HH24:MI:SS.MS') AS at, attempt, state, what, why FROM cox.events "
            f"WHERE job_id = {job} ORDER BY sequence"), end="")
        print("Try next:\n" + (NEXT_IN_A_CLONE if IN_A_CLONE else NEXT))

    def run(self):
        self.story.line("cluster", "starts: PostgreSQL, a controller, four workers")
        self.cluster.up()
        self.story.line("cluster", "is up: n1 and n2 carry the feature \"fast\"")
        self.start_training()
        self.preempt_and_resume()
        self.finish()
        self.prove()
        self.show_history()


def missing_packages():
    missing = [f"python3-{module}" for module in ("numpy", "torch")
               if importlib.util.find_spec(module) is None]
    if not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        missing.append("postgresql")
    return missing


def main():
    parser = argparse.ArgumentParser(prog="./dev demo" if IN_A_CLONE else "cox demo",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="leave the cluster running")
    options = parser.parse_args()
    if missing := missing_packages():
        print(f"The demo trains a small network and needs packages that are missing here:\n"
              f"  sudo apt-get install --no-install-recommends {' '.join(missing)}",
              file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up on SIGTERM as on ctrl-C
    try:
        with PrivateCluster(options.keep) as cluster:
            Demo(cluster).run()
    except (StoryFailed, CommandFailed, NotProven) as error:
        print(f"\nThe demo failed: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nEnded; the cluster is gone." if not options.keep else "\nEnded.", file=sys.stderr)
        return 130
    return 0


sys.exit(main())
