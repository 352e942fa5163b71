"""A rank with a helper process that has no handler for any signal. When the rank is asked to stop,
it saves, writes down whether the helper still runs, and exits with 75.

    with_helper.py FILE
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HELPER_DIES_S = 0.5  # after so many seconds a helper that was signalled too has ended

asked = []
signal.signal(signal.SIGUSR1, lambda number, frame: asked.append(number))
helper = subprocess.Popen(["sleep", "600"])
Path(sys.argv[1] + ".ready").touch()
while not asked:
    time.sleep(0.05)
folder = Path(os.environ["COX_CHECKPOINT_DIR"], "step-1", "rank-0")
folder.mkdir(parents=True)
(folder / "state").write_text("saved\n")
subprocess.run(["cox", "checkpoint", "done", "--step", "1"], check=True)
try:
    how = f"ended with {helper.wait(timeout=HELPER_DIES_S)}"
except subprocess.TimeoutExpired:
    how = "runs"
Path(sys.argv[1]).write_text(how)
sys.exit(75)
