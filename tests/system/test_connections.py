"""Connections to the programs: a removed key, a message of many parts, a peer without a key."""

import itertools
import resource
import signal
import socket
import time

from patience import DEADLINE_S, PATIENCE, repeat_until
import pytest
import raw_zmq

CLUSTER = {"nodes": 2, "settings": {"node_timeout": "5s", "lease": "30s"}}
MIB = 1 << 20
HANDSHAKE_S = 5  # after so many seconds a connection that has proven no key is closed
TRUE = ["--", "true"]


@pytest.fixture(name="keys")
def keys_of(cluster):
    """The folder of the keys. Its files are restored after the test."""
    folder = cluster.dir / "keys"
    before = {file: file.read_bytes() for file in folder.iterdir()}
    yield folder
    for file, content in before.items():
        if not file.exists() or file.read_bytes() != content:
            file.write_bytes(content)
    cluster.wait_for(lambda: len(cluster.responding()) == cluster.nodes, "all nodes to respond")


def endpoint_of(cluster, program):
    """Returns (endpoint, public key) of the controller, or of a node's worker."""
    keys = cluster.dir / "keys"
    if program == "controller":
        endpoint = f"tcp://127.0.0.1:{cluster.layout['port']}"
        return endpoint, raw_zmq.read_key(keys / "controller.pub")["public"]
    return (cluster.node(program)["log_endpoint"],
            raw_zmq.read_key(keys / f"worker-{program}.pub")["public"])


def client(cluster, program, key):
    endpoint, server_key = endpoint_of(cluster, program)
    return raw_zmq.RawPeer(endpoint, server_key, key)


def ask(peer, number, patience_s=DEADLINE_S):
    """Asks for the cluster's state. A worker refuses this question, which is an answer too."""
    return peer.ask(number, raw_zmq.request(number, raw_zmq.SHOW_CLUSTER), patience_s)


def is_refused(peer, number):
    try:
        ask(peer, number, patience_s=PATIENCE)  # this passes each time that it is refused
    except AssertionError:
        return True
    return False


# ---- a key is removed ----------------------------------------------------------------------------

@pytest.mark.parametrize("program", ["controller", "n1"])
def test_a_client_whose_key_was_removed_is_refused(cluster, keys, program):
    with client(cluster, program, raw_zmq.read_key(keys / "client.key")) as peer:
        ask(peer, 1)
        (keys / "client.pub").unlink()
        numbers = iter(range(2, 1000))
        cluster.wait_for(lambda: is_refused(peer, next(numbers)),
                         "the client to be refused")
        assert is_refused(peer, next(numbers)), "the client was admitted again"
    cluster.cox("key", "make", "client-again", "--dir", keys)
    (keys / "client-again.pub").rename(keys / "client.pub")
    with client(cluster, program, raw_zmq.read_key(keys / "client-again.key")) as peer:
        ask(peer, 1)
    (keys / "client-again.key").unlink()


def test_a_worker_whose_key_was_removed_gets_no_job(cluster, keys):
    admitted = (keys / "worker-n2.pub").read_bytes()
    (keys / "worker-n2.pub").unlink()
    logged = 'owner="worker-n2" address=127.0.0.1 why="its key was removed"'
    cluster.wait_for(lambda: logged in cluster.log_text("controller"),
                     "the worker's connection to be closed")
    job = cluster.submit("-n1", "-w", "n2", "-D", "/tmp", *TRUE)
    cluster.wait_for(lambda: cluster.responding() == ["n1"], "n2 to be silent")
    other = cluster.submit("-n1", "-D", "/tmp", *TRUE)
    cluster.wait_state(other, "COMPLETED")
    assert cluster.state(job) in ("PENDING", "CONFIGURING") and not cluster.ranks(job, 1)

    (keys / "worker-n2.pub").write_bytes(admitted)
    cluster.wait_state(job, "COMPLETED")


# ---- many parts ----------------------------------------------------------------------------------

def most_mib(process):
    """Returns the peak memory of the process, in MiB."""
    lines = process.read("status").decode().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024


def data_bytes(process):
    """Returns the size that RLIMIT_DATA limits; it includes the shadow memory of a sanitizer."""
    lines = process.read("status").decode().splitlines()
    return int(next(line for line in lines if line.startswith("VmData")).split()[1]) * 1024


@pytest.mark.parametrize("program, transport",
                         [("controller", "local"), ("controller", "tcp"), ("n1", "tcp")])
def test_a_message_of_many_or_large_parts_takes_little_memory(cluster, keys, program, transport):
    process = cluster.process(program)
    before = most_mib(process)

    def refusals():
        text = cluster.log_text(program)
        return text.count("closed connections=") + text.count("muted ")

    local = f"ipc://{cluster.layout['run_dir']}/controller.sock"
    key = raw_zmq.read_key(keys / "client.key")
    for parts in ([bytes(16 * MIB)] * 32, [b"x"] * 1_000_000):
        peer = (raw_zmq.RawPeer(local) if transport == "local" else client(cluster, program, key))
        earlier, numbers = refusals(), itertools.count(1)
        with peer:
            ask(peer, next(numbers))
            # libzmq drops a connection in which no whole part came for 15 s, and the message with
            # it. Then the question behind the message is answered, and both are sent again.
            while refusals() == earlier:
                peer.send(*parts)
                peer.send(raw_zmq.request(next(numbers), raw_zmq.SHOW_CLUSTER))
                cluster.wait_for(lambda: refusals() > earlier or peer.receive(0),
                                 "the connection to be closed or muted")
    assert most_mib(process) - before < 200, "the message took 200 MiB or more"
    assert ask_again(cluster)


def ask_again(cluster):
    return cluster.cox("nodes").returncode == 0


def test_controller_and_worker_have_a_memory_limit_and_jobs_have_none(cluster):
    for program, megabytes in (("controller", 8192), ("n1", 2048)):
        soft, _ = resource.prlimit(cluster.pid(program), resource.RLIMIT_DATA)
        had_when_it_started = soft - megabytes * MIB
        assert 0 <= had_when_it_started <= data_bytes(cluster.process(program))
    job = cluster.submit("-n1", "-D", "/tmp", "-o", "limit-%j", "--", "sh", "-c",
                         "test $(ulimit -d) = unlimited")
    cluster.wait_state(job, "COMPLETED")


# ---- no key --------------------------------------------------------------------------------------

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01CURVE" + bytes(47)
# The first half of CURVE's HELLO command.
HALF = GREETING + b"\x04\xc8\x05HELLO\x01\x00" + bytes(70)


def open_connection(port, source, says):
    one = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S, source_address=(source,
                                                                                            0))
    one.sendall(says)
    return one


def seconds_to_be_served(cluster, says, another):
    """Opens a flood of connections. Returns how long a new client then waits for its first answer.
    `another`: called before the flood ends."""
    key = raw_zmq.read_key(cluster.dir / "keys/client.key")
    port = int(cluster.layout["port"])
    flood = [open_connection(port, f"127.0.1.{k % 23 + 1}", says) for k in range(90 * 23)]
    try:
        began = time.monotonic()
        with client(cluster, "controller", key) as new:
            ask(new, 1)
        took = time.monotonic() - began
        another()
        return took
    finally:
        for one in flood:
            one.close()


@pytest.mark.parametrize("says", [b"", GREETING, HALF])
def test_a_flood_of_connections_without_a_key_shuts_no_client_out(make_cluster, tmp_path, says):
    cluster = make_cluster(nodes=1)
    limited = tmp_path / "controller"
    limited.write_text(f"#!/bin/sh\nulimit -n 2600\nexec {cluster.bin}/cox-controller \"$@\"\n")
    limited.chmod(0o755)
    cluster.kill("controller", signal.SIGTERM)
    cluster.start("controller", program=limited)
    cluster.wait_for(cluster.responding, "the node to respond")
    key = raw_zmq.read_key(cluster.dir / "keys/client.key")
    numbers = itertools.count(1)
    with client(cluster, "controller", key) as before:
        ask(before, next(numbers))
        # A client that is shut out is served only when the handshakes of the flood time out. A slow
        # machine may delay one client so long, but not each.
        took = repeat_until(
            lambda: seconds_to_be_served(cluster, says, lambda: ask(before, next(numbers))),
            lambda seconds: seconds < HANDSHAKE_S)
        assert took < HANDSHAKE_S
