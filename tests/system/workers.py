"""Restarts workers with other settings."""

import signal


def await_work(cluster, node):
    cluster.wait_for(lambda: cluster.node(node)["responding"], f"{node} to respond")


def restart_worker(cluster, node, lines):
    """Restarts a worker with more lines in the table [worker] of its configuration file; they
    replace lines with the same keys."""
    cluster.kill(node, signal.SIGTERM)
    file = cluster.config_of(node)
    keys = {line.partition(" = ")[0] for line in lines}
    kept = [line for line in file.read_text().splitlines() if line.partition(" = ")[0] not in keys]
    file.write_text("\n".join(kept).replace("[worker]", "\n".join(["[worker]", *lines])) + "\n")
    cluster.start(node)
    await_work(cluster, node)
