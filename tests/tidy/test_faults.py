"""Each of the 25 faults that Coxswain is built for, except fault 20, has a test on real processes
with its number in the name: `pytest tests/system -k f07` runs those of fault 7."""

import re
from pathlib import Path

SYSTEM = Path(__file__).resolve().parents[1] / "system"
FAULTS = range(1, 26)
TEST = re.compile(r"^def test_f(\d\d)_", re.MULTILINE)
# Faults that only the simulator tests: no test may set the clock of the machine on which it runs.
SIMULATED = {20}


def faults_in(texts):
    return {int(number) for text in texts for number in TEST.findall(text)}


def test_each_numbered_fault_has_a_system_test_unless_only_the_simulator_tests_it():
    found = faults_in(file.read_text() for file in SYSTEM.glob("test_*.py"))
    assert sorted(set(FAULTS) - SIMULATED - found) == [], "faults without a test"
    assert sorted(found - set(FAULTS)) == [], "there are no such faults"


def test_numbers_of_faults_are_read_from_names_of_tests():
    texts = ["def test_f07_one():\n", "def test_f7_two():\n\n\ndef test_f12_(a):\n"]
    assert faults_in(texts) == {7, 12}
