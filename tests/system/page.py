"""Runs the commands of a page of docs/ in order, like a terminal session, and compares their output
with the output on the page.

A block of code on such a page is indented by four columns. A line that begins with "$ " is a
command; after a "\\" at its end it continues in the next line. The lines below it are its output.
If FILE does not exist, `cat FILE` first writes it with this output, as a reader would. In output,
"..." stands for any text, and alone in a line for any lines. Times, amounts with a unit and the
width of columns may differ.

A line "<!-- $ COMMAND -->" is a hidden command: the reader does not see it, its output is not
compared, and it must exit with 0. A block may also show settings, or assignments of a program.
"""

import getpass
import re
import subprocess
from dataclasses import dataclass

from patience import DEADLINE_S, repeat_until

# Commands that change nothing are repeated until they print what the page shows.
LOOKS = re.compile(r"(cox (queue|show|why|history|logs|nodes|status|events)|squeue|sacct|seff|cat"
                   r"|scontrol show|psql)\b")
HIDDEN = re.compile(r"<!-- \$ (.+) -->")
SETTING = re.compile(r"\[\[?\w+\]|\w+ = ")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d[ T])?\d?\d:\d\d(:\d\d)?\b|\b\d{4}-\d\d-\d\d\b")
AMOUNT = re.compile(r"\b(\d+ (h|min) )?\d+(\.\d+)? ?(ms|s|min|h|days?|[KMG]i?B?|%)(?!\w)")
AGO = re.compile(r"\bAMOUNT ago\b|\bnow\b")


@dataclass
class Command:
    line: int  # number of the line in the page
    words: str
    output: list
    is_hidden: bool = False


def read_page(text):
    """Returns the commands of a page, and complaints about code blocks of another kind."""
    commands, complaints, block = [], [], ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("    "):
            block = "" if line else block
            if hidden := HIDDEN.fullmatch(line):
                commands.append(Command(number, hidden[1], [], is_hidden=True))
            elif "<!-- $" in line:
                complaints.append(f"line {number}: a hidden command has a line of its own: {line}")
            continue
        said = line[4:]
        if said.startswith("$ "):
            commands.append(Command(number, said[2:], []))
            block = "session"
        elif block != "session" and SETTING.match(said):
            block = "settings"
        elif block != "session":
            complaints.append(f"line {number}: a block begins with a command: {said}")
        elif commands[-1].words.endswith("\\") and not commands[-1].output:
            commands[-1].words += "\n" + said
        else:
            commands[-1].output.append(said)
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


def fits(command, code, printed):
    """Returns whether a command exited and printed as the page requires."""
    if command.is_hidden:
        return code == 0
    lines = [f"{masked(line)}\n" for line in printed.splitlines() if line.strip()]
    return pattern_of(command.output).fullmatch("".join(lines)) is not None


class Session:
    """Runs the commands of a page in a folder. The page calls the user ada."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment

    def run(self, command):
        self.write_file(command)
        done = subprocess.run(["bash", "-c", command.words], cwd=self.folder, text=True,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=DEADLINE_S)
        return done.returncode, self.as_shown(done.stdout)

    def write_file(self, command):
        shown = re.fullmatch(r"cat ([\w.]+\.(?:sh|py|crontab))", command.words)
        if shown and not (self.folder / shown[1]).exists():
            (self.folder / shown[1]).write_text("".join(f"{line}\n" for line in command.output))

    def as_shown(self, text):
        text = text.replace(str(self.folder), "/home/ada")
        return re.sub(rf"\b{getpass.getuser()}\b", "ada", text)

    def check(self, command, deadline_s=DEADLINE_S):
        """Runs the command. Returns a text that shows how its output differs from the page, or that
        a hidden command failed; "" if neither is so. A command that changes nothing is repeated
        until it shows what the page has."""
        code, printed = last = repeat_until(
            lambda: self.run(command), lambda done: fits(command, *done),
            deadline_s if LOOKS.match(command.words) else 0)
        if fits(command, *last):
            return ""
        return f"line {command.line}: $ {command.words}\nexited with {code} and printed\n{printed}"
