"""A private cluster for the demo: starts it, runs cox commands on it, and removes it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

# The root of a clone, or share/coxswain of an installation.
ROOT = Path(__file__).resolve().parent.parent
COMMAND_TIMEOUT_S = 120


class CommandFailed(Exception):
    """A command failed. The message has its output."""


class PrivateCluster:
    """Four nodes in a fresh folder. As a context manager it removes the cluster at the end."""

    def __init__(self, keep):
        self.keep = keep
        self.base = Path(tempfile.mkdtemp(prefix="cox-demo-"))
        # If root runs this, PostgreSQL has another account, which must be able to enter the folder.
        self.base.chmod(0o711)
        self.dir = self.base / "cluster"
        self.environment = dict(os.environ, COX_CONFIG=str(self.dir / "coxswain.toml"))

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and not issubclass(kind, KeyboardInterrupt):
            self.print_log_tails()
        if self.keep:
            print(f"\nThe cluster is kept: export COX_CONFIG={self.dir}/coxswain.toml "
                  f"PATH={Path(shutil.which('cox')).parent}:$PATH"
                  f"\nEnd it with: cox down --purge --dir {self.dir}; rm -r {self.base}")
            return
        self.run("down", "--purge", "--dir", str(self.dir), check=False)
        shutil.rmtree(self.base, ignore_errors=True)

    def up(self):
        self.run("up", "--nodes", "4", "--cpus", "2", "--feature", "fast=n[1-2]", "--dir",
                 str(self.dir))

    def run(self, *words, check=True):
        """Runs a cox command, and returns its output."""
        done = subprocess.run(["cox", *words], env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=COMMAND_TIMEOUT_S)
        if check and done.returncode != 0:
            raise CommandFailed(f"cox {' '.join(words)} exited with {done.returncode}\n"
                                f"{done.stdout}{done.stderr}")
        return done.stdout

    def ask(self, *words):
        return json.loads(self.run(*words, "--json"))

    def submit(self, name, options, command):
        """Submits a job and returns its id. Its output is in a folder of its name."""
        folder = self.base / name
        folder.mkdir()
        answer = self.run("submit", "--parsable", "-J", name, "-D", str(folder), *options, "--",
                          *command)
        return int(answer)

    def psql(self, query):
        with open(self.dir / "coxswain.toml", "rb") as file:
            database = tomllib.load(file)["controller"]["database"]
        done = subprocess.run(["psql", "-d", f"{database} user=cox_reader", "-P", "pager=off", "-c",
                               query], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=COMMAND_TIMEOUT_S)
        if done.returncode != 0:
            raise CommandFailed(f"psql: {done.stderr}")
        return done.stdout

    def print_log_tails(self):
        files = [file for file in self.base.rglob("*")
                 if file.is_file() and file.suffix in (".log", ".out")]
        for file in sorted(files):
            lines = file.read_text(errors="replace").splitlines()
            if lines:
                print(f"\n---- {file}", *lines[-15:], sep="\n", file=sys.stderr)
