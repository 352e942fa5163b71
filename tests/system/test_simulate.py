"""`cox simulate`: a day of a live cluster through the engine, and what it refuses."""

import csv
import json
import subprocess

from cluster import ROOT, toml_value

CLUSTER = {"nodes": 2, "cpus": 2, "gpus": ["h100:2"]}


def export_day(cluster, path):
    """As docs/simulation.md tells an administrator."""
    database = toml_value(cluster.config.read_text(), "database")
    with path.open("w") as out:
        subprocess.run(["psql", database, "--csv", "-q", "-v", "from=yesterday", "-v",
                        "to=tomorrow", "-v", "ON_ERROR_STOP=1", "-f",
                        ROOT / "sql/exports/day.sql"], stdout=out, check=True,
                       env=cluster.environment)


def test_a_day_of_a_live_cluster_is_simulated(cluster, folder):
    short = str(cluster.submit("-N2", "-n2", "-t", "5", "--", "sleep", "0.3"))
    other = str(cluster.submit("-N1", "-n1", "--gpus-per-node", "h100:2", "--", "sleep", "0.2"))
    for job in (short, other):
        cluster.wait_state(job, "COMPLETED")
    never_ran = str(cluster.submit("-N1", "-n1", "--hold", "--", "true"))
    cluster.cox("cancel", never_ran)
    day = folder / "day.csv"
    export_day(cluster, day)
    rows = {row["job_id"]: row for row in csv.DictReader(day.open())}
    assert never_ran not in rows
    assert rows[short]["nodes"] == "2" and rows[short]["time_limit_s"] == "300"
    assert rows[other]["gpu_type"] == "h100" and rows[other]["gpus"] == "2"
    result = folder / "result.json"
    said = cluster.cox("simulate", "--trace", str(day), "--cluster",
                       "nodes=2,cpus=2,gpus=2,type=h100", "--json", str(result)).stdout
    assert "recorded wait, s" in said
    jobs = {job["job"]: job for job in json.loads(result.read_text())["jobs"]}
    assert jobs[short]["run_s"] >= 0.3 and jobs[short]["attempts"] == 1
    assert jobs.keys() == rows.keys()


def test_what_is_wrong_is_refused(cluster, folder):
    def refused(*words, code=1):
        done = cluster.cox("simulate", *words, check=False)
        assert done.returncode == code, done.stderr
        return done.stderr

    assert "--trace is required" in refused("--cluster", "procs=1", code=2)
    bad = folder / "bad.swf"
    bad.write_text("; a log\n1 2 3\n")
    assert "line 2: a job has 18 fields" in refused("--trace", bad, "--cluster", "procs=1")
    assert "did you mean" in refused("--trace", bad, "--cluster", "proc=1")
    assert "absent" in refused("--trace", folder / "absent", "--cluster", "procs=1")
