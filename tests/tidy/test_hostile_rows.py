"""Each hostile input in the list has a test with its number in the name: test_h1_... in Python,
H1... in C++."""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROWS = {1, 2, 3, 4, 5, 10, 11, 12, 13, 18, 19, 20, 23}
PYTHON_TEST = re.compile(r"^def test_h(\d+)_", re.MULTILINE)
CPP_TEST = re.compile(r"^TEST(?:_F)?\(\w+, H(\d+)[A-Z]", re.MULTILINE)


def rows_in(text, pattern):
    return {int(row) for row in pattern.findall(text)}


def test_each_numbered_hostile_input_has_a_test():
    rows = set()
    for pattern, files in ((PYTHON_TEST, "system/*.py"), (CPP_TEST, "**/*.cpp")):
        for file in TESTS.glob(files):
            rows |= rows_in(file.read_text(encoding="utf-8"), pattern)
    assert rows == ROWS, f"without a test: {ROWS - rows}; of no row that is known: {rows - ROWS}"


def test_numbers_of_hostile_inputs_are_read_from_names_of_tests():
    assert rows_in("def test_h23_x():\ndef test_hello():\n", PYTHON_TEST) == {23}
    assert rows_in("TEST_F(Codec, H2Counts) {\nTEST(Codec, Hello) {\n", CPP_TEST) == {2}
