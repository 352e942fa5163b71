"""Records of `./dev bench`: what is appended to history.csv and read from it, which record a run is
compared with, and when a figure is worse. No test measures anything."""

import subprocess
import sys
from argparse import Namespace
from dataclasses import astuple, fields, replace
from pathlib import Path
from unittest.mock import MagicMock

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import history_table  # noqa: E402
import records  # noqa: E402
import sizes  # noqa: E402
from history_table import Record, newest_rows, read_history, verdict  # noqa: E402
from table import Figure, print_table  # noqa: E402

HEADING = "commit,date,machine,size,row,ratio,low,high\n"
LINE = 'abc,2026-11-28T12:00:00Z,A (2 cores),quick,"submit, 1 client",0.5,0.4,0.6\n'
OURS = Record("abc", "2026-11-28T12:00:00Z", "A, 2 cores", "quick", "submit, 1 client", 0.5, 0.45,
              0.55)


def figure(*ratios, name="submit, 1 client", lower=False):
    return Figure(name, "", "jobs/s", "1", 1, 1, lower, [(2 * ratio, 2) for ratio in ratios])


# ---- rounds ----------------------------------------------------------------------------------


def test_a_figure_is_the_median_of_its_rounds_and_has_their_extremes():
    one = Figure("a", "", "ms", "b", 1, 1, True, [(4, 2), (9, 3), (2, 2)])
    assert (one.ratio, one.low, one.high) == (2, 1, 3)
    assert (one.value, one.reference) == (4, 2)


def test_the_table_shows_amount_and_spread(capsys):
    print_table([replace(figure(0.5, 0.25, 1), amount="7 jobs")])
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith("submit, 1 client  7 jobs") and "0.50   0.25 to 1.00" in line


@pytest.fixture
def bench(monkeypatch):
    """The module bench.py. A stand-in replaces bench/cluster.py, because the system tests have a
    module of the same name."""
    monkeypatch.setitem(sys.modules, "cluster", MagicMock())
    import bench as module
    monkeypatch.setattr(module, "close_on_signals", lambda: None)
    return module


def options(**given):
    return Namespace(**{"small": False, "quick": False, "jobs": None, "transaction_seconds": None,
                        "programs": Path(), "peer": False, "only": None, "json": None} | given)


def rounds_of(bench, calibrations, **given):
    """Returns the rounds that yield, as (number of the measurement, mean of the calibrator)."""
    numbers, results = iter(range(100)), iter(calibrations)
    one = bench.Bench(Path(), Path(), options(**given))
    rounds = one.steady(lambda: {"c": next(results)}, lambda: next(numbers))
    return [(number, mean["c"]) for number, mean in rounds]


def test_each_round_lies_between_two_runs_of_the_calibrator(bench):
    assert rounds_of(bench, [10, 11, 12, 13]) == [(0, 10.5), (1, 11.5), (2, 12.5)]


def test_a_round_is_repeated_if_the_calibrator_moved_but_only_once_when_quick(bench):
    assert rounds_of(bench, [10, 20, 20, 10, 10, 10]) == [(1, 20), (3, 10), (4, 10)]
    assert rounds_of(bench, [10, 20, 20, 10, 10], quick=True) == [(1, 20), (2, 15), (3, 10)]


def test_no_group_does_more_when_quick():
    quick, full = sizes.chosen_sizes(options(quick=True)), sizes.chosen_sizes(options())
    more = [field.name for field in fields(quick)
            if getattr(quick, field.name) > getattr(full, field.name)]
    assert not more and quick.finished < full.finished


# ---- history.csv -----------------------------------------------------------------------------


@pytest.fixture
def history(tmp_path, monkeypatch):
    """A history.csv without records, in a committed tree that is used instead of this one."""
    (tmp_path / "bench").mkdir()
    file = tmp_path / "bench/history.csv"
    file.write_text(HEADING)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "First"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    monkeypatch.setattr(records, "ROOT", tmp_path)
    monkeypatch.setattr(records, "this_machine", lambda: OURS.machine)
    return file


def test_the_history_of_this_tree_can_be_read():
    read_history(BENCH / "history.csv")


def test_what_is_appended_is_read_again_the_oldest_first(history):
    older = replace(OURS, date="2026-11-27T12:00:00Z", row="64 ranks", ratio=1 / 3, low=1 / 3,
                    high=1 / 3)
    history_table.append_history(history, [OURS])
    history_table.append_history(history, [older])
    assert read_history(history) == [replace(older, ratio=0.3333, low=0.3333, high=0.3333), OURS]


@pytest.mark.parametrize("text, message", [
    ("", "line 1: the heading"),
    (LINE, "line 1: the heading"),
    (HEADING + LINE + "\n", "line 3: the line has 0 cells instead of 8"),
    (HEADING + LINE.replace("abc,", ""), "line 2: the line has 7 cells"),
    (HEADING + LINE + LINE.replace("0.5", "fast"), "line 3: .*'fast'"),
    (HEADING + LINE.replace("0.5", "0.7"), "line 2: the numbers"),
    (HEADING + LINE.replace("0.5", "nan"), "line 2: the numbers"),
    (HEADING + LINE.replace("0.4", "0"), "line 2: the numbers"),
    (HEADING + LINE.replace("quick", "small"), "line 2: 'small' is not a size"),
    (HEADING + LINE.replace("T12:00:00Z", ""), "line 2: '2026-11-28' is not a date"),
    (HEADING + LINE.replace("abc", ""), "line 2: a cell is empty"),
    (HEADING + LINE + LINE.replace('client"', 'client"x'), "line 3: "),
])
def test_a_malformed_line_is_reported_with_its_number(tmp_path, text, message):
    file = tmp_path / "history.csv"
    file.write_text(text)
    with pytest.raises(SystemExit, match=f"history.csv, {message}"):
        read_history(file)


def test_a_machine_is_named_by_its_model_and_its_cores():
    core = "processor\t: 0\nmodel name\t: Xeon(R)  Gold \nflags\t\t: fpu\n\n"
    assert history_table.machine_from(core * 2) == "Xeon(R)  Gold, 2 cores"
    assert history_table.machine_from("processor : 0\nBogoMIPS : 50\n") == "unknown CPU, 1 cores"


# ---- which record ----------------------------------------------------------------------------


def test_the_newest_record_of_each_row_of_this_machine_counts():
    other_row = replace(OURS, commit="old", row="64 ranks")
    newer = replace(OURS, commit="new")
    foreign = replace(OURS, machine="B, 4 cores", commit="foreign")
    known = [other_row, OURS, newer, foreign]
    assert newest_rows(known, OURS.machine) == {"64 ranks": other_row, OURS.row: newer}
    assert newest_rows(known, "C, 1 cores") == {}


def test_the_newest_record_determines_the_size_unless_a_size_is_wanted():
    full = replace(OURS, size="full", row="64 ranks")
    assert newest_rows([full, OURS], OURS.machine) == {OURS.row: OURS}
    assert newest_rows([OURS, full], OURS.machine) == {"64 ranks": full}
    assert newest_rows([OURS, full], OURS.machine, "quick") == {OURS.row: OURS}
    assert newest_rows([full], OURS.machine, "quick") == {}


# ---- verdicts --------------------------------------------------------------------------------


@pytest.mark.parametrize("ratios, more_is_better", [
    ([0.5], "same"),
    ([0.44], "same"),  # 12 % less than 0.5, but the record's rounds differ by 20 %
    ([0.38, 0.39, 0.46], "same"),  # its best round is as good as the record's worst
    ([0.38, 0.39, 0.40], "WORSE"),
    ([0.60, 0.61, 0.62], "better"),
    ([0.30, 0.35, 0.44], "same"),  # 30 % less, but its own rounds differ by 40 %
])
def test_a_figure_is_worse_if_ranges_do_not_overlap_and_medians_differ_by_more_than_the_noise(
        ratios, more_is_better):
    less_is_better = {"same": "same", "WORSE": "better", "better": "WORSE"}[more_is_better]
    assert verdict(OURS, figure(*ratios)) == more_is_better
    assert verdict(OURS, figure(*ratios, lower=True)) == less_is_better


def test_the_noise_of_one_round_is_ten_percent():
    one_round = replace(OURS, low=0.5, high=0.5)
    assert verdict(one_round, figure(0.451)) == "same"
    assert verdict(one_round, figure(0.449)) == "WORSE"


# ---- --compare and --record ------------------------------------------------------------------


def groups_of(monkeypatch, bench, *ratios_of_calls):
    """Replaces all groups by one, and returns the list of its calls. Each call measures a round."""
    calls = []

    def group(one):
        one.add(OURS.row, ratios_of_calls[len(calls)], "jobs/s", 1, "1", 1, 1)
        calls.append(one.sizes)

    monkeypatch.setattr(bench, "GROUPS", {"group": group})
    return calls


def compare(bench, **given):
    return records.bench_compare(options(**given), bench.measure)


def test_a_group_that_seems_worse_is_measured_once_more(bench, history, monkeypatch, capsys):
    history_table.append_history(history, [OURS])
    calls = groups_of(monkeypatch, bench, 0.3, 0.5)
    assert compare(bench) == 0 and len(calls) == 2
    assert "same" in capsys.readouterr().out.splitlines()[-1]

    calls = groups_of(monkeypatch, bench, 0.3, 0.31)
    assert compare(bench) == 1 and len(calls) == 2
    words = capsys.readouterr().out.splitlines()[-1].split()
    assert words == ["submit,", "1", "client", "0.5", "abc", "0.305", "-39.0%", "20.0%", "WORSE"]

    calls = groups_of(monkeypatch, bench, 0.5)
    assert compare(bench) == 0 and len(calls) == 1


def test_a_run_has_the_size_of_the_record(bench, history, monkeypatch):
    history_table.append_history(history, [OURS])
    calls = groups_of(monkeypatch, bench, 0.5, 0.5)
    compare(bench)
    history_table.append_history(history, [replace(OURS, size="full")])
    compare(bench)
    assert calls == [sizes.QUICK, sizes.Sizes()]


def test_a_row_without_a_record_or_a_figure_is_shown_and_is_not_worse(
        bench, history, monkeypatch, capsys):
    history_table.append_history(history, [replace(OURS, row="64 ranks")])
    groups_of(monkeypatch, bench, 0.01, 0.01)
    assert compare(bench) == 0
    without_record, without_figure = capsys.readouterr().out.splitlines()[-2:]
    assert without_record.endswith("no record")
    assert without_figure.split() == ["64", "ranks", "0.5", "abc", "not", "measured"]

    compare(bench, only=["group"])  # other groups are left out on purpose
    assert "64 ranks" not in capsys.readouterr().out


def test_without_a_record_of_this_machine_others_are_named(bench, history, monkeypatch, capsys):
    calls = groups_of(monkeypatch, bench)
    assert compare(bench) == 2
    assert "no records at all" in capsys.readouterr().err
    history_table.append_history(history, [replace(OURS, machine="B, 4 cores", size="full")])
    assert compare(bench, quick=True) == 2 and not calls
    shown = capsys.readouterr().err
    assert "no quick record of this machine (A, 2 cores)" in shown
    assert "  B, 4 cores (full)\n" in shown and "./dev bench --quick --record" in shown


def test_a_run_is_recorded_with_its_commit_and_spread(bench, history, monkeypatch):
    calls = groups_of(monkeypatch, bench, 0.5, 0.6)
    records.bench_record(options(only=["group", "group"], quick=True), bench.measure)
    records.bench_record(options(), lambda _: [figure(0.5)])  # the new record is no change
    quick, full = read_history(history)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=history.parent, check=True,
                            capture_output=True, text=True).stdout
    assert commit.startswith(quick.commit) and len(quick.commit) == 10
    assert astuple(quick)[2:] == (OURS.machine, "quick", OURS.row, 0.55, 0.5, 0.6)
    assert full.size == "full" and len(calls) == 2


def test_a_tree_with_changes_is_not_recorded(history):
    (history.parent / "new.py").write_text("")
    with pytest.raises(SystemExit, match=r"(?s)uncommitted changes.*bench/new\.py"):
        records.bench_record(options(), lambda _: pytest.fail("it was measured"))
    assert history.read_text() == HEADING


def test_a_malformed_history_ends_the_program_before_it_measures(history):
    history.write_text(HEADING + "x\n")
    for run in (records.bench_record, records.bench_compare):
        with pytest.raises(SystemExit, match="line 2"):
            run(options(), lambda *_: pytest.fail("it was measured"))


@pytest.mark.parametrize("words", [["--jobs", "5"], ["--small"], ["--transaction-seconds", "5"],
                                   ["--traces"], ["--fairness"]])
def test_a_run_of_other_sizes_is_neither_recorded_nor_compared(bench, monkeypatch, words):
    for asked in ("--record", "--compare"):
        monkeypatch.setattr(sys, "argv", ["bench.py", "--programs", ".", asked, *words])
        with pytest.raises(SystemExit, match="2"):
            bench.main()
