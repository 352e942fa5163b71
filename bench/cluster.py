"""A private cluster for one group of measurements. It has one finished job, whose rows are the
pattern of the calibrators."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
import tomllib

PATIENCE_S = 60
# No limit on preemptions, because the group latencies preempts one job again and again.
SETTINGS = "[scheduling]\npreempt_budget = 0\n"
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_by_exception(number, _):
    raise SystemExit(128 + number)


def close_on_signals():
    """Makes a signal that would end this program raise SystemExit, so that its cluster is ended."""
    for number in ENDING:
        signal.signal(number, end_by_exception)


@contextlib.contextmanager
def uninterrupted():
    """Ignores signals that would end this program, such as a second ctrl-C. Programs that it starts
    do not inherit that."""
    before = {number: signal.signal(number, lambda *_: None) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class BenchCluster:
    def __init__(self, programs, folder, nodes, cpus):
        self.programs, self.dir = programs, folder / "cluster"
        self.size = ["--nodes", str(nodes), "--cpus", str(cpus)]
        self.config = self.dir / "coxswain.toml"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COX_")}
        self.environment = dict(kept, COX_CONFIG=str(self.config))

    def cox(self, *words):
        command = [self.programs / "cox", *words]
        done = subprocess.run(command, env=self.environment, cwd="/tmp", stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, start_new_session=True)
        if done.returncode != 0:
            raise SystemExit(f"bench: cox {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def __enter__(self):
        try:
            self.start()
        except BaseException:  # after an interrupt, too, what was started is ended
            with contextlib.suppress(SystemExit):
                self.__exit__()
            raise
        return self

    def start(self):
        settings = self.dir.with_suffix(".toml")
        settings.write_text(SETTINGS)
        self.cox("up", "--dir", str(self.dir), *self.size, "--config", str(settings))
        with self.config.open("rb") as file:
            self.database = tomllib.load(file)["controller"]["database"]
        job = json.loads(self.cox("submit", "--json", "-n1", "-o", "/dev/null", "--", "true"))
        self.cox("wait", str(job["id"]))

    def __exit__(self, *_):
        with uninterrupted():
            self.cox("down", "--dir", str(self.dir), "--purge")
        shutil.rmtree(self.dir, ignore_errors=True)

    def drain(self):
        """Drains the real node, so that only fake nodes get jobs."""
        self.cox("drain", "n1", "--reason", "bench")

    def controller_pid(self):
        lines = (line.split() for line in (self.dir / "pids").read_text().splitlines())
        return next(int(pid) for name, pid, _ in lines if name == "controller")

    def end_controller(self):
        self.end_process(self.controller_pid())

    def end_process(self, pid):
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + PATIENCE_S
        while os.path.exists(f"/proc/{pid}") and not self.is_zombie(pid):
            if time.monotonic() > end:
                raise SystemExit(f"bench: the daemon {pid} does not end")
            time.sleep(0.05)

    @staticmethod
    def is_zombie(pid):
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"

    def controller_rss(self):
        """Returns the controller's resident memory in bytes."""
        status = open(f"/proc/{self.controller_pid()}/status").read()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024
