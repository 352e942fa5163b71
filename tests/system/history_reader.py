"""The records that a cluster has left, as plain values: its tables, the output of Slurm's commands,
and the lines that ranks of programs/counter.py wrote. history.py judges them.

Fields are named like the tables' columns (`job_id` is `job`). Times are seconds since 1970 as
floats, or None.
"""

import csv
import json
import re
import time
from collections import defaultdict
from types import SimpleNamespace as Row

from cluster import FINAL_STATES

# The largest field of a CSV file: one statement returns all tables as one field.
csv.field_size_limit(1 << 30)


def seconds(*columns):
    return ", ".join(f"extract(epoch FROM {column})::float8 AS {column}" for column in columns)


TABLES = {
    "jobs": "SELECT id, state, attempt, restarts, no_fence, array_job, array_task, array_tasks,"
            " array_asked, 1 + jsonb_array_length(components) AS components, " +
            seconds("submitted_at", "started_at", "ended_at") +
            " FROM cox.job WHERE id > {after} ORDER BY id",
    "events": "SELECT sequence, job_id AS job, attempt, what, state, why, " + seconds("at") +
              " FROM cox.job_event WHERE job_id > {after} ORDER BY sequence",
    "attempts": "SELECT job_id AS job, attempt, resume_attempt, resume_step, resume_job, stop_why,"
                " outcome, " +
                seconds("began_at", "went_at", "ended_at") +
                " FROM cox.attempt WHERE job_id > {after} ORDER BY job_id, attempt",
    "grants": "SELECT job_id AS job, attempt, node, phase, cpus, memory_mb, gpus, gpu_milli, " +
              seconds("given_back_at") +
              " FROM cox.attempt_node WHERE job_id > {after} ORDER BY job_id, attempt, position",
    "ranks": "SELECT job_id AS job, attempt, rank, phase, exit_code, exit_signal, " +
             seconds("started_at", "ended_at") +
             " FROM cox.rank WHERE job_id > {after} ORDER BY job_id, attempt, rank",
    "checkpoints": "SELECT job_id AS job, attempt, step, damaged, pruned, " +
                   seconds("committed_at") + " FROM cox.checkpoint WHERE job_id > {after}"
                   " ORDER BY job_id, checkpoint.committed_at, step",
    "steps": "SELECT job_id AS job, attempt, number, state, " +
             seconds("created_at", "started_at", "ended_at") +
             " FROM cox.step WHERE job_id > {after} ORDER BY job_id, attempt, number",
    "waits": "SELECT job_id AS job, reason FROM cox.job_wait WHERE job_id > {after}",
    "nodes": "SELECT name, cpus, memory_mb, gpu_index FROM cox.node ORDER BY name",
    "losses": "SELECT first_lost_job, first_new_job, " + seconds("found_at") +
              " FROM cox.failover WHERE turns_lost IS DISTINCT FROM 0",
}


class History:
    """The records of a cluster: jobs by id, nodes by name, attempts by (job, attempt), the rest as
    lists in order."""

    def __init__(self, tables, lines, commands, accepted=()):
        self.accepted = set(accepted)
        self.jobs = {row.id: row for row in tables["jobs"]}
        self.nodes = {row.name: row for row in tables["nodes"]}
        self.attempts = {(row.job, row.attempt): row for row in tables["attempts"]}
        self.events, self.grants, self.ranks = tables["events"], tables["grants"], tables["ranks"]
        self.checkpoints, self.steps = tables["checkpoints"], tables["steps"]
        self.waits = tables["waits"]
        self.losses = tables["losses"]  # turns that a promoted replica lacked
        self.lines = lines                # lines of the ranks' trace files, in the order written
        self.squeue = commands["squeue"]  # rows: job state
        self.sacct = commands["sacct"]    # rows: job state ended_at restarts
        self.sinfo = commands["sinfo"]    # rows: names of nodes, number of their allocated CPUs

    @staticmethod
    def by_job(rows):
        found = defaultdict(list)
        for row in rows:
            found[row.job].append(row)
        return found

    def attempts_of(self):
        """Returns the attempts of each job in order, by job."""
        return self.by_job(self.attempts[key] for key in sorted(self.attempts))

    def by_attempt(self, rows):
        found = defaultdict(list)
        for row in rows:
            found[row.job, row.attempt].append(row)
        return found


def read_tables(cluster, after):
    """Reads all tables in one statement, so that all rows are of one moment."""
    parts = [f"'{name}', (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM"
             f" ({text.format(after=after)}) r)" for name, text in TABLES.items()]
    (row,) = cluster.sql(f"SELECT jsonb_build_object({', '.join(parts)})")
    return vars(json.loads(",".join(row), object_hook=lambda values: Row(**values)))


def boot_wall_s():
    """Returns the time of day at which the machine booted. The two clocks are read again if this
    process was interrupted between the readings."""
    while True:
        before = time.clock_gettime(time.CLOCK_BOOTTIME)
        wall = time.time()
        after = time.clock_gettime(time.CLOCK_BOOTTIME)
        if after - before < 0.001:
            return wall - after


def read_lines(folder, after):
    """Reads the lines that ranks of programs/counter.py wrote below the jobs' folder."""
    # Ranks write times of the boot clock, which nobody sets. They are converted to the time of day,
    # which PostgreSQL records.
    offset = boot_wall_s()
    lines = []
    for file in [*folder.glob("trace.*"), *folder.glob("*/trace.*")]:
        job = file.suffix[1:]
        if not job.isdigit() or int(job) <= after:
            continue
        for text in file.read_text().splitlines():
            attempt, rank, what, at, pid = text.split()
            lines.append(Row(job=int(job), attempt=int(attempt), rank=int(rank), what=what,
                             at=float(at) + offset, pid=int(pid)))
    return lines


def ask(cluster, name, *words):
    done = cluster.wait_for(lambda: (answer := cluster.slurm(name, *words)).returncode == 0
                            and answer, f"an answer to {name}")
    return json.loads(done.stdout)


def read_commands(cluster, after):
    queue = ask(cluster, "squeue", "--states=all", "--json")["jobs"]
    records = ask(cluster, "sacct", "-a", "-X", "-S", "now-30days", "--json")["jobs"]
    nodes = ask(cluster, "sinfo", "--json")["sinfo"]
    return {
        "squeue": [Row(job=each["job_id"], state=each["job_state"][0]) for each in queue
                   if each["job_id"] > after],
        "sacct": [Row(job=each["job_id"], state=each["state"]["current"][0],
                      ended_at=each["time"]["end"], restarts=each["restart_cnt"])
                  for each in records if each["job_id"] > after],
        "sinfo": [Row(nodes=each["nodes"]["nodes"], allocated=each["cpus"]["allocated"])
                  for each in nodes]}


CHOICE = re.compile(r".*(?:is to resume|next resumes) from step (\d+)")


def ends_of(states):
    """Returns the final states among a job's states, but those from which it was requeued."""
    return [each for each, after in zip(states, [*states[1:], None]) if each.state in FINAL_STATES
            and not (after and after.state == "PENDING" and after.why.startswith("requeued by"))]


def newest_committed(checkpoints, attempt, events):
    """Returns the step from which the attempt had to resume, or 0 if there was none. None: the
    newest checkpoint was damaged, and it is unknown which other ones have been removed since."""
    done = max((each.attempt for each in events if each.what == "state" and each.attempt and
                each.state == "COMPLETED" and each.attempt < attempt.attempt), default=0)
    # `cox release --begin-anew` sets the checkpoints of earlier attempts aside.
    anew = max((each.attempt for each in events if each.what == "release" and each.attempt and
                "begin anew" in each.why and each.attempt < attempt.attempt), default=0)
    done = max(done, anew)
    # When an attempt ends as COMPLETED, its checkpoints and those of earlier attempts are removed.
    before = [each for each in checkpoints if done < each.attempt < attempt.attempt
              and each.committed_at <= attempt.began_at]
    # `cox requeue --from`, and two failures in a row, set newer checkpoints aside.
    chosen = [(each.attempt, int(step[1])) for each in events
              if each.what == "checkpoint" and each.attempt and each.attempt < attempt.attempt
              and (step := CHOICE.match(each.why))]
    if chosen:
        until, step = chosen[-1]
        before = [each for each in before if each.attempt > until or each.step <= step]
    newest = max((each for each in before if not each.damaged), key=lambda each: each.step,
                 default=None)
    if newest is None:
        return 0
    return None if newest.pruned and any(each.damaged for each in before) else newest.step


def read(cluster, after=0):
    """Reads the history of the jobs with an id above `after`."""
    commands = read_commands(cluster, after)
    tables = read_tables(cluster, after)
    accepted = {job for job in cluster.accepted if job > after}
    return History(tables, read_lines(cluster.trace_folder(), after), commands, accepted)
