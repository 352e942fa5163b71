"""Runs the sections of docs/operations.md, in order, on several hosts. The hosts are made of
namespaces, and nothing is installed on them at first.

A command begins with a prompt that names the hosts and the user: "ctl# " is root on ctl, "n[1-2]$ "
is the cluster's user on two hosts. The lines below a command are its here-document up to END, or
its output (see page.py).
"""

import os
import re
import select
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import page
from cluster import ROOT, find_programs
from hosts import ACCOUNT, Host, Switch
from patience import DEADLINE_S, repeat_until
from real_cluster import RealCluster

PAGE = ROOT / "docs/operations.md"
STAND_IN = Path(__file__).resolve().parent / "programs/stand_in.py"
NAMES = ("ctl", "n1", "n2", "n3", "login")
PROMPT = re.compile(r"    ((?:[a-z]+\d*(?:\[\d-\d\])?,?)+)([#$]) (.*)")
LOOKS = re.compile(r"(runuser -u coxswain -- )?(cox (nodes|logs|doctor|status|queue|fence)|psql)\b")
COMPONENTS = ("client", "controller", "worker")


@dataclass
class Typed:
    line: int  # number of the line in the page
    hosts: list
    is_root: bool
    words: str
    output: list = field(default_factory=list)


def hosts_of(text):
    """Returns the hosts of a prompt: "ctl,n[1-2]" has three."""
    hosts = []
    for each in text.split(","):
        span = re.fullmatch(r"([a-z]+)\[(\d)-(\d)\]", each)
        numbers = range(int(span[2]), int(span[3]) + 1) if span else ()
        hosts += [f"{span[1]}{k}" for k in numbers] if span else [each]
    return hosts


def read_sections(text):
    """Returns the commands of each section, by title, and complaints about other code lines."""
    sections, complaints, commands, is_open = {}, [], [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("## "):
            commands = sections.setdefault(line[3:], [])
        if not line.startswith("    "):
            if is_open and line:
                complaints.append(f"line {number}: the here-document has no END")
            if is_open and not line:
                commands[-1].words += "\n"
            continue
        prompt = None if is_open else PROMPT.fullmatch(line)
        if prompt:
            commands.append(Typed(number, hosts_of(prompt[1]), prompt[2] == "#", prompt[3]))
            is_open = bool(re.search(r"<< '?END'?$", prompt[3]))
        elif not commands:
            complaints.append(f"line {number}: no prompt of a host: {line}")
        elif is_open:
            commands[-1].words += "\n" + line[4:]
            is_open = line != "    END"
        else:
            commands[-1].output.append(line[4:])
    return {title: typed for title, typed in sections.items() if typed}, complaints


class Shell:
    """A shell of one user on one host. It keeps its folder and variables between commands."""

    def __init__(self, host, user):
        self.bash = subprocess.Popen(host.command(["bash"], user), bufsize=0,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT)

    def run(self, words):
        """Runs a command; returns its exit code and its output."""
        line = f"{{ {words}\n}} < /dev/null; printf '\\n<ended %d>\\n' $?\n"
        self.bash.stdin.write(line.encode())
        printed, end = b"", time.monotonic() + DEADLINE_S
        while True:
            ended = re.search(rb"\n<ended (\d+)>\n$", printed)
            if ended:
                return int(ended[1]), printed[:ended.start()].decode(errors="replace")
            left = end - time.monotonic()
            ready = select.select([self.bash.stdout], [], [], max(left, 0))[0]
            more = os.read(self.bash.stdout.fileno(), 1 << 16) if ready else b""
            assert more, f"'{words}' did not end in {DEADLINE_S} s, or its shell ended: {printed}"
            printed += more

    def end(self):
        self.bash.stdin.close()
        self.bash.wait(DEADLINE_S)


class BareCluster(RealCluster):
    """Bare hosts that the page's sections turn into a cluster. Its own commands run on ctl."""

    def __init__(self):
        self.base = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="cox-operations-"))
        self.base.chmod(0o755)
        self.shared, self.dir = self.base / "shared", self.base
        self.accepted, self.daemons_running, self.shells = set(), {}, {}
        self.bin = self.base / "programs"
        self.shared.mkdir()
        self.make_packages()
        self.switch = Switch()
        self.hosts = {name: self.make_host(name, number)
                      for number, name in enumerate(NAMES, start=1)}
        for host in self.hosts.values():
            lines = [f"{other.address} {other.name}\n" for other in self.hosts.values()]
            (host.folder / "etc/hosts").write_text("127.0.0.1 localhost\n" + "".join(lines))
        self.sections, complaints = read_sections(PAGE.read_text(encoding="utf-8"))
        assert not complaints, complaints

    def make_packages(self):
        """Makes two versions. The controller of the second has a newer database schema."""
        newer = self.base / "programs-new"
        for folder in (self.bin, newer):
            folder.mkdir()
        for name in ("cox", "cox-controller", "cox-worker", "cox-supervisor", "cox-stepd"):
            shutil.copy(find_programs() / name, self.bin / name)
            # A program starts the others from its own folder, so both folders have all of them.
            os.link(self.bin / name, newer / name)
        (newer / "cox-controller").unlink()
        shutil.copy(find_programs() / "cox-controller-next", newer / "cox-controller")
        for folder, programs, version in (("packages", self.bin, 1), ("packages-new", newer, 2)):
            (self.shared / folder).mkdir()
            for component in COMPONENTS:
                file = self.shared / folder / f"coxswain-{component}_{version}.deb"
                file.write_text(f"{programs}\n")

    def make_host(self, name, number):
        host = Host(self.base, name, number, self.switch, {self.shared: "/srv"},
                    self.base / name / "bin", is_bare=True)
        (host.folder / "bin").mkdir()
        for tool in ("apt-get", "systemctl", "scp"):
            (host.folder / "bin" / tool).symlink_to(STAND_IN)
        host.run("mkdir", "-p", "/run/systemd/system")  # a host with systemd has this folder
        return host

    def down(self):
        for shell in self.shells.values():
            shell.end()
        self.switch.end()
        shutil.rmtree(self.base)

    def shell(self, host, is_root):
        key = host, is_root
        if key not in self.shells:
            self.shells[key] = Shell(self.hosts[host], None if is_root else ACCOUNT)
        return self.shells[key]

    def type(self, title, since="", before=""):
        """Runs a section, or the part from, or up to, the first command with these words."""
        commands = self.sections[title]
        at = next((k for k, typed in enumerate(commands)
                   if (since or before) and (since or before) in typed.words), 0)
        for typed in commands[at:] if since else commands[:at or None]:
            for host in typed.hosts:
                self.type_one(typed, host)

    def type_one(self, typed, host):
        expected = page.pattern_of(typed.output)

        def fits(done):
            lines = [page.masked(line) for line in done[1].splitlines() if line.strip()]
            return done[0] == 0 and expected.fullmatch("".join(f"{line}\n" for line in lines))

        code, printed = last = repeat_until(
            lambda: self.shell(host, typed.is_root).run(typed.words), fits,
            DEADLINE_S if LOOKS.match(typed.words) else 0)
        assert fits(last), (f"{PAGE.name}:{typed.line}: on {host}: {typed.words}\n"
                            f"ended with {code} and printed\n{printed}\n{self.logs()}")
