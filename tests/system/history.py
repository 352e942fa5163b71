"""The history checker: rules that must hold for every cluster after every test, whatever faults it
had. It reads the database, the output of Slurm's commands and the files that jobs wrote
(history_reader.py), but nothing that the programs have in memory.

Each rule is a function that yields (what breaks the rule, the rows that show it). The first line of
its docstring states the rule. The rules of AT_REST hold once all jobs have ended; the others
always.
"""

import re

from cluster import FINAL_STATES, ROOT
from history_reader import ends_of, newest_committed, read

# Seconds by which the times of ranks and of PostgreSQL may differ (history_reader.py).
CLOCKS_S = 0.25
TRANSITION = re.compile(r"^\s*\{(\w+), \w+, (\w+)\},$", re.MULTILINE)
ALWAYS, AT_REST = [], []
GPU_WHOLE = 1000
FOREVER = float("inf")


def always(rule):
    ALWAYS.append(rule)
    return rule


def at_rest(rule):
    AT_REST.append(rule)
    return rule


def judge(history, resting=True):
    """Returns a text for each violation: what breaks the rule, the rule, and the rows."""
    wrong = []
    for rule in ALWAYS + (AT_REST if resting else []):
        for who, rows in rule(history):
            shown = "".join(f"\n    {row_text(row)}" for row in rows)
            wrong.append(f"{who} breaks the rule '{rule.__doc__.splitlines()[0]}'"
                         f" ({rule.__name__}){shown}")
    return wrong


def row_text(row):
    if isinstance(row, str):
        return row
    return " ".join(f"{name}={value}" for name, value in vars(row).items() if value is not None)


def check(cluster, resting=True, after=0):
    """Fails with all violations of the jobs with an id above `after`."""
    wrong = judge(read(cluster, after), resting)
    assert not wrong, "the history breaks rules:\n" + "\n".join(wrong)


# ---- accepted jobs ------------------------------------------------------------------------------


@always
def accepted_jobs_are_kept(h):
    """every job whose id a client received is in the tables, or a failover reported it as lost"""
    lost = {job for loss in h.losses for job in h.accepted
            if loss.first_lost_job <= job < loss.first_new_job}
    for job in sorted(h.accepted - lost - set(h.jobs)):
        yield f"job {job}", [f"the recorded jobs: {sorted(h.jobs)}"]


def tasks_of(text):
    """Returns the task numbers of an array: "0-6:2,9%3" gives 0 2 4 6 9."""
    found = []
    for part in text.partition("%")[0].split(","):
        first, last, step = re.fullmatch(r"(\d+)(?:-(\d+))?(?::(\d+))?", part).groups()
        found += range(int(first), int(last or first) + 1, int(step or 1))
    return found


@always
def each_array_task_has_one_row(h):
    """the rows of an array stand for each of its tasks exactly once"""
    rows = {}
    for job in h.jobs.values():
        if job.array_job:
            rows.setdefault(job.array_job, []).append(job)
    for array, its in rows.items():
        asked = h.jobs[array].array_asked if array in h.jobs else ""
        there = [task for row in its for task in
                 (tasks_of(row.array_tasks) if row.array_tasks else [row.array_task])]
        if sorted(there) != sorted(set(tasks_of(asked) if asked else [])):
            yield f"array {array}", [f"asked for tasks {asked}, has {sorted(there)}", *its]


@at_rest
def every_job_has_ended(h):
    """every job is in a final state"""
    for job in h.jobs.values():
        if job.state not in FINAL_STATES:
            yield f"job {job.id}", [job]


@always
def jobs_end_once(h):
    """a job has one final state: its last event, and the state of its row

    A final state from which a user requeued the job does not count."""
    states = h.by_job(event for event in h.events if event.what == "state")
    for job in h.jobs.values():
        ends = ends_of(states[job.id])
        is_final = job.state in FINAL_STATES
        wrong = len(ends) != is_final or (job.ended_at is not None) != is_final
        if not wrong and is_final:
            end, = ends
            wrong = end is not states[job.id][-1] or end.state != job.state \
                or job.ended_at > end.at  # the event may be later than the end
        if wrong:
            yield f"job {job.id}", [job, *ends, *states[job.id][-1:]]


@always
def completed_means_zero(h):
    """all ranks of a COMPLETED job's last attempt have exited with 0"""
    ranks = h.by_attempt(h.ranks)
    for job in h.jobs.values():
        if job.state != "COMPLETED":
            continue
        wrong = [rank for rank in ranks[job.id, job.attempt] if
                 (rank.phase, rank.exit_code, rank.exit_signal) != ("exited", 0, 0)]
        if wrong or job.attempt == 0:
            yield f"job {job.id}", [job, *wrong]


# ---- states and times ---------------------------------------------------------------------------


def slurm_name(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()


def legal_changes():
    """Returns the pairs of states that common/job/job_state.h allows."""
    text = (ROOT / "common/job/job_state.h").read_text()
    pairs = {(slurm_name(a), slurm_name(b)) for a, b in TRANSITION.findall(text)}
    assert ("PENDING", "CONFIGURING") in pairs and ("COMPLETING", "NODE_FAIL") in pairs
    return pairs


LEGAL = legal_changes()


@always
def state_changes_are_legal(h):
    """a job begins PENDING and changes its state only as common/job/job_state.h allows"""
    events = h.by_job(h.events)
    for job in h.jobs.values():
        before, last = None, None
        for event in events[job.id]:
            first = before is None and event.what == "state" and event.state == "PENDING"
            stays = before == event.state and event.what != "state"
            moves = event.what == "state" and (before, event.state) in LEGAL
            if not (first or stays or moves):
                yield f"job {job.id}", [row for row in (last, event) if row]
            before, last = event.state, event
        if before != job.state:
            yield f"job {job.id}", [job, *([last] if last else [])]


@always
def attempts_are_counted_up(h):
    """the attempts of a job are 1, 2, 3 ..., and each begins with one change to CONFIGURING"""
    attempts, events = h.attempts_of(), h.by_job(h.events)
    for job in h.jobs.values():
        numbers = [attempt.attempt for attempt in attempts[job.id]]
        begun = [event.attempt for event in events[job.id]
                 if (event.what, event.state) == ("state", "CONFIGURING")]
        # If a promoted replica lacks attempts, their numbers are left out, and none is used twice.
        wanted = (sorted({*numbers, *([job.attempt] if job.attempt else [])}) if h.losses
                  else list(range(1, job.attempt + 1)))
        if numbers != wanted or begun != wanted:
            yield f"job {job.id}", [job, f"attempts {numbers}, begun {begun}"]
        recorded = [event.attempt for event in events[job.id]]
        if recorded != sorted(recorded):
            yield f"job {job.id}", [job, f"events of attempts {recorded}"]


@always
def nothing_ends_before_it_starts(h):
    """the times of a job, an attempt, a rank and a step increase, and so do those of a job's
    events"""
    def grow(*times):
        known = [at for at in times if at is not None]
        return known == sorted(known)

    for job in h.jobs.values():
        if not grow(job.submitted_at, job.started_at, job.ended_at):
            yield f"job {job.id}", [job]
    for attempt in h.attempts.values():
        if not grow(attempt.began_at, attempt.went_at, attempt.ended_at):
            yield f"job {attempt.job}", [attempt]
    for rank in h.ranks:
        if not grow(rank.started_at, rank.ended_at):
            yield f"job {rank.job}", [rank]
    for step in h.steps:
        if not grow(step.created_at, step.started_at, step.ended_at):
            yield f"job {step.job}", [step]
    for job, events in h.by_job(h.events).items():
        if not grow(*(event.at for event in events)):
            yield f"job {job}", events


# ---- attempts -----------------------------------------------------------------------------------


@always
def one_attempt_at_a_time(h):
    """no attempt of a job begins before the previous one has ended"""
    for job, attempts in h.attempts_of().items():
        for before, after in zip(attempts, attempts[1:]):
            if before.ended_at is None or before.ended_at > after.began_at:
                yield f"job {job}", [before, after]


@always
def live_jobs_have_one_attempt(h):
    """a live job has one attempt that has not ended; any other job has none"""
    attempts = h.attempts_of()
    for job in h.jobs.values():
        live = [attempt for attempt in attempts[job.id] if attempt.ended_at is None]
        if len(live) != (job.state not in ("PENDING", *FINAL_STATES)):
            yield f"job {job.id}", [job, *live]


@always
def ranks_of_attempts_do_not_overlap(h):
    """by the traces of the ranks, a job's attempts ran one after the other"""
    for job, lines in h.by_job(h.lines).items():
        if job in h.jobs and h.jobs[job].no_fence:
            continue
        spans = {}
        for line in lines:
            first, last = spans.get(line.attempt, (line, line))
            spans[line.attempt] = (min(first, line, key=lambda each: each.at),
                                   max(last, line, key=lambda each: each.at))
        ordered = [spans[attempt] for attempt in sorted(spans)]
        for (_, last), (first, _) in zip(ordered, ordered[1:]):
            if last.at >= first.at:
                yield f"job {job}", [last, first]


@always
def ranks_run_within_their_attempt(h):
    """ranks write traces only during a recorded attempt, and those of a gang only after its Go"""
    nodes = h.by_attempt(h.grants)
    for key, lines in h.by_attempt(h.lines).items():
        attempt = h.attempts.get(key)
        if attempt is None and any(lines[0].at < loss.found_at for loss in h.losses):
            continue
        if attempt is None:
            yield f"job {key[0]}", [f"there is no attempt {key[1]}", lines[0]]
            continue
        is_gang = len(nodes[key]) > 1
        go = attempt.went_at if is_gang else attempt.began_at
        may_overlap = key[0] in h.jobs and h.jobs[key[0]].no_fence
        end = attempt.ended_at if attempt.ended_at and not may_overlap else FOREVER
        wrong = [line for line in lines
                 if go is None or not go - CLOCKS_S <= line.at <= end + CLOCKS_S]
        if wrong:
            yield f"job {key[0]}", [attempt, *wrong[:3]]


@always
def a_rank_is_one_process(h):
    """each rank of an attempt is started once"""
    for (job, _), lines in h.by_attempt(h.lines).items():
        ranks = {}
        for line in lines:
            ranks.setdefault(line.rank, []).append(line)
        for its in ranks.values():
            begun = [line for line in its if line.what == "begin"]
            if len(begun) != 1 or its[0].what != "begin" or len({line.pid for line in its}) != 1:
                yield f"job {job}", [*begun, its[0], its[-1]]


# ---- checkpoints --------------------------------------------------------------------------------


@always
def attempts_resume_from_the_newest(h):
    """an attempt resumes from the newest committed checkpoint, or from one found damaged later

    It resumes from a checkpoint of another job only if its own job has none."""
    events = h.by_job(h.events)
    checkpoints = h.by_job(h.checkpoints)
    for attempt in h.attempts.values():
        its = checkpoints[attempt.job]
        newest = newest_committed(its, attempt, events[attempt.job])
        if attempt.resume_job is not None:
            if newest != 0:
                yield f"job {attempt.job}", [attempt, *its]
            continue
        source = [each for each in its if (each.attempt, each.step) ==
                  (attempt.resume_attempt, attempt.resume_step)]
        step = attempt.resume_step or 0
        known = attempt.resume_step is None or source
        if not known or newest is not None and (
                step < newest or step > newest and not source[0].damaged):
            yield f"job {attempt.job}", [attempt, *its]


@always
def no_committed_step_is_repeated(h):
    """no rank repeats a training step of a checkpoint committed before its attempt, or skips one"""
    events = h.by_job(h.events)
    checkpoints = h.by_job(h.checkpoints)
    for key, lines in h.by_attempt(h.lines).items():
        attempt = h.attempts.get(key)
        if attempt is None:
            continue
        committed = newest_committed(checkpoints[key[0]], attempt, events[key[0]]) or 0
        done = {}
        for line in lines:
            if line.what.isdigit():
                done.setdefault(line.rank, []).append(line)
        for its in done.values():
            repeated = [line for line in its if int(line.what) <= committed]
            start = max(committed, attempt.resume_step or 0)
            steps = [int(line.what) for line in its]
            if repeated or steps != list(range(start + 1, start + 1 + len(steps))):
                yield f"job {key[0]}", [attempt, *checkpoints[key[0]],
                                        *(repeated or [f"steps {steps}"])]


@always
def checkpoints_are_of_live_attempts(h):
    """a checkpoint is committed before the end of its attempt is recorded, and steps increase"""
    over = {}
    for event in h.events:
        if event.what == "state" and event.state in ("PENDING", *FINAL_STATES):
            over.setdefault((event.job, event.attempt), event.at)
    for job, its in h.by_job(h.checkpoints).items():
        newest = 0
        for each in its:
            attempt = h.attempts.get((job, each.attempt))
            end = over.get((job, each.attempt), FOREVER)
            if attempt is None or not attempt.began_at <= each.committed_at <= end \
                    or each.step <= newest:
                yield f"job {job}", [attempt or f"there is no attempt {each.attempt}", *its]
            newest = newest if each.damaged else each.step


@always
def completed_ranks_reached_their_end(h):
    """every rank of a COMPLETED job reached its end once, in the last attempt"""
    ranks, lines = h.by_attempt(h.ranks), h.by_attempt(h.lines)
    counted = {line.job for line in h.lines}
    for job in h.jobs.values():
        if job.state != "COMPLETED" or job.id not in counted:
            continue
        ends = [line for line in lines[job.id, job.attempt] if line.what == "end"]
        if sorted(line.rank for line in ends) != [rank.rank for rank in
                                                  ranks[job.id, job.attempt]]:
            yield f"job {job.id}", [job, *ends]
    for job, its in h.by_job(h.lines).items():
        for before, after in zip(its, its[1:]):
            if before.rank == after.rank and before.what == "end" \
                    and before.attempt == after.attempt:
                yield f"job {job}", [before, after]


# ---- resources ----------------------------------------------------------------------------------


def suspended_spans(h):
    """Returns, by job, the spans of time in which a suspended job uses no CPUs: from the order to
    suspend until the job resumes or its attempt is over. A job that must save meanwhile runs beside
    other jobs, and this does not count."""
    spans, since = {}, {}
    for event in h.events:
        if event.what == "state" and event.state == "SUSPENDED":
            since[event.job] = event.at
        elif event.job in since and event.state in ("RUNNING", "PENDING", *FINAL_STATES):
            spans.setdefault(event.job, []).append((since.pop(event.job), event.at))
    for job, at in since.items():
        spans.setdefault(job, []).append((at, FOREVER))
    return spans


def without(span, holes):
    """Returns what is left of a span of time outside of the holes."""
    begin, end = span
    left = []
    for hole_begin, hole_end in holes:
        if hole_end <= begin or hole_begin >= end:
            continue
        left.append((begin, hole_begin))
        begin = hole_end
    return [(a, b) for a, b in [*left, (begin, end)] if a < b]


def most_at_once(uses):
    """Returns the highest sum of `uses` (span, amount, row) at any moment, and the rows of that
    sum."""
    # At one moment, a use that ends is subtracted before one that begins is added, because both
    # belong to one turn of the controller.
    moments = sorted(((at, order, index) for index, (span, _, _) in enumerate(uses)
                      for order, at in ((1, span[0]), (0, span[1]))))
    most, rows, now, live = 0, [], 0, set()
    for _, begins, index in moments:
        now += uses[index][1] if begins else -uses[index][1]
        (live.add if begins else live.discard)(index)
        if now > most:
            most, rows = now, [uses[each][2] for each in live]
    return most, rows


def uses_of_nodes(h):
    """Returns {(node, resource): (its capacity, its uses)}."""
    suspended, found = suspended_spans(h), {}

    def use(node, what, there_is, spans, amount, row):
        uses = found.setdefault((node, what), (there_is, []))[1]
        uses += [(span, amount, row) for span in spans if amount]

    for grant in h.grants:
        attempt, node = h.attempts.get((grant.job, grant.attempt)), h.nodes.get(grant.node)
        if attempt is None or node is None:
            continue
        span = (attempt.began_at, min(attempt.ended_at or FOREVER, grant.given_back_at or FOREVER))
        moving = without(span, suspended.get(grant.job, []))
        use(grant.node, "CPUs", node.cpus, moving, grant.cpus, grant)
        use(grant.node, "MiB of memory", node.memory_mb, [span], grant.memory_mb, grant)
        for gpu in grant.gpus:
            there_is = GPU_WHOLE if gpu in node.gpu_index else 0
            use(grant.node, f"thousandths of GPU {gpu}", there_is, [span], grant.gpu_milli, grant)
    return found


@always
def no_node_is_overcommitted(h):
    """the jobs on a node never have more CPUs, memory or share of a GPU than it has"""
    for (node, what), (there_is, uses) in uses_of_nodes(h).items():
        most, rows = most_at_once(uses)
        if most > there_is:
            jobs = ", ".join(str(job) for job in sorted({row.job for row in rows}))
            yield f"jobs {jobs}", [f"node {node} has {there_is} {what}, granted {most}", *rows]


@always
def grants_are_of_recorded_nodes(h):
    """every grant belongs to a recorded attempt and a recorded node"""
    for grant in h.grants:
        if (grant.job, grant.attempt) not in h.attempts or grant.node not in h.nodes:
            yield f"job {grant.job}", [grant]


@at_rest
def nothing_is_left(h):
    """no attempt, grant of a node, step or wait is left"""
    for rows in ([row for row in h.attempts.values() if row.ended_at is None],
                 [row for row in h.grants if row.phase != "gone"],
                 [row for row in h.steps if row.ended_at is None], h.waits):
        for row in rows:
            yield f"job {row.job}", [row]
    for row in h.sinfo:
        if row.allocated:
            yield "sinfo", [row]


# ---- output of commands -------------------------------------------------------------------------


@at_rest
def sacct_agrees(h):
    """sacct shows each component of a job once, with its state, end and restarts of the tables"""
    shown = h.by_job(h.sacct)
    for job in h.jobs.values():
        ended = None if job.ended_at is None else int(job.ended_at)
        wanted = [(job.state, ended, job.restarts)] * job.components
        if [(row.state, row.ended_at, row.restarts) for row in shown[job.id]] != wanted:
            yield f"job {job.id}", [job, *(shown[job.id] or ["sacct does not show it"])]
    for job in set(shown) - set(h.jobs):
        yield f"job {job}", ["sacct shows it, but no table has it", *shown[job]]


@at_rest
def squeue_agrees(h):
    """squeue shows every live job, and each job with its state of the tables"""
    shown = h.by_job(h.squeue)
    for job, rows in shown.items():
        there = h.jobs[job].state if job in h.jobs else None
        if any(row.state != there for row in rows):
            yield f"job {job}", [h.jobs.get(job, "no table has it"), *rows]
    for job in h.jobs.values():
        if job.state not in FINAL_STATES and job.id not in shown:
            yield f"job {job.id}", [job, "squeue does not show it"]
