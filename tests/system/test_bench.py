"""What ./dev bench leaves behind: nothing, however it ends."""

import os
import signal
import subprocess
import sys

import pytest

from cluster import ROOT, find_programs
from processes import processes_with

PATIENCE_S = 60
# What bench.py does for each group of measurements.
HOLDS_A_CLUSTER = """
import signal, sys
from pathlib import Path
from cluster import BenchCluster, close_on_signals
close_on_signals()
with BenchCluster(Path(sys.argv[1]), Path(sys.argv[2]), nodes=1, cpus=1):
    print("up", flush=True)
    signal.pause()
"""


def of_folder(folder):
    """The daemons of the cluster below it."""
    mark = str(folder / "cluster").encode()
    return processes_with(lambda process: mark in process.cmdline())


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_an_interrupt_ends_the_private_cluster(tmp_path, number):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "bench"))
    bench = subprocess.Popen([sys.executable, "-c", HOLDS_A_CLUSTER, find_programs(), tmp_path],
                             env=environment, stdout=subprocess.PIPE, text=True)
    assert bench.stdout.readline() == "up\n"
    assert of_folder(tmp_path)
    bench.send_signal(number)
    assert bench.wait(PATIENCE_S) == 128 + number
    assert not of_folder(tmp_path)
    assert not (tmp_path / "cluster").exists()
