"""Runs the commands of the pages for administrators, and compares their output with the pages.

A command has a prompt, as in docs/operations.md: "ctl# " is root on ctl, "n1$ " the cluster's user
on n1. Here all of them run as the test's user on one private cluster. A command of root without an
output that docs/operations.md has too, such as an installation, runs in test_operations.py instead.
A comment such as `<!-- ctl$ COMMAND -->` is a hidden command: it must exit with 0, as must a block
of SQL. `cox config check` checks the blocks of settings, and the cluster has those of the
controller.
"""

import getpass
import re
import socket
import subprocess
import tomllib

import operations
import page
from patience import DEADLINE_S, repeat_until
import pytest
from cluster import ROOT, find_programs, toml_value
from operations import PROMPT, Typed
from workers import restart_worker

GUIDE = "administrator-guide"
OTHERS = ("accounts", "sql", "high-availability")
NAMES = ("sacct", "sbatch", "scontrol", "sacctmgr", "sreport", "strigger")
SITE = "/usr/local/sbin"  # programs of the site are here on the pages
PROGRAMS = {"judge-submission": "echo '{}'",
            "check-node": "[ ! -e broken ] || { cat broken; exit 1; }",
            "fence": "false",
            "notify-operators": "true"}
LISTEN_LOCAL = "ipc:///run/coxswain/controller.socket"
PSQL = ("runuser -u postgres -- psql coxswain", "psql -h /run/postgresql coxswain")
HIDDEN = re.compile(r"<!-- (\w+)\$ (.*) -->")
SQL = re.compile(r"(SELECT|CALL|INSERT|UPDATE)\b")
LOOKS = re.compile(page.LOOKS.pattern + r"|(cox (checkpoints|doctor)|journalctl)\b")
TIMES = {"node_timeout": "2s", "heartbeat": "250ms", "kill_wait": "1s"}
# These replace systemctl and journalctl of a host with the daemon $DAEMON.
STAND_INS = """
systemctl() {
    case "$1 $2" in
        "reload coxswain-"*) local signal=HUP ;;
        "kill --signal="*) local signal="${2#*=}" ;;
        *) return 1 ;;
    esac
    kill -"$signal" "$(awk -v name="$DAEMON" '$1 == name { print $2 }' "$CLUSTER/pids")"
}
journalctl() { cat "$CLUSTER/log/$DAEMON.log"; }
"""


def text_of(name):
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def blocks_of(text):
    """Returns the code blocks of a page as (number of the first line, lines). A hidden command is a
    block of its own."""
    blocks, is_open = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if HIDDEN.fullmatch(line):
            blocks.append((number, [line]))
            is_open = False
        elif line.startswith("    ") and not is_open:
            blocks.append((number, [line[4:]]))
            is_open = True
        elif is_open and (line.startswith("    ") or not line):
            blocks[-1][1].append(line[4:])
        else:
            is_open = False
    return blocks


def read_commands(text):
    """Returns the commands of a page in order. The output of a command that only has to succeed is
    None."""
    commands = []
    for number, lines in blocks_of(text):
        hidden = HIDDEN.fullmatch(lines[0])
        if hidden:
            commands.append(Typed(number, [hidden[1]], False, hidden[2], None))
        elif SQL.match(lines[0]):
            words = "\n".join([f"{PSQL[1]} -v ON_ERROR_STOP=1 << 'END'", *lines, "END"])
            commands.append(Typed(number, ["ctl"], False, words, None))
        elif PROMPT.fullmatch(f"    {lines[0]}"):
            commands += read_session(number, lines)
    return commands


def read_session(first, lines):
    commands = []
    for number, line in enumerate(lines, start=first):
        prompt = PROMPT.fullmatch(f"    {line}")
        if prompt:
            commands.append(Typed(number, [prompt[1]], prompt[2] == "#", prompt[3]))
        elif commands[-1].words.endswith("\\") and not commands[-1].output:
            commands[-1].words += f"\n{line}"
        elif line:
            commands[-1].output.append(line)
    return commands


def settings_of(name):
    """Returns the blocks of settings of a page as (number of the first line, text)."""
    return [(number, "\n".join(lines)) for number, lines in blocks_of(text_of(name))
            if re.match(r"\[\[?\w+\]\]?$", lines[0])]


def tables_of(text):
    """Returns the tables of a block as (first line, text)."""
    return [(each.splitlines()[0], each) for each in re.split(r"^(?=\[)", text, flags=re.MULTILINE)
            if each]


def settings_of_the_controller():
    """Returns the keys of [controller] that the guide sets besides those of its first file, and the
    text of all other tables of controllers."""
    keys, tables = {}, ""
    for _, text in settings_of(GUIDE):
        for header, table in tables_of(text):
            if header == "[controller]" and "[client]" not in text:
                keys.update(tomllib.loads(table)["controller"])
            elif header not in ("[controller]", "[worker]", "[client]"):
                tables += f"\n{table}\n"
    return keys, tables


def operations_commands():
    sections, _ = operations.read_sections(text_of("operations"))
    return {typed.words for commands in sections.values() for typed in commands}


def runs_elsewhere(command, elsewhere):
    """Returns whether test_operations.py runs the command, and the page shows no output of it."""
    return command.is_root and command.output in ([], ["..."]) and command.words in elsewhere


class Session:
    """Runs commands on a cluster. Its machine stands for all hosts of the pages."""

    def __init__(self, cluster, programs):
        self.cluster = cluster
        settings = cluster.config.read_text()
        database = toml_value(settings, "database")
        self.places = {"/srv/checkpoints": cluster.dir / "checkpoints", SITE: programs,
                       "/etc/coxswain/coxswain.toml": cluster.config,
                       LISTEN_LOCAL: toml_value(settings, "listen_local")}
        self.replaced = {**self.places, **{each: f'psql "{database}"' for each in PSQL}}
        names = cluster.work / "names"
        names.mkdir()
        for name in NAMES:
            (names / name).symlink_to(find_programs() / "cox")
        self.environment = dict(cluster.environment, CLUSTER=str(cluster.dir),
                                PYTHONPATH=str(ROOT / "python"),
                                PATH=f"{names}:{cluster.environment['PATH']}")
        # The hosts without a controller know only how to reach it.
        self.clients = cluster.work / "client.toml"
        self.clients.write_text(dict(tables_of(settings))["[client]"])

    def run(self, command):
        """Runs a command; returns its exit code and its output."""
        host, words = command.hosts[0], command.words
        for shown, here in self.replaced.items():
            words = words.replace(shown, str(here))
        environment = dict(self.environment,
                           DAEMON="controller" if host == "ctl" else f"worker-{host}")
        if host != "ctl":
            environment["COX_CONFIG"] = str(self.clients)
        done = subprocess.run(["bash", "-c", STAND_INS + words], cwd=self.cluster.work, text=True,
                              env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=DEADLINE_S)
        return done.returncode, done.stdout

    def as_shown(self, text):
        """Returns the text with the paths, host and user of the pages."""
        for shown, here in self.places.items():
            text = text.replace(str(here), shown)
        text = re.sub(rf"\b({re.escape(socket.gethostname())}|ctl2)\b", "ctl", text)
        return re.sub(rf"\b{getpass.getuser()}\b", "coxswain", text)

    def is_as_shown(self, command, code, printed):
        if command.output is None:
            return code == 0
        expected = page.pattern_of(self.as_shown("\n".join(command.output)).splitlines())
        lines = self.as_shown(printed).splitlines()
        return expected.fullmatch("".join(f"{page.masked(line)}\n" for line in lines
                                          if line.strip()))

    def check(self, command, page_name):
        """Runs a command. Repeats a command that changes nothing until its output is that of the
        page."""
        code, printed = last = repeat_until(
            lambda: self.run(command), lambda done: self.is_as_shown(command, *done),
            DEADLINE_S if LOOKS.match(command.words) else 0)
        assert self.is_as_shown(command, *last), (
            f"{page_name}, line {command.line}: {command.words}\nexited with {code} and printed\n"
            f"{self.as_shown(printed)}\n{self.cluster.logs()}")


@pytest.fixture
def make_session(make_cluster, tmp_path):
    def make(controllers):
        tmp_path.chmod(0o755)
        for name, body in PROGRAMS.items():
            (tmp_path / name).write_text(f"#!/bin/sh\ncd {tmp_path}\n{body}\n")
            (tmp_path / name).chmod(0o755)
        keys, tables = settings_of_the_controller()
        here = {key: value.replace(SITE, str(tmp_path)) if isinstance(value, str) else value
                for key, value in keys.items()}
        cluster = make_cluster(nodes=3, gpus=["h100:8"], lease_s=600, controllers=controllers,
                               settings={**here, **TIMES}, tables=tables)
        return Session(cluster, tmp_path)
    return make


def type_page(session, name):
    elsewhere = operations_commands()
    for command in read_commands(text_of(name)):
        if not runs_elsewhere(command, elsewhere):
            session.check(command, f"docs/{name}.md")


def test_the_guide_shows_what_its_commands_print(make_session):
    session = make_session(controllers=1)
    check, = [text for _, text in settings_of(GUIDE) if "health_check" in text]
    here = check.replace(SITE, str(session.places[SITE])).replace("1min", "200ms")
    restart_worker(session.cluster, "n1", here.splitlines()[1:])
    type_page(session, GUIDE)


def test_the_other_pages_show_what_their_commands_print(make_session):
    session = make_session(controllers=2)
    for name in OTHERS:
        type_page(session, name)


def complete(text, controller, node):
    """Returns a whole file for a block of settings: the guide's file of the controller or of a node
    with this block."""
    header = tables_of(text)[0][0]
    if text in (controller, node):
        return text
    if header not in ("[controller]", "[worker]", "[client]"):
        return f"{controller}\n{text}\n"
    keys, = tomllib.loads(text).values()
    whole = ""
    for first, table in tables_of(controller if header == "[controller]" else node):
        kept = [line for line in table.splitlines() if line.partition(" = ")[0] not in keys]
        whole += "\n".join([text, *kept[1:]] if first == header else [table]) + "\n"
    return whole


@pytest.mark.parametrize("name", (GUIDE, "high-availability"))
def test_the_settings_on_the_pages_are_valid(name, tmp_path):
    controller, node = [text for _, text in settings_of(GUIDE) if "[client]" in text]
    for number, text in settings_of(name):
        file = tmp_path / "coxswain.toml"
        file.write_text(complete(text, controller, node).replace('"..."', f'"{"a" * 40}"'))
        done = subprocess.run([find_programs() / "cox", "config", "check", file], text=True,
                              capture_output=True, timeout=DEADLINE_S, check=False)
        assert done.returncode == 0 and "no problems" in done.stdout, \
            f"docs/{name}.md, line {number}: {done.stdout}{done.stderr}"


PAGE = """# Page

<!-- ctl$ touch a -->

    ctl# useradd ada
    n1$ cox reserve create one \\
            Nodes=n1
    one: created on n1

Settings:

    [worker]
    node_name = "n1"

SQL:

    SELECT 1;
"""


def test_commands_and_sql_are_read():
    hidden, added, reserved, sql = read_commands(PAGE)
    assert (hidden.words, hidden.hosts, hidden.output) == ("touch a", ["ctl"], None)
    assert (added.words, added.is_root, added.output) == ("useradd ada", True, [])
    assert runs_elsewhere(added, {"useradd ada"}) and not runs_elsewhere(added, {"useradd bob"})
    assert reserved.words == "cox reserve create one \\\n        Nodes=n1"
    assert (reserved.hosts, reserved.output) == (["n1"], ["one: created on n1"])
    assert sql.output is None and "\nSELECT 1;\nEND" in sql.words


def test_every_command_has_a_prompt():
    without = re.compile(rf"(cox|psql|{'|'.join(NAMES)}) ")
    for name in (GUIDE, *OTHERS):
        assert not [number for number, lines in blocks_of(text_of(name)) if without.match(lines[0])]
        assert len(read_commands(text_of(name))) > 2
