"""Runs the scripts of tests/system/scripts with the commands of PATH (sbatch, srun, ...), and shows
the result of each as text without ids, dates, names of hosts, and folders of its run.

With Slurm's commands in PATH, it writes the results of Slurm to scripts/NAME.slurm:

    /usr/bin/python3 tests/system/script_runs.py --mailbox FILE NAME...     # no NAME: all of them

That Slurm has 4 nodes n1 to n4 with 4 CPUs and 2 GPUs h100 each, all on this host, a partition
"main", DefMemPerCPU=1000, KillWait=2, PrologFlags=Contain, FirstJobId=71001, accounting, no task
plugin, and a MailProg that appends "SUBJECT|RECEIVER" to FILE.
"""

import argparse
import getpass
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from patience import DEADLINE_S, LONG_DEADLINE_S, wait_for

SCRIPTS = Path(__file__).resolve().parent / "scripts"
NAMES = sorted(file.stem for file in SCRIPTS.glob("[0-9][0-9]-*.sh"))
NEEDS_TORCH = {"01-ddp-srun", "02-torchrun"}
LIVE = ("PENDING", "RUNNING", "REQUEUED", "COMPLETING", "SUSPENDED")
RECORD = "JobIDRaw,JobID,JobName,State,ExitCode,AllocCPUS,NNodes,WorkDir"
PATTERNS = (
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\b", "DATE"),
    (r"\b(RunTime=|Run time |Queued time )[\d:-]+", r"\1TIME"),
    (r"\b(Priority|Scheduler|AllocNode:Sid|SLURM_CLUSTER_NAME)=\S+", r"\1=ANY"),
    (r"\b(SLURM_JOB_[UG]ID=|CANCELLED by )\d+", r"\1ID"),
    (r"\b((?:User|Group)Id=\w+)\(\d+\)", r"\1(ID)"),
    (r"\bslurmstepd-n\d+:", "slurmstepd:"),  # several slurmds on a host log by their names
    (r"[ \t]+$", ""),
)


def command_of(name):
    """Returns the command that a script's head names, by default `sbatch NAME.sh`."""
    found = re.search(r"^# Run: (.*)$", (SCRIPTS / f"{name}.sh").read_text(), re.MULTILINE)
    return found.group(1) if found else f"sbatch {name}.sh"


class Run:
    """One script, in a folder of its own with the programs that it calls."""

    def __init__(self, name, base, environment):
        self.name, self.folder, self.environment = name, Path(base) / name, environment
        self.folder.mkdir()
        self.given = {f"{name}.sh", *(file.name for file in SCRIPTS.glob("train*.py"))}
        for file in self.given:
            shutil.copy(SCRIPTS / file, self.folder)
        self.submission = subprocess.Popen(
            ["bash", "-c", command_of(name)], cwd=self.folder, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.printed, self.complained, self.records = "", "", []

    def finish_submission(self):
        self.printed, self.complained = self.submission.communicate(timeout=DEADLINE_S)

    def note_records(self, rows):
        """Keeps the rows of sacct whose jobs were submitted in this run's folder."""
        self.records = sorted((row for row in rows if row[-1] == str(self.folder)),
                              key=lambda row: [int(part) for part in re.findall(r"\d+", row[1])])

    def has_ended(self):
        """Returns whether the script has submitted jobs and all of them have ended."""
        return bool(self.records) and not any(row[3] in LIVE for row in self.records)

    def mails(self, mailbox):
        ids = {row[0] for row in self.records}
        lines = mailbox.read_text().splitlines() if mailbox.exists() else []
        return [line for line in lines if ids & set(re.findall(r"Job_id=(\d+)", line))]

    def files(self):
        for file in self.folder.rglob("*"):
            if file.is_file() and str(file.relative_to(self.folder)) not in self.given:
                yield file

    def parts(self, mailbox):
        """Yields (heading, text) for each part of the result: output, exit code, files, mail, rows
        of sacct."""
        yield f"$ {command_of(self.name)}", self.printed
        yield "standard error", self.complained
        yield f"exit code {self.submission.returncode}", ""
        for file in sorted(self.files()):
            data = file.read_bytes()
            text = "(binary)\n" if b"\0" in data else data.decode()
            yield f"file {file.relative_to(self.folder)}", text
        yield "mail", "".join(line + "\n" for line in self.mails(mailbox))
        rows = ["|".join(row[1:-1]) + "\n" for row in self.records]
        yield "sacct -X -o " + ",".join(RECORD.split(",")[1:-1]), "".join(rows)

    def as_text(self, mailbox):
        neutral = Neutral(self)
        parts = [(head, neutral.text(text)) for head, text in self.parts(mailbox)
                 if text or head.startswith(("file", "exit"))]
        return "".join(f"==== {neutral.text(head).strip()}\n{text}" for head, text in parts)


class Neutral:
    """Replaces text that differs between runs. Nodes are numbered in the order in which a text
    names them, jobs in the order of their ids."""

    def __init__(self, run):
        self.places = [(str(run.folder), "FOLDER"), (socket.gethostname(), "HOST"),
                       (getpass.getuser(), "USER")]
        self.jobs = {}
        for row in run.records:
            base = re.match(r"\d+", row[1]).group()
            self.jobs.setdefault(base, f"JOB{1 + len(self.jobs)}")
        for row in run.records:
            base, sign, part = re.match(r"(\d+)([_+]?)(.*)", row[1]).groups()
            if row[0] not in self.jobs:
                self.jobs[row[0]] = self.jobs[base] + sign.replace("_", "TASK") + part

    def text(self, text):
        for place, name in self.places:
            text = re.sub(rf"(?<!\w){re.escape(place)}\b", name, text)
        for pattern, replacement in PATTERNS:
            text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
        text = re.sub(r"(?<!\d)\d{4,}(?!\d)", lambda id: self.jobs.get(id[0], id[0]), text)
        text = re.sub(r"\b127\.0\.0\.1([1-4])\b", r"n\1", text)  # as scontrol shows n1 to n4
        seen = {}
        text = re.sub(r"\bn(\[[\d,-]+\]|[1-4]\b)", lambda name: self.nodes(name[1], seen), text)
        return text if not text or text.endswith("\n") else text + "\n"

    @staticmethod
    def nodes(names, seen):
        numbers = []
        for part in names.strip("[]").split(","):
            first, _, last = part.partition("-")
            numbers += range(int(first), int(last or first) + 1)
        each = [seen.setdefault(number, f"NODE{1 + len(seen)}") for number in numbers]
        return f"[{','.join(each)}]" if "[" in names else each[0]


def start_all(names, base, environment):
    """Submits all scripts at once, as the longest one decides how long all take."""
    runs = [Run(name, base, environment) for name in names]
    for run in runs:
        run.finish_submission()
    return runs


def all_ended(runs, environment):
    """Returns whether all jobs of the runs have ended. Reads their records from sacct."""
    done = subprocess.run(["sacct", "-X", "-n", "-P", f"--format={RECORD}",
                           "--starttime=now-1hours"],
                          env=environment, text=True, capture_output=True, check=True)
    rows = [line.split("|") for line in done.stdout.splitlines()]
    for run in runs:
        run.note_records(rows)
    return all(run.has_ended() for run in runs)


def lift_requeue_delay(environment):
    """Sets the start of requeued jobs to now. Slurm delays them by two minutes, which is too
    long."""
    waiting = subprocess.run(["squeue", "-h", "-t", "PD", "-o", "%i %r"], env=environment,
                             text=True, capture_output=True, check=True).stdout
    for job in re.findall(r"^(\d+) BeginTime$", waiting, re.MULTILINE):
        subprocess.run(["scontrol", "update", f"JobId={job}", "StartTime=now"], env=environment,
                       check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mailbox", type=Path, required=True)
    parser.add_argument("names", nargs="*", default=NAMES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="scripts-") as base:
        environment = dict(os.environ)
        runs = start_all(options.names, base, environment)
        wait_for(lambda: all_ended(runs, environment) or lift_requeue_delay(environment),
                 lambda: [run.name for run in runs if not run.has_ended()], LONG_DEADLINE_S)
        texts = []
        while texts != (now := [run.as_text(options.mailbox) for run in runs]):
            texts = now  # mail and the last lines of output may come after the jobs' end
            time.sleep(2)
        for run, text in zip(runs, texts):
            (SCRIPTS / f"{run.name}.slurm").write_text(text)


if __name__ == "__main__":
    main()
