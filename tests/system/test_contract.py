"""Slurm's commands as scripts and tools call them: refusals, exit codes, and variables that set
options. The expected texts were printed by Slurm 22.05.8."""

import re
import subprocess

from patience import DEADLINE_S
import pytest

CLUSTER = {"nodes": 2, "cpus": 2, "settings": {"kill_wait": "1s"}}
NAMES = ("sbatch", "srun", "salloc", "scancel", "squeue", "sinfo", "sacct", "scontrol", "sacctmgr",
         "sprio", "sshare", "sdiag", "sstat", "sbcast")


@pytest.fixture
def slurm(cluster, folder):
    """slurm("sbatch -n2 job.sh", NAME="value"): runs a shell line with Slurm's names in PATH."""
    for name in NAMES:
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(cluster.bin / "cox")
    (folder / "job.sh").write_text("#!/bin/sh\nexit 0\n")
    (folder / "long.sh").write_text("#!/bin/sh\nexec sleep 1000\n")

    def run(line, text="", **variables):
        path = f"{folder}:{cluster.environment['PATH']}"
        return subprocess.run(["sh", "-c", line], text=True, cwd=folder, input=text,
                              timeout=DEADLINE_S,
                              env=cluster.environment | {"PATH": path} | variables,
                              capture_output=True)
    return run


def submitted(done, warning=""):
    """Returns the id from an answer that is only the one line of sbatch, and this warning."""
    assert done.returncode == 0 and done.stderr == warning, done.stderr
    match = re.fullmatch(r"Submitted batch job (\d+)\n", done.stdout)
    assert match, done.stdout
    return match[1]


# ---- sbatch --------------------------------------------------------------------------------------

REFUSED = (
    ("-p nosuch job.sh", 1, "sbatch: error: invalid partition specified: nosuch\n"
     "sbatch: error: Batch job submission failed: Invalid partition name specified\n"),
    ("-w nosuch job.sh", 1, "Batch job submission failed: Invalid node name specified\n"),
    ("-C nosuch job.sh", 1, "Batch job submission failed: Invalid feature specification\n"),
    ("-L nosuch job.sh", 1, "Batch job submission failed: Invalid license specification\n"),
    ("--reservation=no job.sh", 1, "submission failed: Requested reservation is invalid\n"),
    ("--mem=99999999 job.sh", 1, "sbatch: error: Memory specification can not be satisfied\n"
     "sbatch: error: Batch job submission failed: Requested node configuration is not available\n"),
    ("-M nosuch job.sh", 1, "sbatch: error: No cluster 'nosuch' known by database.\n"),
    ("-n 0 job.sh", 1, 'sbatch: error: Invalid numeric value "0" for --ntasks'),
    ("-n -1 job.sh", 1, 'sbatch: error: Invalid numeric value "-1" for --ntasks'),
    ("-t soon job.sh", 255, "sbatch: error: Invalid --time specification"),
    ("--mem=1e400 job.sh", 255, "sbatch: error: Invalid --mem specification"),
    ("--signal=XX@1 job.sh", 255, "sbatch: error: Invalid --signal specification"),
    ("--open-mode=x job.sh", 255, "sbatch: error: Invalid --open-mode specification"),
    ("--array=0-9:0 job.sh", 1, "Invalid job array specification"),
    ("-d never:1 job.sh", 1, "Job dependency problem"),
    ("--nosuch job.sh", 255, "sbatch: error: unrecognized option '--nosuch'"),
    ("--nt 2 job.sh", 255, "option '--nt' is ambiguous; possibilities: '--ntasks'"),
    ("--wrap", 255, "option '--wrap' requires an argument"),
    ("nosuch.sh", 1, "sbatch: error: Unable to open file nosuch.sh"),
    ("--wrap=true job.sh", 1, "Script arguments not permitted with --wrap option"),
)


@pytest.mark.parametrize("words, code, says", REFUSED, ids=[words for words, _, _ in REFUSED])
def test_sbatch_refuses_in_slurms_words(slurm, words, code, says):
    done = slurm(f"sbatch {words}")
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert says in done.stderr
    assert all(line.startswith("sbatch: error: ") for line in done.stderr.splitlines())


def test_sbatch_refuses_invalid_scripts_in_slurms_words(slurm, folder):
    for text, says in (("", "Batch script is empty!"),
                       ("echo\n", "This does not look like a batch script"),
                       ("#!/bin/sh\r\ntrue\r\n", "Batch script contains DOS line breaks")):
        (folder / "none.sh").write_bytes(text.encode())
        done = slurm("sbatch none.sh")
        assert done.returncode == 1 and says in done.stderr, done.stderr
    done = slurm("sbatch nnoe.sh")
    assert done.returncode == 1 and "did you mean none.sh?" in done.stderr, done.stderr


GRAMMAR = (  # (an option in one of its forms, a format of squeue, the text that squeue prints)
    ("-n1 -Jx", "%j", "x"), ("--job-n=x", "%j", "x"), ("--job x", "%j", "x"),
    ("-J 'a (b) \"c\"'", "%j", 'a (b) "c"'), ("-t 5", "%l", "5:00"), ("-t 60:00", "%l", "1:00:00"),
    ("-t 0:2:0", "%l", "2:00"), ("-t 0:30", "%l", "1:00"), ("-t 1-02", "%l", "1-02:00:00"),
    ("-t 1-02:03:04", "%l", "1-02:04:00"), ("--mem 4g", "%m", "4G"), ("--mem=4GB", "%m", "4G"),
    ("--mem=512MB", "%m", "512M"), ("--mem=1K", "%m", "1M"), ("--mem=0", "%m", "0"),
    ("--comment=''", "%k", "(null)"), ("-c2", "%C", "2"), ("--ntas=1", "", ""),
)


def test_sbatch_parses_options_like_slurm(slurm):
    for option, column, shown in GRAMMAR:
        if not column:
            assert "is ambiguous" in slurm(f"sbatch -H {option} job.sh").stderr
            continue
        job = submitted(slurm(f"sbatch -H {option} job.sh"))
        assert slurm(f"squeue -h -j {job} -o '{column}'").stdout == shown + "\n", option
        slurm(f"scancel {job}")


def test_options_override_variables_and_variables_override_the_script(slurm, folder):
    (folder / "said.sh").write_text("#!/bin/sh\n#SBATCH   --job-name          script   -t 3\n"
                                    "#SBATCH --comment=\"of it\"   # and a remark\n"
                                    "true\n#SBATCH -J late\n")
    variables = {"SBATCH_JOB_NAME": "variable", "SBATCH_TIMELIMIT": "7"}
    shown = "squeue -h -o '%j %l %k' -j "
    late = ('sbatch: warning: said.sh line 5 ("#SBATCH -J late") is not read: it comes after the '
            "first command\n")

    def of(line, behind="", **variables):
        job = submitted(slurm(line, **variables), late + behind)
        text = slurm(shown + job).stdout
        slurm(f"scancel {job}")
        return text

    behind = ('sbatch: warning: "-J" is an argument of said.sh: options of the job come before the '
              "script\n")
    assert of("sbatch -H said.sh -J mine", behind) == "script 3:00 of it\n"  # the script's -J
    assert of("sbatch -H said.sh", **variables) == "variable 7:00 of it\n"
    assert of("sbatch -H -t 9 said.sh", **variables) == "variable 9:00 of it\n"
    wrong = slurm("sbatch said.sh", SBATCH_TIMELIMIT="soon")
    assert wrong.returncode == 255
    assert "Invalid --time specification (SBATCH_TIMELIMIT)" in wrong.stderr


def test_a_script_may_come_from_standard_input(slurm, cluster):
    for line in ("sbatch", "sbatch /dev/stdin", "cat | sbatch --parsable"):
        done = slurm(line, text="#!/bin/sh\nexit 0\n")
        assert done.returncode == 0 and done.stderr == ""
        cluster.wait_state(done.stdout.split()[-1], "COMPLETED")


def test_option_clusters_accepts_only_this_cluster_and_sbatch_prints_its_name(slurm, cluster):
    name = slurm("scontrol show config | awk '$1 == \"ClusterName\" { print $3 }'").stdout.strip()
    parsable = slurm(f"sbatch --parsable -M {name} -H job.sh").stdout
    assert re.fullmatch(rf"\d+;{name}\n", parsable)
    assert slurm(f"sbatch -M {name} -H job.sh").stdout.endswith(f" on cluster {name}\n")
    assert slurm("sbatch --parsable -H job.sh").stdout.strip().isdigit()
    assert slurm(f"scancel -M {name} {parsable.split(';')[0]}").returncode == 0
    assert slurm("scancel -M all --me").returncode == 0
    assert "No cluster 'other'" in slurm("scancel -M other 1").stderr


# ---- squeue, scancel, scontrol -------------------------------------------------------------------

def test_squeue_shows_a_job_while_it_runs_and_after_its_end(slurm, cluster):
    job = submitted(slurm("sbatch -J 'my job' long.sh"))
    cluster.wait_state(job, "RUNNING")
    assert slurm(f"squeue -h -j {job} -o '%T %B'").stdout == "RUNNING n1\n"
    assert slurm(f"squeue -aho ' %A %t' -j {job}").stdout == f" {job} R\n"
    exact = slurm(f"squeue -h -j {job} -O 'JobArrayID,StateCompact,Reason' -t all").stdout
    assert exact.split() == [job, "R", "None"]
    assert slurm("squeue -h -n 'my job' -o %i").stdout == f"{job}\n"
    done = slurm(f"scancel -n 'my job' -v {job}")
    assert (done.returncode, done.stderr) == (0, f"scancel: Terminating job {job}\n")
    cluster.wait_state(job, "CANCELLED")
    assert slurm(f"squeue -h -t all -j {job} -o '%i|%T|%N|%r'").stdout == (
        f"{job}|CANCELLED|n1|None\n")
    assert slurm(f"sacct -X -n -P -j {job} -o JobIDRaw,State").stdout.startswith(
        f"{job}|CANCELLED by ")


def test_unknown_ids_get_slurms_answers(slurm):
    one = slurm("squeue -j 99999999")
    assert (one.returncode, one.stderr) == (
        1, "slurm_load_jobs error: Invalid job id specified\n")
    assert slurm("squeue -h -j 99999999,99999999").returncode == 0
    assert slurm("scancel 99999999").stderr == ""
    sent = slurm("scancel -s USR1 99999999")
    assert (sent.returncode, sent.stderr) == (
        1, "scancel: error: Kill job error on job id 99999999: Invalid job id specified\n")
    looked_for = slurm("scancel --me 99999999.0")
    assert (looked_for.returncode, looked_for.stderr) == (
        1, "scancel: error: Kill job error on job step id 99999999.0: Invalid job id specified\n")
    assert slurm("scontrol show job 99999999").stderr == (
        "slurm_load_jobs error: Invalid job id specified\n")
    assert slurm("scontrol show node nosuch").stdout == "Node nosuch not found\n"
    assert slurm("sacct -n -j 99999999").returncode == 0


def test_array_tasks_are_shown_and_cancelled_one_by_one(slurm):
    job = submitted(slurm("sbatch -H --array=2-5%3 job.sh"))
    assert slurm(f"squeue -h -j {job} -o %i").stdout == f"{job}_[2-5%3]\n"
    assert slurm(f"squeue -h -r -j {job} -o %i").stdout.split() == [
        f"{job}_{task}" for task in (2, 3, 4, 5)]
    assert slurm(f"squeue -h -j {job}_3 -o %i").stdout == f"{job}_3\n"
    assert "ArrayTaskId=3 " in slurm(f"scontrol show job {job}_3").stdout
    assert slurm(f"scancel {job}_[2-3] {job}_5").returncode == 0
    assert slurm(f"squeue -h -j {job} -o %i").stdout == f"{job}_4\n"
    slurm(f"scancel {job}")


def test_every_command_prints_a_version_of_slurm(slurm):
    for name in NAMES:
        done = slurm(f"{name} --version")
        assert (done.returncode, done.stdout) == (0, "slurm 23.11.10\n"), name


def test_environment_variables_set_defaults_of_slurms_commands(slurm):
    job = submitted(slurm("sbatch -H -J its long.sh"))
    assert slurm("squeue -h", SQUEUE_FORMAT="%i %j", SQUEUE_NAMES="its").stdout == f"{job} its\n"
    assert slurm("squeue -h", SQUEUE_FORMAT="%i", SQUEUE_STATES="R").stdout == ""
    assert slurm("sinfo -h", SINFO_FORMAT="%P").stdout == "main*\n"
    assert slurm(f"sacct -n -P -j {job}", SACCT_FORMAT="jobid,state").stdout.startswith(
        f"{job}|PENDING\n")
    moment = slurm(f"squeue -h -o %V -j {job}", SLURM_TIME_FORMAT="%s").stdout
    assert moment.strip().isdigit()
    assert slurm("scancel", SCANCEL_NAME="its").returncode == 0
    assert slurm(f"squeue -h -j {job} -t all -o %t").stdout == "CA\n"
    assert slurm("scontrol show hostnames", SLURM_NODELIST="n[2-3]").stdout == "n2\nn3\n"


def test_srun_and_salloc_refuse_in_slurms_words(slurm):
    words = "Invalid partition name specified"
    assert f"srun: error: Unable to allocate resources: {words}\n" in slurm(
        "srun -p nosuch true").stderr
    assert f"salloc: error: Job submit/allocate failed: {words}\n" in slurm(
        "salloc -p nosuch true").stderr
    wrong = slurm("srun -n 0 true")
    assert wrong.returncode == 1
    assert 'srun: error: Invalid numeric value "0" for --ntasks' in wrong.stderr
    assert slurm("salloc -t soon true").returncode == 255
