"""What must be true of every cluster after every test, whatever was done to it."""

import re

from cluster import ROOT

TRANSITION = re.compile(r"^\s*\{(\w+), \w+, (\w+)\},$", re.MULTILINE)


def slurm_name(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()


def legal_changes():
    """Pairs of states, read from the one table there is."""
    text = (ROOT / "common" / "job_state.h").read_text()
    pairs = {(slurm_name(a), slurm_name(b)) for a, b in TRANSITION.findall(text)}
    assert ("PENDING", "CONFIGURING") in pairs and ("COMPLETING", "NODE_FAIL") in pairs
    return pairs


def check_history(cluster):
    """By what PostgreSQL holds: every job accepted is there, and went only legal ways."""
    known = {int(job) for job, in cluster.sql("SELECT id FROM cox.job")}
    assert cluster.accepted <= known, f"accepted and lost: {sorted(cluster.accepted - known)}"
    legal = legal_changes()
    at = {}
    for sequence, job, state in cluster.sql(
            "SELECT sequence, job_id, state FROM cox.job_event ORDER BY sequence"):
        before = at.get(job, "PENDING")
        assert state == before or (before, state) in legal, \
            f"job {job} went from {before} to {state} (event {sequence})"
        at[job] = state
    for job, state in cluster.sql("SELECT id, state FROM cox.job"):
        assert at.get(job) == state, f"job {job} is {state}, its last event says {at.get(job)}"


def check_attempts(cluster):
    """No two attempts of a job were ever live at once, and their numbers have no gap."""
    overlaps = cluster.sql(
        "SELECT a.job_id, a.attempt, b.attempt FROM cox.attempt a JOIN cox.attempt b"
        " ON a.job_id = b.job_id AND a.attempt < b.attempt"
        " WHERE a.ended_at IS NULL OR a.ended_at > b.began_at")
    assert not overlaps, f"two attempts live at once (job, attempt, attempt): {overlaps}"
    gaps = cluster.sql("SELECT job_id FROM cox.attempt GROUP BY job_id"
                       " HAVING max(attempt) <> count(*) AND NOT EXISTS"
                       " (SELECT FROM cox.failover WHERE turns_lost IS DISTINCT FROM 0)")
    assert not gaps, f"attempts are missing of jobs {gaps}"


def check_room(cluster):
    """No node is given away beyond what it has; what stands still has no CPUs."""
    crowded = cluster.sql(
        "SELECT g.node, sum(g.cpus), n.cpus FROM cox.attempt_node g JOIN cox.attempt a"
        " USING (job_id, attempt) JOIN cox.node n ON n.name = g.node"
        " WHERE a.ended_at IS NULL AND g.phase <> 'gone'"
        " AND NOT (a.suspended AND g.suspension >= a.suspension) GROUP BY g.node, n.cpus"
        " HAVING sum(g.cpus) > n.cpus")
    assert not crowded, f"over-committed (node, granted, has): {crowded}"


def check_all(cluster):
    check_history(cluster)
    check_attempts(cluster)
    check_room(cluster)
