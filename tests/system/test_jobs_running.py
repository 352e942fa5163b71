"""The environment, files and exits of running jobs; nothing of an ended job stays behind."""

import getpass
import ipaddress
import json
import os
import re
import sys

from patience import DEADLINE_S
import pytest
from processes import Process, start_time_of

CLUSTER = {"nodes": 3, "settings": {"kill_wait": "2s", "launch_retry_max": "1s"}}
DUMP = "import json,os;json.dump(dict(os.environ),open('env.'+os.environ.get('RANK','batch'),'w'))"


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path


def environments(folder):
    return {file.suffix[1:]: json.loads(file.read_text()) for file in folder.glob("env.*")}


def script(folder, text, name="job.sh"):
    file = folder / name
    file.write_text(text)
    return file


def await_end(cluster, job, state="COMPLETED"):
    cluster.wait_state(job, state)
    return cluster.job(job)


# ---- environment ---------------------------------------------------------------------------------

def test_ranks_of_a_gang_have_slurms_variables(cluster, folder):
    job = cluster.submit("-N2", "-n3", "-c1", "-J", "a gang", "-D", folder, "-t", "10", "--",
                         sys.executable, "-c", DUMP)
    detail = await_end(cluster, job)
    seen = environments(folder)
    assert sorted(seen) == ["0", "1", "2"]
    nodes = [node["grant"]["node"] for node in detail["attempts"][0]["nodes"]]
    same = {"WORLD_SIZE": "3", "SLURM_NTASKS": "3", "SLURM_NPROCS": "3",
            "SLURM_STEP_NUM_TASKS": "3",
            "SLURM_JOB_ID": str(job), "SLURM_JOBID": str(job), "SLURM_JOB_NAME": "a gang",
            "SLURM_JOB_NUM_NODES": "2", "SLURM_NNODES": "2", "SLURM_STEP_NUM_NODES": "2",
            "SLURM_TASKS_PER_NODE": "2,1", "SLURM_STEP_TASKS_PER_NODE": "2,1",
            "SLURM_JOB_CPUS_PER_NODE": "2,1", "SLURM_CPUS_PER_TASK": "1", "SLURM_STEP_ID": "0",
            "SLURM_JOB_PARTITION": "main", "SLURM_JOB_QOS": "standard",
            "SLURM_JOB_USER": getpass.getuser(), "SLURM_JOB_UID": str(os.getuid()),
            "PWD": str(folder)}
    for rank, local, node in ((0, 0, 0), (1, 1, 0), (2, 0, 1)):
        variables = seen[str(rank)]
        for name, value in same.items():
            assert variables.get(name) == value, (rank, name)
        own = {"RANK": rank, "SLURM_PROCID": rank, "LOCAL_RANK": local, "SLURM_LOCALID": local,
               "SLURM_NODEID": node}
        for name, value in own.items():
            assert variables[name] == str(value), (rank, name)
        assert variables["SLURMD_NODENAME"] == nodes[node]
        assert variables["SLURM_JOB_NODELIST"] == variables["SLURM_NODELIST"]
        assert "SLURM_RESTART_COUNT" not in variables and "COX_RESUME_FROM" not in variables
        ended = int(variables["SLURM_JOB_END_TIME"])
        assert ended - int(variables["SLURM_JOB_START_TIME"]) == 600
    assert len({seen[rank]["MASTER_PORT"] for rank in seen}) == 1
    address = seen["2"]["MASTER_ADDR"]
    assert ipaddress.ip_address(address).is_loopback
    assert address == cluster.node(nodes[0])["address"]
    assert seen["0"]["SLURM_TASK_PID"] != seen["1"]["SLURM_TASK_PID"]


BATCH = f"""#!/bin/sh
#SBATCH --job-name=plain   # a comment
#SBATCH -N2
{sys.executable} -c "{DUMP}"
"""


def test_a_script_has_only_batch_variables(cluster, folder):
    """A script runs once, with the batch variables and without those of other steps."""
    job = cluster.submit("-D", folder, script(folder, BATCH))
    await_end(cluster, job)
    seen = environments(folder)
    assert sorted(seen) == ["batch"]
    variables = seen["batch"]
    expected = {"SLURM_JOB_ID": str(job), "SLURM_JOB_NAME": "plain", "SLURM_PROCID": "0",
                "SLURM_LOCALID": "0", "SLURM_NODEID": "0", "SLURM_NNODES": "2",
                "SLURM_JOB_NUM_NODES": "2", "SLURM_TASKS_PER_NODE": "1(x2)",
                "ENVIRONMENT": "BATCH"}
    for name, value in expected.items():
        assert variables.get(name) == value, name
    for name in ("SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE", "SLURM_CPUS_PER_TASK",
                 "SLURM_MEM_PER_NODE", "SLURM_STEP_ID", "SLURM_STEPID", "SLURM_RESTART_COUNT",
                 "SLURM_ARRAY_JOB_ID", "SLURM_JOB_END_TIME", "RANK", "WORLD_SIZE", "MASTER_PORT",
                 "CUDA_VISIBLE_DEVICES"):
        assert name not in variables, name


def test_options_of_a_script_set_slurms_variables_in_it(cluster, folder):
    job = cluster.submit("-D", folder, "--ntasks-per-node=2", "-c1", "--mem=64M", "-t", "5",
                         script(folder, BATCH))
    await_end(cluster, job)
    variables = environments(folder)["batch"]
    expected = {"SLURM_NTASKS": "4", "SLURM_NPROCS": "4", "SLURM_NTASKS_PER_NODE": "2",
                "SLURM_CPUS_PER_TASK": "1", "SLURM_MEM_PER_NODE": "64",
                "SLURM_TASKS_PER_NODE": "2(x2)", "SLURM_JOB_CPUS_PER_NODE": "2(x2)"}
    for name, value in expected.items():
        assert variables.get(name) == value, name
    assert "SLURM_JOB_END_TIME" in variables


def test_a_job_gets_the_environment_of_its_submitter(cluster, folder):
    cluster.environment["FROM_OUTSIDE"] = "a = b\n'c'"
    # The submitter looks like a job that was itself restarted 7 times.
    cluster.environment["SLURM_RESTART_COUNT"] = "7"
    try:
        job = cluster.submit("-n1", "-D", folder, "--", sys.executable, "-c", DUMP)
        await_end(cluster, job)
        none = cluster.submit("-n1", "-D", folder, "--export=NONE,GIVEN=x", "--", sys.executable,
                              "-c", DUMP.replace("'env.'", "'none.'"))
        await_end(cluster, none)
    finally:
        del cluster.environment["FROM_OUTSIDE"], cluster.environment["SLURM_RESTART_COUNT"]
    variables = environments(folder)["0"]
    assert variables["FROM_OUTSIDE"] == "a = b\n'c'"
    assert "SLURM_RESTART_COUNT" not in variables
    variables = json.loads((folder / "none.0").read_text())
    assert variables["GIVEN"] == "x" and "FROM_OUTSIDE" not in variables


# ---- exits ---------------------------------------------------------------------------------------

def test_one_failing_rank_ends_the_gang(cluster, folder):
    job = cluster.submit("-N2", "-n4", "-D", folder, "--", "/bin/sh", "-c",
                         'if [ "$RANK" = 2 ]; then exit 7; fi; exec sleep 1000')
    waiter = cluster.cox("wait", job, check=False)
    assert waiter.returncode == 7
    assert cluster.state(job) == "FAILED"
    rows = cluster.sql("SELECT rank, exit_code, exit_signal FROM cox.rank"
                       f" WHERE job_id = {job} ORDER BY rank")
    assert rows[2] == ["2", "7", "0"]
    assert [row[2] for row in rows if row[0] != "2"] == ["15", "15", "15"]
    assert cluster.sql(f"SELECT exit_code FROM cox.history WHERE id = {job}") == [["7"]]


def test_cox_wait_exits_with_the_code_or_signal_of_the_job(cluster, folder):
    for command, code, state in ((["true"], 0, "COMPLETED"), (["/bin/sh", "-c", "exit 42"], 42,
                                                              "FAILED"),
                                 (["/bin/sh", "-c", "kill -9 $$"], 137, "FAILED")):
        job = cluster.submit("-n1", "-D", folder, "--", *command)
        assert cluster.cox("wait", job, check=False).returncode == code, command
        assert cluster.state(job) == state
    rows = cluster.sql(f"SELECT exit_code, exit_signal FROM cox.job WHERE id = {job}")
    assert rows == [["0", "9"]]


def test_a_missing_command_fails_with_127(cluster, folder):
    job = cluster.submit("-n1", "-D", folder, "--", "/no/such/program")
    detail = await_end(cluster, job, "FAILED")
    assert detail["view"]["job"]["exit_code"] == 127
    assert any("/no/such/program" in event["why"] for event in cluster.history(job))


def test_cox_cancel_ends_running_and_held_jobs(cluster, folder):
    job = cluster.submit("-N2", "-n2", "-D", folder, "--", "sleep", "1000")
    waits = cluster.submit("-n1", "--hold", "-D", folder, "--", "sleep", "1000")
    cluster.wait_state(job, "RUNNING")
    waiter = cluster.popen("wait", job)
    cluster.cox("cancel", job, waits)
    assert cluster.state(waits) == "CANCELLED"
    await_end(cluster, job, "CANCELLED")
    assert waiter.wait(timeout=DEADLINE_S) != 0
    again = cluster.cox("cancel", job)
    assert "CANCELLED" in again.stdout


def test_a_job_ends_at_its_time_limit(cluster, folder):
    job = cluster.submit("-n1", "-t", "0:01", "-D", folder, "--", "sleep", "1000")
    assert cluster.cox("wait", job, check=False).returncode != 0
    assert cluster.state(job) == "TIMEOUT"


@pytest.mark.parametrize("options, state, due", [
    ([], "CANCELLED", ""),
    (["-t", "0:01"], "TIMEOUT", " DUE TO TIME LIMIT"),
])
def test_output_reports_a_missing_folder_and_the_cancellation(cluster, folder, options, state, due):
    """The job's output has a line for each, as under Slurm: the missing folder first, the
    cancellation last."""
    file = script(folder, "#!/bin/sh\npwd\nsleep 1000\n")
    out = folder / "out"
    job = cluster.submit("-n1", *options, "-D", "/no/such/folder", "-o", out, file)
    cluster.wait_for(lambda: out.exists() and "/tmp\n" in out.read_text(),
                     "the first line of output")
    if not options:
        cluster.cox("cancel", job)
    detail = await_end(cluster, job, state)
    cluster.wait_for(lambda: "CANCELLED" in out.read_text(), "the line of its cancellation")
    first, own, *last = out.read_text().splitlines()
    assert first == ("slurmstepd: error: couldn't chdir to `/no/such/folder': "
                     "No such file or directory: going to /tmp instead")
    node = detail["attempts"][0]["nodes"][0]["grant"]["node"]
    line = (rf"slurmstepd: error: \*\*\* JOB {job} ON {node} CANCELLED AT "
            rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d{due} \*\*\*")
    assert own == "/tmp" and any(re.fullmatch(line, each) for each in last), last


# ---- nothing stays behind ------------------------------------------------------------------------

LEAVER = """
import os, sys, time
def leave(name, environment):
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    with open(name + '.part', 'w') as file:
        file.write(str(os.getpid()))
    os.rename(name + '.part', name)
    os.execve('/bin/sleep', ['sleep', '1000'], environment)
leave('plain', dict(os.environ))
leave('bare', {})
while not (os.path.exists('plain') and os.path.exists('bare')):
    time.sleep(0.01)
if sys.argv[1] == 'stay':
    time.sleep(1000)
"""


@pytest.mark.parametrize("ends_by", ["exit", "cancel"])
def test_forked_processes_end_with_the_attempt(cluster, folder, ends_by):
    """Processes end with the attempt in spite of a double fork, a session of their own, and an
    empty environment."""
    stay = ["stay"] if ends_by == "cancel" else ["go"]
    job = cluster.submit("-n1", "-D", folder, "--", sys.executable, "-c", LEAVER, *stay)
    files = [folder / "plain", folder / "bare"]
    cluster.wait_for(lambda: all(file.exists() for file in files), "the forked processes")
    left = [Process(pid, start_time_of(pid)) for pid in (int(f.read_text()) for f in files)]
    if ends_by == "cancel":
        assert all(process.is_alive() for process in left)
        cluster.cox("cancel", job)
    await_end(cluster, job, "CANCELLED" if ends_by == "cancel" else "COMPLETED")
    assert not any(process.is_alive() for process in left)


# ---- files ---------------------------------------------------------------------------------------

def test_output_files_have_default_names(cluster, folder):
    gang = cluster.submit("-n2", "-D", folder, "--", "/bin/sh", "-c",
                          "echo out $RANK; echo err >&2")
    batch = cluster.submit("-D", folder, script(folder, "#!/bin/sh\necho from $0 $1\n"), "word")
    await_end(cluster, gang)
    await_end(cluster, batch)
    for rank in (0, 1):
        assert (folder / f"slurm-{gang}.{rank}.out").read_text() == f"out {rank}\nerr\n"
    assert (folder / f"slurm-{batch}.out").read_text().endswith(" word\n")


def test_patterns_in_names_of_output_files_are_replaced(cluster, folder):
    job = cluster.submit("-N2", "-n2", "-J", "name", "-D", folder, "-o", "o-%x-%j-%t-%N-%n-%%",
                         "-e", "e-%5j.%2t", "--", "/bin/sh", "-c", "echo out; echo err >&2")
    detail = await_end(cluster, job)
    nodes = [node["grant"]["node"] for node in detail["attempts"][0]["nodes"]]
    for rank in (0, 1):
        out = folder / f"o-name-{job}-{rank}-{nodes[rank]}-{rank}-%"
        assert out.read_text() == "out\n", sorted(folder.iterdir())
        assert (folder / f"e-{job:05}.{rank:02}").read_text() == "err\n"


def test_open_mode_truncates_or_appends(cluster, folder):
    for mode, expected in (("truncate", "1\n"), ("append", "1\n1\n"), ("truncate", "1\n")):
        job = cluster.submit("-n1", "-D", folder, "-o", "same", f"--open-mode={mode}", "--", "echo",
                             "1")
        await_end(cluster, job)
        assert (folder / "same").read_text() == expected, mode


def test_input_comes_from_a_file_or_is_empty(cluster, folder):
    (folder / "in.0").write_text("zero")
    (folder / "in.1").write_text("one")
    job = cluster.submit("-n2", "-D", folder, "-i", "in.%t", "-o", "out.%t", "--", "cat")
    await_end(cluster, job)
    assert [(folder / f"out.{rank}").read_text() for rank in (0, 1)] == ["zero", "one"]
    job = cluster.submit("-n1", "-D", folder, "-o", "empty", "--", "cat")
    await_end(cluster, job)
    assert (folder / "empty").read_text() == ""


@pytest.mark.parametrize("options, named", [
    (["-o", "/dev/null/out"], "/dev/null/out"),
    (["-i", "no-such-input"], "no-such-input"),
    (["-D", "/no/such/work/folder"], "/no/such/work/folder"),
])
def test_a_job_fails_if_its_file_cannot_be_opened(cluster, folder, options, named):
    """The job itself is at fault: it fails and its history names what is missing. The scheduler
    does not avoid the node for it."""
    place = [] if "-D" in options else ["-D", folder]
    job = cluster.submit("-n1", *place, *options, "--", "true")
    detail = await_end(cluster, job, "FAILED")
    assert any(named in event["why"] for event in cluster.history(job)), cluster.history(job)
    assert len(detail["attempts"]) == 1
    assert detail["view"]["job"]["avoid_nodes"] == []


def test_a_job_runs_the_script_as_it_was_when_submitted(cluster, folder):
    """Later changes of the file have no effect, and the text of two submissions is stored once."""
    file = script(folder, "#!/bin/sh\necho first\n")
    jobs = [cluster.submit("--hold", "-D", folder, file) for _ in range(2)]
    file.write_text("#!/bin/sh\necho second\n")
    cluster.cox("release", *jobs)
    for job in jobs:
        await_end(cluster, job)
        assert (folder / f"slurm-{job}.out").read_text() == "first\n"
    hashes = cluster.sql("SELECT DISTINCT script_hash FROM cox.job"
                         f" WHERE id IN ({jobs[0]}, {jobs[1]})")
    assert len(hashes) == 1
    assert cluster.sql(f"SELECT count(*) FROM cox.blob WHERE hash = '{hashes[0][0]}'") == [["1"]]


def test_wrap_runs_a_shell_command_as_a_script(cluster, folder):
    job = cluster.submit("-D", folder, "-o", "wrapped", "--wrap", "echo 'a b' | tr a-z A-Z")
    await_end(cluster, job)
    assert (folder / "wrapped").read_text() == "A B\n"
