"""Tests wait for conditions, and no wait of a test ends early on a slow machine."""

import ast
import operator
import re
from pathlib import Path

import pytest
import rules

ROOT = Path(__file__).resolve().parents[2]
SHORTEST_DEADLINE_S = 60
PAUSE_MAX_S = 0.5  # a wait of at most so long may be a pause in a loop
LIMITS_OF_TESTS = "tests/conftest.py"

DEADLINE_NAMES = {"deadline_s", "patience_s", "timeout", "timeout_s", "connect_timeout"}
# A number among the arguments of these functions is a deadline.
WAITS = {"wait", "join", "result", "communicate", "settimeout", "select", "wait_for",
         "repeat_until"}
CLOCKS = {"monotonic", "perf_counter", "time"}
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.Div: operator.truediv}

# Both are for texts that plain_cpp() returns. The second is for times without a unit, in ms.
CPP_DEADLINES = [re.compile(r"(::now\(\) \+ |\bread_clock\(\)\.boot \+ |"
                            r"\w*(?:patience|deadline)\w*(?:\{| = )|"
                            r"\bwait(?:_for|_until)?\([^;{]*?\b)(\d+)(m?s)\b"),
                 re.compile(r"(\w*(?:patience|deadline)\w*\{|\bpoll\([^;()]*, )(\d+)()[)}]")]
CPP_SLEEP = re.compile(r"\b(?:sleep_for|sleep_until|u?sleep|(?:clock_)?nanosleep)\(|"
                       r"\bpoll\((?:nullptr|NULL), 0|\bselect\(0, nullptr")

# {(file, its short deadline in s): why it is short}
MAY_BE_SHORT = {
    ("tests/system/test_connections.py", 1): "waits for an answer that must not come",
}
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
    "tests/patience.h": "the loop that waits for conditions",
    "tests/worker/io/health_check_test.cpp": "looks whether a check starts that must not",
    "tests/store/notifier_test.cpp": "a loop that lets the notifier work",
    "tests/store/private_postgres.cpp": "starts PostgreSQL again until it answers",
    "tests/store/trigger_runner_test.cpp": "loops that let the runner work",
    "tests/client/io/private/handshake_probe_test.cpp": "a loop that serves a peer",
}


def last_name(node):
    """Returns b for the expressions a.b and b, and "" for any other."""
    return getattr(node, "attr", getattr(node, "id", ""))


def number(node, known):
    """Returns the value of an expression of numbers and known names, and None for any other."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        return known.get(last_name(node))
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        left, right = number(node.left, known), number(node.right, known)
        if left is not None and right is not None:
            return OPERATORS[type(node.op)](left, right)
    return None


def constants(tree, known):
    """Returns the known names and the module's own names of numbers, with their values."""
    known = dict(known)
    for node in tree.body:
        value = number(node.value, known) if isinstance(node, ast.Assign) else None
        if value is not None:
            known.update((ast.unparse(target), value) for target in node.targets)
    return known


PATIENCE = constants(ast.parse((ROOT / "tests/system/patience.py").read_text(encoding="utf-8")),
                     {"PATIENCE": 1})


def called(node):
    """Returns the last name of the function that a call calls; "" if the node is no call."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def deadlines(node):
    """Returns the expressions of a node that are deadlines by their name or their form."""
    if isinstance(node, ast.keyword) and node.arg in DEADLINE_NAMES:
        return [node.value]
    if isinstance(node, ast.Assign) and last_name(node.targets[0]) in DEADLINE_NAMES:
        return [node.value]
    if isinstance(node, ast.arguments):
        pairs = [*zip(node.args[::-1], node.defaults[::-1]),
                 *zip(node.kwonlyargs, node.kw_defaults)]
        return [default for argument, default in pairs if argument.arg in DEADLINE_NAMES]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and called(node.left) in CLOCKS:
        return [node.right]
    if isinstance(node, ast.BinOp) and last_name(node.left).endswith("DEADLINE_S"):
        return [node]
    return []


def short_deadlines(text):
    """Returns the deadlines of Python code that are shorter than a slow machine may need."""
    tree = ast.parse(text)
    known = constants(tree, PATIENCE)
    found = set()
    for node in ast.walk(tree):
        found |= {number(deadline, known) for deadline in deadlines(node)}
        if called(node) in WAITS:
            waits = {number(argument, known) or 0 for argument in node.args}
            found |= {wait for wait in waits if wait > PAUSE_MAX_S}
    return sorted(seconds for seconds in found - {None} if seconds < SHORTEST_DEADLINE_S)


def plain_cpp(text):
    """Returns C++ code without comments, contents of strings and ' in numbers. Times are as 5ms."""
    text = rules.without_comments(text).replace("'", "")
    text = re.sub(r"(?:\w+::)*[Mm]illiseconds[({](\d+)[)}]", r"\1ms", text)
    return re.sub(r"(?:\w+::)*\bseconds[({](\d+)[)}]", r"\1s", text)


def short_cpp_deadlines(text):
    text = plain_cpp(text)
    found = set()
    for form, count, unit in (match for rule in CPP_DEADLINES for match in rule.findall(text)):
        seconds = int(count) / (1 if unit == "s" else 1000)
        if seconds > PAUSE_MAX_S or not form.startswith(("wait", "poll")):
            found.add(seconds)
    return sorted(seconds for seconds in found if seconds < SHORTEST_DEADLINE_S)


def is_sleep(node):
    """Returns whether a node names a function that sleeps, or waits for what cannot happen."""
    if isinstance(node, ast.Attribute):
        return node.attr == "sleep"
    if isinstance(node, ast.ImportFrom):
        return "sleep" in [alias.name for alias in node.names]
    if called(node) == "wait" and isinstance(node.func, ast.Attribute):
        return called(node.func.value) == "Event"
    return called(node) == "select" and [ast.unparse(one) for one in node.args[:3]] == ["[]"] * 3


def sleeps(path, text):
    """Returns whether the code sleeps. Programs of jobs, which are texts in it, may do so."""
    if not path.endswith(".py"):
        return bool(CPP_SLEEP.search(plain_cpp(text)))
    return any(map(is_sleep, ast.walk(ast.parse(text))))


def sets_time_limit(text):
    """Returns whether Python code uses the mark that gives a test a limit of its own, or none."""
    return any(isinstance(node, ast.Attribute) and node.attr == "timeout"
               and last_name(node.value) == "mark" for node in ast.walk(ast.parse(text)))


def sources(folder, *suffixes):
    for file in sorted((ROOT / folder).rglob("*")):
        if file.suffix in suffixes and not {"programs", "scripts"} & set(file.parts):
            yield file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")


def test_no_deadline_of_a_test_is_short():
    found = {(path, seconds) for path, text in sources("tests", ".py")
             for seconds in short_deadlines(text)}
    found |= {(path, seconds) for path, text in sources("tests", ".cpp", ".h")
              for seconds in short_cpp_deadlines(text)}
    assert found - set(MAY_BE_SHORT) == set(), "these deadlines are short, in s"
    assert set(MAY_BE_SHORT) - found == set(), "these need no exception any more"


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


def test_no_test_has_a_time_limit_of_its_own():
    found = [path for path, text in sources("tests", ".py") if sets_time_limit(text)]
    assert found == [LIMITS_OF_TESTS]


@pytest.mark.parametrize("text, seconds", [
    ("wait_for(x, 'y', deadline_s=30)", [30]), ("run(['a'], timeout=5)", [5]),
    ("run(['a'], timeout=.5)", [0.5]), ("run(['a'], timeout=(5))", [5]),
    ("SOON_S = 2\nrun(['a'], timeout=SOON_S)", [2]), ("def f(timeout_s=5): pass", [5]),
    ("def f(*, deadline_s=5): pass", [5]), ("self.timeout = 5", [5]),
    ("wait_for(x, 'y', 30)", [30]), ("repeat_until(x, y, 30)", [30]),
    ("limit = DEADLINE_S / 60", [2]), ("limit = patience.DEADLINE_S / 60", [2]),
    ("run(['a'], timeout=DEADLINE_S / 60)", [2]),
    ("run(['a'], timeout=5 * PATIENCE)", [5]), ("end = time.monotonic() + 5", [5]),
    ("socket.settimeout(20)", [20]), ("step.wait(30)", [30]), ("thread.join(5)", [5]),
    ("answer.result(5)", [5]), ("wait([answer], 30)", [30]), ("step.communicate('', 5)", [5]),
    ("select.select([a], [], [], 5)", [5]),
    ("wait_for(x, 'y', deadline_s=300)", []), ("over.wait(0.5)", []), ("', '.join(words)", []),
    ("run(['a'], timeout=DEADLINE_S)", []), ("run(['a'], timeout=DEADLINE_S / 2)", []),
    ("run(['a'], timeout=limit)", []), ("f(prolog_timeout='1s', timeout='5s')", [])])
def test_short_deadlines_are_found(text, seconds):
    assert short_deadlines(text) == seconds


@pytest.mark.parametrize("text, seconds", [
    ("Milliseconds answer_patience{30'000};", [30]), ("const auto deadline = 5s;", [5]),
    ("const auto end = Clock::now() + 5s;", [5]), ("read_clock().boot + Milliseconds{400};", [0.4]),
    ("std::chrono::steady_clock::now() + std::chrono::seconds(5);", [5]),
    ("done.wait_for(lock, 5s);", [5]), ("future.wait_for(std::chrono::seconds{5});", [5]),
    ("poller->wait(Milliseconds{20'000});", [20]), ("::poll(&wanted, 1, 10'000);", [10]),
    ("now() + patience();", []), ("story.wait_until(6'000);", []), ("::poll(&wanted, 1, 50);", []),
    ("now() + 1ms", []), ("wait_for([&] { return age > 5s; });", []), ("// Clock::now() + 5s", [])])
def test_short_cpp_deadlines_are_found(text, seconds):
    assert short_cpp_deadlines(text) == seconds


@pytest.mark.parametrize("path, text, expected", [
    ("a.py", "time.sleep(1)", True), ("a.py", "import time as t; t.sleep(5)", True),
    ("a.py", "from time import sleep as nap", True), ("a.py", "nap = time.sleep", True),
    ("a.py", "await asyncio.sleep(1)", True), ("a.py", "threading.Event().wait(5)", True),
    ("a.py", "select.select([], [], [], 5)", True),
    ("a.py", "job('time.sleep(1)')", False), ("a.py", "select.select([a], [], [], 5)", False),
    ("a.py", "self.over.wait(0.1)", False),
    ("a.cpp", "std::this_thread::sleep_for(x);", True), ("a.cpp", "::sleep(1);", True),
    ("a.cpp", "if (x) sleep(1);", True), ("a.cpp", "usleep(1);", True),
    ("a.cpp", "clock_nanosleep(x);", True), ("a.cpp", "::poll(nullptr, 0, 5);", True),
    ("a.cpp", 'run("sleep 5");', False), ("a.cpp", 'run("sleep(5)");', False),
    ("a.cpp", "::poll(&wanted, 1, 5);", False)])
def test_sleeps_are_found(path, text, expected):
    assert sleeps(path, text) == expected


@pytest.mark.parametrize("text, expected", [
    ("@pytest.mark.timeout(0)\ndef test(): pass", True),
    ("pytestmark = [pytest.mark.timeout(900)]", True), ("mark.timeout(0)", True),
    ("node.get_closest_marker('timeout')", False)])
def test_time_limits_are_found(text, expected):
    assert sets_time_limit(text) == expected
