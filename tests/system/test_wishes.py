"""Requests of jobs beyond numbers, on a real cluster: topology, licences, parts of GPUs, elastic
sizes."""

import signal
from pathlib import Path

from cluster import PYTHON, ROOT

TOPOLOGY = """
[scheduling]
order_exempt = "1s"
licences = "matlab:2"
gpu_prices = "h200:3|h100:1"

[[switch]]
name = "leaf1"
nodes = "n[1,3]"

[[switch]]
name = "leaf2"
nodes = "n[2,4]"

[[switch]]
name = "top"
switches = "leaf[1-2]"
"""

HOLD = "until [ -e $SLURM_JOB_ID.stop ]; do sleep 0.05; done"

CLUSTER = {"nodes": 4, "cpus": 2, "gpus": ("h100:2",), "tables": TOPOLOGY}


def release(cluster, *jobs):
    for job in jobs:
        (cluster.work / f"{job}.stop").touch()
    for job in jobs:
        cluster.wait_state(job, "COMPLETED")


def test_a_gang_gets_nodes_behind_one_switch_and_one_too_large_for_it_is_refused(cluster):
    two = cluster.submit("-N2", "-c2", "--", "sh", "-c", HOLD)
    cluster.wait_state(two, "RUNNING")
    assert sorted(cluster.nodes_of(two)) in (["n1", "n3"], ["n2", "n4"])
    required = cluster.submit("-N2", "-c2", "--topology=required:leaf", "--", "sh", "-c", HOLD)
    cluster.wait_state(required, "RUNNING")
    assert sorted(cluster.nodes_of(required)) in (["n1", "n3"], ["n2", "n4"])
    three = cluster.cox("submit", "-N3", "--topology=required:leaf", "--", "true", check=False)
    assert three.returncode != 0 and "no leaf holds all of them" in three.stderr
    release(cluster, two, required)


def test_licences_are_held_while_a_job_runs(cluster):
    first = cluster.submit("-L", "matlab:2", "--", "sh", "-c", HOLD)
    cluster.wait_state(first, "RUNNING")
    second = cluster.submit("--licenses=matlab", "--", "true")
    cluster.wait_for(lambda: "licences matlab:1" in cluster.cox("why", second).stdout,
                   "the reason to name the licences")
    assert cluster.cox_json("show", "licenses")["licences"] == [
        {"name": "matlab", "total": 2, "used": 2, "jobs": [first], "job_names": [str(first)]}]
    assert f"matlab       2     2     0  {first}\n" in cluster.cox("show", "licenses").stdout
    release(cluster, first)
    cluster.wait_state(second, "COMPLETED")


def test_jobs_with_a_quarter_and_three_shards_of_a_gpu_share_one(cluster):
    env = "echo $CUDA_VISIBLE_DEVICES $CUDA_MPS_ACTIVE_THREAD_PERCENTAGE > $SLURM_JOB_ID.gpu; "
    hold = env + HOLD
    quarter = cluster.submit("-w", "n1", "--gres=gpu:0.25", "--", "sh", "-c", hold)
    shards = cluster.submit("-w", "n1", "--gres=shard:3", "--", "sh", "-c", hold)
    for job in (quarter, shards):
        cluster.wait_state(job, "RUNNING")
    for job, variables in ((quarter, "0 25\n"), (shards, "0 75\n")):
        file = cluster.work / f"{job}.gpu"
        cluster.wait_for(lambda file=file: file.exists() and file.read_text(), f"{file.name}")
        assert file.read_text() == variables
    rows = cluster.sql("SELECT gpu_milli FROM cox.attempt_node ORDER BY job_id")
    assert [milli for milli, in rows][-2:] == ["250", "750"]
    release(cluster, quarter, shards)


def test_a_job_that_requires_nvlink_gets_only_joined_gpus(cluster):
    file = cluster.dir / "workers" / "n4.toml"
    cluster.kill("n4", signal.SIGTERM)
    file.write_text(file.read_text() + 'gpu_links = ["0", "1"]\n')
    cluster.start("n4")
    cluster.wait_for(lambda: "gpu links   0 1\n" in cluster.cox("show", "node", "n4").stdout,
                     "n4 to show its links")
    assert cluster.sql("SELECT gpu_island FROM cox.node WHERE name = 'n4'") == [["{1,2}"]]
    joined = ("--gres=gpu:2", "--topology=required:nvlink")
    apart = cluster.cox("submit", "-w", "n4", *joined, "--", "true", check=False)
    assert apart.returncode != 0 and "2 GPUs joined by NVLink" in apart.stderr
    gang = cluster.submit("-N3", *joined, "--", "sh", "-c", HOLD)
    cluster.wait_state(gang, "RUNNING")
    assert sorted(cluster.nodes_of(gang)) == ["n1", "n2", "n3"]
    waits = cluster.submit(*joined, "--", "true")
    cluster.wait_for(lambda: "2 GPUs joined by NVLink" in cluster.cox("why", waits).stdout,
                     "the reason to name the links")
    loose = cluster.submit("--gres=gpu:2", "--", "true")
    cluster.wait_state(loose, "COMPLETED")
    assert cluster.nodes_of(loose) == ["n4"]
    release(cluster, gang)
    cluster.wait_state(waits, "COMPLETED")


def test_an_elastic_gang_starts_on_the_free_nodes(cluster):
    busy = cluster.submit("-w", "n1", "-c2", "--", "sh", "-c", HOLD)
    cluster.wait_state(busy, "RUNNING")
    elastic = cluster.submit("-N2-4", "-c2", "--", "sh", "-c", "echo $SLURM_NTASKS $SLURM_NNODES")
    cluster.wait_state(elastic, "COMPLETED")
    assert cluster.cox("logs", elastic, "-r", "0").stdout == "3 3\n"
    release(cluster, busy)


# The script of each rank: it saves every fifth step, and resumes from there after a stop.
GROWING = """
trap 'stop=1' USR1; n=0
[ -n "$COX_RESUME_FROM" ] && n=$(cat "$COX_RESUME_FROM/rank-0/n")
echo "$SLURM_NTASKS ranks begin after $n"
until [ -e $SLURM_JOB_ID.stop ]; do
  [ "$stop" = 1 ] && exit 75
  sleep 0.05; n=$((n+1))
  [ $((n % 5)) = 0 ] || continue
  mkdir -p "$COX_CHECKPOINT_DIR/step-$n/rank-$SLURM_PROCID"
  echo $n > "$COX_CHECKPOINT_DIR/step-$n/rank-$SLURM_PROCID/n"
  cox checkpoint done --step $n
done
"""


def test_an_elastic_gang_that_grows_resumes_from_a_checkpoint_of_fewer_ranks(cluster):
    busy = cluster.submit("-N2", "-c2", "--", "sh", "-c", HOLD)
    cluster.wait_state(busy, "RUNNING")
    elastic = cluster.submit("-N2-4", "-c2", "--checkpoint-signal=USR1", "--", "sh", "-c", GROWING)
    cluster.wait_state(elastic, "RUNNING")
    assert len(cluster.nodes_of(elastic)) == 2
    saved = f"SELECT count(*) FROM cox.checkpoint WHERE job_id = {elastic}"
    cluster.wait_for(lambda: cluster.sql(saved) != [["0"]], "a checkpoint of two ranks")
    release(cluster, busy)
    cluster.wait_for(lambda: len(cluster.nodes_of(elastic)) == 4, "the gang to grow")
    begins = lambda: cluster.cox("logs", elastic, "-r", "0", check=False).stdout
    cluster.wait_for(lambda: "4 ranks begin after" in begins(), "four ranks to begin")
    assert "4 ranks begin after 0\n" not in begins()
    damaged = f"SELECT count(*) FROM cox.checkpoint WHERE job_id = {elastic} AND damaged"
    assert cluster.sql(damaged) == [["0"]]
    release(cluster, elastic)


def test_the_example_of_an_elastic_gang_keeps_its_totals_when_it_grows(cluster):
    busy = cluster.submit("-N2", "-c2", "--", "sh", "-c", HOLD)
    cluster.wait_state(busy, "RUNNING")
    job = cluster.submit("-N2-4", "-c2", "--checkpoint-signal=USR1", "--", PYTHON,
                         ROOT / "examples/elastic_loop.py")
    cluster.wait_state(job, "RUNNING")
    assert len(cluster.nodes_of(job)) == 2
    newest = (f"SELECT attempt, step FROM cox.checkpoint WHERE job_id = {job}"
              " ORDER BY attempt DESC, step DESC")
    cluster.wait_for(lambda: cluster.sql(newest), "a checkpoint of two ranks")
    release(cluster, busy)
    grown = lambda: len(cluster.nodes_of(job)) == 4 and cluster.attempt(job)
    number = cluster.wait_for(grown, "the gang to grow")
    folder = Path(cluster.job(job)["job_checkpoint_dir"]) / f"attempt-{number}"

    def saved():  # only the two newest checkpoints are kept, so both are read at once
        for attempt, step in cluster.sql(newest):
            files = list((folder / f"step-{step}").glob("rank-*/total"))
            if int(attempt) == number and len(files) == 4:
                return int(step), [int(file.read_text()) for file in files]
        return None

    step, totals = cluster.wait_for(saved, "a checkpoint of four ranks")
    assert sum(totals) == sum(range(step * 48))
    assert cluster.cox("logs", job, "-r", "0").stdout.startswith("rank 0 of 4 takes 1 of 2 parts\n")
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")


def test_a_job_that_accepts_two_gpu_types_runs_where_only_one_exists(cluster):
    job = cluster.submit("--gres=gpu:1", "--gpu-type=h200|h100:0.8", "--", "true")
    cluster.wait_state(job, "COMPLETED")
    never = cluster.cox("submit", "--gres=gpu:1", "--gpu-type=h200", "--", "true", check=False)
    assert never.returncode != 0 and "h200" in never.stderr
