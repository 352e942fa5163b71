"""`./dev test`: what counts as passed, failed and unstable (dev.d/run_tests.py)."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev.d"))

import run_tests  # noqa: E402
import suites  # noqa: E402

CASE = '<testcase classname="{group}" name="{name}" time="1">{inner}</testcase>'


def report(folder, suite, code, **outcomes):
    """Writes what a suite reports: its exit code, and the outcome of each test; no file if there is
    no outcome, like a program that crashed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{suite}.exit").write_text(str(code))
    inner = {"failed": "<failure/>", "skipped": "<skipped/>", "passed": ""}
    cases = [CASE.format(group="Group", name=name, inner=inner[outcome])
             for name, outcome in outcomes.items()]
    if cases:
        (folder / f"{suite}.xml").write_text(f"<testsuites>{''.join(cases)}</testsuites>")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """run(first, again) plays a run of the suite "store": `first` and `again` are the exit code and
    the outcomes of its tries. Returns the exit code of ./dev test and the lines that it prints."""
    def play(first, again=None):
        tries = [first, again]
        names = []

        def run_suite(folder, suite, tests=(), limit_s=None, log=None):
            code, outcomes = tries.pop(0)
            names.append(list(tests))
            report(folder, suite, code, **outcomes)
            return code == 0
        monkeypatch.setattr(run_tests, "run_suite", run_suite)
        passed = run_tests.main(tmp_path, 60, ["store"])
        return passed, capsys.readouterr().out.splitlines(), names
    return play


def test_a_run_without_failures_passes(run):
    passed, lines, _ = run((0, {"A": "passed", "B": "skipped"}))
    assert passed and lines[-1] == "1 passed, 0 failed"


def test_a_test_that_passes_in_its_second_try_is_unstable(run):
    passed, lines, names = run((1, {"A": "failed", "B": "passed"}), (0, {"A": "passed"}))
    assert passed and names[1] == ["Group.A"], "only the failed test runs again"
    assert lines[-2:] == ["unstable: 1 (Group.A)", "2 passed, 0 failed"]


def test_a_test_that_fails_twice_fails_the_run(run):
    passed, lines, _ = run((1, {"A": "failed", "B": "passed"}), (1, {"A": "failed"}))
    assert not passed and lines[-1] == "1 passed, 1 failed" and "failed: Group.A" in lines


def test_more_than_three_unstable_tests_fail_the_run(run):
    passed, lines, _ = run((1, {name: "failed" for name in "ABCD"}),
                           (0, {name: "passed" for name in "ABCD"}))
    assert not passed and lines[-1] == "4 passed, 4 failed"
    assert "unstable: 4 (Group.A, Group.B, Group.C, Group.D)" in lines


def test_very_many_failures_fail_the_run_without_a_second_try(run):
    passed, lines, names = run((1, {f"T{number}": "failed" for number in range(21)}))
    assert not passed and len(names) == 1 and lines[-1] == "0 passed, 21 failed"


def test_a_program_that_crashed_runs_again_as_a_whole(run):
    passed, lines, names = run((-11, {}), (0, {"A": "passed"}))
    assert passed and names[1] == [] and "unstable: 1 (store)" in lines
    passed, lines, _ = run((-11, {}), (-11, {}))
    assert not passed and lines[-1].endswith(", 1 failed")


def test_a_suite_that_fails_without_a_failed_test_is_not_passed(run):
    leak = (23, {"A": "passed"})
    passed, lines, _ = run(leak, leak)
    assert not passed and "failed: store" in lines


def test_a_test_that_passes_in_a_second_try_that_crashes_has_failed(run):
    passed, _, _ = run((1, {"A": "failed"}), (23, {"A": "passed"}))
    assert not passed


def test_a_test_that_is_skipped_or_missing_in_its_second_try_has_failed(run):
    passed, _, _ = run((1, {"A": "failed"}), (0, {"A": "skipped"}))
    assert not passed
    passed, _, _ = run((1, {"A": "failed"}), (0, {"B": "passed"}))
    assert not passed


def test_programs_run_beside_each_other(tmp_path, monkeypatch):
    for name, code in (("test_common", 0), ("test_store", 1)):
        (tmp_path / name).write_text(f"#!/bin/sh\nexit {code}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("COX_BIN", str(tmp_path))
    run_tests.run_programs(tmp_path / "first", ["common", "store"], run_tests.Clock(0))
    codes = [suites.exit_of(tmp_path / "first", suite) for suite in ("common", "store")]
    assert codes == ["0", "1"]


@pytest.mark.parametrize("parts, targets", [
    ("common store", "test_common test_store"), ("common python system", "all"),
    ("tidy common", "all"), ("python", "")])
def test_the_system_tests_make_all_programs_a_target(parts, targets):
    done = subprocess.run(["bash", "-c", f". dev.d/check.sh; test_targets {parts}"],
                          cwd=suites.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == targets.split()


def test_a_second_try_runs_alone(tmp_path):
    for tests in (["a.py::test_x"], ["a.py::test_x", "a.py::test_y"]):
        assert "-n4" not in suites.command_of("system", tests, tmp_path)
    assert "-n4" in suites.command_of("system", [], tmp_path)


def test_names_are_those_that_pytest_and_googletest_take(tmp_path):
    (tmp_path / "system.xml").write_text(
        '<testsuites><testcase classname="tests.system.test_a" name="test_b[x-1]" time="2">'
        '</testcase></testsuites>')
    assert list(suites.results_of(tmp_path, "system")) == ["tests/system/test_a.py::test_b[x-1]"]
