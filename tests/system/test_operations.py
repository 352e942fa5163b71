"""Runs the commands of docs/operations.md on hosts of namespaces. Stand-ins replace packages and
services (programs/stand_in.py) and run the packages' own scripts; tests/packages uses the real
ones."""

import json
import re

import hosts
import operations
import pytest
from hosts import ACCOUNT

INSTALL, LOGIN = "The first install from packages", "A login host"
OTHERS = ("Adding and removing a node", "Rotating every kind of key", "A backup and its restore",
          "An upgrade of packages")
HOLDS_ON = "until [ -e /srv/jobs/go ]; do sleep 0.2; done"


@pytest.fixture(scope="module")
def cluster():
    reason = hosts.why_not()
    if reason:
        pytest.skip(reason)
    made = operations.BareCluster()
    try:
        made.type(INSTALL)
        made.type(LOGIN)
        yield made
    finally:
        made.down()


@pytest.fixture
def job(cluster):
    """A job that runs on both nodes during the test and must not be affected."""
    (cluster.shared / "jobs/go").unlink(missing_ok=True)
    job = cluster.submit("-N2", "-n2", "-D", "/srv/jobs", "-o", "/dev/null", "--", "sh", "-c",
                         HOLDS_ON)
    cluster.wait_state(job, "RUNNING")
    yield job
    cluster.wait_for(lambda: {"n1", "n2"} <= set(cluster.responding()), "both nodes to respond")
    assert cluster.state(job) == "RUNNING" and cluster.attempt(job) == 1
    (cluster.shared / "jobs/go").touch()
    cluster.wait_state(job, "COMPLETED")


def programs(cluster, host):
    """Returns the daemons of Coxswain that run on the host."""
    done = cluster.hosts[host].run("ps", "-A", "-o", "comm=", check=False)
    return {name for name in done.stdout.split() if re.fullmatch(r"cox-(controller|worker)", name)}


def public_keys(cluster, host):
    folder = cluster.hosts[host].folder / "etc/coxswain/keys"
    return {file.stem for file in folder.glob("*.pub")}


def test_every_installed_host_has_only_its_own_daemons_and_keys(cluster):
    running = {name: programs(cluster, name) for name in operations.NAMES}
    assert running == {"ctl": {"cox-controller"}, "n1": {"cox-worker"}, "n2": {"cox-worker"},
                       "n3": set(), "login": set()}
    assert public_keys(cluster, "n1") == {"worker-n1", "client-n1", "controller", "client",
                                          "client-login"}
    assert public_keys(cluster, "login") == {"client-login", "controller"}
    secret = [file.name for name in operations.NAMES
              for file in (cluster.hosts[name].folder / "etc/coxswain").rglob("*.key")]
    assert len(secret) == len(set(secret)) == 7, "a secret key was copied to another host"


def test_the_worker_package_needs_the_client_package(cluster):
    done = cluster.hosts["n3"].run("bash", "-c", "cd /srv/packages && apt-get install "
                                   "./coxswain-worker_*.deb", check=False)
    assert done.returncode == 100 and "Depends: coxswain-client" in done.stderr


def test_the_documented_commands_add_and_remove_a_node(cluster, job):
    cluster.type(OTHERS[0])
    assert programs(cluster, "n3") == set()
    cluster.hosts["n3"].run("systemctl", "start", "coxswain-worker")
    done = cluster.on("n3", "doctor", "--json", check=False)
    assert done.returncode == 1, "doctor does not report that the key of n3 is refused"
    assert "rejects the key" in json.dumps(json.loads(done.stdout))
    cluster.hosts["n3"].run("systemctl", "stop", "coxswain-worker")


def test_the_documented_commands_replace_all_keys_and_affect_no_job(cluster, job):
    before = {name: (cluster.hosts[host].folder / f"etc/coxswain/keys/{name}.pub").read_text()
              for host, name in (("n1", "worker-n1"), ("ctl", "controller"))}
    cluster.type(OTHERS[1])
    assert public_keys(cluster, "login") == {"client-login-2", "controller"}
    for host in ("ctl", "n1", "n2"):
        assert "client-login" not in public_keys(cluster, host)
    assert before["worker-n1"] != (cluster.hosts["ctl"].folder
                                   / "etc/coxswain/keys/worker-n1.pub").read_text()
    for host in ("ctl", "n1", "n2", "login"):
        assert before["controller"] != (cluster.hosts[host].folder
                                        / "etc/coxswain/keys/controller.pub").read_text()


def test_the_documented_commands_back_up_and_restore_database_and_configuration(cluster):
    section = OTHERS[2]
    if not cluster.sql("SELECT 1 FROM cox.node WHERE name = 'n3'"):
        cluster.type(OTHERS[0])  # adds n3, which the section names, if another test has removed it
    kept = cluster.submit("-N1", "-n1", "-D", "/srv/jobs", "-J", "kept", "--", "true")
    cluster.wait_state(kept, "COMPLETED")
    cluster.type(section, before="systemctl stop")
    lost = cluster.submit("-N1", "-n1", "-D", "/srv/jobs", "-J", "lost", "--", "true")
    cluster.wait_state(lost, "COMPLETED")
    config = cluster.hosts["ctl"].folder / "etc/coxswain/coxswain.toml"
    before = config.read_text()
    config.unlink()
    cluster.type(section, since="systemctl stop")
    assert config.read_text() == before
    names = {name for name, in cluster.sql("SELECT name FROM cox.job")}
    assert "kept" in names and "lost" not in names
    next_job = cluster.submit("-N2", "-n2", "-D", "/srv/jobs", "--", "true")
    cluster.wait_state(next_job, "COMPLETED")
    assert next_job > lost


def test_the_documented_upgrade_of_packages_ends_no_job_and_adds_no_worker(cluster, job):
    cluster.type(OTHERS[3])
    assert programs(cluster, "ctl") == {"cox-controller"}
    done = cluster.submit("-N2", "-n2", "-D", "/srv/jobs", "--", "true")
    cluster.wait_state(done, "COMPLETED")
    for host, version in (("ctl", {"client", "controller"}), ("n1", {"client", "worker"}),
                          ("login", {"client"})):
        lines = (cluster.hosts[host].folder / "installed").read_text().splitlines()
        assert lines == [f"{one} 2" for one in sorted(version)]


def test_every_section_of_the_operations_page_is_tested():
    sections, complaints = operations.read_sections(operations.PAGE.read_text(encoding="utf-8"))
    assert not complaints and list(sections) == [INSTALL, LOGIN, *OTHERS]


def test_commands_of_the_operations_page_are_read_with_their_here_documents():
    text = ("## One\n\n    ctl,n[1-2]# cat > f << 'END'\n    a\n\n    b\n    END\n"
            "    login$ cox nodes\n    NODE ...\n")
    sections, complaints = operations.read_sections(text)
    first, second = sections["One"]
    assert not complaints and first.hosts == ["ctl", "n1", "n2"] and first.is_root
    assert first.words == "cat > f << 'END'\na\n\nb\nEND"
    assert (second.hosts, second.is_root, second.output) == (["login"], False, ["NODE ..."])
