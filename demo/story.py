"""Prints the events of the demo's jobs as they happen, and waits for conditions meanwhile."""

import sys
import time

POLL_S = 0.25
COLOURS = {"RUNNING": 32, "COMPLETED": 32, "SUSPENDED": 33, "SIGNALING": 33, "COMPLETING": 33,
           "FAILED": 31, "CANCELLED": 31, "NODE_FAIL": 31, "TIMEOUT": 31}
BAD_ENDS = ("FAILED", "CANCELLED", "NODE_FAIL", "TIMEOUT", "PREEMPTED", "OUT_OF_MEMORY")


class StoryFailed(Exception):
    """A condition did not become true in time, or a job ended badly."""


class Story:
    def __init__(self, cluster):
        self.cluster = cluster
        self.began = time.monotonic()
        self.jobs = {}  # name: id
        self.told = {}  # id: sequence of the last event printed
        self.status = ""
        self.live = sys.stdout.isatty()

    def line(self, who, text, state=""):
        colour = COLOURS.get(state)
        shown = f"{state:<12}"
        if self.live and colour:
            shown = f"\033[{colour}m{shown}\033[0m"
        clear = "\r\033[K" if self.live else ""
        print(f"{clear}{time.monotonic() - self.began:6.1f}s  {who:<10} {shown} {text}", flush=True)
        if self.live and self.status:
            print(self.status, end="", flush=True)

    def show_status(self, text):
        """Replaces the status line below the other lines. Does nothing without a terminal."""
        if self.live and text != self.status:
            self.status = text
            print(f"\r\033[K{text}", end="", flush=True)

    def submit(self, name, options, command):
        job = self.cluster.submit(name, options, command)
        self.jobs[name] = job
        self.told[job] = 0
        self.line(name, f"is job {job}: cox submit {' '.join(options)}")
        return job

    def tell_events(self):
        """Prints the events of all jobs since the last call, in order. Raises StoryFailed if a job
        ended badly."""
        news = []
        for name, job in self.jobs.items():
            events = self.cluster.ask("history", str(job))["events"]
            news += [(event["sequence"], name, event) for event in events
                     if event["sequence"] > self.told[job]]
        for sequence, name, event in sorted(news, key=lambda item: item[0]):
            self.told[event["job"]] = sequence
            what = "" if event["what"] == "state" else f"[{event['what']}] "
            self.line(name, f"{what}{event['why']}", event["state"])
            if event["state"] in BAD_ENDS:
                raise StoryFailed(f"{name} ended {event['state']}: {event['why']}")

    def wait(self, what, condition, timeout_s):
        """Waits until the condition is true, and returns its value. Prints events meanwhile."""
        deadline = time.monotonic() + timeout_s
        while True:
            self.tell_events()
            if value := condition():
                return value
            if time.monotonic() > deadline:
                raise StoryFailed(f"not within {timeout_s} s: {what}")
            time.sleep(POLL_S)

    def detail(self, name):
        return self.cluster.ask("show", "job", str(self.jobs[name]))

    def wait_for_state(self, name, state, timeout_s):
        self.wait(f"{name} is {state}",
                  lambda: self.detail(name)["view"]["job"]["state"] == state, timeout_s)
