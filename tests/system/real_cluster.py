"""A cluster made as docs/administrator-guide.md describes: the hosts ctl, n1, n2 and n3, a
PostgreSQL like the system's, a service account, keys, and /etc/coxswain/coxswain.toml on every
host."""

import shutil
import tempfile
from pathlib import Path

from cluster import PROGRAMS, PYTHON, Cluster, find_programs
from database import postgres_folder
from hosts import ACCOUNT, ACCOUNT_ID, Host, Switch
from patience import DEADLINE_S

NODES = ("n1", "n2", "n3")
SLURM_NAMES = ("sbatch", "srun", "salloc", "scancel", "squeue", "sinfo", "sacct", "scontrol",
               "sacctmgr")
# Short times, for a test that breaks a node, but such as a slow machine keeps.
HASTY = """heartbeat = "500ms"
node_timeout = "3s"
lease = "9s"
lease_grace = "2s"
lease_margin = "2s"
kill_wait = "1s"
launch_retry_max = "1s"
"""
# The guide's settings, with times that suit a test.
CONTROLLER = """
[controller]
cluster_name = "hydra"
database = "host=/run/postgresql dbname=coxswain"
listen_local = "ipc:///run/coxswain/controller.socket"
listen_tcp = "tcp://*:6820"
key_dir = "/etc/coxswain/keys"
checkpoint_root = "/srv/checkpoints"
{times}
[client]
controller = "ipc:///run/coxswain/controller.socket"
key_file = "/etc/coxswain/keys/client.key"

[[partition]]
name = "main"
nodes = "n[1-3]"
"""
WORKER = """
[worker]
cluster_name = "hydra"
controller = "tcp://ctl:6820"
controller_key = "{controller_key}"
key_file = "/etc/coxswain/keys/worker-{name}.key"
key_dir = "/etc/coxswain/keys"
spool_dir = "/var/spool/coxswain"
checkpoint_root = "/srv/checkpoints"
cpus = {cpus}
kill_wait = "1s"

[client]
controller = "tcp://ctl:6820"
controller_key = "{controller_key}"
key_file = "/etc/coxswain/keys/client-{name}.key"
"""


class SharedFolder:
    """The folder where ranks write, with its paths on the hosts (str()) and in the test (/)."""

    def __init__(self, cluster):
        self.seen = "/srv/jobs"
        self.real = cluster.shared / "jobs"
        self.real.mkdir(exist_ok=True)
        shutil.chown(self.real, ACCOUNT_ID, ACCOUNT_ID)

    def __str__(self):
        return self.seen

    def __truediv__(self, name):
        return self.real / name


class RealCluster(Cluster):
    """A Cluster on hosts of its own. Commands run on ctl as the cluster's user. times: settings of
    [controller], as text."""

    def __init__(self, cpus=2, times=HASTY):
        self.cpus, self.times = cpus, times
        self.base = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="cox-real-"))
        self.base.chmod(0o755)
        self.shared, self.dir = self.base / "shared", self.base
        self.accepted = set()
        self.bin, self.programs = self.base / "bin", self.base / "programs"
        self.bin.mkdir()
        for name in ("cox", "cox-controller", "cox-worker", "cox-supervisor", "cox-stepd"):
            shutil.copy(find_programs() / name, self.bin / name)
        for name in SLURM_NAMES:
            (self.bin / name).symlink_to("cox")
        shutil.copytree(PROGRAMS, self.programs)
        self.shared.mkdir()
        shutil.chown(self.shared, ACCOUNT_ID, ACCOUNT_ID)
        self.work = Path("/srv")
        self.daemons_running = {}
        self.switch = Switch()
        self.hosts = {name: Host(self.base, name, number, self.switch, {self.shared: "/srv"},
                                 self.bin)
                      for number, name in enumerate(("ctl", *NODES), start=1)}

    # ---- the steps of the guide ---------------------------------------------------------------

    def up(self):
        for host in self.hosts.values():
            lines = [f"{other.address} {other.name}\n" for other in self.hosts.values()]
            (host.folder / "etc/hosts").write_text("127.0.0.1 localhost\n" + "".join(lines))
        self.make_database()
        self.make_keys()
        self.start_controller()
        for name in NODES:
            self.start_worker(name)
        # Waits until the nodes see the checkpoint folder, too: until then a node gets no jobs, and
        # its row has the reason.
        self.wait_for(lambda: all(name in self.responding() and not self.node(name)["reason"]
                                  for name in NODES), "all nodes to accept jobs")
        return self

    def make_database(self):
        ctl, bin_folder = self.hosts["ctl"], postgres_folder()
        data = self.base / "postgres"
        data.mkdir()
        shutil.chown(data, "postgres", "postgres")
        ctl.run("install", "-d", "-o", "postgres", "/run/postgresql")
        ctl.run("install", "-d", "-o", ACCOUNT, "/run/coxswain")
        ctl.run(bin_folder / "initdb", "-D", data, "--auth-local=peer", "--auth-host=scram-sha-256",
                user="postgres")
        self.daemons_running["postgres"] = ctl.start(
            bin_folder / "postgres", "-D", data, "-k", "/run/postgresql", "-c",
            "listen_addresses=", log=self.base / "postgres.log", user="postgres")
        ready = [bin_folder / "pg_isready", "-h", "/run/postgresql"]
        self.wait_for(lambda: ctl.run(*ready, check=False).returncode == 0,
                      "PostgreSQL to accept connections")
        ctl.run(bin_folder / "createuser", "-h", "/run/postgresql", ACCOUNT, user="postgres")
        ctl.run(bin_folder / "createdb", "-h", "/run/postgresql", "--owner", ACCOUNT, "coxswain",
                user="postgres")

    def make_key(self, host, name, user=None):
        host.run(self.bin / "cox", "key", "make", name, "--dir", "/etc/coxswain/keys", user=user)
        return host.folder / f"etc/coxswain/keys/{name}.pub"

    def make_keys(self):
        """Makes each key on the host that uses it, and copies only public keys to other hosts."""
        ctl = self.hosts["ctl"]
        keys = ctl.folder / "etc/coxswain/keys"
        ctl.run("chown", ACCOUNT, "/etc/coxswain/keys")
        public = self.make_key(ctl, "controller", ACCOUNT).read_text().split()[1]
        client = self.make_key(ctl, "client", ACCOUNT)
        (ctl.folder / "etc/coxswain/coxswain.toml").write_text(CONTROLLER.format(times=self.times))
        for name in NODES:
            host = self.hosts[name]
            for key in (f"worker-{name}", f"client-{name}"):
                shutil.copy(self.make_key(host, key), keys)
            host.run("chown", ACCOUNT, f"/etc/coxswain/keys/client-{name}.key")
            # The client key of ctl, where `cox logs` runs.
            shutil.copy(client, host.folder / "etc/coxswain/keys")
            text = WORKER.format(name=name, controller_key=public, cpus=self.cpus)
            (host.folder / "etc/coxswain/coxswain.toml").write_text(text)

    def start_controller(self):
        self.daemons_running["ctl"] = self.hosts["ctl"].start(
            self.bin / "cox-controller", log=self.base / "controller.log", user=ACCOUNT)

    def start_worker(self, name):
        self.daemons_running[name] = self.hosts[name].start(
            self.bin / "cox-worker", log=self.base / f"{name}.log")

    def down(self):
        self.switch.end()
        for daemon in self.daemons_running.values():
            daemon.wait(DEADLINE_S)
        shutil.rmtree(self.base)

    # ---- commands -----------------------------------------------------------------------------

    def on(self, host, *words, user=None, check=True):
        return self.hosts[host].run(self.bin / "cox", *words, user=user, check=check)

    def cox(self, *words, check=True, timeout_s=DEADLINE_S, cwd=None):
        ctl = self.hosts["ctl"]
        done = ctl.run(self.bin / "cox", *words, user=ACCOUNT, check=False, timeout_s=timeout_s)
        if check and done.returncode != 0:
            raise AssertionError(f"cox {words} exited with {done.returncode}\n{done.stdout}"
                                 f"{done.stderr}\n{self.logs()}")
        return done

    def cox_words(self, *words):
        done = self.cox(*words, check=False)
        return done.stdout + done.stderr

    def slurm(self, name, *words):
        return self.hosts["ctl"].run(self.bin / name, *words, user=ACCOUNT, check=False)

    def trace_folder(self):
        return self.shared

    def submit_python(self, program, options, *words):
        return self.submit(*options, "--", PYTHON, self.programs / program, *words)

    def sql(self, text):
        done = self.hosts["ctl"].run("psql", "-X", "-q", "-A", "-t", "-F,", "-h", "/run/postgresql",
                                     "-d", "coxswain", "-c", text, user=ACCOUNT)
        return [line.split(",") for line in done.stdout.splitlines() if line]

    def logs(self, lines=15):
        parts = self.cox_words("queue", "--all").splitlines()
        for file in sorted(self.base.glob("*.log")):
            tail = file.read_text(errors="replace").splitlines()[-lines:]
            parts.append("\n".join([f"---- {file.name}", *tail]))
        written = [*self.base.glob("*/spool/coxswain/supervisors.log"),
                   *self.shared.glob("jobs/*.out")]
        for file in sorted(written):
            tail = file.read_text(errors="replace").splitlines()[-lines:]
            if tail:
                parts.append("\n".join([f"---- {file.relative_to(self.base)}", *tail]))
        return "\n".join(parts)

    def cut(self, name):
        self.switch.set_cable(name, "down")

    def mend(self, name):
        self.switch.set_cable(name, "up")
