"""`./dev test`: what counts as passed, failed and unstable (dev.d/run_tests.py)."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev.d"), str(ROOT / "tests/system")]

import hunt  # noqa: E402
import run_tests  # noqa: E402
import suites  # noqa: E402
from patience import factor_of, wait_for  # noqa: E402

def is_alive(pid):
    """Whether a process runs. One that has ended and was not awaited does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


CASE = '<testcase classname="{group}" name="{name}" time="1">{inner}</testcase>'


def report(folder, suite, code, running="", **outcomes):
    """Writes what a suite reports: its exit code, the test that runs, and the outcome of each test;
    no file of outcomes if there is none, like a program that crashed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{suite}.exit").write_text(str(code))
    (folder / f"{suite}.running").write_text(running)
    missing = [f"Group.{name}\n" for name, outcome in outcomes.items() if outcome == "not run"]
    (folder / f"{suite}.collected").write_text("".join(missing))
    inner = {"failed": "<failure/>", "skipped": "<skipped/>", "passed": ""}
    cases = [CASE.format(group="Group", name=name, inner=inner[outcome])
             for name, outcome in outcomes.items() if outcome != "not run"]
    if cases:
        (folder / f"{suite}.xml").write_text(f"<testsuites>{''.join(cases)}</testsuites>")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """run(first, again...) plays a run of the suite "store": each argument is the exit code and the
    outcomes of one try. Returns whether ./dev test passes, its lines, and the tests of each try."""
    def play(*tries):
        tries = list(tries)
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
    assert not passed and lines[-1] == "0 passed, 4 failed"
    assert "unstable: 4 (Group.A, Group.B, Group.C, Group.D)" in lines


def test_very_many_failures_fail_the_run_without_a_second_try(run):
    passed, lines, names = run((1, {f"T{number}": "failed" for number in range(21)}))
    assert not passed and len(names) == 1 and lines[-1] == "0 passed, 21 failed"


def test_a_run_that_takes_too_long_says_so_and_names_what_did_not_run(run):
    late = {f"T{number}": "not run" for number in range(40)}
    passed, lines, _ = run((suites.OUT_OF_TIME, {"A": "passed", **late}))
    assert not passed and lines[-1] == "1 passed, 41 failed"
    assert ("out of time: the run took longer than 80 minutes; these parts were stopped: store"
            in lines)
    assert "not run: Group.T0" in lines and "and 11 more" in lines


def test_a_program_that_crashed_runs_again_as_a_whole(run):
    passed, lines, names = run((-11, {}), (0, {"A": "passed"}))
    assert passed and names[1] == [] and "unstable: 1 (store)" in lines
    passed, lines, _ = run((-11, {}), (-11, {}))
    assert not passed and lines[-1].endswith(", 1 failed")


def test_a_suite_that_fails_without_a_failed_test_is_not_passed(run):
    leak = (23, {"A": "passed"})
    passed, lines, _ = run(leak, leak)
    assert not passed and "failed: store" in lines


def test_a_leak_that_hides_behind_the_exit_code_of_a_failed_test_fails_the_run(run):
    passed, lines, _ = run((1, {"A": "passed"}), (1, {"A": "passed"}))
    assert not passed and "failed: store" in lines


def test_each_test_that_failed_in_a_suite_that_crashed_must_pass_in_its_second_try(run):
    crashed = (23, {"A": "failed", "B": "failed", "C": "passed"})
    passed, lines, names = run(crashed, (0, {"A": "passed", "B": "skipped", "C": "passed"}))
    assert not passed and names[1] == [] and "failed: Group.B" in lines
    assert "unstable: 2 (store, Group.A)" in lines


def test_a_test_that_was_collected_and_never_run_is_a_failure(run):
    passed, lines, names = run((0, {"A": "passed", "B": "not run"}), (0, {"B": "not run"}))
    assert not passed and names[1] == ["Group.B"] and "not run: Group.B" in lines
    passed, lines, _ = run((0, {"A": "passed", "B": "not run"}), (0, {"B": "passed"}))
    assert passed and lines[-1] == "2 passed, 0 failed"


def test_a_test_that_ends_its_program_costs_only_itself(run):
    passed, lines, names = run((1, {"running": "Group.A"}), (0, {"B": "passed", "C": "passed"}),
                               (1, {"running": "Group.A"}))
    assert names[1:] == [["-Group.A"], ["Group.A"]]
    assert not passed and "failed: Group.A" in lines and lines[-1] == "2 passed, 1 failed"
    passed, lines, _ = run((-11, {"running": "Group.A"}), (0, {"B": "passed"}),
                           (0, {"A": "passed"}))
    assert passed and "unstable: 1 (Group.A)" in lines


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


@pytest.mark.parametrize("words, tests", [
    ([], {"system": [], "store": []}), (["store", "store:A.*"], {"store": []}),
    (["unit"], dict.fromkeys(suites.PROGRAMS, [])),
    (["./tests/system/test_story.py::test_x", "tests/tidy/test_tidy.py", "sim:A.B"],
     {"system": ["tests/system/test_story.py::test_x"], "tidy": ["tests/tidy/test_tidy.py"],
      "sim": ["A.B"]})])
def test_a_hunt_repeats_the_tests_that_it_is_given(words, tests):
    assert hunt.chosen(words) == tests


@pytest.mark.parametrize("word", ["stor", "3", "--long", "tidy:A", "tests/system/test_nothing.py",
                                  "tests/schedule/slots_test.cpp"])
def test_a_hunt_refuses_what_is_no_test(word):
    with pytest.raises(SystemExit, match=word):
        hunt.chosen([word])


def test_a_hunt_ends_if_no_test_matches(tmp_path, monkeypatch):
    monkeypatch.setattr(hunt, "run_suite", lambda folder, suite, *_, **__: True)
    with pytest.raises(SystemExit, match="no test of store ran, or none matches"):
        hunt.repeat(tmp_path, 20, {"store": ["Nothing.*"]})


@pytest.mark.parametrize("parts, targets", [
    ("common store", "test_common test_store"), ("common python system", "all"),
    ("tidy common", "test_common"), ("python tidy", "")])
def test_the_system_tests_make_all_programs_a_target(parts, targets):
    done = subprocess.run(["bash", "-c", f". dev.d/check.sh; test_targets {parts}"],
                          cwd=suites.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == targets.split()


def test_a_second_try_runs_alone(tmp_path):
    for tests in (["a.py::test_x"], ["a.py::test_x", "a.py::test_y"]):
        assert "-n4" not in suites.command_of("system", tests, tmp_path)
    assert "-n4" in suites.command_of("system", [], tmp_path)


def test_a_file_that_cannot_be_read_is_named_by_its_path(tmp_path):
    case = '<testcase classname="" name="tests.tidy.test_x"><error/></testcase>'
    (tmp_path / "tidy.xml").write_text(f"<testsuites>{case}</testsuites>")
    assert list(suites.results_of(tmp_path, "tidy")) == ["tests/tidy/test_x.py"]


def test_names_are_those_that_pytest_and_googletest_take(tmp_path):
    (tmp_path / "system.xml").write_text(
        '<testsuites><testcase classname="tests.system.test_a" name="test_b[x-1]" time="2">'
        '</testcase></testsuites>')
    assert list(suites.results_of(tmp_path, "system")) == ["tests/system/test_a.py::test_b[x-1]"]


@pytest.mark.parametrize("text", ["", "<testsuites>", "<testsuites><testcase name='\x01'/>"])
def test_a_report_that_cannot_be_read_has_no_results(tmp_path, text):
    (tmp_path / "store.xml").write_text(text)
    (tmp_path / "store.exit").write_text("0")
    assert suites.results_of(tmp_path, "store") == {}
    assert not suites.is_as_reported(tmp_path, "store")


def test_a_disabled_test_did_not_pass(tmp_path):
    (tmp_path / "store.xml").write_text(
        '<testsuites><testcase classname="A" name="DISABLED_B" status="notrun"/></testsuites>')
    result, = suites.results_of(tmp_path, "store").values()
    assert result.outcome == "skipped"


def test_a_program_that_is_missing_did_not_start(tmp_path, monkeypatch):
    monkeypatch.setenv("COX_BIN", str(tmp_path))
    assert not suites.run_suite(tmp_path, "store")
    assert suites.exit_of(tmp_path, "store") == "did not start"


def test_no_variable_of_the_caller_chooses_other_tests(tmp_path, monkeypatch):
    for name in ("GTEST_FILTER", "GTEST_TOTAL_SHARDS", "PYTEST_ADDOPTS"):
        monkeypatch.setenv(name, "x")
    own = suites.environment_of(tmp_path, "store")
    assert not [name for name in own if name.startswith(("GTEST", "PYTEST"))] and "PATH" in own


@pytest.fixture
def child(tmp_path):
    """A suite that has started a process, and the id of that process, which ignores SIGINT."""
    script = f"sleep 1000 & echo $! > {tmp_path}/child; wait"
    process = subprocess.Popen(["sh", "-c", script], start_new_session=True)
    pid = wait_for(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text(),
                   "the suite to start its process")
    return process, int(pid)


def test_a_suite_that_is_out_of_time_leaves_no_process(child):
    process, pid = child
    assert suites.end(process, limit_s=0) == "out of time" and not suites.running
    wait_for(lambda: not is_alive(pid), "the process of the suite to end")


def test_an_interrupted_run_leaves_no_process(child, monkeypatch):
    process, pid = child
    waits = iter([lambda *_: suites.interrupt(), process.wait, process.wait])
    monkeypatch.setattr(process, "wait", lambda *limit: next(waits)(*limit))
    with pytest.raises(KeyboardInterrupt):
        suites.end(process, limit_s=None)
    wait_for(lambda: not is_alive(pid), "the process of the suite to end")


@pytest.mark.parametrize("text", ["", "abc", "0", "-1", "0.001", "nan", "inf", "1e9"])
def test_a_patience_that_is_no_sound_factor_is_refused(text):
    with pytest.raises(SystemExit, match=f"COX_PATIENCE is '{text}', and must be a number from 1"):
        factor_of(text)
