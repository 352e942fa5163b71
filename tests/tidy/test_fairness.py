"""`./dev bench --fairness` shows for each target whether it is met; a seed gives one month."""

import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import fairness  # noqa: E402


def result(deviation, short, never=0):
    account = {"short_of_guarantee_s": short}
    return {"summary": {"jobs_never_started": never}, "setting": {"save_time_s": 300.0},
            "fairness": {"deviation_max": deviation, "accounts": [account]}}


def met(*words):
    return [met for _what, met in fairness.verdicts("month", result(*words))]


def test_a_target_of_fairness_is_met_up_to_its_limit():
    assert met(0.05, 300.0) == [True, True, True]
    assert met(0.051, 301.0, 1) == [False, False, False]
    assert met(None, None) == [True], "no account always waited, and nothing is guaranteed"


def test_a_seed_gives_the_same_month_of_jobs_each_time():
    leaf = fairness.LEAVES[0]
    jobs = fairness.jobs_of(leaf, 42)
    assert jobs == fairness.jobs_of(leaf, 42) != fairness.jobs_of(leaf, 43)
    asked = sum(job.run_s * job.gpus for job in jobs)
    whole = fairness.NODES * fairness.NODE_GPUS * fairness.MONTH_S
    assert 1 <= asked / (fairness.DEMAND * leaf.part * whole) < 1.01
    assert all(60 <= job.run_s <= job.limit_s for job in jobs)
