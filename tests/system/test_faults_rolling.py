"""F25: everything is restarted, one after another, under load: controller, workers, database. What
runs does not notice, what waits goes on at the rate it had, and nothing is left behind."""

import os
import signal
import time

NODES, CPUS, RUNNING, QUEUED = 4, 16, 50, 500
CLUSTER = {"nodes": NODES, "cpus": CPUS, "settings": {"heartbeat": "500ms"}}
WINDOW = 40  # jobs by whose ends a rate is measured
HAS_RATE_OF = 0.9
SLACK_DESCRIPTORS = 4


def ended(cluster, name):
    (count,), = cluster.sql(f"SELECT count(*) FROM cox.job WHERE name = '{name}'"
                            " AND state = 'COMPLETED'")
    return int(count)


def rate(cluster, name):
    """Jobs a second, by the next that end. There may be fewer than a window of them left."""
    before, began = ended(cluster, name), time.monotonic()
    end = min(before + WINDOW, QUEUED)
    cluster.wait_for(lambda: ended(cluster, name) >= end, 60, f"{end - before} jobs to end")
    return (ended(cluster, name) - before) / (time.monotonic() - began)


def descriptors(cluster):
    """Of each daemon, how many it has open."""
    return {name: len(os.listdir(f"/proc/{process.pid}/fd"))
            for name, process in cluster.daemons().items() if process.is_alive()}


def restart(cluster, name, number):
    cluster.kill(name, number)
    cluster.start(name)
    cluster.wait_for(lambda: cluster.nodes_heard() == NODES, 30, f"all nodes after {name}")


def test_f25_a_rolling_restart_under_load(cluster, folder):
    before = descriptors(cluster)
    script = "echo >> began.$SLURM_ARRAY_TASK_ID; while [ ! -e end ]; do sleep 0.2; done"
    cluster.submit("-n1", "-J", "long", f"--array=1-{RUNNING}", "-D", folder, "--wrap",
                          script)
    cluster.wait_for(lambda: len(list(folder.glob("began.*"))) == RUNNING, 60, "the long to run")
    cluster.submit("-n1", "-J", "short", f"--array=1-{QUEUED}", "-D", folder, "-o", "/dev/null",
                   "--wrap", "true")
    usual = rate(cluster, "short")

    restart(cluster, "controller", signal.SIGTERM)
    for node in range(1, NODES + 1):
        restart(cluster, f"n{node}", signal.SIGTERM if node % 2 else signal.SIGKILL)
    cluster.pg_ctl("restart", "-m", "fast")
    restart(cluster, "controller", signal.SIGKILL)
    assert ended(cluster, "short") < QUEUED - WINDOW, "it was no restart under load"
    cluster.wait_for(lambda: ended(cluster, "short") == QUEUED
                     or rate(cluster, "short") >= HAS_RATE_OF * usual, 60, "the rate to be back")

    cluster.wait_for(lambda: ended(cluster, "short") == QUEUED, 120, "all that waited to complete")
    assert all(file.read_text() == "\n" for file in folder.glob("began.*")), "one began again"
    (folder / "end").touch()
    cluster.wait_for(lambda: ended(cluster, "long") == RUNNING, 60, "the long ones to complete")
    assert cluster.sql("SELECT DISTINCT attempt FROM cox.job WHERE state = 'COMPLETED'"
                       f" AND work_dir = '{folder}'") == [["1"]]
    cluster.wait_for(lambda: not cluster.own_processes() and not list(
        cluster.dir.glob("spool/*/*/identity")), 30, "supervisors and their folders to go")
    cluster.wait_for(lambda: all(count <= before[name] + SLACK_DESCRIPTORS
                                 for name, count in descriptors(cluster).items()), 30,
                     f"descriptors to be closed: {before}, {descriptors(cluster)}")
