#!/usr/bin/python3
"""Sends a message to Slack. It needs only the standard library.

From your own job, or after it, however it ends:

    export SLACK_WEBHOOK=https://hooks.slack.com/services/...
    examples/recipes/notify_slack.py "the training has begun"
    cox submit -d afterany:17 -n1 -- examples/recipes/notify_slack.py "job 17 has ended"

For all jobs of a cluster, by its administrator: copy it into a folder of the controller's host,
write the webhook into the file `slack-webhook` beside it, and name the copy as `notify_program` in
coxswain.toml. The controller then calls it with "began", "ended" or "requeued" and the job's
number.
"""

import json
import os
import sys
import urllib.request
from pathlib import Path

WEBHOOK_FILE = Path(__file__).resolve().with_name("slack-webhook")
TIMEOUT_S = 10


def webhook():
    if "SLACK_WEBHOOK" in os.environ:
        return os.environ["SLACK_WEBHOOK"]
    if WEBHOOK_FILE.exists():
        return WEBHOOK_FILE.read_text().strip()
    sys.exit(f"no webhook: set SLACK_WEBHOOK, or write it into {WEBHOOK_FILE}")


def message(words):
    """Returns the text on the command line, or a line about the job that the controller names."""
    events = {"began": "has begun", "ended": "has ended", "requeued": "is queued again"}
    if len(words) != 2 or words[0] not in events:
        return " ".join(words)
    job = {name: os.environ.get(f"SLURM_JOB_{name}", "") for name in
           ("NAME", "USER", "STATE", "EXIT_CODE", "REASON")}
    text = f"Job {words[1]} ({job['NAME']}) of {job['USER']} {events[words[0]]}"
    if words[0] == "ended":
        text += f": {job['STATE']}, exit code {job['EXIT_CODE']}"
    return f"{text}: {job['REASON']}" if job["REASON"] else text


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: notify_slack.py TEXT")
    body = json.dumps({"text": message(sys.argv[1:])}).encode()
    request = urllib.request.Request(webhook(), body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        answer.read()


main()
