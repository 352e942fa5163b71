"""`./dev bench --traces` shows for each figure whether its target is met, and what is absent."""

import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import traces  # noqa: E402
from trace_table import (Row, Simulation, at_least, no_lower_than, number,  # noqa: E402
                         preemption_cells, times, within)

RUNS = (Simulation("a", "procs=1", ("--seed", "1")), Simulation("a", "procs=1", ("--seed", "2")))


def met(target, ours, published=100.0):
    row = Row("w", "s", "f", RUNS[:1], lambda result: result, published, "they", target)
    return row.met({RUNS[0]: ours})


def test_a_target_of_a_trace_is_met_up_to_its_limit():
    assert [met(times(0.9), ours) for ours in (90.0, 90.1)] == ["yes", "no"]
    assert [met(within(0.001), ours) for ours in (99.9, 100.1, 99.8, 100.2)] == [
        "yes", "yes", "no", "no"]
    assert [met(no_lower_than(-0.3), ours) for ours in (99.7, 105, 99.6)] == ["yes", "yes", "no"]
    assert [met(at_least(87), ours) for ours in (87.0, 86.9)] == ["yes", "no"]
    assert met(None, 1.0) == "no target"


def test_a_figure_of_a_trace_is_the_mean_over_its_runs():
    row = Row("w", "s", "f", RUNS, lambda result: result["x"], 4.0, "they", times(0.5))
    results = {RUNS[0]: {"x": 1.0}, RUNS[1]: {"x": 3.0}}
    assert row.ours(results) == 2.0
    assert row.met(results) == "yes"
    assert "0.500 x" in row.cells(results)


def test_a_row_whose_trace_is_missing_is_shown_as_absent():
    row = Row("w", "s", "f", RUNS, lambda result: result["x"], 4.0, "they", times(0.5))
    results = {RUNS[0]: {"x": 1.0}, RUNS[1]: None}
    assert row.met(results) == "absent"
    assert "absent" in row.cells(results)
    assert row.as_dict(results)["ours"] is None


def test_preemptions_are_shown_with_what_each_lost():
    row = Row("w", "s", "f", RUNS[:1], lambda result: 0.0, 1.0, "they")
    summary = {"preemptions": 2000, "useless_kills": 0, "lost_gpu_hours": 100.0}
    assert preemption_cells(row, {RUNS[0]: {"summary": summary}}) == (
        "w", "s", "2,000", "0", "100.0", "0.050")
    assert preemption_cells(row, {RUNS[0]: {"summary": dict(summary, preemptions=0)}}) is None
    assert preemption_cells(row, {RUNS[0]: {"jobs_placed": 1}}) is None
    assert preemption_cells(row, {RUNS[0]: None}) is None


def test_numbers_in_the_table_of_traces_are_rounded():
    assert [number(value) for value in (97155.99, 9.516326, 92.9)] == ["97,156", "9.52", "92.90"]


def test_every_published_figure_has_a_row_in_the_table_of_traces():
    rows = traces.log_rows() + traces.oracle_rows() + traces.muri_rows() + traces.openb_rows(2)
    beside = {(row.workload, row.setting, row.figure): round(row.published, 2) for row in rows}
    # The figure of gpuspec33 at 100 % has two rows, for two targets.
    assert len(beside) == len(rows) - 1
    assert beside["medium_late", "fcfs, easy", "mean wait, s"] == 9.52
    assert beside["muri cluster", "shortest_remaining", "mean completion, s"] == 249140.18
    assert beside["openb mean of all", "100 % asked for", "GPUs allocated, %"] == 93.92
    for row in rows:
        for simulation in row.simulations:
            absent = traces.find_trace(simulation.trace) is None
            assert not absent or row.workload in ("lublin_256", "hpc2n_first3145")


def test_a_trace_that_may_not_be_copied_is_found_by_the_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("COX_TRACES", raising=False)
    assert traces.find_trace("swf/lublin_256.swf.gz") is None
    (tmp_path / "swf").mkdir()
    log = tmp_path / "swf/lublin_256.swf.gz"
    log.touch()
    monkeypatch.setenv("COX_TRACES", str(tmp_path))
    assert traces.find_trace("swf/lublin_256.swf.gz") == log
    own = BENCH / "traces/swf/theta2023_walltime.swf.gz"
    assert traces.find_trace("swf/theta2023_walltime.swf.gz") == own
