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


def await_served(cluster, node, spool):
    """Waits until the node is served by the worker with this spool folder. With another one than
    before, the worker must wait until the worker before counts as silent."""
    def is_served():
        file = spool / "spool_id"
        own = [[file.read_text().strip()]] if file.exists() else None
        known = cluster.sql(f"SELECT spool_id FROM cox.node WHERE name = '{node}'")
        return known == own and node in cluster.responding()

    cluster.wait_for(is_served, f"{node} to be served from {spool}")
