"""What srun sends with its tasks, with real daemons: limits, host files and, with --bcast, the
program. Also --clusters."""

import errno
import os
import re
import resource
import subprocess

from patience import DEADLINE_S
import pytest
from test_allocations import Login

CLUSTER = {"nodes": 3, "cpus": 4}


@pytest.fixture
def login(cluster, tmp_path):
    return Login(cluster, tmp_path)


# ---- limits --------------------------------------------------------------------------------------

# Does not set the limit of core files, which the sanitizer sets.
LIMITED = "ulimit -S -s 5000 && ulimit -S -n 300 && "
SHOW = "ulimit -s; ulimit -n; env | grep -c RLIMIT; true"


def shell(login, text):
    """Returns the output of a shell with the limits of LIMITED."""
    done = subprocess.run(["sh", "-c", LIMITED + text], cwd=login.folder, env=login.environment,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=DEADLINE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_soft_limits_of_the_shell_are_propagated_to_steps_and_jobs(login):
    assert shell(login, f"srun -n1 sh -c '{SHOW}'") == "5000\n300\n0\n"
    out = login.folder / "out"
    shell(login, f"sbatch -Q --wait -n1 -o {out} --wrap \"{SHOW}; srun sh -c '{SHOW}'\"")
    assert out.read_text() == "5000\n300\n0\n5000\n300\n0\n"


def test_propagate_selects_which_soft_limits_are_propagated(login):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    alone = shell(login, f"srun -n1 --propagate=STACK sh -c '{SHOW}'").split()
    assert alone[0] == "5000" and alone[1] != "300" and int(alone[1]) <= most
    none = shell(login, f"srun -n1 --propagate=NONE sh -c '{SHOW}'").split()
    assert none[1] != "300"
    wrong = login.run("srun", "--propagate=CORE,FOO", "-n1", "true")
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("srun: error: Bad rlimit name: FOO\n"
                                   "srun: error: --propagate=CORE,FOO is not valid. ")
    batch = login.run("sbatch", "--propagate=FOO", "--wrap=true")
    assert "sbatch: error: Bad rlimit name: FOO\n" in batch.stderr


# ---- files of nodes ------------------------------------------------------------------------------

WHERE = ("sh", "-c", "echo $SLURMD_NODENAME $SLURM_NODEID $SLURM_LOCALID $SLURM_TASKS_PER_NODE "
                     "$SLURM_DISTRIBUTION")
AS_LISTED = ["0: n3 2 0 1(x2),2 arbitrary", "1: n1 0 0 1(x2),2 arbitrary",
             "2: n2 1 0 1(x2),2 arbitrary", "3: n3 2 1 1(x2),2 arbitrary"]


@pytest.fixture
def hosts(login):
    path = login.folder / "hosts"
    path.write_text("n3\nn1,n2  # and n3 once more\nn3\n")
    return path


def test_tasks_go_where_the_host_file_says(login, hosts):
    done = login.run("srun", "-l", *WHERE, SLURM_HOSTFILE=str(hosts))
    assert sorted(done.stdout.splitlines()) == AS_LISTED, done.stderr
    named = login.run("srun", "-l", "-m", "arbitrary", "-w", "./hosts", *WHERE)
    assert sorted(named.stdout.splitlines()) == AS_LISTED, named.stderr
    few = login.run("srun", "-n5", "true", SLURM_HOSTFILE=str(hosts))
    assert few.returncode == 1
    assert "srun: error: Too few NodeNames in Slurm Hostfile" in few.stderr
    alone = login.run("srun", "-m", "arbitrary", "-n2", "true")
    assert alone.returncode == 1
    assert "srun: error: With Arbitrary distribution you need to specify a nodelist" in alone.stderr


def test_steps_of_a_batch_job_go_where_its_host_file_says(login, hosts):
    out = login.folder / "out"
    text = " ".join(WHERE[:2]) + f" '{WHERE[2]}'"
    done = login.run("sbatch", "-Q", "--wait", "-o", out, f"--wrap=srun -l {text}",
                     SLURM_HOSTFILE="hosts")
    assert done.returncode == 0, done.stderr + out.read_text()
    assert sorted(out.read_text().splitlines()) == AS_LISTED


def test_an_endless_host_file_or_multi_prog_file_is_refused(login):
    endless = login.run("srun", "-m", "arbitrary", "true", SLURM_HOSTFILE="/dev/zero")
    assert endless.returncode == 1
    assert ("srun: error: Failure getting NodeNames from hostfile: /dev/zero is larger than "
            "1048576 bytes") in endless.stderr
    folder = login.run("srun", "-m", "arbitrary", "true", SLURM_HOSTFILE=str(login.folder))
    assert f"hostfile: cannot read {login.folder}" in folder.stderr
    programs = login.run("srun", "-n1", "--multi-prog", "/dev/zero")
    assert programs.returncode == 1 and "is larger than 4194304 bytes" in programs.stderr


# ---- --bcast: srun copies the program to the nodes -----------------------------------------------

def test_bcast_copies_the_program_before_it_runs(login):
    program = login.folder / "program"
    program.write_text("#!/bin/sh\necho $0 on $SLURMD_NODENAME\n")
    program.chmod(0o755)
    there = login.folder / "there"
    done = login.run("srun", "-N2", "-n2", f"--bcast={there}", "./program")
    assert sorted(done.stdout.splitlines()) == [f"{there} on n1", f"{there} on n2"], done.stderr
    # These lines come if the resources are not there within half a second.
    waits = r"srun: job \d+ (queued and waiting for|has been allocated) resources\n"
    assert re.sub(waits, "", done.stderr) == ""
    assert there.read_text() == program.read_text() and os.access(there, os.X_OK)
    folder = login.folder / "copies"
    folder.mkdir()
    named = login.run("srun", "-n1", f"--bcast={folder}/", "./program")
    copy, = folder.iterdir()
    assert named.stdout == f"{copy} on n1\n" and copy.name.startswith("slurm_bcast_")


def test_a_program_that_cannot_be_copied_does_not_run(login):
    done = login.run("srun", "-n1", f"--bcast={login.folder}/nowhere/x", "hostname")
    assert done.returncode == 1 and done.stdout == ""
    assert "srun: error: REQUEST_FILE_BCAST(n1): No such file or directory\n" in done.stderr
    assert "Step launch aborted." in done.stderr
    missing = login.run("srun", "-n1", "--bcast=/tmp/x", "no-such-program")
    assert "srun: error: Can not execute no-such-program\n" in missing.stderr
    libraries = login.run("srun", "-n1", "--bcast=/tmp/x", "--send-libs", "hostname")
    assert libraries.returncode == 255 and "sbcast" in libraries.stderr


PATTERNS = ("a%tb", "x%Nx", "%j", "%%", "a%5tb", "back\\slash", "none", "all", "0")


def test_bcast_and_sbcast_copy_a_file_with_any_name(login):
    there = login.folder / "there"
    for name in PATTERNS:
        source = login.folder / name
        source.write_text(f"#!/bin/sh\necho '{name}'\n")
        source.chmod(0o755)
        done = login.run("srun", "-n1", f"--bcast={there}", f"./{name}")
        assert done.stdout == f"{name}\n", done.stderr
        sent = login.run("salloc", "-Q", "-n1", login.folder / "sbcast", "-f", name, there)
        assert sent.returncode == 0, sent.stderr
        assert there.read_text() == source.read_text()


def test_bcast_and_sbcast_replace_only_a_regular_file(login):
    fifo, link, dangling = (login.folder / name for name in ("fifo", "link", "dangling"))
    os.mkfifo(fifo)
    link.symlink_to(fifo)
    dangling.symlink_to("nowhere")
    for there in (fifo, link, dangling):
        done = login.run("srun", "-wn1", f"--bcast={there}", "hostname")
        assert done.returncode == 1 and done.stdout == ""
        assert (f"srun: error: REQUEST_FILE_BCAST(n1): {there} is not a regular file\n"
                in done.stderr)
    assert fifo.is_fifo() and link.is_fifo() and dangling.is_symlink()
    (login.folder / "data").write_text("x")
    forced = login.run("salloc", "-Q", "-wn1", login.folder / "sbcast", "-f", "data", fifo)
    assert forced.returncode == errno.EINVAL and fifo.is_fifo()
    exists = login.run("salloc", "-Q", "-wn1", login.folder / "sbcast", "data", fifo)
    assert "sbcast: error: REQUEST_FILE_BCAST(n1): File exists\n" in exists.stderr


# ---- variables of a rank -------------------------------------------------------------------------

OF_A_RANK = "env | grep -E '^(RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|PMI_|PMIX_)' | sort"


def test_what_a_rank_starts_is_not_taken_for_that_rank(login):
    """Rank 0 of a gang starts a job, steps, and a job with a value of its own."""
    (login.folder / "show.sh").write_text(f"{OF_A_RANK}\necho port ${{MASTER_PORT:-none}}\n")
    (login.folder / "rank.sh").write_text("""\
[ $RANK = 0 ] || exit 0
PATH=$PWD:$PATH
echo port $MASTER_PORT > own
sbatch -Q --wait -n1 -o batch --wrap "sh show.sh"
srun -n2 --mpi=pmi2 sh show.sh > step
WORLD_SIZE=8 sbatch -Q --wait -n1 -o by-hand --wrap "sh show.sh"
""")
    job = login.cluster.submit("-n2", "-D", login.folder, "--", "sh", "rank.sh")
    login.cluster.wait_state(job, "COMPLETED")
    own, batch, step, by_hand = (sorted((login.folder / name).read_text().splitlines())
                                 for name in ("own", "batch", "step", "by-hand"))
    assert batch == ["port none"] and by_hand == ["WORLD_SIZE=8", "port none"]
    assert [line for line in step if line.startswith("PMI_RANK")] == ["PMI_RANK=0", "PMI_RANK=1"]
    assert not any(re.match("RANK|WORLD_SIZE|LOCAL_", line) for line in step), step
    assert step[-1].startswith("port ") and own[0] not in step, (own, step)


# ---- clusters ------------------------------------------------------------------------------------

def test_srun_refuses_the_name_of_another_cluster(login):
    assert login.run("srun", "-M", "all", "-n1", "echo", "here").stdout == "here\n"
    wrong = login.run("srun", "-M", "elsewhere", "-n1", "echo", "here")
    assert wrong.returncode == 1 and wrong.stdout == ""
    assert ("srun: error: 'elsewhere' can't be reached now, or it is an invalid entry for "
            "--cluster.  Use 'sacctmgr list clusters' to see available clusters.\n") in wrong.stderr
    by_variable = login.run("srun", "-n1", "echo", "here", SLURM_CLUSTERS="elsewhere")
    assert by_variable.returncode == 1


ASKING = (["salloc", "-N1", "true"], ["scontrol", "show", "nodes"], ["sdiag"], ["sprio"],
          ["squeue"], ["sinfo"], ["scancel", "99"], ["sbatch", "--wrap=true"])
ASKING_BY_OPTION = (["sshare"], ["sreport", "cluster", "utilization"], ["strigger", "--get"])


def test_no_command_answers_for_another_cluster(login):
    """Nothing of this cluster is shown or changed under the name of another one."""
    for name in {words[0] for words in (*ASKING, *ASKING_BY_OPTION)} - {
            each.name for each in login.folder.iterdir()}:
        (login.folder / name).symlink_to(login.cluster.bin / "cox")
    for words in (*ASKING, *ASKING_BY_OPTION):
        program, *rest = words
        refused = [login.run(program, "-M", "elsewhere", *rest)]
        if words in ASKING:
            refused.append(login.run(*words, SLURM_CLUSTERS="elsewhere"))
        for done in refused:
            assert (done.returncode, done.stdout) == (1, ""), done
            assert f"{program}: error: 'elsewhere' can't be reached now" in done.stderr, done
        assert login.run(program, "-M", "all", *rest).returncode == 0, words
    condition = login.run("sreport", "cluster", "utilization", "cluster=elsewhere")
    assert (condition.returncode, condition.stdout) == (1, ""), condition
