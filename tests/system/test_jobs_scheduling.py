"""Placement and order of jobs: tiers, preemption, backfill, and commands of users and
administrators."""

import json
import re
import signal

import pytest

CLUSTER = {"nodes": 4, "cpus": 2, "features": ["fast=n[1-2]"], "gpus": ["h100:2"],
           "settings": {"kill_wait": "1s"}}
SLEEP = ["--", "sleep", "1000"]
SHOW_GPUS = "echo $CUDA_VISIBLE_DEVICES > gpus.$SLURM_JOB_ID.$RANK; exec sleep 1000"


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def submit(cluster, folder):
    """submit(OPTION...): submits a job that sleeps."""
    return lambda *options, command=SLEEP: cluster.submit("-D", folder, *options, *command)


@pytest.fixture
def run(cluster, submit):
    """run(OPTION...): submits a job that sleeps, and waits until it runs."""
    def start(*options, **more):
        job = submit(*options, **more)
        cluster.wait_state(job, "RUNNING")
        return job
    return start


def reason(cluster, job):
    view = cluster.job(job)["view"]
    return view["reason"] if view["job"]["state"] == "PENDING" else view["job"]["state"]


def await_reason(cluster, job, what):
    """Waits until a scheduling pass has considered the job, and checks that it waits for this
    reason."""
    cluster.wait_for(lambda: reason(cluster, job) not in ("None", "CONFIGURING"),
                     "a pending reason")
    assert reason(cluster, job) == what


def was_asked_to_save(cluster, job):
    """Checks that the job was preempted. Returns whether it was asked to save before."""
    assert cluster.sql("SELECT stop_why FROM cox.attempt"
                       f" WHERE job_id = {job} AND attempt = 1") == [["preempt"]]
    return "SIGNALING" in [event["state"] for event in cluster.history(job)]


# ---- placement -----------------------------------------------------------------------------------

def test_nodelist_constraint_and_exclusive_select_nodes(cluster, run, submit):
    named = run("-n1", "-w", "n3")
    assert cluster.nodes_of(named) == ["n3"]
    fast = run("-N2", "-n4", "-C", "fast")
    assert cluster.nodes_of(fast) == ["n1", "n2"]
    alone = run("-n1", "-w", "n4", "--exclusive")
    beside = submit("-n1", "-w", "n4")
    await_reason(cluster, beside, "Resources")
    also_alone = submit("-n1", "-w", "n3", "--exclusive")  # n3 has free CPUs, but also other jobs
    await_reason(cluster, also_alone, "Resources")
    cluster.cox("cancel", alone, named)
    cluster.wait_state(beside, "RUNNING")
    cluster.wait_state(also_alone, "RUNNING")


def test_features_can_be_preferred_or_excluded(cluster, run, submit):
    assert cluster.nodes_of(run("-N2", "-n4", "-C", "!fast")) == ["n3", "n4"]
    preferring = run("-N1", "-n2", "--prefer=fast")
    assert cluster.nodes_of(preferring) == ["n1"]
    assert cluster.nodes_of(run("-N1", "-n2", "-C", "!fast|fast", "--prefer=fast")) == ["n2"]
    waits = submit("-N1", "-n2", "--prefer=fast")
    await_reason(cluster, waits, "Resources")
    why = "\n".join(cluster.cox_json("why", waits)["why"])
    assert "asks for 1 node with 2 CPUs, feature fast" in why
    assert "or else 1 node with 2 CPUs" in why
    cluster.cox("cancel", preferring)
    cluster.wait_state(waits, "RUNNING")
    assert cluster.nodes_of(waits) == ["n1"]
    refused = cluster.cox("submit", "--prefer=fats", *SLEEP, check=False)
    assert refused.returncode == 1
    assert "Invalid preferred feature specification" in refused.stderr
    assert "did you mean fast?" in refused.stderr


def test_a_job_with_prefer_starts_elsewhere_if_those_nodes_are_busy(cluster, run, submit):
    run("-N2", "-n4", "-C", "fast")
    assert cluster.nodes_of(run("-N1", "-n2", "--prefer=fast")) == ["n3"]


def test_a_job_with_contiguous_gets_neighbouring_nodes_or_waits(cluster, run, submit):
    middle = run("-N1", "-n2", "-w", "n2")
    assert cluster.nodes_of(run("-N2", "-n2", "--contiguous")) == ["n3", "n4"]
    waits = submit("-N3", "-n3", "--contiguous")
    await_reason(cluster, waits, "Resources")
    words = " ".join(cluster.cox("why", waits).stdout.split())
    assert "at most 2 of these are next to one another" in words
    cluster.cox("cancel", middle)
    cluster.wait_state(waits, "RUNNING")
    assert cluster.nodes_of(waits) == ["n1", "n2", "n3"]
    refused = cluster.cox("submit", "-N2", "--contiguous", "-x", "n[2-3]", *SLEEP, check=False)
    assert "no two of the qualifying nodes are next to one another" in refused.stderr


def test_mincpus_sets_the_cpus_of_each_node(cluster, run, submit, folder):
    wide = run("-N2", "-n2", "--mincpus=2", "-w", "n[1-2]")
    assert cluster.sql(f"SELECT node, cpus FROM cox.attempt_node WHERE job_id = {wide}"
                       " ORDER BY node") == [["n1", "2"], ["n2", "2"]]
    run("-n1", "-w", "n3")
    waits = submit("-n1", "-w", "n3", "--mincpus=2")
    await_reason(cluster, waits, "Resources")
    refused = cluster.cox("submit", "--mincpus=3", *SLEEP, check=False)
    assert "at least 3 CPUs on a node (--mincpus); the largest in" in refused.stderr


def test_a_job_with_exclusive_user_shares_a_node_with_jobs_of_the_same_user(cluster, run):
    run("-n1", "-w", "n1")
    assert cluster.nodes_of(run("-n1", "-w", "n1", "--exclusive=user")) == ["n1"]


def test_a_gang_starts_on_all_nodes_or_none(cluster, run, submit):
    one = run("-n1", "-w", "n1")
    gang = submit("-N4", "-n8")
    await_reason(cluster, gang, "Resources")
    assert cluster.job(gang)["attempts"] == []
    cluster.cox("cancel", one)
    cluster.wait_state(gang, "RUNNING")
    assert cluster.nodes_of(gang) == ["n1", "n2", "n3", "n4"]


def texts_of(cluster, files):
    """Waits until all files have text. Returns their texts."""
    cluster.wait_for(lambda: all(f.exists() and f.read_text() for f in files),
                     f"texts in {files}")
    return [f.read_text() for f in files]


def test_jobs_and_ranks_on_a_node_get_different_gpus(cluster, run, submit, folder):
    command = ["--", "/bin/sh", "-c", SHOW_GPUS]
    jobs = [run("-n1", "-w", "n1", "--gres=gpu:1", command=command),
            run("-n1", "-w", "n1", "--gres=gpu:h100:1", command=command)]
    files = [folder / f"gpus.{job}.0" for job in jobs]
    assert sorted(texts_of(cluster, files)) == ["0\n", "1\n"]
    assert cluster.sql("SELECT gpus, gpus_used FROM cox.nodes WHERE name = 'n1'") == [["2", "2"]]
    third = submit("-n1", "-w", "n1", "--gres=gpu:1")
    await_reason(cluster, third, "Resources")
    gang = run("-N2", "-n4", "-w", "n[2-3]", "--gres=gpu:2", command=command)
    files = [folder / f"gpus.{gang}.{rank}" for rank in range(4)]
    # Two ranks on each node, each with its own GPU.
    assert texts_of(cluster, files) == ["0\n", "1\n", "0\n", "1\n"]
    cluster.cox("cancel", jobs[0])
    cluster.wait_state(third, "RUNNING")


def test_a_job_without_gpus_sees_none(cluster, folder):
    job = cluster.submit("-n1", "-D", folder, "-o", "out", "--", "/bin/sh", "-c",
                         'echo "[$CUDA_VISIBLE_DEVICES]"')
    cluster.wait_state(job, "COMPLETED")
    assert (folder / "out").read_text() == "[]\n"


# ---- order ---------------------------------------------------------------------------------------

def test_equal_jobs_start_in_order_of_submission(cluster, run, submit):
    running = run("-N4", "-n8")
    first, second = submit("-N4", "-n8"), submit("-N4", "-n8")
    await_reason(cluster, first, "Resources")
    await_reason(cluster, second, "Resources")
    # `cox why` names the job before it in the queue.
    assert f"{first}" in cluster.cox("why", second).stdout
    cluster.cox("cancel", running)
    cluster.wait_state(first, "RUNNING")
    assert cluster.state(second) == "PENDING"


def test_a_small_job_is_backfilled_only_if_it_does_not_delay_a_larger_one(cluster, run, submit):
    run("-N3", "-n6", "-t", "10")
    large = submit("-N4", "-n8", "-t", "10")
    await_reason(cluster, large, "Resources")
    too_long = submit("-n1", "-t", "60")  # it would still hold a node when `large` could start
    endless = submit("-n1")
    short = submit("-n1", "-t", "1")
    cluster.wait_state(short, "RUNNING")
    assert cluster.state(large) == "PENDING"
    await_reason(cluster, too_long, "Priority")
    await_reason(cluster, endless, "Priority")
    assert cluster.job(large)["view"]["expected_start"] is not None


# ---- tiers ---------------------------------------------------------------------------------------

def test_a_besteffort_job_is_preempted_without_being_asked_to_save(cluster, run, submit):
    low = run("-N2", "-n4", "-C", "fast", "--qos=besteffort")
    aside = run("-N1", "-n2", "-w", "n3", "--qos=besteffort")
    urgent = run("-N2", "-n4", "-C", "fast")
    assert cluster.nodes_of(urgent) == ["n1", "n2"]
    assert not was_asked_to_save(cluster, low)
    assert cluster.state(aside) == "RUNNING"  # preempting this job would not have helped
    assert cluster.state(low) == "PENDING"
    cluster.cox("cancel", urgent)
    cluster.wait_state(low, "RUNNING")
    assert cluster.attempt(low) == 2


def test_a_standard_job_is_asked_to_save_before_it_is_preempted(cluster, run):
    low = run("-N4", "-n8", "--checkpoint-signal=USR1")
    run("-N1", "-n1", "--qos=critical")
    assert was_asked_to_save(cluster, low)


def test_a_critical_job_is_never_preempted(cluster, run, submit):
    top = run("-N4", "-n8", "--qos=critical")
    other = submit("-n1", "--qos=critical")
    await_reason(cluster, other, "Resources")
    refused = cluster.cox("preempt", top, check=False)
    assert refused.returncode == 1 and "critical is never preempted" in refused.stderr
    assert "cox requeue" in refused.stderr
    assert cluster.state(top) == "RUNNING"


def test_a_higher_tier_starts_first(cluster, run, submit):
    running = run("-N4", "-n8", "--qos=critical")
    low, standard = submit("-N4", "-n8", "--qos=besteffort"), submit("-N4", "-n8")
    await_reason(cluster, low, "Resources")
    await_reason(cluster, standard, "Resources")
    cluster.cox("cancel", running)
    cluster.wait_state(standard, "RUNNING")
    assert cluster.state(low) == "PENDING"


def test_no_job_is_preempted_for_a_gang_that_still_would_not_fit(cluster, run, submit):
    """The critical job would not fit even after preemptions, so no job is preempted for it."""
    run("-n1", "-w", "n1", "--qos=critical")
    low = run("-N1", "-n2", "-w", "n2", "--qos=besteffort")
    gang = submit("-N2", "-n4", "-C", "fast", "--qos=critical")
    await_reason(cluster, gang, "Resources")
    assert cluster.state(low) == "RUNNING"


def test_a_preempted_job_with_no_requeue_ends_preempted(cluster, run):
    low = run("-N4", "-n8", "--qos=besteffort", "--no-requeue")
    run("-n1")
    cluster.wait_state(low, "PREEMPTED")


# ---- people --------------------------------------------------------------------------------------

def test_a_held_job_starts_when_released(cluster, submit):
    job = submit("-n1", "--hold")
    await_reason(cluster, job, "JobHeldUser")
    assert cluster.cox("hold", job).stdout == f"{job}: was held already\n"
    cluster.cox("release", job)
    cluster.wait_state(job, "RUNNING")
    what = [event["what"] for event in cluster.history(job)]
    assert "release" in what


def test_requeue_and_preempt_begin_new_attempts(cluster, run):
    job = run("-n1", "--checkpoint-signal=TERM")
    cluster.cox("requeue", job)
    cluster.wait_for(lambda: cluster.attempt(job) == 2, "a second attempt")
    cluster.wait_state(job, "RUNNING")
    cluster.cox("preempt", job)
    cluster.wait_for(lambda: cluster.attempt(job) == 3, "a third attempt")
    cluster.wait_state(job, "RUNNING")
    rows = cluster.sql("SELECT attempt, coalesce(stop_why::text, 'not asked') FROM cox.attempts"
                       f" WHERE job_id = {job} ORDER BY attempt")
    assert rows == [["1", "requeue"], ["2", "preempt"], ["3", "not asked"]]


def test_a_drained_node_gets_no_jobs_until_resumed(cluster, run, submit):
    on_it = run("-n1", "-w", "n4")
    answer = cluster.cox("drain", "n4", "--reason", "bad fan")
    assert answer.stdout.startswith("n4: draining: 1 job")
    waiting = submit("-n1", "-w", "n4")
    await_reason(cluster, waiting, "ReqNodeNotAvail")
    assert "drain" in cluster.cox("why", waiting).stdout
    assert cluster.state(on_it) == "RUNNING"
    assert cluster.sql("SELECT state, reason FROM cox.nodes WHERE name = 'n4'") == [
        ["DRAINING", "bad fan"]]
    four = submit("-N4", "-n4")
    await_reason(cluster, four, "ReqNodeNotAvail")
    # The drain survives restarts of the worker and the controller.
    for name in ("n4", "controller"):
        cluster.kill(name, signal.SIGTERM)
        cluster.start(name)
    cluster.wait_for(lambda: len(cluster.responding()) == 4, "all nodes to respond")
    assert cluster.node("n4")["drained"]
    cluster.cox("resume", "n4")
    cluster.wait_state(waiting, "RUNNING")


def test_cox_why_shows_the_reason_with_numbers(cluster, run, submit):
    run("-N4", "-n8")
    job = submit("-N2", "-n4")
    await_reason(cluster, job, "Resources")
    words = cluster.cox("why", job).stdout
    assert "Reason: Resources" in words
    assert any(character.isdigit() for character in words.split("Resources", 1)[1]), words


# ---- before a submission -------------------------------------------------------------------------

def test_cox_submit_test_predicts_the_start_and_submits_nothing(cluster, run, folder):
    running = run("-N4", "-n8", "-t", "10")
    before = cluster.sql("SELECT count(*) FROM cox.job")
    test = ["submit", "--test", "-D", folder, "-N2", "-n2", "-t", "1"]
    answer = cluster.cox(*test, *SLEEP).stdout
    assert answer.startswith("It would wait. Reason: Resources\nneeds 2 nodes with 1 CPU each")
    assert re.search(r"It would start in (9|10) min", answer) and answer.endswith(" on n[3-4].\n")
    urgent = json.loads(cluster.cox(*test, "--qos=critical", "--json", *SLEEP).stdout)
    assert urgent["preempted_jobs"] == [running] and not urgent["starts_now"]
    assert urgent["at_the_latest"]
    text = cluster.cox(*test, "--qos=critical", *SLEEP).stdout
    assert f"job {running} of " in text and " and is requeued\n" in text, text
    assert "It would start in " in text and " at the latest (" in text, text
    cluster.cox("cancel", running)
    cluster.wait_state(running, "CANCELLED")
    assert cluster.cox(*test, *SLEEP).stdout == "It would start now on n[3-4].\n"
    refused = cluster.cox("submit", "--test", "-D", folder, "-N5", "-n5", *SLEEP, check=False)
    assert refused.returncode == 1 and "this cluster can never run it" in refused.stderr
    assert cluster.sql("SELECT count(*) FROM cox.job") == before


def test_the_database_has_the_lines_of_cox_why(cluster, run, submit):
    starts = "SELECT starts FROM cox.estimate_accuracy"
    [[before]] = cluster.sql(starts)
    running = run("-N4", "-n8", "-t", "10")
    waiting = submit("-N2", "-n2", "-t", "1")
    row = f"SELECT reason, detail LIKE 'needs 2 nodes%' FROM cox.waiting WHERE id = {waiting}"
    cluster.wait_for(lambda: cluster.sql(row) == [["Resources", "t"]], "the row of cox.waiting")
    why = cluster.cox_json("why", waiting)["why"]
    lines = f"SELECT unnest(lines) FROM cox.waiting WHERE id = {waiting}"
    stored = [line for [line] in cluster.sql(lines)]
    assert stored[:3] == why[:3]
    [[user]] = cluster.sql(f"SELECT user_name FROM cox.job WHERE id = {running}")
    whose = f"job {running} of {user} holds "
    assert user and any(line.startswith(whose) for line in why), why
    assert any(line.startswith(whose) for line in stored), stored
    cluster.cox("cancel", running)
    cluster.wait_state(waiting, "RUNNING")
    assert cluster.sql("SELECT * FROM cox.job_wait") == []
    assert cluster.sql(starts) == [[str(int(before) + 1)]]
    assert cluster.cox_json("status")["cluster"]["estimates"]["count"] == int(before) + 1


def test_a_replayed_snapshot_explains_jobs_like_cox_why(cluster, run, submit, tmp_path):
    run("-N3", "-n6")
    first = submit("-N4", "-n8")
    waiting = submit("-N2", "-n2", "-C", "fast")
    await_reason(cluster, waiting, "Resources")
    file = tmp_path / "snapshot.json"
    assert str(file) in cluster.cox("snapshot", file).stdout
    why = cluster.cox("why", waiting).stdout.splitlines()
    replayed = cluster.cox("replay", file, "--job", waiting).stdout.splitlines()
    assert replayed[0] == f"Job {waiting} waits. Reason: Resources"
    assert replayed[1:] == why[1:] and len(why) > 5
    answer = json.loads(cluster.cox("replay", file, "--json").stdout)
    assert [one["job"] for one in answer["waiting"]] == [first, waiting] and answer["starts"] == []
    assert "2 jobs waiting: 0 would start" in cluster.cox("replay", file).stdout
    unknown = cluster.cox("replay", file, "--job", 99, check=False)
    assert unknown.returncode == 1 and "job 99 is not pending in this snapshot" in unknown.stderr
    missing = cluster.cox("replay", tmp_path / "none", check=False)
    assert missing.returncode == 1 and "cox replay: " in missing.stderr
