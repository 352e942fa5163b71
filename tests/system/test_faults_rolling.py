"""F25: the controller, the workers and the database are restarted, one after another, under load.
Running jobs are not affected, queued jobs start at the previous rate, and nothing is left
behind."""

import os
import signal
import time

from cluster import FINAL_STATES
from patience import LONG_DEADLINE_S

NODES, CPUS, RUNNING, ENDED = 4, 16, 50, 500
QUEUED = 5000  # more than end while all is restarted
CLUSTER = {"nodes": NODES, "cpus": CPUS, "settings": {"heartbeat": "500ms"}}
WINDOW = 40  # the number of ended jobs by which a rate is measured
HAS_RATE_OF = 0.9
SLACK_DESCRIPTORS = 4


def ended(cluster, name):
    (count,), = cluster.sql(f"SELECT count(*) FROM cox.job WHERE name = '{name}'"
                            " AND state = 'COMPLETED'")
    return int(count)


def started(cluster, name):
    """Returns the jobs of this name that have started and not ended."""
    return cluster.sql(f"SELECT id FROM cox.job WHERE name = '{name}'"
                       f" AND state NOT IN {('PENDING', *FINAL_STATES)}")


def rate(cluster, name):
    """Returns how many jobs of this name end in a second, measured over the next WINDOW jobs, or
    fewer if fewer are left."""
    before, began = ended(cluster, name), time.monotonic()
    end = min(before + WINDOW, QUEUED)
    cluster.wait_for(lambda: ended(cluster, name) >= end, f"{end - before} jobs to end",
                     deadline_s=LONG_DEADLINE_S)
    return (ended(cluster, name) - before) / (time.monotonic() - began)


def descriptors(cluster):
    """Returns the number of open descriptors of each daemon."""
    return {name: len(os.listdir(f"/proc/{process.pid}/fd"))
            for name, process in cluster.daemons().items() if process.is_alive()}


def restart(cluster, name, number):
    cluster.kill(name, number)
    cluster.start(name)
    cluster.await_nodes()


def test_f25_a_rolling_restart_under_load_affects_no_job(cluster, folder):
    before = descriptors(cluster)
    os.mkfifo(folder / "end")  # 50 loops that look for a file would use both cores of a machine
    script = "echo >> began.$SLURM_ARRAY_TASK_ID; read -r _ < end; exit 0"
    cluster.submit("-n1", "-J", "long", f"--array=1-{RUNNING}", "-D", folder, "--wrap", script)
    cluster.wait_for(lambda: len(list(folder.glob("began.*"))) == RUNNING,
                     "the long jobs to run")
    short = cluster.submit("-n1", "-J", "short", f"--array=1-{QUEUED}", "-D", folder,
                           "-o", "/dev/null", "--wrap", "true")
    usual = rate(cluster, "short")

    restart(cluster, "controller", signal.SIGTERM)
    for node in range(1, NODES + 1):
        restart(cluster, f"n{node}", signal.SIGTERM if node % 2 else signal.SIGKILL)
    cluster.pg_ctl("restart", "-m", "fast")
    restart(cluster, "controller", signal.SIGKILL)
    assert ended(cluster, "short") < QUEUED - WINDOW, "the queue was too short"
    cluster.wait_for(lambda: ended(cluster, "short") == QUEUED
                     or rate(cluster, "short") >= HAS_RATE_OF * usual,
                     "the previous rate of jobs", deadline_s=LONG_DEADLINE_S)
    cluster.wait_for(lambda: ended(cluster, "short") >= ENDED, f"{ENDED} queued jobs to complete",
                     deadline_s=LONG_DEADLINE_S)
    cluster.cox("hold", short)
    cluster.wait_for(lambda: not started(cluster, "short"), "the jobs that have started to end")
    cluster.cox("cancel", short)
    assert all(file.read_text() == "\n" for file in folder.glob("began.*")), "a job began again"
    (folder / "end").write_text("", encoding="ascii")
    cluster.wait_for(lambda: ended(cluster, "long") == RUNNING, "the long jobs to complete")
    assert cluster.sql("SELECT DISTINCT state, attempt FROM cox.job"
                       f" WHERE work_dir = '{folder}' AND attempt > 0") == [["COMPLETED", "1"]]
    cluster.wait_for(lambda: not cluster.own_processes() and not list(
        cluster.dir.glob("spool/*/*/identity")), "supervisors and their folders to be gone")
    cluster.wait_for(lambda: all(count <= before[name] + SLACK_DESCRIPTORS
                                 for name, count in descriptors(cluster).items()),
                     lambda: f"descriptors to be closed: {before}, {descriptors(cluster)}")
