"""Hosts of a real cluster, made of Linux namespaces. Each has its own network, host name, mounts,
/etc, /run, shared memory and processes. A bridge in a namespace of its own connects them. Needs
root, and changes nothing of the machine itself. The namespaces end with the processes that hold
them, which end with the process that made them.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from patience import DEADLINE_S, wait_for

NETWORK = "10.77.0."
PYTHON = "/usr/bin/python3"
# The first process of a host. It reaps orphans, like init.
INIT = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nwhile True: signal.pause()"
ACCOUNT, ACCOUNT_ID = "coxswain", 64123
UNUSED_MAC = "02:00:00:00:00:99"  # a MAC address that no host has


def why_not():
    """Returns why this machine cannot make such hosts, or "" if it can."""
    if os.geteuid() != 0:
        return "hosts of namespaces need root"
    for program in ("ip", "unshare", "nsenter", "setpriv"):
        if not shutil.which(program):
            return f"there is no program {program}"
    try:
        with tempfile.TemporaryDirectory() as folder:
            switch = Switch()
            try:
                Host(Path(folder), "probe", 9, switch, {})
            finally:
                switch.end()
    except (subprocess.CalledProcessError, RuntimeError) as error:
        said = getattr(error, "stderr", "") or str(error)
        return f"namespaces cannot be made here: {str(said).strip()}"
    return ""


def must(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=DEADLINE_S)


class Held:
    """Namespaces that end with their first process."""

    def __init__(self, *kinds):
        self.holder = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", *kinds, "--fork", "--kill-child", PYTHON,
             "-c", INIT],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        children = Path(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children")

        def made():
            self.pid = next(iter(children.read_text().split()), 0) if children.exists() else 0
            return self.holder.poll() is not None or self.pid and self.is_init(self.pid)

        wait_for(made, "the namespaces of a host")
        if self.holder.poll() is not None:
            self.end()
            raise RuntimeError(f"unshare: {self.holder.stderr.read()}")
        self.pid = int(self.pid)

    @staticmethod
    def is_init(pid):
        """Returns whether the process already runs the program INIT of the new host. Before that
        it is `unshare`, which still makes the namespaces."""
        try:
            return b"python" in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    def end(self):
        self.holder.send_signal(signal.SIGKILL)
        self.holder.wait(DEADLINE_S)


class Switch(Held):
    """A bridge that hosts are plugged into."""

    def __init__(self):
        super().__init__("--net")
        self.ip("link", "add", "switch", "type", "bridge")
        self.ip("link", "set", "switch", "up")
        self.hosts = []

    def ip(self, *words):
        must("nsenter", "-t", self.pid, "-n", "ip", *words)

    def plug(self, host):
        cable = f"to-{host.name}"
        self.ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", host.pid)
        self.ip("link", "set", cable, "master", "switch", "up")
        self.hosts.append(host)

    def set_cable(self, name, state):
        self.ip("link", "set", f"to-{name}", state)

    def end(self):
        for host in getattr(self, "hosts", []):
            host.end()
        super().end()


class Host(Held):
    """One machine. folder: the parent of its own folder. shared: {folder: mount point}. programs: a
    folder in its PATH. is_bare: Coxswain is not installed: there is no account, no /etc/coxswain,
    and /home is empty."""

    def __init__(self, folder, name, number, switch, shared, programs="/usr/bin", is_bare=False):
        super().__init__("--net", "--uts", "--ipc", "--mount", "--pid", "--mount-proc")
        self.name, self.folder, self.address = name, folder / name, f"{NETWORK}{number}"
        self.programs = programs
        switch.plug(self)
        self.folder.mkdir()
        must("cp", "-a", "/etc", self.folder / "etc")
        (self.folder / "spool").mkdir()
        shutil.rmtree(self.folder / "etc/coxswain", ignore_errors=True)
        if is_bare:
            self.forget_account()
        else:
            self.prepare_account()
        mounts = {self.folder / "etc": "/etc", self.folder / "spool": "/var/spool", **shared}
        for source, target in mounts.items():
            self.run("mount", "--bind", source, target)
        # Each host gets an empty /sys/fs/cgroup, because cgroups belong to the whole machine: the
        # hosts would make groups of the same names.
        own = ("/run", "/sys/fs/cgroup", "/dev/shm")
        for target in (*own, "/home") if is_bare else own:
            self.run("mount", "-t", "tmpfs", "tmpfs", target)
        self.run("hostname", name)
        for words in (["link", "set", "lo", "up"], ["link", "set", "eth0", "up"],
                      ["addr", "add", f"{self.address}/24", "dev", "eth0"]):
            self.run("ip", *words)

    def prepare_account(self):
        with open(self.folder / "etc/passwd", "a", encoding="utf-8") as file:
            file.write(f"{ACCOUNT}:x:{ACCOUNT_ID}:{ACCOUNT_ID}::/srv:/bin/sh\n")
        with open(self.folder / "etc/group", "a", encoding="utf-8") as file:
            file.write(f"{ACCOUNT}:x:{ACCOUNT_ID}:\n")
        (self.folder / "etc/coxswain/keys").mkdir(parents=True)

    def forget_account(self):
        """Removes the account that an installation of Coxswain on this machine may have made."""
        for name in ("passwd", "group", "shadow", "gshadow"):
            file = self.folder / "etc" / name
            if not file.exists():
                continue
            kept = [line for line in file.read_text(encoding="utf-8").splitlines(keepends=True)
                    if not line.startswith(f"{ACCOUNT}:")]
            file.write_text("".join(kept), encoding="utf-8")

    def lose_packets_to(self, other):
        """Loses all packets from this host to the other one; the other direction works."""
        self.run("ip", "neigh", "replace", other.address, "lladdr", UNUSED_MAC, "dev", "eth0",
                 "nud", "permanent")

    def deliver_packets_to(self, other):
        self.run("ip", "neigh", "del", other.address, "dev", "eth0")

    def command(self, words, user=None):
        """Returns the command that runs these words on this host."""
        # env -i: passes none of the caller's variables, as under systemd. Without COX_CONFIG,
        # commands read /etc/coxswain. HOME is not root's, where a private cluster (cox up) has its
        # configuration.
        clean = ["env", "-i", f"PATH={self.programs}:/usr/sbin:/usr/bin:/sbin:/bin"]
        clean += ["HOME=/srv", f"USER={user}", f"LOGNAME={user}"] if user else ["HOME=/"]
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        enter = ["nsenter", "-t", str(self.pid), "-m", "-u", "-i", "-n", "-p", "--wd=/"]
        return [*enter, *clean, *become, *(str(word) for word in words)]

    def run(self, *words, user=None, check=True, timeout_s=DEADLINE_S):
        done = subprocess.run(self.command(words, user), stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=timeout_s)
        if check and done.returncode != 0:
            raise subprocess.CalledProcessError(done.returncode, done.args, done.stdout,
                                                f"{self.name}: {done.stdout}{done.stderr}")
        return done

    def start(self, *words, log, user=None):
        """Starts a daemon on this host like a service manager."""
        with open(log, "ab") as file:
            return subprocess.Popen(self.command(words, user), stdin=subprocess.DEVNULL,
                                    stdout=file, stderr=file, start_new_session=True)
