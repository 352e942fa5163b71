"""A group of `./dev bench` that fails: the others are measured, and its row says why it is not."""

import sys
from argparse import Namespace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import bench  # noqa: E402


@pytest.fixture
def options(monkeypatch, tmp_path):
    def measured(measures):
        measures.add("listing", 2, "s", 1, "1 s", 1, 1)

    def failing(measures):
        measures.load("null-jobs", "--jobs", 7)

    (tmp_path / "cox-bench").write_text("#!/bin/sh\necho nothing has moved for 60 s >&2; exit 1\n")
    (tmp_path / "cox-bench").chmod(0o755)
    monkeypatch.setattr(bench, "GROUPS", {"null": failing, "listing": measured})
    monkeypatch.setattr(bench, "close_on_signals", lambda: None)
    monkeypatch.setattr(bench, "chosen_sizes", lambda _: Namespace(null_nodes=1, null_jobs=1))
    return Namespace(programs=tmp_path, only=None, peer=False, json=None)


def test_a_group_that_fails_is_a_row_that_says_so(options, capsys):
    with pytest.raises(SystemExit, match="not finished: null"):
        bench.measure(options)
    rows = capsys.readouterr().out.splitlines()
    assert rows[1].startswith("listing")
    assert rows[2] == "null  is not finished: null-jobs: nothing has moved for 60 s"


def test_a_signal_ends_the_run(options, monkeypatch):
    def interrupted(_):
        raise SystemExit(128 + 15)

    monkeypatch.setattr(bench, "GROUPS", {"null": interrupted})
    with pytest.raises(SystemExit) as end:
        bench.measure(options)
    assert end.value.code == 143
