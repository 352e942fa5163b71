"""Each of the 25 faults that the system is made for has a test on real processes, which bears its
number: `pytest tests/system -k f07` runs those of fault 7."""

import re
from pathlib import Path

SYSTEM = Path(__file__).resolve().parents[1] / "system"
FAULTS = range(1, 26)
TEST = re.compile(r"^def test_f(\d\d)_", re.MULTILINE)
# Nobody sets the clock of a real machine: clocks that jump are the simulator's alone.
SIMULATED = {20}


def faults_in(texts):
    return {int(number) for text in texts for number in TEST.findall(text)}


def test_each_fault_has_a_test():
    found = faults_in(file.read_text() for file in SYSTEM.glob("test_*.py"))
    assert sorted(set(FAULTS) - SIMULATED - found) == [], "faults without a test"
    assert sorted(found - set(FAULTS)) == [], "there are no such faults"


def test_a_fault_without_a_test_is_found():
    texts = ["def test_f07_one():\n", "def test_f7_two():\n\n\ndef test_f12_(a):\n"]
    assert faults_in(texts) == {7, 12}
