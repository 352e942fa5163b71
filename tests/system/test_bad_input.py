"""Bad requests are refused at submission, with the fact, the limit and the next step."""

import json
import subprocess

from patience import DEADLINE_S
import pytest
from cluster import PYTHON

CLUSTER = {"nodes": 2, "cpus": 2, "features": ["fast=n1"], "gpus": ["h100:2"]}
TRUE = ["--", "true"]


@pytest.fixture
def refuse(cluster):
    """refuse(WORD...): submits with these words, which must be refused, and returns the message."""
    def refused(*words, exit_code=None, **more):
        before = cluster.sql("SELECT count(*) FROM cox.job")
        done = cluster.cox("submit", *words, check=False, **more)
        assert done.returncode in ((1, 2) if exit_code is None else (exit_code,)), done
        assert done.stdout == ""
        assert done.stderr.startswith("cox: "), done.stderr
        assert len(done.stderr.strip().splitlines()) >= 2, f"no hint: {done.stderr}"
        assert cluster.sql("SELECT count(*) FROM cox.job") == before
        return done.stderr
    return refused


def script(tmp_path, content, name="job.sh"):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


# ---- scripts -------------------------------------------------------------------------------------

def test_invalid_scripts_are_refused(refuse, tmp_path):
    large = script(tmp_path, b"#!/bin/sh\n" + b"#" * (4 << 20))
    assert "4194304" in refuse(large)
    assert "NUL" in refuse(script(tmp_path, b"#!/bin/sh\necho \0\n"))
    assert "DOS line breaks" in refuse(script(tmp_path, "#!/bin/sh\r\necho\r\n"))
    assert "#!" in refuse(script(tmp_path, "echo hello\n"))
    assert "empty" in refuse(script(tmp_path, ""))
    assert "empty" in refuse(script(tmp_path, "\n \n"))
    assert "No such file" in refuse(tmp_path / "missing.sh")
    assert refuse(tmp_path)  # a folder


def test_a_script_of_exactly_4_mib_is_accepted(cluster, tmp_path):
    head, tail = b"#!/bin/sh\nexit 0\n", b"\n"
    file = script(tmp_path, head + b"#" * ((4 << 20) - len(head) - len(tail)) + tail)
    job = cluster.submit("-D", tmp_path, "-o", "/dev/null", file)
    cluster.wait_state(job, "COMPLETED")


def test_invalid_directives_are_refused_with_their_line(refuse, tmp_path):
    def refusal(line):
        file = script(tmp_path, f"#!/bin/sh\n# a comment\n#SBATCH {line}\necho\n")
        words = refuse(file)
        assert f"{file} line 3: " in words, words
        return words

    assert "--ntasks" in refusal("--ntask-per-nod=3") and "did you mean" in refusal("--nodez=3")
    assert "cannot be" in refusal("--nodes=0") or "whole number" in refusal("--nodes=0")
    assert "not a time" in refusal("--time=soon")
    assert "Invalid directive" in refusal("word")
    assert "quote" in refusal('--job-name="open')


def test_directives_end_at_the_first_command_and_the_command_line_overrides_them(cluster, tmp_path):
    file = script(tmp_path, "#!/bin/sh\n#SBATCH -J before\nexit 0\n#SBATCH --no-such-option\n")
    job = cluster.submit("-D", tmp_path, file)
    assert cluster.job(job)["view"]["job"]["spec"]["name"] == "before"
    over = cluster.submit("-D", tmp_path, "-J", "beaten", file)
    assert cluster.job(over)["view"]["job"]["spec"]["name"] == "beaten"


# ---- values --------------------------------------------------------------------------------------

VALUES = [
    (["-n", "-1"], "-1"), (["-n", "0"], "0"), (["-n", "99999999999"], "262144"),
    (["-n", "99999999999999999999999999"], "262144"), (["-n", "1.5"], "1.5"), (["-n", ""], "-n"),
    (["-N", "4-2"], "4-2"), (["-N", "16385"], "16384"), (["-c", "4097"], "4096"),
    (["--mem=1e400"], "1e400"), (["--mem=-5"], "-5"),
    (["--mem=99999999999999999999"], "1073741824"),
    (["--mem=4X"], "4X"), (["-t", "soon"], "not a time"), (["-t", "1:60:00"], "not a time"),
    (["-t", "9999-00"], "longest"), (["-t", "1:2:3:4"], "not a time"),
    (["--gres=gpu:-1"], "gpu"), (["--gres=gpu:65"], "64"), (["--gres=fpga:1"], "fpga"),
    (["--signal=NOSUCH"], "NOSUCH"), (["--signal=USR1@65536"], "65535"),
    (["--checkpoint-signal=KILL"], "caught"), (["--checkpoint-by=rank1"], "rank0"),
    (["--open-mode=x"], "append"), (["-w", "n[1-"], "n[1-"), (["-w", "n[1-99999999]"], "65536"),
    (["-J", "a\nb"], "control character"), (["-J", "\x1b[31mred"], "control character"),
    (["-J", "x" * 1025], "1024"), (["-o", "a\tb"], "control character"),
    (["-p", "a,b"], 'no partition "a"'), (["-C", "a&"], "a&"), (["--exclusive=mcs"], "MCS labels"),
]


def test_invalid_values_of_options_are_refused(refuse):
    for words, fact in VALUES:
        said = refuse(*words, *TRUE)
        assert fact in said, said
        assert "\x1b" not in said and "\t" not in said


def test_text_that_is_not_utf8_is_refused(refuse):
    assert "UTF-8" in refuse("-J", b"\xff\xfe".decode("utf-8", "surrogateescape"), *TRUE)
    assert "UTF-8" in refuse("--", "echo", b"\xff".decode("utf-8", "surrogateescape"))


def test_unknown_options_are_refused(refuse):
    assert "did you mean" in refuse("--nodesz=1", *TRUE) and "--nodes" in refuse("--nodez=1", *TRUE)
    assert refuse("-Z", *TRUE)
    assert "command" in refuse("-n1", "--")


# The kernel limits arguments and variables to a quarter of the stack limit. So the test raises the
# stack limit, in a process of its own.
LARGE_ENVIRONMENT = """
import os, sys
large = {f"LARGE_{i}": "x" * 131000 for i in range(17)}
os.execve(sys.argv[1], ["cox", "submit", "-n1", "--", "true"], dict(os.environ, **large))
"""


def test_too_large_an_environment_or_command_is_refused(cluster, refuse):
    raised = ["/bin/sh", "-c", 'ulimit -s 65536; exec "$@"', "sh", PYTHON, "-c"]
    done = subprocess.run([*raised, LARGE_ENVIRONMENT, cluster.bin / "cox"], timeout=DEADLINE_S,
                          text=True,
                          env=cluster.environment, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "2097152" in done.stderr and "--export" in done.stderr
    assert "4096" in refuse("-n1", "--", *["x"] * 4097)


# ---- impossible requests -------------------------------------------------------------------------

IMPOSSIBLE = [  # (options, numbers or names that the refusal must have)
    (["-N3"], ["3", "2"]), (["-n5"], ["5", "4"]), (["-n1", "-c3"], ["3", "2"]),
    (["-N1", "-n3"], ["3", "2"]), (["-n1", "--mem=512T"], ["536870912 MB"]),
    (["--gres=gpu:3"], ["3", "2"]), (["-N3-4"], ["3", "2"]), (["--licenses=matlab"], ["matlab:1"]),
    (["--gres=gpu:a100:1"], ["a100"]), (["-N2", "-C", "fast"], ["fast", "1"]),
    (["-C", "slow"], ["slow"]), (["-w", "n9"], ["n9"]),
]


def test_requests_that_the_cluster_can_never_run_are_refused(refuse):
    for words, facts in IMPOSSIBLE:
        said = refuse(*words, *TRUE, exit_code=1)
        assert all(fact in said for fact in facts), said


def test_an_unknown_qos_or_partition_is_refused_with_the_existing_name(refuse):
    assert "critical" in refuse("-q", "kritical", *TRUE, exit_code=1)
    assert "main" in refuse("-p", "mian", *TRUE, exit_code=1)


def test_a_refusal_is_shown_as_json_too(cluster):
    done = cluster.cox("submit", "--json", "-N3", *TRUE, check=False)
    assert done.returncode == 1
    why = json.loads(done.stdout)["why"]
    assert why["fact"] and why["hint"]


# ---- text that is only text ----------------------------------------------------------------------

def test_hostile_job_names_and_arguments_are_literal_text(cluster, tmp_path):
    names = ["'; DROP TABLE cox.job; --", "$(touch pwned)`touch pwned`", "%n%s%j",
             "{1,2},NULL,\"\\",
             "日本 ünïcödé \U0001F600", "NULL", "\\N", "a,b;c", " leading and trailing ",
             "x" * 1024]
    for name in names:
        job = cluster.submit("-n1", "-J", name, "-D", tmp_path, "-o", "/dev/null", "--", "true",
                             name)
        cluster.wait_state(job, "COMPLETED")
        spec = cluster.job(job)["view"]["job"]["spec"]
        assert spec["name"] == name
        assert spec["command"] == ["true", name]
        row, = cluster.sql(f"SELECT name, command[2] FROM cox.job WHERE id = {job}")
        assert row == [name, name]
        assert cluster.cox("queue", job).returncode == 0
    assert not (tmp_path / "pwned").exists()


def test_hostile_drain_reasons_are_literal_text_and_bad_job_ids_are_refused(cluster):
    reason = "'); DELETE FROM cox.node; --"
    cluster.cox("drain", "n2", "--reason", reason)
    assert cluster.node("n2")["reason"] == reason
    cluster.cox("resume", "n2")
    bad = cluster.cox("drain", "n2", "--reason", "a\nb", check=False)
    assert bad.returncode != 0 and not cluster.node("n2")["drained"]
    for word in ("0", "-1", "x", "1;2", "99999999999999999999", "1_2", ""):
        done = cluster.cox("cancel", "--", word, check=False)
        assert done.returncode in (1, 2), word
    assert "99999999" in cluster.cox("cancel", "99999999", check=False).stderr
    many = cluster.cox("cancel", *range(900001, 900201), check=False)  # more than one request takes
    assert many.returncode == 1 and many.stderr.count("there never was a job") == 200, many


def test_a_submission_whose_answer_cannot_be_written_exits_with_0_and_names_its_job(cluster):
    def into_full_disk(name, *words):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([name, *words], executable=cluster.bin / "cox",
                                  env=cluster.environment, cwd=cluster.work,
                                  stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=DEADLINE_S)
        return done.returncode, done.stderr

    full = "error: cannot write to standard output: No space left on device\n"
    for name, *words in (["cox", "submit", *TRUE], ["sbatch", "--parsable", "--wrap=true"],
                         ["sbatch", "-W", "--wrap=true"]):
        code, err = into_full_disk(name, *words)
        job = cluster.sql("SELECT max(id) FROM cox.job")[0][0]
        assert (code, err) == (0, f"{name}: {full}{name}: job {job} is submitted, but its answer "
                                  "could not be written\n")
    assert into_full_disk("cox", "queue", "-a") == (1, f"cox: {full}")


def test_a_used_request_id_shows_the_earlier_job_and_says_so(cluster):
    first = cluster.cox("submit", "--request-id=used", *TRUE)
    assert first.stderr == ""
    again = cluster.cox("submit", "--request-id=used", "--", "false")
    job = first.stdout.split()[-1]
    assert (again.stdout, again.stderr) == (
        first.stdout,
        f"cox: job {job} was submitted before with this request id; no new job was "
        "submitted\n")


def test_a_quiet_submission_that_waits_shows_no_progress(cluster):
    done = cluster.cox("submit", "--quiet", "-W", "--", "sh", "-c", "exit 3", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_the_controller_survives_garbage_on_its_port(cluster):
    """Bytes that are not ZeroMQ, and a client that never sends, harm nobody else."""
    port = cluster.layout["port"]
    for blob in ("head -c 65536 /dev/urandom", "printf 'GET / HTTP/1.1\\r\\n\\r\\n'", "true"):
        subprocess.run(["/bin/bash", "-c", f"{blob} > /dev/tcp/127.0.0.1/{port}"],
                       timeout=DEADLINE_S,
                       stderr=subprocess.DEVNULL, check=False)
    job = cluster.submit("-n1", "-D", "/tmp", "-o", "/dev/null", *TRUE)
    cluster.wait_state(job, "COMPLETED")
