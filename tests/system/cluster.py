"""A private cluster of real daemons and a real PostgreSQL, to which tests may do damage.

Nothing here waits for a fixed time: wait_for() looks again until a condition holds.
"""

import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
from contextlib import closing
from pathlib import Path

import patience
import psycopg2

from database import ACCOUNT, connected, give_database, is_ended, rows_of
from patience import DEADLINE_S, LONG_DEADLINE_S
from processes import Process, processes_with, start_time_of

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = Path(__file__).resolve().parent / "programs"
PYTHON = "/usr/bin/python3"
FINAL_STATES = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED",
                "OUT_OF_MEMORY", "DEADLINE")
# Options by which pg_ctl waits for the server. By default it gives up after 60 s.
PG_CTL_WAITS = ("-w", "-t", math.ceil(DEADLINE_S))


def find_programs(sanitized=False):
    """Returns the folder of the programs under test. If COX_PLAIN_BIN names one, then cox,
    cox-supervisor and cox-stepd are without sanitizers in it, unless `sanitized`."""
    plain = None if sanitized else os.environ.get("COX_PLAIN_BIN")
    wanted = [plain, os.environ.get("COX_BIN"), ROOT / "build/asan/bin",
              ROOT / "build/default/bin"]
    for folder in wanted:
        if folder and (Path(folder) / "cox").exists():
            return Path(folder).resolve()
    raise FileNotFoundError("no cox to test: build it, or set COX_BIN to its folder")


def toml_value(text, key):
    """Returns the value of `key = "..."` in a file that `cox up` wrote."""
    for line in text.splitlines():
        name, _, value = line.partition(" = ")
        if name == key:
            return json.loads(value)
    raise KeyError(key)


def with_value(text, key, value):
    """Returns the text with another value behind `key = `."""
    lines, found = re.subn(rf"^{key} = .*$", lambda _: f"{key} = {json.dumps(value)}", text,
                           flags=re.MULTILINE)
    assert found == 1, f"{key} occurs {found} times:\n{text}"
    return lines


def where_job(job):
    """Returns the condition of SQL on a job's row. An array task may be named JOB_TASK."""
    first, _, task = str(job).partition("_")
    return f"array_job = {first} AND array_task = {task}" if task else f"id = {first}"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Cluster:
    """A cluster with the nodes n1..nK. Daemons are named "controller", "controller2", "n1", ...

    features: as --feature takes them, "fast=n[1-2]". gpus: as --gpus takes them, "h100:4".
    settings: further lines of [controller], such as {"launch_retry_max": "1s"}.
    tables: further configuration text, such as partitions.
    environment: variables added to those of the daemons and commands.
    controllers: the number of controllers; all but one are standbys.
    sanitized: whether sanitizers watch the commands, the supervisors and the stepds too. Only then
        leaks are looked for, which takes a daemon 0.1 s of CPU when it ends.
    """

    def __init__(self, tmp_dir, nodes=4, cpus=2, features=(), gpus=(), lease_s=None, settings=None,
                 environment=None, tables="", controllers=1, sanitized=False):
        self.dir = Path(tmp_dir) / "cluster"
        self.work = Path(tmp_dir) / "work"  # the jobs' folder
        self.nodes, self.cpus = nodes, cpus
        self.features, self.gpus, self.lease_s = features, gpus, lease_s
        self.settings = settings or {}
        self.tables = tables
        self.controllers = ["controller", *(f"controller{k}" for k in range(2, controllers + 1))]
        self.bin = find_programs(sanitized)
        self.config = self.dir / "coxswain.toml"
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith(("COX_", "SLURM_"))}
        if not sanitized:
            # The watch on global variables takes half of the time in which a daemon starts.
            inherited.setdefault("ASAN_OPTIONS", "detect_leaks=0:report_globals=0")
        self.environment = dict(inherited, COX_CONFIG=str(self.config),
                                PATH=f"{self.bin}:{os.environ['PATH']}",
                                **(environment or {}))
        self.accepted = set()  # ids of the jobs that the controller has accepted
        self.judged = 0        # the history checker ignores the jobs up to this id
        # The newest event, and how many jobs were accepted, when the history was last checked.
        self.last_judged = None
        self.children = {}     # daemons that start() started, by name, to reap them
        self.starting = threading.Lock()
        self.log_before = {}   # the length of the log of each daemon when start() started it
        self.layout = {}
        self.database = None   # where sql() connects; None: to the database of the configuration
        self.kept = threading.local()  # the connection of each thread that uses sql()
        self.beside = []       # other objects, such as a replica, that down() stops too

    # ---- the whole cluster --------------------------------------------------------------------

    def up(self):
        self.work.mkdir(parents=True, exist_ok=True)
        give_database(self.dir)
        self.read_layout()  # so that down() removes the database also if `cox up` fails
        words = ["up", "--dir", str(self.dir), "--nodes", str(self.nodes), "--cpus", str(self.cpus)]
        for feature in self.features:
            words += ["--feature", feature]
        for gpus in self.gpus:
            words += ["--gpus", gpus]
        if self.lease_s is not None:
            words += ["--lease", str(self.lease_s)]
        if self.settings or self.tables:
            words += ["--config", str(self.write_settings())]
        self.cox(*words, timeout_s=LONG_DEADLINE_S)
        self.read_layout()
        if len(self.controllers) > 1:
            self.start_standbys()
        return self

    def await_nodes(self):
        """Waits until all nodes have contacted the controller that was started last. A command sent
        before gives up on a slow machine, where the controller takes longer than 3 s to listen."""
        for name in [name for name in self.log_before if name in self.controllers][-1:]:
            self.wait_for(lambda: re.search("leading|standing by",
                                            self.log_text(name)[self.log_before[name]:]),
                          f"{name} to have started")
        self.wait_for(lambda: self.count_responding() == self.nodes, "all nodes to respond")

    def write_settings(self):
        """Writes this cluster's settings to a file, which `cox up` lays over its own."""
        file = self.work.parent / "settings.toml"
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in self.settings.items())
        file.write_text(f"[controller]\n{lines}{self.tables}")
        return file

    def read_layout(self):
        lines = (self.dir / "layout").read_text().splitlines()
        self.layout = {name: value for name, _, value in (line.partition(" ") for line in lines)}

    def start_standbys(self):
        """Restarts all daemons with the list of controllers. Called before any job exists."""
        self.kill("controller", signal.SIGTERM)
        self.configure_controllers()
        self.start("controller")
        self.await_nodes()
        for name in self.controllers[1:]:
            self.start(name)
            self.wait_for(lambda: "standing by" in self.log_text(name), f"{name} to stand by")

    def configure_controllers(self):
        """Gives each controller a configuration file and addresses of its own, and their list to
        all clients and workers."""
        text = self.config.read_text()
        local = toml_value(text, "listen_local")
        for name in self.controllers[1:]:
            its = with_value(text, "listen_tcp", f"tcp://127.0.0.1:{free_port()}")
            its_local = local.replace("controller.sock", f"{name}.sock")
            self.config_of(name).write_text(with_value(its, "listen_local", its_local))
        for name in self.controllers:
            self.set_controllers(name, self.controllers)
        for k in range(1, self.nodes + 1):
            self.kill(f"n{k}", signal.SIGTERM)
            self.set_controllers(f"n{k}", self.controllers)
            self.start(f"n{k}")

    def set_controllers(self, name, controllers):
        """Writes which controllers a worker or commands try, in this order. `name` is a worker, or
        the controller whose configuration file the commands read (commands run by this class read
        that of "controller")."""
        key = "listen_local" if name in self.controllers else "listen_tcp"
        places = [toml_value(self.config_of(each).read_text(), key) for each in controllers]
        file = self.config_of(name)
        file.write_text(with_value(file.read_text(), "controller", ",".join(places)))

    def count_responding(self):
        """Returns how many nodes have contacted the running controller since it started. The nodes'
        rows still have what the previous controller recorded."""
        answer = json.loads(self.cox("status", "--dir", self.dir, "--json", check=False).stdout)
        return answer["cluster"]["nodes_responding"] if answer["cluster"] else 0

    def down(self):
        """Ends all processes of the cluster. Its folder stays for the analysis of a failure."""
        done = self.cox("down", "--dir", str(self.dir), check=False)
        for process in self.children.values():
            process.poll()
        for each in self.beside:
            each.stop()
        folder = str(self.dir).encode()
        for process in self.own_processes() + processes_with(lambda p: folder in p.cmdline()):
            process.kill(signal.SIGKILL)
        for identity in self.dir.glob("spool/*/*/identity"):
            boot, pid, start, *_ = [*identity.read_text().split(), "", "0", "0"]
            if boot and start_time_of(int(pid)) == int(start):
                os.kill(int(pid), signal.SIGKILL)
        postgres = self.postgres_process() if self.layout else None
        if postgres:
            postgres.kill(signal.SIGKILL)
        for folder in (self.layout.get("postgres_home"), self.layout.get("run_dir")):
            if folder:
                shutil.rmtree(folder, ignore_errors=True)
        return done

    def own_processes(self):
        """Returns the live processes of this cluster's jobs: those with the cluster's mark in their
        environment."""
        mark = f"\0COX_ATTEMPT_ID={self.layout.get('cluster_name', '?')}/".encode()
        return processes_with(lambda process: mark in process.environ())

    # ---- commands -----------------------------------------------------------------------------

    def cox(self, *words, check=True, timeout_s=DEADLINE_S, cwd=None):
        done = subprocess.run([self.bin / "cox", *map(str, words)],
                              env=self.environment, cwd=cwd or self.work,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout_s)
        if check and done.returncode != 0:
            raise AssertionError(f"cox {' '.join(map(str, words))} exited with {done.returncode}\n"
                                 f"{done.stdout}{done.stderr}\n{self.logs()}")
        return done

    def popen(self, *words):
        """Starts a cox command that runs beside the test."""
        return subprocess.Popen([self.bin / "cox", *map(str, words)], env=self.environment,
                                cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def slurm(self, name, *words):
        """Runs one of Slurm's commands: cox, called by that name."""
        return subprocess.run([name, *map(str, words)], executable=self.bin / "cox", text=True,
                              env=self.environment, cwd=self.work, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=DEADLINE_S)

    def cox_json(self, *words):
        return json.loads(self.cox(*words, "--json").stdout)

    def submit(self, *words):
        """Submits a job and returns its id."""
        job = int(self.cox("submit", "--parsable", *words).stdout)
        self.accepted.add(job)
        return job

    def submit_python(self, program, options, *words):
        """Submits a gang job that runs tests/system/programs/PROGRAM."""
        return self.submit(*options, "--", PYTHON, PROGRAMS / program, *words)

    def popen_python(self, program, options, *words):
        return self.popen("submit", "--parsable", *options, "--", PYTHON, PROGRAMS / program,
                          *words)

    # ---- state --------------------------------------------------------------------------------

    def trace_folder(self):
        """Returns the folder into which, or into whose sub-folders, jobs write their traces."""
        return self.work

    def job(self, job):
        return self.cox_json("show", "job", job)

    def state(self, job):
        return self.job(job)["view"]["job"]["state"]

    def attempt(self, job):
        """Returns the number of the job's newest attempt."""
        return int(self.sql(f"SELECT attempt FROM cox.job WHERE id = {job}")[0][0])

    def nodes_of(self, job):
        return self.job(job)["view"]["nodes"]

    def history(self, job):
        return self.cox_json("history", job)["events"]

    def node(self, name):
        return self.cox_json("show", "node", name)["node"]

    def responding(self):
        """Returns the nodes that the leading controller has heard, and that respond."""
        answer = self.cox("nodes", "--json", check=False)
        views = json.loads(answer.stdout)["nodes"] if answer.returncode == 0 else []
        return [view["node"]["name"] for view in views
                if view["node"]["responding"] and view["silent_ms"] >= 0]

    def wait_for(self, condition, what, deadline_s=DEADLINE_S):
        """Returns the first true value of condition(). After the deadline it fails, and shows the
        logs."""
        return patience.wait_for(condition, what, deadline_s, self.logs)

    def wait_state(self, job, *states, deadline_s=DEADLINE_S):
        """Waits until the job is in one of these states, and returns it. Asks PostgreSQL, which
        takes a hundredth of the CPU time that a command takes."""
        seen = []

        def reached():
            rows = self.sql(f"SELECT state FROM cox.job WHERE {where_job(job)}")
            assert rows or "_" in str(job), f"there is no job {job}"
            seen[:] = rows[0] if rows else ["PENDING"]  # array tasks that wait together have no row
            if seen[0] in FINAL_STATES and seen[0] not in states:
                raise AssertionError(f"job {job} is {seen[0]}, not {' or '.join(states)}\n"
                                     f"{self.cox('history', job, check=False).stdout}\n"
                                     f"{self.logs()}")
            return seen[0] in states

        self.wait_for(reached, f"job {job} to be {' or '.join(states)}", deadline_s)
        return seen[0]

    def logs(self, lines=12, jobs=50):
        """Returns the queue and the ends of all logs, for the analysis of a failure."""
        parts = []
        if self.config.exists():
            parts += self.cox_words("queue", "--all").splitlines()[:jobs]
        files = sorted((self.dir / "log").glob("*.log")) if self.dir.exists() else []
        files += sorted(self.dir.glob("spool/*/supervisors.log"))
        for file in files:
            tail = file.read_text(errors="replace").splitlines()[-lines:]
            if tail:
                parts.append("\n".join([f"---- {file.relative_to(self.dir)}", *tail]))
        return "\n".join(parts)

    def cox_words(self, *words):
        done = subprocess.run([self.bin / "cox", *words], env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE_S)
        return done.stdout + done.stderr

    def sql(self, text, database=None):
        """Returns rows as lists of text. `database`: connects there for this statement only."""
        try:
            if database is None:
                return rows_of(self.connection(), text)
            self.disconnect()  # a database with a connection cannot be dropped
            with closing(connected(database)) as connection:
                return rows_of(connection, text)
        except psycopg2.Error as error:
            raise AssertionError(f"{error}\n{text}") from error

    def connection(self):
        """Returns the calling thread's connection. It is kept, because PostgreSQL takes a tenth of
        a second of the CPU to begin one, and made anew if PostgreSQL has ended it."""
        asked = self.database or toml_value(self.config.read_text(), "database")
        kept = getattr(self.kept, "connection", None)
        if kept is None or self.kept.asked != asked or is_ended(kept):
            self.disconnect()
            self.kept.connection, self.kept.asked = connected(asked), asked
        return self.kept.connection

    def disconnect(self):
        if getattr(self.kept, "connection", None):
            self.kept.connection.close()
            self.kept.connection = None

    # ---- daemons ------------------------------------------------------------------------------

    @staticmethod
    def daemon_name(name):
        return name if name.startswith("controller") else f"worker-{name}"

    def config_of(self, name):
        if name == "controller":
            return self.config
        folder = self.dir if name in self.controllers else self.dir / "workers"
        return folder / f"{name}.toml"

    def daemons(self):
        """Returns the daemons that `cox up` and start() recorded, as {name: Process}."""
        lines = [line.split() for line in (self.dir / "pids").read_text().splitlines()]
        return {name: Process(int(pid), int(start_time)) for name, pid, start_time in lines}

    def process(self, name):
        return self.daemons()[self.daemon_name(name)]

    def pid(self, name):
        return self.process(name).pid

    def runs(self, name):
        daemon = self.daemons().get(self.daemon_name(name))
        if self.daemon_name(name) in self.children:
            self.children[self.daemon_name(name)].poll()
        return daemon is not None and daemon.is_alive()

    def leader(self):
        """Returns the controller that holds the lease and runs, paused or not, or None."""
        rows = self.sql("SELECT holder FROM cox.leadership WHERE ends_at > clock_timestamp()")
        holder = rows[0][0].rpartition(" ")[2] if rows else None  # the holder is "HOST ADDRESS"
        return next((name for name in self.controllers if self.runs(name)
                     and toml_value(self.config_of(name).read_text(), "listen_local") == holder),
                    None)

    def kill(self, name, number=signal.SIGKILL):
        """Sends a signal to a daemon. After SIGKILL and SIGTERM it waits until the daemon has
        ended."""
        process = self.process(name)
        process.kill(number)
        if number in (signal.SIGKILL, signal.SIGTERM):
            self.wait_for(lambda: not self.runs(name), f"{name} to end")

    def start(self, name, extra_env=None, program=None):
        """Starts a daemon again like `cox up`, or another program in its place. Returns its pid."""
        daemon = self.daemon_name(name)
        assert not self.runs(name), f"{name} is running already"
        if program is None:
            program = "cox-controller" if name in self.controllers else "cox-worker"
        # Like `cox up`, start() passes none of the caller's COX_* variables to the daemon.
        environment = dict(self.environment)
        del environment["COX_CONFIG"]
        self.log_before.pop(name, None)  # so that the daemon that was started last is the last one
        self.log_before[name] = len(self.log_text(name))
        with open(self.dir / "log" / f"{daemon}.log", "ab") as log:
            child = subprocess.Popen([self.bin / program, "--config", self.config_of(name)],
                                     env=dict(environment, **(extra_env or {})), stdout=log,
                                     stdin=subprocess.DEVNULL, stderr=log, cwd="/",
                                     start_new_session=True)
        self.children[daemon] = child
        with self.starting:  # a test may start two daemons at once
            self.write_daemons(
                dict(self.daemons(), **{daemon: Process(child.pid, start_time_of(child.pid))}))
        return child.pid

    def run_program(self, program, *words):
        """Runs a daemon's program that is expected to end by itself."""
        return subprocess.run([self.bin / program, *map(str, words)], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=DEADLINE_S)

    def popen_program(self, program, *words):
        return subprocess.Popen([self.bin / program, *map(str, words)], env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def write_daemons(self, daemons):
        lines = [f"{key} {each.pid} {each.start_time}\n" for key, each in daemons.items()]
        whole = self.dir / "pids.new"
        whole.write_text("".join(lines))
        whole.rename(self.dir / "pids")  # a concurrent reader finds a complete file

    def log_text(self, name):
        file = self.dir / "log" / f"{self.daemon_name(name)}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    # ---- processes of jobs --------------------------------------------------------------------

    def supervisor(self, job, attempt, node):
        """Returns the supervisor's Process, which its identity file names; None while there is
        none."""
        file = self.dir / "spool" / node / f"{job}.{attempt}" / "identity"
        try:
            _, pid, start_time = file.read_text().split()[:3]
        except (FileNotFoundError, ValueError):
            return None
        return Process(int(pid), int(start_time))

    def supervisor_pid(self, job, attempt, node):
        found = self.supervisor(job, attempt, node)
        return found.pid if found else None

    def ranks(self, job, attempt):
        """Returns the processes with the attempt's mark: the ranks, and processes that they
        started."""
        mark = f"\0COX_ATTEMPT_ID={self.layout['cluster_name']}/{job}.{attempt}\0".encode()
        return processes_with(lambda process: mark in process.environ())

    # ---- PostgreSQL ---------------------------------------------------------------------------

    def postgres_data(self):
        return Path(self.layout["postgres_home"]) / "data"

    def postgres_process(self):
        try:
            pid = int((self.postgres_data() / "postmaster.pid").read_text().split()[0])
        except (FileNotFoundError, ValueError, IndexError):
            return None
        process = Process(pid, start_time_of(pid))
        ours = str(self.postgres_data()).encode() in process.cmdline()
        return process if ours and process.is_alive() else None

    def pg_ctl(self, *words):
        """Runs pg_ctl as PostgreSQL's account: postgres if this is root, otherwise our own."""
        version = (self.postgres_data() / "PG_VERSION").read_text().strip()
        program = Path(f"/usr/lib/postgresql/{version}/bin/pg_ctl")
        command = [program if program.exists() else shutil.which("pg_ctl"), "-D",
                   self.postgres_data(), *PG_CTL_WAITS, "-l", "/dev/null", *words]
        subprocess.run(list(map(str, command)), check=True, cwd="/", stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, timeout=LONG_DEADLINE_S,
                       **ACCOUNT)
