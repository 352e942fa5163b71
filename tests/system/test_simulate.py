"""`cox simulate`: a day of a live cluster run through the engine, and refused input."""

import csv
import json
import subprocess

from cluster import ROOT, toml_value

CLUSTER = {"nodes": 2, "cpus": 4, "gpus": ["h100:2"]}


def export_day(cluster, path):
    """Exports a day as docs/simulation.md describes. Returns the rows that were left out, by
    job."""
    database = toml_value(cluster.config.read_text(), "database")
    with path.open("w") as out:
        done = subprocess.run(["psql", database, "--csv", "-q", "-v", "from=yesterday", "-v",
                               "to=tomorrow", "-v", "ON_ERROR_STOP=1", "-f",
                               ROOT / "sql/exports/day.sql"], stdout=out, check=True,
                              stderr=subprocess.PIPE, text=True, env=cluster.environment)
    return {row["job_left_out"]: row for row in csv.DictReader(done.stderr.splitlines())}


def test_the_exported_jobs_of_a_live_cluster_are_simulated(cluster, folder):
    short = str(cluster.submit("-N2", "-n2", "-t", "5", "--", "sleep", "0.3"))
    other = str(cluster.submit("-N1", "-n1", "--gpus-per-node", "h100:2", "--", "sleep", "0.2"))
    quarter = str(cluster.submit("-N1", "-n1", "--gres", "gpu:0.25", "--gpu-type",
                                 "h100|a100:0.5", "--", "sleep", "0.2"))
    for job in (short, other, quarter):
        cluster.wait_state(job, "COMPLETED")
    never_ran = str(cluster.submit("-N1", "-n1", "--hold", "--", "true"))
    cluster.cox("cancel", never_ran)
    still_waits = str(cluster.submit("-N1", "-n1", "--hold", "--", "true"))
    day = folder / "day.csv"
    left_out = export_day(cluster, day)
    rows = {row["job_id"]: row for row in csv.DictReader(day.open())}
    assert rows.keys() == {short, other, quarter}
    assert left_out.keys() == {never_ran, still_waits}
    assert left_out[never_ran]["state"] == "CANCELLED"
    assert left_out[never_ran]["why"].startswith("it never ran")
    assert left_out[still_waits]["why"] == "it has not ended"
    assert rows[quarter]["gpus"] == "1" and rows[quarter]["gpu_milli"] == "250"
    assert rows[quarter]["gpu_type"] == "h100|a100:0.5"
    assert rows[short]["nodes"] == "2" and rows[short]["time_limit_s"] == "300"
    assert rows[other]["gpu_type"] == "h100" and rows[other]["gpus"] == "2"
    assert rows[short]["contiguous"] == "0" and rows[short]["min_cpus"] == "0"
    result = folder / "result.json"
    said = cluster.cox("simulate", "--trace", str(day), "--cluster",
                       "nodes=2,cpus=2,gpus=2,type=h100", "--json", str(result)).stdout
    assert "recorded wait, s" in said
    jobs = {job["job"]: job for job in json.loads(result.read_text())["jobs"]}
    assert jobs[short]["run_s"] >= 0.3 and jobs[short]["attempts"] == 1
    assert jobs.keys() == rows.keys()


def test_cox_simulate_accepts_cluster_files_and_names_ignored_settings(cluster, folder):
    trace = folder / "day.csv"
    trace.write_text("job_id,eligible,started,ended,run_s,nodes,tasks,cpus_per_task,memory_mb,gpus,"
                     "gpu_type,time_limit_s,tier,partition,constraint\n"
                     "1,0,0,9,9,1,1,1,0,0,,0,2,,\n")
    result = folder / "result.json"
    for file in (cluster.config, ROOT / "examples/mixed.toml"):
        done = cluster.cox("simulate", "--trace", str(trace), "--cluster", str(file), "--json",
                           str(result))
        left_out = json.loads(result.read_text())["setting"]["left_out"]
        assert "limits of QOS and partitions" in left_out and "advance reservations" in left_out
        for each in left_out:
            assert each in done.stderr and f"not simulated  {each}" in done.stdout
    assert "licences" not in left_out, "licences are named twice"
    assert "(4 nodes, " in done.stdout


def test_cox_simulate_refuses_invalid_input(cluster, folder):
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
    for report in ("--json", "--svg"):  # these options are checked before the trace is read
        said = refused("--trace", folder / "absent", "--cluster", "procs=1", report,
                       folder / "no/such")
        assert "cannot write" in said and "no/such: No such file or directory" in said
