"""Tests wait for conditions, and no wait of a test ends early on a slow machine."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHORTEST_DEADLINE_S = 60
DEADLINE = re.compile(r"\b(?:deadline_s|patience_s|timeout|timeout_s|connect_timeout)\s*=\s*"
                      r"(\d+(?:\.\d+)?)\b|\.(?:settimeout|wait)\(([1-9]\d*(?:\.\d+)?)\)")
CPP_DEADLINE = re.compile(r"\w*(?:patience|deadline)\w*\{(\d[\d']*)\}")  # in ms
CPP_SLEEP = re.compile(r"\b(?:sleep_for|sleep_until|usleep|nanosleep)\(|[^\w\"' ]sleep\(")
# These files sleep on purpose, or look for something again and again in a loop of their own.
MAY_SLEEP = {
    "tests/system/patience.py": "the loop that waits for conditions",
    "tests/system/proxy.py": "a slow connection",
    "tests/system/raw_zmq.py": "the loop that waits for a message",
    "tests/system/script_runs.py": "looks whether a real Slurm still writes",
    "tests/system/soak.py": "looks at the cluster while faults happen",
    "tests/system/soak_faults.py": "starts PostgreSQL again until it can start",
    "tests/system/test_faults_cancel.py": "cancels jobs at random moments",
    "tests/system/test_faults_transitions.py": "looks whether a request was lost",
    "tests/system/test_steps.py": "reads late and slowly, which is what it tests",
    "tests/python/test_progress.py": "the loop that waits for conditions",
    "tests/python/test_run.py": "ranks that save at different speeds",
    "tests/worker/processes_fixture.h": "the loop that waits for conditions",
    "tests/store/notifier_test.cpp": "a loop that lets the notifier work",
    "tests/store/private_postgres.cpp": "starts PostgreSQL again until it answers",
    "tests/store/trigger_runner_test.cpp": "loops that let the runner work",
    "tests/client/io/private/handshake_probe_test.cpp": "a loop that serves a peer",
}


def short_deadlines(text):
    """Returns the deadlines in a text that are shorter than a slow machine may need."""
    found = [float(one or other) for one, other in DEADLINE.findall(text)]
    found += [int(ms.replace("'", "")) / 1000 for ms in CPP_DEADLINE.findall(text)]
    return [seconds for seconds in found if seconds < SHORTEST_DEADLINE_S]


def sleeps(path, text):
    """Returns whether the code sleeps. Programs of jobs, which are texts in it, may do so."""
    if not path.endswith(".py"):
        return bool(CPP_SLEEP.search(text))
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.sleep", "sleep")
               for node in ast.walk(ast.parse(text)))


def sources(folder, *suffixes):
    for file in sorted((ROOT / folder).rglob("*")):
        if file.suffix in suffixes and not {"programs", "scripts"} & set(file.parts):
            yield file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")


def test_no_deadline_of_a_test_is_short():
    texts = [*sources("tests/system", ".py"), *sources("tests", ".cpp", ".h")]
    found = [f"{path}: a deadline of {seconds:g} s" for path, text in texts
             for seconds in short_deadlines(text)]
    assert not found, "\n".join(found)


def test_no_test_sleeps():
    found = {path for path, text in sources("tests", ".py", ".cpp", ".h") if sleeps(path, text)}
    assert found - set(MAY_SLEEP) == set(), "wait for a condition instead"
    assert set(MAY_SLEEP) - found == set(), "these need no exception any more"


def test_each_test_has_a_time_limit(request):
    assert request.config.pluginmanager.has_plugin("timeout"), "python3-pytest-timeout is missing"
    assert request.node.get_closest_marker("timeout").args[0] >= SHORTEST_DEADLINE_S
    programs = re.findall(r"target_link_libraries\(test_.*", (ROOT / "tests/CMakeLists.txt")
                          .read_text(encoding="utf-8"))
    assert programs and all("cox_time_limit" in line for line in programs)


@pytest.mark.parametrize("text, seconds", [
    ("wait_for(x, 'y', deadline_s=30)", [30]), ("run(['a'], timeout=5)", [5]),
    ("socket.settimeout(20)", [20]), ("wait_for(x, 'y', deadline_s=300)", []),
    ("step.wait(30)", [30]), ("Milliseconds answer_patience{30'000};", [30]),
    ("over.wait(0.5)", []), ("run(['a'], timeout=DEADLINE_S)", [])])
def test_short_deadlines_are_found(text, seconds):
    assert short_deadlines(text) == seconds


@pytest.mark.parametrize("path, text, expected", [
    ("a.py", "time.sleep(1)", True), ("a.py", "job('time.sleep(1)')", False),
    ("a.cpp", "std::this_thread::sleep_for(x);", True), ("a.cpp", "::sleep(1);", True),
    ("a.cpp", 'run("sleep 5");', False)])
def test_sleeps_are_found(path, text, expected):
    assert sleeps(path, text) == expected
