"""Hostile inputs, each by the number of its row: they are refused, and no other client suffers.

Some rows are tested beside the code that refuses them; test_hostile_rows.py lists all of them.
"""

import os
import random
import resource
import select
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from patience import DEADLINE_S, PATIENCE
import pytest
import raw_zmq
from cluster import PYTHON, ROOT, toml_value

MIB = 1 << 20
# How much the controller may grow; most of it is for sanitizers, which keep freed memory.
SPARE_MIB = 64
SETTINGS = {"max_jobs": 500, "max_array_size": 1000}
CLUSTER = {"nodes": 2, "settings": SETTINGS}
TRUE = ["--", "true"]


@pytest.fixture
def local(cluster):
    return toml_value(cluster.config.read_text(), "listen_local")


def send_raw(local, *parts):
    """Sends the parts from a process of its own, which gets muted. Returns the number of
    answers."""
    done = subprocess.run([PYTHON, ROOT / "tests/system/raw_zmq.py", local, *parts], text=True,
                          capture_output=True, timeout=DEADLINE_S, check=True)
    return int(done.stdout)


def controller_status(cluster, field):
    lines = cluster.process("controller").read("status").decode().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1])


def memory_mib(cluster):
    return controller_status(cluster, "VmRSS") // 1024


def cpu_s(cluster):
    stat = cluster.process("controller").read("stat").decode()
    fields = stat[stat.rindex(")") + 2:].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_served(cluster):
    return cluster.cox("nodes").returncode == 0


def seconds_to_answer(peer, number):
    began = time.monotonic()
    peer.ask(number, raw_zmq.request(number, raw_zmq.SHOW_CLUSTER))
    return time.monotonic() - began


def assert_delays_nobody(flooded, *quiet):
    """Checks that other clients are answered soon during a flood. In a common queue they would wait
    for thousands of frames. It compares medians, with the slower of the times before and after the
    flood, since the machine does other things meanwhile."""
    usual = max(map(statistics.median, quiet))
    assert statistics.median(flooded) < max(2 * usual, usual + 0.1 * PATIENCE), (flooded, quiet)


# ---- frames --------------------------------------------------------------------------------------

def test_h1_an_invalid_frame_is_answered_once_and_its_sender_muted(cluster, local):
    noise = random.Random(1)
    whole = raw_zmq.request(1, raw_zmq.SHOW_CLUSTER)
    frames = [b"", b"\x01", noise.randbytes(100), noise.randbytes(50_000), b"GET / HTTP/1.1",
              *(whole[:length] for length in range(2, len(whole), 9))]
    for frame in frames:
        assert send_raw(local, frame.hex()) == 1, frame[:40]
    assert is_served(cluster)
    assert "muted uid=" in cluster.log_text("controller")


def test_h1_a_flood_of_garbage_costs_little_and_gets_one_answer(cluster, local):
    count = 20_000
    before = cpu_s(cluster)
    with raw_zmq.RawPeer(local) as hostile:
        for _ in range(count):
            hostile.send(b"\xff" * 100)
        assert is_served(cluster)
        assert hostile.receive(DEADLINE_S) is not None
        assert hostile.receive(0.5) is None
    assert cpu_s(cluster) - before < count * 0.003 * PATIENCE
    lines = [line for line in cluster.log_text("controller").splitlines()
             if f"pid={os.getpid()} " in line]
    assert len(lines) == 1, lines


def test_h1_a_process_that_sends_garbage_again_is_muted_on_every_connection(cluster, local):
    script = "\n".join([
        "import raw_zmq, sys",
        "for _ in range(5):",
        "    with raw_zmq.RawPeer(sys.argv[1]) as peer:",
        "        peer.send(b'garbage')",
        f"        print(peer.receive({DEADLINE_S})[0][1][0][0].decode())"])
    done = subprocess.run([PYTHON, "-c", script, local], text=True, capture_output=True,
                          env={"PYTHONPATH": str(ROOT / "tests/system")}, timeout=DEADLINE_S,
                          check=True)
    printed = done.stdout.splitlines()
    assert all(line.startswith("protocol version ") for line in printed[:4]), printed
    assert printed[4].startswith("your messages are ignored for "), printed
    assert is_served(cluster)


def test_h2_lengths_that_a_frame_only_declares_take_no_memory(cluster, local):
    before = memory_mib(cluster)
    for body in ("ddffffffff", "dfffffffff", "dbffffffff", "dcffff", "c6ffffffff"):
        assert send_raw(local, "01" + body) == 1
    assert memory_mib(cluster) - before < SPARE_MIB
    assert is_served(cluster)


def test_h3_a_deeply_nested_message_is_refused(cluster, local):
    before = memory_mib(cluster)
    assert send_raw(local, "01,91^100000,c0") == 1
    assert "depth" in cluster.log_text("controller").splitlines()[-1]
    assert memory_mib(cluster) - before < SPARE_MIB
    assert is_served(cluster)


def test_h4_an_oversize_frame_and_a_message_of_too_many_parts_are_refused(cluster, local):
    before = memory_mib(cluster)
    with raw_zmq.RawPeer(local) as hostile:
        hostile.send(bytes(64 * MIB))
        assert hostile.receive(1) is None  # the controller has closed the connection
    assert send_raw(local, "10000*00") == 1
    assert "a message of 10000 parts came; the limit is 1" in cluster.log_text("controller")
    with raw_zmq.RawPeer(local) as hostile:  # closed before the message is complete
        hostile.send(*[b""] * 1_000_000)
        assert hostile.receive(1) is None
    assert memory_mib(cluster) - before < 128
    assert is_served(cluster)


# ---- connections ---------------------------------------------------------------------------------

def open_many(port, count, source):
    """Opens this many connections that send nothing. The server may refuse a part of them."""
    opened = []
    for _ in range(count):
        one = socket.socket()
        one.setblocking(False)
        one.bind((source, 0))
        one.connect_ex(("127.0.0.1", port))
        opened.append(one)
    return opened


def sockets_with(sockets, event):
    poll = select.poll()
    for one in sockets:
        poll.register(one, event)
    events = dict(poll.poll(0))
    return [one for one in sockets if events.get(one.fileno(), 0) & event]


def held_by_server(port, source):
    """Returns how many connections from `source` are open at the server's end. A client may see a
    connection as open that the server could not accept."""
    local = f":{port:04X}"
    other = f"{int.from_bytes(socket.inet_aton(source), sys.byteorder):08X}:"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    established = "01"
    return sum(row[1].endswith(local) and row[2].startswith(other) and row[3] == established
               for row in rows)


@pytest.fixture
def many_descriptors():
    """Raises this process's limit of descriptors for the test. Returns the limit."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    yield limit[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, limit)


def test_h5_unfinished_handshakes_are_bounded_and_dropped(cluster, local, many_descriptors):
    count, most, spare = 10_000, 1024, 200
    assert many_descriptors > count + 500, "raise the limit of descriptors (ulimit -Hn)"
    port = int(cluster.layout["port"])
    many = []
    with raw_zmq.RawPeer(local) as other:
        quiet = [seconds_to_answer(other, number) for number in range(1, 200)]
        try:
            many = open_many(port, count, "127.0.0.9")
            flooded = [seconds_to_answer(other, number) for number in range(200, 400)]
            assert len(os.listdir(f"/proc/{cluster.pid('controller')}/fd")) < most + spare
            assert (f"too many connections have not proven a key; the limit is {most}"
                    in cluster.log_text("controller"))
            assert is_served(cluster)
            connected = sockets_with(many, select.POLLOUT)
            for one in set(many) - set(connected):
                one.close()
            cluster.wait_for(lambda: held_by_server(port, "127.0.0.9") == 0,
                             "the controller to close silent connections")
            assert sockets_with(connected, select.POLLRDHUP), "no client saw its connection closed"
            after = [seconds_to_answer(other, number) for number in range(400, 600)]
            assert_delays_nobody(flooded, quiet, after)
        finally:
            for one in many:
                one.close()


# ---- text ----------------------------------------------------------------------------------------

@pytest.fixture
def sbatch(cluster, tmp_path):
    return program(cluster, tmp_path, "sbatch")


def program(cluster, tmp_path, name):
    """Returns call(WORD..., text=...), which runs cox by one of Slurm's names."""
    tmp_path.chmod(0o755)
    link = tmp_path / name
    if not link.is_symlink():
        link.symlink_to(cluster.bin / "cox")

    def call(*words, **more):
        return subprocess.run([link, *words], cwd=tmp_path, capture_output=True, timeout=DEADLINE_S,
                              check=False, **{"env": cluster.environment, **more})
    return call


def test_h10_invalid_scripts_are_refused(cluster, sbatch, tmp_path):
    head = b"#!/bin/sh\n"
    scripts = ((head + b"#" * (10 * MIB), b"4194304"), (head + b"#" * (4 * MIB), b"4194304"),
               (b"", b"empty"), (b"echo hello\n", b"This does not look like a batch script"),
               (b"#!/bin/sh\r\ntrue\r\n", b"DOS line breaks"),
               (b"#!/bin/sh\necho \0\n", b"NUL"), (b"\x7fELF\x02\x01\x01" + bytes(57), b""))
    for content, says in scripts:
        (tmp_path / "job").write_bytes(content)
        done = sbatch("job")
        assert (done.returncode, done.stdout) == (1, b""), content[:40]
        assert done.stderr.startswith(b"sbatch: error: ") and says in done.stderr, done.stderr
    assert cluster.sql("SELECT count(*) FROM cox.job WHERE name = 'job'") == [["0"]]


def test_h11_job_names_cannot_break_the_lines_of_squeue_and_sacct(cluster, sbatch, tmp_path):
    for name in ("\x1b[31mred", "two\nlines", "a\ttab", "x" * 1025, "x" * 10_000):
        done = sbatch("-J", name, "--wrap=true")
        assert done.returncode != 0 and b"\x1b" not in done.stderr, name
    cluster.cox("drain", "n1", "--reason=a test")
    cluster.cox("drain", "n2", "--reason=a test")
    try:
        names = ["a|b", "left\u202eright", "line\u2028line"]
        jobs = [sbatch("--parsable", "-J", name, "--wrap=true").stdout.decode().strip()
                for name in names]
        shown = program(cluster, tmp_path, "squeue")("-h", "-o", "%i %j").stdout.decode()
        assert sorted(shown.splitlines()) == sorted(
            f"{job} {name}" for job, name in zip(jobs, ["a|b", "left?right", "line?line"]))
        printed = program(cluster, tmp_path, "sacct")("-P", "-n", "-X", "-o", "JobID,JobName", "-j",
                                                      ",".join(jobs)).stdout
        assert "\u202e" not in printed.decode()
        assert [line.partition("|")[0] for line in printed.decode().splitlines()] == jobs
        for job, name in zip(jobs, names):
            assert cluster.job(job)["view"]["job"]["spec"]["name"] == name
    finally:
        cluster.cox("cancel", *jobs)
        cluster.cox("resume", "n1")
        cluster.cox("resume", "n2")


def test_h12_sql_in_names_of_jobs_and_users_is_literal_text(cluster, sbatch, tmp_path):
    hostile = ["'; DROP TABLE cox.job;--", "%_", "100%", "back\\slash", "\"'`"]
    for name in hostile:
        done = sbatch("--parsable", "-J", name, f"--comment={name}", "--wrap=true")
        assert done.returncode == 0, done.stderr
        job = done.stdout.decode().strip()
        cluster.wait_state(job, "COMPLETED")
        assert cluster.sql(f"SELECT name, comment FROM cox.job WHERE id = {job}") == [[name, name]]
    count = cluster.sql("SELECT count(*) FROM cox.job")
    sacct = program(cluster, tmp_path, "sacct")
    squeue = program(cluster, tmp_path, "squeue")
    for word in hostile:
        printed = sacct("-P", "-n", "-X", "-o", "JobName", f"--name={word}").stdout.decode()
        # Quotes in a list of names are dropped, as under Slurm, and no job has the name that is
        # left.
        expected = [] if {"'", '"'} & set(word) else [word]
        assert printed.splitlines() == expected, "sacct shows other names too"
        assert sacct("-n", "-X", "-u", word).stdout == b""
        assert sacct("-n", "-X", "-A", word).stdout == b""
        assert squeue("-h", f"--name={word}").stdout == b""
        assert squeue("-h", "-u", word).stdout == b""
    assert cluster.sql("SELECT count(*) FROM cox.job") == count


def test_h13_names_must_be_utf8_and_variables_may_be_any_bytes(cluster, sbatch, folder):
    bad = b"\xff\xfe\xed\xa0\x80"
    for words in ([b"-J", bad], [b"-o", b"/tmp/" + bad], [b"-D", b"/tmp/" + bad]):
        done = sbatch(*words, "--wrap=true")
        assert done.returncode != 0 and b"UTF-8" in done.stderr, (words, done.stderr)
    environment = {os.fsencode(key): os.fsencode(value)
                   for key, value in cluster.environment.items()}
    done = sbatch("--parsable", "-D", folder, "-o", "out", '--wrap=printf %s "$BYTES"',
                  env={**environment, b"BYTES": bad})
    job = done.stdout.decode().strip()
    cluster.wait_state(job, "COMPLETED")
    assert (folder / "out").read_bytes() == bad, "the bytes of the environment were changed"
    assert cluster.job(job)["view"]["job"]["state"] == "COMPLETED"


# ---- numbers -------------------------------------------------------------------------------------

def used_by(command, environment):
    """Runs a command. Returns (exit status, CPU seconds, MiB)."""
    child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


IMPOSSIBLE = (["-n", "-1"], ["-n", "99999999999"], ["--mem=1e400"], ["-t", "1-99:99:99"],
              ["--array=0-4000000000"], ["--array=0-9:0"], ["-w", "n[1-999999999]"],
              ["--array=1-1000000"], ["--array=1-1001"], ["-n", "4294967297"],
              ["-N", "18446744073709551617"])


def test_h18_absurd_numbers_in_options_are_refused_at_once(cluster):
    _, cpu, mib = used_by([cluster.bin / "cox", "--version"], cluster.environment)
    before = cluster.sql("SELECT count(*) FROM cox.job")
    for words in [*IMPOSSIBLE, ["--dependency=afterok:999999999"]]:
        status, took_s, took_mib = used_by([cluster.bin / "cox", "submit", *words, *TRUE],
                                           cluster.environment)
        assert status in (1, 2), words
        # A multiple of what the same machine needs for a command that does nothing.
        assert took_s < max(1, 30 * cpu) and took_mib - mib < 50, (words, took_s, took_mib)
    assert cluster.sql("SELECT count(*) FROM cox.job") == before


# ---- many requests -------------------------------------------------------------------------------

def cancel_all(cluster, peer):
    waiting = [int(job) for job, in cluster.sql("SELECT id FROM cox.job WHERE state = 'PENDING'")]
    for first in range(0, len(waiting), 64):
        ids = waiting[first:first + 64]
        peer.ask(first + 1, raw_zmq.request(first + 1, raw_zmq.ACT_ON_JOBS, 0, ids))


def test_h19_a_flood_of_submissions_is_limited_and_delays_no_other_client(cluster, local):
    cluster.cox("drain", "n1", "--reason=a test")
    cluster.cox("drain", "n2", "--reason=a test")
    with raw_zmq.RawPeer(local) as other:
        quiet = [seconds_to_answer(other, number) for number in range(1, 50)]
        frames = [raw_zmq.submit(number, "flood") for number in range(100_000)]
        with raw_zmq.RawPeer(local) as flood:
            def submit_all():
                for frame in frames:
                    flood.send(frame)
            sending = threading.Thread(target=submit_all)
            sending.start()
            flooded = [seconds_to_answer(other, number) for number in range(50, 250)]
            sending.join()
            refused = other.ask(1000, raw_zmq.submit(1000, "other"))
            assert b"the limit is 500" in refused[1][0][0], refused
            assert cluster.sql("SELECT count(*) FROM cox.job WHERE state = 'PENDING'") == [["500"]]
        cancel_all(cluster, other)
        after = [seconds_to_answer(other, number) for number in range(2000, 2050)]
        assert_delays_nobody(flooded, quiet, after)
    cluster.cox("resume", "n1")
    cluster.cox("resume", "n2")


def test_h19_an_array_has_a_limit_of_tasks(cluster):
    done = cluster.cox("submit", "--array=1-1001", *TRUE, check=False)
    assert done.returncode == 1 and "1000" in done.stderr, done.stderr
    assert "100000" in cluster.cox("submit", "--array=1-1000000", *TRUE, check=False).stderr


def test_h20_a_cycle_of_dependencies_is_refused(cluster, tmp_path):
    held = cluster.submit("--hold", "-n1", "-D", "/tmp", *TRUE)
    behind = cluster.submit("-n1", "-D", "/tmp", f"--dependency=afterok:{held}", *TRUE)
    refused = cluster.cox("submit", f"--dependency=afterok:{behind + 1}", *TRUE, check=False)
    assert "which does not exist" in refused.stderr
    scontrol = program(cluster, tmp_path, "scontrol")
    for job, on in ((held, behind), (held, held)):
        done = scontrol("update", f"JobId={job}", f"Dependency=afterok:{on}")
        assert done.returncode != 0, f"jobs {job} and {on} would wait for each other"
    cluster.cox("cancel", held, behind)


def test_h23_output_of_512_mib_does_not_grow_the_supervisor_or_the_controller(cluster, folder):
    before = memory_mib(cluster)
    job = cluster.submit("-n1", "-D", folder, "-o", "out", "--", "sh", "-c",
                         f"head -c {512 * MIB} /dev/zero | tr '\\0' '\\033'; "
                         "echo; until [ -e go ]; do sleep 0.1; done")
    cluster.wait_for(lambda: (folder / "out").exists()
                     and (folder / "out").stat().st_size == 512 * MIB + 1,
                     "one long line to be written")
    node, = cluster.nodes_of(job)
    supervisor = cluster.supervisor(job, cluster.attempt(job), node)
    lines = supervisor.read("status").decode().splitlines()
    most = next(line for line in lines if line.startswith("VmHWM"))
    assert int(most.split()[1]) // 1024 < 2 * SPARE_MIB, most
    assert memory_mib(cluster) - before < SPARE_MIB
    (folder / "go").touch()
    cluster.wait_state(job, "COMPLETED")
    (folder / "out").unlink()
