"""Tests the history checker: false values are put into the records of a real cluster, and each is
found by the rule that it breaks. The unchanged records break no rule."""

import copy
from types import SimpleNamespace as Row

import history
import pytest
from cluster import Cluster
from history_reader import History, read
from ranks import CounterJob

CLUSTER = {"nodes": 2, "cpus": 2, "gpus": ["h100:2"],
           "settings": {"kill_wait": "1s", "launch_retry_max": "1s"}}
HOUR = 3600
LIES = []  # (rule, how)


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """The history of a gang that was preempted, an array, a held job, and a job with a step."""
    cluster = Cluster(tmp_path_factory.mktemp("cox"), **CLUSTER)
    try:
        cluster.up()
        yield make_history(cluster)
    finally:
        cluster.down()


def make_history(cluster):
    held = cluster.submit("--hold", "-n1", "--", "true")
    gang = CounterJob(cluster, cluster.work, "-N2", "-n2", "--gres=gpu:1", steps=40, save_every=5,
                      pause_at=20)
    cluster.wait_for(lambda: cluster.job(gang.id)["checkpoints"], "a committed checkpoint")
    cluster.cox("preempt", gang.id)
    gang.go_on(attempt=2)
    gang.await_state("COMPLETED")
    array = cluster.submit("--array=0-3", "-n1", "--mem=100", "--", "true")
    (cluster.work / "srun").symlink_to(cluster.bin / "cox")
    stepped = cluster.submit("-n1", "--wrap", "./srun true")
    cluster.cox("cancel", held)
    cluster.wait_for(lambda: cluster.sql("SELECT count(*) FROM cox.job WHERE ended_at IS NULL")
                     == [["0"]], "all jobs to end")
    h = read(cluster)
    h.gang, h.array, h.held, h.stepped = gang.id, array, held, stepped
    assert h.jobs[gang.id].attempt == 2 and h.checkpoints and h.steps and h.lines
    return h


def rules_broken(h):
    return {name for text in history.judge(h) for name in [text.split("(")[1].split(")")[0]]}


def test_a_true_history_breaks_no_rule_of_the_history_checker(story):
    assert history.judge(story) == []


def lie(rule):
    def remember(how):
        LIES.append((rule, how))
        return how
    return remember


def test_each_rule_of_the_history_checker_is_tested_with_at_least_two_false_histories():
    rules = [rule.__name__ for rule in history.ALWAYS + history.AT_REST]
    assert {rule: sum(of == rule for of, _ in LIES) for rule in rules if
            sum(of == rule for of, _ in LIES) < 2} == {}


def gang_lines(h, attempt, rank=0):
    return [line for line in h.lines if (line.job, line.attempt, line.rank) ==
            (h.gang, attempt, rank)]


def events_of(h, job, state=None):
    return [event for event in h.events if event.job == job and event.what == "state"
            and state in (None, event.state)]


def another(rows, row, **changes):
    """Inserts a changed copy of a row after that row."""
    rows.insert(rows.index(row) + 1, Row(**dict(vars(row), **changes)))


# ---- accepted jobs ------------------------------------------------------------------------------


@lie("accepted_jobs_are_kept")
def a_job_vanished(h):
    del h.jobs[h.gang]


@lie("accepted_jobs_are_kept")
def a_job_was_never_written(h):
    h.accepted.add(999)


@lie("each_array_task_has_one_row")
def a_task_is_lost(h):
    del h.jobs[next(job.id for job in h.jobs.values() if job.array_task == 2)]


@lie("each_array_task_has_one_row")
def a_task_is_there_twice(h):
    next(job for job in h.jobs.values() if job.array_task == 2).array_task = 1


@lie("every_job_has_ended")
def a_job_goes_on(h):
    h.jobs[h.gang].state = "RUNNING"


@lie("every_job_has_ended")
def a_job_waits_for_ever(h):
    h.jobs[h.held].state = "PENDING"


@lie("jobs_end_once")
def a_job_ended_twice(h):
    another(h.events, events_of(h, h.gang, "COMPLETED")[0], state="FAILED")


@lie("jobs_end_once")
def an_end_has_no_event(h):
    h.events.remove(events_of(h, h.held, "CANCELLED")[0])


@lie("jobs_end_once")
def the_row_has_another_end(h):
    h.jobs[h.stepped].state = "FAILED"


@lie("jobs_end_once")
def a_job_ended_after_its_event(h):
    h.jobs[h.gang].ended_at = events_of(h, h.gang, "COMPLETED")[0].at + 1


@lie("jobs_end_once")
def a_job_went_on_after_its_end(h):
    another(h.events, events_of(h, h.gang, "COMPLETED")[0], state="PENDING")


@lie("completed_means_zero")
def a_rank_had_failed(h):
    h.ranks[-1].exit_code = 1


@lie("completed_means_zero")
def a_rank_never_exited(h):
    next(rank for rank in h.ranks if (rank.job, rank.attempt) == (h.gang, 2)).phase = "running"


@lie("completed_means_zero")
def completed_without_an_attempt(h):
    h.jobs[h.stepped].attempt = 0


# ---- states and times ---------------------------------------------------------------------------


@lie("state_changes_are_legal")
def a_state_went_backwards(h):
    another(h.events, events_of(h, h.gang, "RUNNING")[0], state="CONFIGURING")


@lie("state_changes_are_legal")
def a_state_was_left_out(h):
    h.events.remove(events_of(h, h.gang, "COMPLETING")[0])


@lie("state_changes_are_legal")
def a_job_was_never_pending(h):
    h.events.remove(events_of(h, h.gang, "PENDING")[0])


@lie("state_changes_are_legal")
def a_note_changed_the_state(h):
    another(h.events, events_of(h, h.held, "PENDING")[0], what="update", state="RUNNING")


@lie("attempts_are_counted_up")
def an_attempt_is_missing(h):
    del h.attempts[h.gang, 1]


@lie("attempts_are_counted_up")
def an_attempt_was_begun_twice(h):
    another(h.events, events_of(h, h.gang, "CONFIGURING")[1])


@lie("attempts_are_counted_up")
def an_event_of_an_old_attempt(h):
    events_of(h, h.gang, "COMPLETED")[0].attempt = 1


@lie("nothing_ends_before_it_starts")
def a_job_ended_first(h):
    h.jobs[h.gang].ended_at = h.jobs[h.gang].started_at - 1


@lie("nothing_ends_before_it_starts")
def an_attempt_ran_before_it_began(h):
    h.attempts[h.gang, 2].went_at -= HOUR


@lie("nothing_ends_before_it_starts")
def a_rank_ended_first(h):
    h.ranks[0].ended_at = h.ranks[0].started_at - 1


@lie("nothing_ends_before_it_starts")
def a_step_ended_first(h):
    h.steps[0].ended_at = h.steps[0].created_at - 1


@lie("nothing_ends_before_it_starts")
def an_event_before_the_one_before(h):
    events_of(h, h.gang, "RUNNING")[0].at -= HOUR


# ---- attempts -----------------------------------------------------------------------------------


@lie("one_attempt_at_a_time")
def an_attempt_overlaps(h):
    h.attempts[h.gang, 2].began_at = h.attempts[h.gang, 1].ended_at - 0.001


@lie("one_attempt_at_a_time")
def an_attempt_never_ended(h):
    h.attempts[h.gang, 1].ended_at = None


@lie("live_jobs_have_one_attempt")
def a_final_job_has_a_live_attempt(h):
    h.attempts[h.gang, 2].ended_at = None


@lie("live_jobs_have_one_attempt")
def a_running_job_has_none(h):
    h.jobs[h.gang].state = "RUNNING"


@lie("ranks_of_attempts_do_not_overlap")
def a_rank_lived_on(h):
    gang_lines(h, 1)[-1].at = gang_lines(h, 2)[0].at + 0.001


@lie("ranks_of_attempts_do_not_overlap")
def an_attempt_ran_first(h):
    gang_lines(h, 2, rank=1)[0].at = gang_lines(h, 1)[0].at


@lie("ranks_run_within_their_attempt")
def a_rank_outlived_its_attempt(h):
    gang_lines(h, 2)[-1].at = h.attempts[h.gang, 2].ended_at + 1


@lie("ranks_run_within_their_attempt")
def a_rank_went_before_the_go(h):
    gang_lines(h, 1)[0].at = h.attempts[h.gang, 1].went_at - 1


@lie("ranks_run_within_their_attempt")
def a_rank_ran_in_an_unknown_attempt(h):
    another(h.lines, gang_lines(h, 2)[-1], attempt=3)


@lie("a_rank_is_one_process")
def a_rank_was_started_twice(h):
    another(h.lines, gang_lines(h, 1)[0], pid=1)


@lie("a_rank_is_one_process")
def two_processes_wrote_as_one_rank(h):
    gang_lines(h, 2, rank=1)[-1].pid = 1


# ---- checkpoints --------------------------------------------------------------------------------


@lie("attempts_resume_from_the_newest")
def an_attempt_began_anew(h):
    h.attempts[h.gang, 2].resume_attempt = h.attempts[h.gang, 2].resume_step = None


@lie("attempts_resume_from_the_newest")
def an_attempt_resumed_from_another_job_though_its_own_had_saved(h):
    h.attempts[h.gang, 2].resume_job = 1


@lie("attempts_resume_from_the_newest")
def an_attempt_resumed_from_an_unsaved_step(h):
    h.attempts[h.gang, 2].resume_step += 1


@lie("attempts_resume_from_the_newest")
def a_newer_checkpoint_was_there(h):
    newest = max((each for each in h.checkpoints if each.attempt == 1), key=lambda each: each.step)
    another(h.checkpoints, newest, step=newest.step + 1, pruned=False)


@lie("no_committed_step_is_repeated")
def a_step_was_repeated(h):
    gang_lines(h, 2)[1].what = str(h.attempts[h.gang, 2].resume_step)


@lie("no_committed_step_is_repeated")
def a_step_was_left_out(h):
    h.lines.remove(gang_lines(h, 2, rank=1)[1])


@lie("no_committed_step_is_repeated")
def all_was_done_again(h):
    for number, line in enumerate(gang_lines(h, 2)[1:-1], start=1):
        line.what = str(number)


@lie("checkpoints_are_of_live_attempts")
def a_checkpoint_was_committed_after_the_end(h):
    h.checkpoints[-1].committed_at = events_of(h, h.gang, "COMPLETED")[0].at + 1


@lie("checkpoints_are_of_live_attempts")
def a_checkpoint_is_of_an_unknown_attempt(h):
    h.checkpoints[-1].attempt = 7


@lie("checkpoints_are_of_live_attempts")
def an_older_step_was_saved_after_a_newer_one(h):
    h.checkpoints[-1].step = 1


@lie("completed_ranks_reached_their_end")
def a_rank_did_not_come_to_its_end(h):
    h.lines.remove(gang_lines(h, 2, rank=1)[-1])


@lie("completed_ranks_reached_their_end")
def a_rank_ended_twice(h):
    another(h.lines, gang_lines(h, 2)[-1])


# ---- resources ----------------------------------------------------------------------------------


def grant_of(h, job):
    return next(grant for grant in h.grants if grant.job == job)


@lie("no_node_is_overcommitted")
def a_node_has_fewer_cpus(h):
    h.nodes[grant_of(h, h.gang).node].cpus = 0


@lie("no_node_is_overcommitted")
def two_jobs_had_the_same_cpus(h):
    one = grant_of(h, h.gang)
    h.attempts[h.stepped, 1].began_at = h.attempts[h.gang, 1].began_at
    h.attempts[h.stepped, 1].ended_at = h.attempts[h.gang, 1].ended_at
    grant_of(h, h.stepped).node, grant_of(h, h.stepped).cpus = one.node, 2


@lie("no_node_is_overcommitted")
def more_memory_than_there_is(h):
    task = next(grant for grant in h.grants if grant.memory_mb)
    task.memory_mb = h.nodes[task.node].memory_mb + 1


@lie("no_node_is_overcommitted")
def a_gpu_was_given_out_twice(h):
    another(h.grants, grant_of(h, h.gang), cpus=0)


@lie("no_node_is_overcommitted")
def a_node_was_given_back_too_late(h):
    two_jobs_had_the_same_cpus(h)
    grant_of(h, h.gang).given_back_at = h.attempts[h.gang, 1].ended_at


@lie("no_node_is_overcommitted")
def a_gpu_that_is_not_there(h):
    grant_of(h, h.gang).gpus = [7]


@lie("grants_are_of_recorded_nodes")
def a_node_that_is_not_there(h):
    grant_of(h, h.gang).node = "n9"


@lie("grants_are_of_recorded_nodes")
def a_grant_of_no_attempt(h):
    grant_of(h, h.gang).attempt = 9


@lie("nothing_is_left")
def an_allocation_is_left(h):
    grant_of(h, h.gang).phase = "running"


@lie("nothing_is_left")
def a_step_is_left(h):
    h.steps[0].ended_at = None


@lie("nothing_is_left")
def an_ended_job_still_waits(h):
    h.waits.append(Row(job=h.held, reason="Resources"))


@lie("nothing_is_left")
def sinfo_shows_used_cpus(h):
    h.sinfo[0].allocated = 1


# ---- output of commands -------------------------------------------------------------------------


@lie("sacct_agrees")
def sacct_shows_another_state(h):
    h.sacct[0].state = "TIMEOUT"


@lie("sacct_agrees")
def sacct_lacks_a_job(h):
    h.sacct.pop()


@lie("sacct_agrees")
def sacct_shows_another_end(h):
    h.sacct[0].ended_at += 2


@lie("sacct_agrees")
def sacct_shows_an_unknown_job(h):
    h.sacct.append(Row(job=999, state="COMPLETED", ended_at=1, restarts=0))


@lie("squeue_agrees")
def squeue_shows_another_state(h):
    h.squeue[0].state = "RUNNING"


@lie("squeue_agrees")
def squeue_shows_an_unknown_job(h):
    h.squeue.append(Row(job=999, state="PENDING"))


@lie("squeue_agrees")
def squeue_hides_a_live_job(h):
    h.jobs[h.gang].state = "RUNNING"
    h.squeue = [row for row in h.squeue if row.job != h.gang]


@pytest.mark.parametrize("rule,how", LIES, ids=[how.__name__ for _, how in LIES])
def test_a_false_history_is_found_by_the_rule_that_it_breaks(story, rule, how):
    h = copy.deepcopy(story)
    how(h)
    assert rule in rules_broken(h)


# ---- legal histories ----------------------------------------------------------------------------


def two_on_one_node(suspended):
    """Two jobs use both CPUs of a node at once, unless one is suspended meanwhile."""
    states = [(1, 10, "RUNNING"), (2, 30, "RUNNING"), (1, 60, "RUNNING")]
    states += [(1, 20, "SUSPENDED")] if suspended else []
    tables = {name: [] for name in ("ranks", "checkpoints", "steps", "waits", "losses")}
    tables["jobs"] = [Row(id=job) for job in (1, 2)]
    tables["nodes"] = [Row(name="n1", cpus=2, memory_mb=100, gpu_index=[])]
    tables["attempts"] = [Row(job=1, attempt=1, began_at=10.0, ended_at=90.0),
                          Row(job=2, attempt=1, began_at=30.0, ended_at=60.0)]
    tables["grants"] = [Row(job=job, attempt=1, node="n1", cpus=2, memory_mb=0, gpus=[],
                            gpu_milli=1000, given_back_at=None) for job in (1, 2)]
    tables["events"] = [Row(job=job, what="state", at=float(at), state=state)
                        for job, at, state in sorted(states, key=lambda each: each[1])]
    return History(tables, [], {"squeue": [], "sacct": [], "sinfo": []})


def test_the_history_checker_counts_no_cpus_of_a_suspended_job():
    assert list(history.no_node_is_overcommitted(two_on_one_node(suspended=True))) == []
    assert list(history.no_node_is_overcommitted(two_on_one_node(suspended=False)))


def test_the_history_checker_counts_no_cpus_of_a_suspended_job_that_must_save():
    h = two_on_one_node(suspended=True)
    last = h.events[-1]
    last.state, last.at = "SIGNALING", 40.0  # asked to save, instead of RUNNING again
    assert list(history.no_node_is_overcommitted(h)) == []


def test_the_history_checker_allows_an_attempt_that_skips_a_damaged_checkpoint(story):
    """It resumes from the checkpoint before the damaged one, and repeats the steps since then."""
    h = copy.deepcopy(story)
    taken = (1, h.attempts[h.gang, 2].resume_step)
    newest = next(each for each in h.checkpoints if (each.attempt, each.step) == taken)
    another(h.checkpoints, newest, step=newest.step + 1, damaged=True)
    assert history.judge(h) == []
