"""Runs the commands of a page of docs/ in order, like a terminal session, and compares their output
with the output on the page.

A block of code on such a page is indented by four columns. A line that begins with "$ " is a
command, which goes on in the next line behind a "\\"; the lines below it are its output. `cat FILE`
of a file that is not there writes it first, as a reader does. In output "..." stands for anything,
and alone in a line for any lines. Times, amounts with a unit and the width of columns may differ.
"""

import getpass
import re
import subprocess
import time
from dataclasses import dataclass

COMMAND_TIMEOUT_S = 90
LOOK_AGAIN_S = 0.1
# Commands that change nothing are repeated until they print what the page shows.
LOOKS = re.compile(r"(cox (queue|show|why|history|logs|nodes|status|events)|squeue|sacct|seff|cat"
                   r"|scontrol show)\b")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d[ T])?\d\d:\d\d(:\d\d)?\b|\b\d{4}-\d\d-\d\d\b")
AMOUNT = re.compile(r"\b(\d+ (h|min) )?\d+(\.\d+)? ?(ms|s|min|h|days?|[KMG]i?B?|%)(?!\w)")
AGO = re.compile(r"\bAMOUNT ago\b|\bnow\b")


@dataclass
class Command:
    line: int  # number in the page
    words: str
    output: list


def read_page(text):
    """Returns the commands of a page, and complaints about code blocks that are not sessions."""
    commands, complaints, block = [], [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("    "):
            block = block and not line
            continue
        said = line[4:]
        if said.startswith("$ "):
            commands.append(Command(number, said[2:], []))
        elif not block:
            complaints.append(f"line {number}: a block begins with a command: {said}")
        elif commands[-1].words.endswith("\\") and not commands[-1].output:
            commands[-1].words += "\n" + said
        else:
            commands[-1].output.append(said)
        block = True
    return commands, complaints


def masked(line):
    """Masks the parts of a line that are not compared: times, amounts and column widths."""
    line = MOMENT.sub("TIME", UUID.sub("UUID", " ".join(line.split())))
    return AGO.sub("AGO", AMOUNT.sub("AMOUNT", line))


def pattern_of(output):
    """Returns the pattern that the masked output must match."""
    parts = []
    for line in output:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(map(re.escape, masked(line).split("..."))) + r"\n")
    return re.compile("".join(parts))


class Session:
    """Runs the commands of a page in a folder. The page calls the user ada."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment

    def run(self, command):
        self.write_file(command)
        done = subprocess.run(["bash", "-c", command.words], cwd=self.folder, text=True,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=COMMAND_TIMEOUT_S)
        return self.as_shown(done.stdout)

    def write_file(self, command):
        shown = re.fullmatch(r"cat ([\w.]+\.(?:sh|py))", command.words)
        if shown and not (self.folder / shown[1]).exists():
            (self.folder / shown[1]).write_text("".join(f"{line}\n" for line in command.output))

    def as_shown(self, text):
        text = text.replace(str(self.folder), "/home/ada")
        return re.sub(rf"\b{getpass.getuser()}\b", "ada", text)

    def check(self, command, deadline_s=30):
        """Runs the command. Returns how its output differs from the page; empty: it does not."""
        expected = pattern_of(command.output)
        end = time.monotonic() + deadline_s
        while True:
            printed = self.run(command)
            if expected.fullmatch("".join(f"{masked(line)}\n" for line in printed.splitlines()
                                          if line.strip())):
                return ""
            if not LOOKS.match(command.words) or time.monotonic() > end:
                return f"line {command.line}: $ {command.words}\nprinted\n{printed}"
            time.sleep(LOOK_AGAIN_S)
