#!/usr/bin/python3
"""Replaces apt-get, systemctl or scp on a host of namespaces; its own name selects which one.

A package is a file `coxswain-COMPONENT_VERSION.deb` that contains the path of its programs' folder.
The programs, dependencies, scripts and services of a package are read from cmake/, etc/debian and
etc/systemd of the sources. The folder of this program's link has the files of the host; the folder
above has all hosts.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.argv[0]).absolute().parent
HOST = BIN.parent
HOSTS = HOST.parent
INSTALLED = HOST / "installed"
END_S = 90  # shorter than the deadline of the shell that runs this, so that its message is seen


def refuse(text):
    print(text, file=sys.stderr)
    sys.exit(100)


# ---- apt-get ------------------------------------------------------------------------------------

def programs_of(component):
    """Returns the programs that cmake/install.cmake puts into the package."""
    text = (ROOT / "cmake/install.cmake").read_text(encoding="utf-8")
    found = re.findall(r"install\(TARGETS ([\w -]+?) DESTINATION \S+\s+COMPONENT (\w+)\)", text)
    names = [name for targets, where in found if where == component for name in targets.split()]
    assert names, f"cmake/install.cmake has no programs of {component}"
    slurm = re.search(r"set\(slurm_names ([\w\s]+)\)", text)[1].split()
    return names, slurm if component == "client" else []


def dependencies():
    text = (ROOT / "cmake/packages.cmake").read_text(encoding="utf-8")
    found = re.findall(r"CPACK_COMPONENT_(\w+)_DEPENDS (\w+)\)", text)
    return {one.lower(): other for one, other in found}


def installed():
    """Returns the installed version of each component."""
    lines = INSTALLED.read_text(encoding="utf-8").splitlines() if INSTALLED.exists() else []
    return dict(line.split() for line in lines)


def link(name, to):
    (BIN / name).unlink(missing_ok=True)
    (BIN / name).symlink_to(to)


def install_package(component, version, folder):
    before = installed()
    names, slurm = programs_of(component)
    for name in names:
        if (folder / name).exists():  # a build for tests may lack some programs
            link(name, folder / name)
    for name in slurm:
        link(name, folder / "cox")
    INSTALLED.write_text("".join(f"{one} {its}\n" for one, its in
                                 {**before, component: version}.items()), encoding="utf-8")
    script = ROOT / "etc/debian" / component / "postinst"
    subprocess.run(["sh", script, "configure", before.get(component, "")], check=True)


def start_postgres():
    """Starts a server on the local socket with peer authentication, as Debian's package
    does."""
    bin_folder = max(Path("/usr/lib/postgresql").glob("*/bin"),
                     key=lambda path: int(path.parent.name))
    data = HOST / "postgres"
    data.mkdir()
    shutil.chown(data, "postgres", "postgres")
    subprocess.run(["install", "-d", "-o", "postgres", "/run/postgresql"], check=True)
    become = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    subprocess.run([*become, bin_folder / "initdb", "-D", data, "--auth-local=peer",
                    "--auth-host=scram-sha-256"], check=True, stdout=subprocess.DEVNULL)
    start([*become, bin_folder / "postgres", "-D", data, "-k", "/run/postgresql", "-c",
           "listen_addresses="], HOSTS / "postgres.log")
    ready = [bin_folder / "pg_isready", "-q", "-h", "/run/postgresql"]
    wait_until(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL")


def apt_get(words):
    packages = {}
    assert words.pop(0) == "install", words
    for word in words:
        named = re.fullmatch(r"\./coxswain-(\w+)_(\w+)\.deb", word)
        if word == "postgresql":
            start_postgres()
        elif named and Path(word).exists():
            packages[named[1]] = named[2], Path(Path(word).read_text(encoding="utf-8").strip())
        else:
            refuse(f"E: Unable to locate package {word}")
    for component, needed in dependencies().items():
        if component in packages and needed not in packages and needed not in installed():
            refuse(f"coxswain-{component} : Depends: coxswain-{needed} but it is not installable")
    for component in sorted(packages, key=lambda name: name in dependencies()):
        install_package(component, *packages[component])


# ---- systemctl ----------------------------------------------------------------------------------

def wait_until(holds, what):
    end = time.monotonic() + END_S
    while not holds():
        if time.monotonic() > end:
            refuse(f"waited {END_S} s in vain for {what}")
        time.sleep(0.05)


def start(words, log):
    with open(log, "ab") as file:
        return subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL,
                                stdout=file, stderr=file, cwd="/", start_new_session=True)


def unit(name):
    """Returns the settings of a unit, such as {"User": "coxswain"}."""
    text = (ROOT / "etc/systemd" / f"{name}.service.in").read_text(encoding="utf-8")
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))


def pid_of(name):
    """Returns the id of the unit's main process; 0: it does not run."""
    file = Path(f"/run/{name}.pid")
    pid = int(file.read_text(encoding="utf-8")) if file.exists() else 0
    return pid if pid and Path(f"/proc/{pid}").exists() else 0


def start_unit(name):
    settings = unit(name)
    if pid_of(name) or not Path(settings["ConditionPathExists"]).exists():
        return
    words = settings["ExecStart"].replace("@CMAKE_INSTALL_FULL_SBINDIR@", str(BIN)).split()
    words = [word for word in words if word != "--scope"]  # left out: only systemd can make a scope
    user = settings.get("User")
    if "RuntimeDirectory" in settings:
        folder = f"/run/{settings['RuntimeDirectory']}"
        subprocess.run(["install", "-d", "-o", user or "root", folder], check=True)
    if user:
        words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]
    log = HOSTS / f"{HOST.name}.{name}.log"
    Path(f"/run/{name}.pid").write_text(str(start(words, log).pid), encoding="utf-8")


def stop_unit(name):
    pid = pid_of(name)
    if pid:
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not pid_of(name), f"the end of {name}")


def systemctl(words):
    options = [word for word in words if word.startswith("-")]
    verb, *names = [word for word in words if not word.startswith("-")]
    names = [name.removesuffix(".service") for name in names]
    if verb in ("daemon-reload", "enable", "disable"):
        verb = {"enable": "start", "disable": "stop"}.get(verb) if "--now" in options else None
    for name in names if verb else []:
        was_active = pid_of(name)
        if verb == "stop" or verb == "restart" or (verb == "try-restart" and was_active):
            stop_unit(name)
        if verb in ("start", "restart") or (verb == "try-restart" and was_active):
            start_unit(name)


# ---- scp ----------------------------------------------------------------------------------------

def place(word):
    """Returns the local path; HOST:/etc/... is in the folder of that host."""
    host, colon, path = word.rpartition(":")
    assert not colon or path.startswith("/etc/"), word
    return HOSTS / host / path.lstrip("/") if colon else Path(word)


def scp(words):
    *sources, target = map(place, words)
    for source in sources:
        shutil.copy(source, target)


def main():
    os.environ["PATH"] = f"{BIN}:{os.environ['PATH']}"
    {"apt-get": apt_get, "systemctl": systemctl, "scp": scp}[Path(sys.argv[0]).name](sys.argv[1:])


main()
