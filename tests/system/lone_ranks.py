"""The ranks of a training that no scheduler starts: processes of this machine."""

import os
import re
import socket
import subprocess
import tempfile
from pathlib import Path

from cluster import PYTHON, ROOT
from patience import LONG_DEADLINE_S, wait_for

MODULE = ROOT / "python"
TORCH = {"OMP_NUM_THREADS": "1", "USE_LIBUV": "0"}  # Debian 13's PyTorch has no libuv


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class LoneRanks:
    """`ranks` processes of one script in a folder. They print to one file."""

    def __init__(self, folder, ranks, script, *words, more_modules=()):
        modules = ":".join(map(str, (MODULE, *more_modules)))
        # PYTHONUNBUFFERED is cleared, because an unbuffered print() writes a line and its end in
        # two calls, and lines of several ranks would mix in their common file.
        environment = dict(os.environ, PYTHONPATH=modules, WORLD_SIZE=str(ranks), **TORCH,
                           PYTHONUNBUFFERED="",
                           MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
        handle, name = tempfile.mkstemp(dir=folder, suffix=".out")
        self.output = Path(name)
        self.processes = [
            subprocess.Popen([PYTHON, script, *map(str, words)], cwd=folder, stdout=handle,
                             stderr=subprocess.STDOUT, env=dict(environment, RANK=str(rank)))
            for rank in range(ranks)]
        os.close(handle)

    def text(self):
        return self.output.read_text(errors="replace")

    def await_text(self, pattern):
        wait_for(lambda: re.search(pattern, self.text(), re.MULTILINE),
                 lambda: f"{pattern!r} in\n{self.text()}", LONG_DEADLINE_S)

    def end(self, exit_code=0):
        """Waits until all ranks have ended with this exit code. Returns their output."""
        try:
            codes = [process.wait(LONG_DEADLINE_S) for process in self.processes]
        finally:
            for process in self.processes:
                process.kill()
        assert codes == [exit_code] * len(codes), self.text()
        return self.text()


def weights(text):
    """Returns the weights that the last rank to finish printed."""
    return float(re.findall(r"finished, weights ([\d.]+)", text)[-1])
