"""How much work each group of measurements does."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Sizes:
    """The defaults are the sizes of `./dev bench` without --quick and --small."""
    rounds: int = 3  # of each group that one cluster can measure several times
    repeats: int = 2  # rounds of a group that are measured again if its calibrator moved
    commits_s: float = 3  # duration of the calibrator that measures commits
    # submissions, scripts
    submits_one: int = 1_000  # jobs that one client submits
    submits_many: int = 10_000  # jobs that 32 clients submit
    bulk: int = 20_000
    scripts: int = 1_000
    # null, history, aged
    lifecycles: int = 10_000  # jobs whose rows the calibrator writes
    null_nodes: int = 10_000
    null_jobs: int = 20_000
    null_rounds: int = 3  # of the groups history and aged, whose figures are medians of them
    idle_s: int = 20
    finished: int = 1_000_000
    pending: int = 100_000
    transaction_s: int = 600
    # latencies
    round_trips: int = 2_000
    dispatches: int = 200
    gang_dispatches: int = 50
    preemptions: int = 50
    gang_preemptions: int = 20
    gangs: int = 20
    returns: int = 20
    state_mib: int = 64
    calls: int = 30  # of each command
    # listing
    listed: int = 100_000
    listings: int = 7
    # memory, restart
    jobs: int = 1_000_000
    # steps
    ranks: int = 64
    launches: int = 30
    many_ranks: int = 1_024
    many_launches: int = 5
    stream_mib: int = 2_048
    steps_at_once: int = 200
    # takeover, restart, rolling
    running: int = 1_000
    takeover_queued: int = 100_000
    rolling_queued: int = 10_000


# All groups together take about five minutes on 2 cores. Fewer dispatches would not be enough for
# their 99 %.
QUICK = Sizes(
    repeats=1, commits_s=1, scripts=500, lifecycles=5_000, null_nodes=5_000, null_jobs=6_000,
    idle_s=10, finished=100_000, pending=20_000, transaction_s=5, gang_dispatches=20,
    preemptions=20, gang_preemptions=10, gangs=10, returns=5, calls=15, listed=30_000, listings=5,
    jobs=100_000, launches=10, many_ranks=256, many_launches=3, stream_mib=512, steps_at_once=100,
    running=200, takeover_queued=20_000, rolling_queued=2_000)

# Each group takes seconds, also with sanitizers. Two numbers have a reason of their own: 1,000 jobs
# on fake nodes need more messages than FakeNodes puts into one frame, and a job that is preempted
# 6 times exceeds the default of preempt_budget.
SMALL = Sizes(
    rounds=2, repeats=0, commits_s=0.3, submits_one=50, submits_many=200, bulk=2_000, scripts=20,
    lifecycles=500, null_nodes=600, null_jobs=1_000, null_rounds=1, idle_s=2, finished=1_000,
    pending=1_000, transaction_s=1, round_trips=50, dispatches=5, gang_dispatches=3, preemptions=3,
    gang_preemptions=2, gangs=2, returns=6, state_mib=1, calls=2, listed=1_000, listings=2,
    jobs=2_000, ranks=8, launches=2, many_ranks=16, many_launches=1, stream_mib=8, steps_at_once=6,
    running=20, takeover_queued=1_000, rolling_queued=100)


def chosen_sizes(options):
    """The sizes that the command line asks for."""
    sizes = SMALL if options.small else QUICK if options.quick else Sizes()
    if options.jobs is not None:
        sizes = replace(sizes, jobs=options.jobs)
    if options.transaction_seconds is not None:
        sizes = replace(sizes, transaction_s=options.transaction_seconds)
    return sizes
