"""Heterogeneous jobs with real daemons: different components that start and end together."""

import re
import subprocess

from patience import DEADLINE_S, LONG_DEADLINE_S
import pytest

CLUSTER = {"nodes": 3, "cpus": 4, "features": ("fast=n[1,3]",), "settings": {"kill_wait": "1s"},
           "tables": '[[partition]]\nname = "main"\n\n'
                     '[[partition]]\nname = "aside"\nnodes = "n[1,3]"\n'}
NAMES = ("cox", "sbatch", "salloc", "srun", "squeue", "scancel", "sacct", "scontrol")
UNLIKE = "#SBATCH -n2 -w n2 -J pair\n#SBATCH hetjob\n#SBATCH -N2 -n4 -p aside\n"
WAIT = "until [ -e end ]; do sleep 0.1; done\n"
WHERE = "echo $SLURM_PROCID of $SLURM_NTASKS on $SLURMD_NODENAME of $SLURM_JOB_NODELIST"
FIRST = ["0 of 2 on n2 of n2", "1 of 2 on n2 of n2"]
SECOND = [f"{rank} of 4 on n{node} of n[1,3]" for rank, node in enumerate((1, 1, 3, 3))]


class Login:
    """A user's folder and shell, with Slurm's commands by their names."""

    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        self.environment = dict(cluster.environment,
                                PATH=f"{folder}:{cluster.environment['PATH']}")
        for name in NAMES:
            (folder / name).symlink_to(cluster.bin / "cox")

    def run(self, *words, **more):
        return subprocess.run([self.folder / words[0], *map(str, words[1:])], cwd=self.folder,
                              env=dict(self.environment, **more), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=DEADLINE_S)

    def output(self, *words, **more):
        done = self.run(*words, **more)
        assert (done.returncode, done.stderr) == (0, ""), f"{done}\n{self.cluster.logs()}"
        return done.stdout

    def submit(self, head, body, *words):
        (self.folder / "job.sh").write_text("#!/bin/sh\n" + head + body)
        job = int(self.output("sbatch", "--parsable", "-o", "out", *words, "job.sh"))
        self.cluster.accepted.add(job)
        return job

    def refused(self, *words):
        before = self.cluster.sql("SELECT count(*) FROM cox.job")
        done = self.run(*words)
        assert done.returncode != 0 and self.cluster.sql("SELECT count(*) FROM cox.job") == before
        return done.stderr

    def out(self):
        return (self.folder / "out").read_text()

    def wait_out(self, text):
        self.cluster.wait_for(lambda: (self.folder / "out").exists() and text in self.out(),
                              f"the script to write {text!r}")


@pytest.fixture
def login(cluster, folder):
    return Login(cluster, folder)


# ---- programs on the nodes of their components ---------------------------------------------------

def test_a_script_runs_steps_on_the_components_of_its_job(cluster, login):
    job = login.submit(UNLIKE, f"""\
echo script on $SLURMD_NODENAME, $SLURM_HET_SIZE components
echo $SLURM_JOB_NODELIST, $SLURM_JOB_NODELIST_HET_GROUP_0 and $SLURM_JOB_NODELIST_HET_GROUP_1
echo $SLURM_NTASKS, $SLURM_NTASKS_HET_GROUP_1 tasks, $SLURM_JOB_PARTITION_HET_GROUP_1
echo $SLURM_JOB_ID_HET_GROUP_0 $SLURM_JOB_ID_HET_GROUP_1
srun -o pair-0 sh -c '{WHERE}' : -o pair-1 sh -c '{WHERE}; echo in $SLURM_JOB_PARTITION'
srun --het-group=1 -n2 -o alone sh -c '{WHERE}'
srun --het-group=0,1 -o both-%s sh -c '{WHERE}'
srun --het-group=all -o whole sh -c '{WHERE}'
srun -o first sh -c '{WHERE}'
echo word | srun -o read-%s cat : -o none cat
""")
    cluster.wait_state(job, "COMPLETED", deadline_s=LONG_DEADLINE_S)
    assert login.out().splitlines() == [
        "script on n2, 2 components", "n2, n2 and n[1,3]", "2, 4 tasks, aside", f"{job} {job}"]

    def written(name):
        return sorted((login.folder / name).read_text().splitlines())
    assert written("pair-0") == FIRST
    assert written("pair-1") == SECOND + ["in aside"] * 4
    assert written("alone") == ["0 of 2 on n1 of n[1,3]", "1 of 2 on n3 of n[1,3]"]
    assert sorted([written("both-3"), written("both-4")]) == [FIRST, SECOND]
    whole = [line.split(" on ") for line in written("whole")]
    assert [tasks for tasks, _ in whole] == [f"{task} of 6" for task in range(6)]
    assert sorted(places[:2] for _, places in whole) == ["n1"] * 2 + ["n2"] * 2 + ["n3"] * 2
    assert written("first") == FIRST
    read, = login.folder.glob("read-*")
    assert read.read_text() == "word\n" * 2  # srun's input goes to the first program
    assert cluster.sql("SELECT component, tasks, state, count(*) FROM cox.step "
                       f"WHERE job_id = {job} GROUP BY 1, 2, 3 ORDER BY 1, 2") == [
        ["-1", "6", "COMPLETED", "1"],
        ["0", "2", "COMPLETED", "4"], ["1", "2", "COMPLETED", "1"], ["1", "4", "COMPLETED", "3"]]


def test_options_of_sbatch_override_the_script_for_each_component(cluster, login):
    job = login.submit(UNLIKE, f"srun sh -c '{WHERE}' : sh -c '{WHERE}'\n", "-n1", "-t5", ":",
                       "-N1", "-n3", "-w", "n3", "-t7")
    cluster.wait_state(job, "COMPLETED")
    assert sorted(login.out().splitlines()) == [
        "0 of 1 on n2 of n2", "0 of 3 on n3 of n3", "1 of 3 on n3 of n3", "2 of 3 on n3 of n3"]
    assert cluster.sql(f"SELECT time_limit_s FROM cox.job WHERE id = {job}") == [["420"]]


def test_srun_exits_with_the_highest_code_of_its_components(cluster, login):
    job = login.submit(UNLIKE, """\
srun sh -c 'exit 3' : sh -c 'exit $SLURM_PROCID'; echo $?
srun sh -c 'exit 1' : sh -c 'kill -9 $$'; echo $?
srun -K sh -c 'exit 5' : sleep 1000; echo $?
srun true : true; echo $?
srun --het-group=2 true; echo $?
srun true : true : true; echo $?
""", "-e", "err")
    cluster.wait_state(job, "COMPLETED", deadline_s=LONG_DEADLINE_S)
    codes = [int(line) for line in login.out().splitlines()]
    assert codes[:2] == [3, 137] and codes[2] >= 5 and codes[3:] == [0, 1, 1], codes
    errors = (login.folder / "err").read_text()
    refused = "Invalid het group 2: the job has 2 components, numbered from 0\n"
    assert errors.count("srun: error: " + refused) == 2, errors


# ---- components in the output of commands --------------------------------------------------------

def test_squeue_scontrol_sacct_and_sql_show_each_component_by_itself(cluster, login):
    job = login.submit(UNLIKE, "srun sleep 1000 : sleep 1000 &\n" + WAIT)
    cluster.wait_for(lambda: cluster.sql(f"SELECT 1 FROM cox.step WHERE job_id = {job} AND "
                                         "state = 'RUNNING' OFFSET 1"), "both steps to run")
    queue = login.output("squeue", "-h", "-o", "%i %P %D %C %N %t", "-S", "i").splitlines()
    assert queue == [f"{job}+0 main 1 2 n2 R", f"{job}+1 aside 2 4 n[1,3] R"]
    shown = login.output("scontrol", "-o", "show", "job", job).splitlines()
    assert [re.findall(r"HetJobId=\d+|HetJobOffset=\d+| NodeList=\S+|NumNodes=\d+|NumTasks=\d+",
                       line) for line in shown] == [
        [f"HetJobId={job}", "HetJobOffset=0", " NodeList=n2", "NumNodes=1", "NumTasks=2"],
        [f"HetJobId={job}", "HetJobOffset=1", " NodeList=n[1,3]", "NumNodes=2", "NumTasks=4"]]
    assert cluster.sql("SELECT component, partition, nodes, tasks, nodelist "
                       f"FROM cox.job_component WHERE job_id = {job} ORDER BY 1") == [
        ["0", "main", "1", "2", "{n2}"], ["1", "aside", "2", "4", "{}"]]
    assert cluster.sql(f"SELECT component, node FROM cox.attempt_node WHERE job_id = {job} "
                       "ORDER BY 1, 2") == [["0", "n2"], ["1", "n1"], ["1", "n3"]]
    assert login.output("squeue", "-h", "-o", "%i %P", "-j", f"{job}+1") == f"{job}+1 aside\n"
    alone = login.output("scontrol", "-o", "show", "job", f"{job}+1").splitlines()
    assert len(alone) == 1 and "HetJobOffset=1" in alone[0], alone
    assert login.refused("scontrol", "show", "job", f"{job}+7") == (
        "slurm_load_jobs error: Invalid job id specified\n")
    login.output("scancel", job)
    cluster.wait_state(job, "CANCELLED")
    of_one = login.output("sacct", "-n", "-X", "-P", "-j", f"{job}+1", "-o", "jobid").split()
    assert of_one == [f"{job}+1"]
    rows = login.output("sacct", "-n", "-P", "-j", job, "-o",
                        "jobid,partition,nnodes,ntasks,nodelist").splitlines()
    assert rows[0] == f"{job}+0|main|1||n2" and f"{job}+1|aside|2||n[1,3]" in rows, rows
    steps = {line.split("|")[0]: line.split("|")[3:] for line in rows}
    assert {tuple(steps[each]) for each in steps if re.search(r"\.\d+$", each)} == {
        ("2", "n2"), ("4", "n[1,3]")}, rows
    assert f"{job}+0.batch" in steps and f"{job}+1.batch" not in steps


def test_a_component_is_never_taken_for_its_job(cluster, login):
    """A plain job and a job with components: a request that names a component changes neither."""
    plain = login.submit("", "sleep 1000\n")
    several = login.submit(UNLIKE, "sleep 1000\n")
    for job in (plain, several):
        cluster.wait_state(job, "RUNNING")
        for words in (["scancel", f"{job}+1"], ["scancel", f"{job}+1.0"],
                      ["cox", "cancel", f"{job}+1"], ["cox", "hold", f"{job}+0"],
                      ["scontrol", "requeue", f"{job}+1"],
                      ["scontrol", "update", f"JobId={job}+1", "TimeLimit=1"]):
            assert "is a component, and only a whole job can be named here; name the job: " in (
                login.refused(*words).replace("\n", "; ").replace("  ", "")), words
    for job in (plain, several):
        assert cluster.sql(f"SELECT state, time_limit_s = 60 FROM cox.job WHERE id = {job}") == [
            ["RUNNING", "f"]]
        login.output("scancel", job)
    assert login.output("squeue", "-h", "-j", f"{plain}+1") == ""


# ---- start and end together ----------------------------------------------------------------------

def test_a_job_waits_until_all_its_components_have_room(cluster, login):
    holder = cluster.submit("-N1", "-w", "n3", "--exclusive", "--wrap=sleep 1000")
    cluster.wait_state(holder, "RUNNING")
    job = login.submit(UNLIKE, "echo runs\n" + WAIT)
    why = cluster.wait_for(lambda: cluster.sql(
        f"SELECT reason, detail FROM cox.waiting WHERE id = {job}"), "the pending reason")
    assert why[0][0] in ("Resources", "Priority"), why
    assert login.output("squeue", "-h", "-j", job, "-o", "%i %t", "-S", "i").splitlines() == [
        f"{job}+0 PD", f"{job}+1 PD"]
    assert "n3" in cluster.cox("why", job).stdout
    assert cluster.state(job) == "PENDING" and not cluster.ranks(job, 1)
    login.output("scancel", holder)
    cluster.wait_state(job, "RUNNING")
    (login.folder / "end").touch()
    cluster.wait_state(job, "COMPLETED")
    assert login.out() == "runs\n"


def test_all_components_end_and_are_requeued_together(cluster, login):
    job = login.submit(UNLIKE, "echo begun $SLURM_RESTART_COUNT\n"
                       "srun sh -c 'echo task; sleep 1000' : sh -c 'echo task; sleep 1000'\n",
                       "--open-mode=append")
    for attempt in (1, 2):
        cluster.wait_for(lambda: (login.folder / "out").exists() and
                         login.out().count("task\n") == 6 * attempt, "all tasks to run")
        cluster.kill("controller")  # no task is affected
        cluster.start("controller")
        cluster.await_nodes()
        if attempt == 1:
            login.output("scontrol", "requeue", job)
    login.output("scancel", job)
    cluster.wait_state(job, "CANCELLED")
    cluster.wait_for(lambda: not cluster.own_processes(), "the tasks to end on all nodes")
    assert [line for line in login.out().splitlines() if "begun" in line] == ["begun", "begun 1"]
    assert cluster.sql(f"SELECT attempt, count(*) FROM cox.attempt_node WHERE job_id = {job} "
                       "GROUP BY 1 ORDER BY 1") == [["1", "3"], ["2", "3"]]


# ---- salloc, and srun outside of a job -----------------------------------------------------------

def test_salloc_runs_steps_on_the_components_of_its_allocation(cluster, login):
    done = login.run("salloc", "-n1", "-w", "n2", ":", "-N2", "-n2", "-C", "fast", "sh", "-c",
                     "echo $SLURM_HET_SIZE $SLURM_JOB_NODELIST $SLURM_JOB_NODELIST_HET_GROUP_1;"
                     f"srun sh -c '{WHERE}' : sh -c '{WHERE}'")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "2 n2 n[1,3]"
    assert sorted(lines[1:]) == ["0 of 1 on n2 of n2", "0 of 2 on n1 of n[1,3]",
                                 "1 of 2 on n3 of n[1,3]"]
    job = re.search(r"Granted job allocation (\d+)", done.stderr)[1]
    cluster.wait_state(int(job), "COMPLETED")


def test_a_component_does_not_inherit_the_number_of_tasks_of_the_first(login):
    done = login.run("salloc", "-n4", "-w", "n2", ":", "-N1", "-w", "n1", "srun",
                     "--het-group=1", "sh", "-c", WHERE)
    assert (done.returncode, done.stdout) == (0, "0 of 1 on n1 of n1\n"), done


def test_srun_makes_an_allocation_of_components(cluster, login):
    done = login.run("srun", "-n1", "-w", "n2", "--comment=once", "sh", "-c", f"{WHERE}; exit 2",
                     ":", "-n2", "-w", "n1", "sh", "-c", f"{WHERE}; exit 4")
    assert sorted(done.stdout.splitlines()) == [
        "0 of 1 on n2 of n2", "0 of 2 on n1 of n1", "1 of 2 on n1 of n1"], done
    assert done.returncode == 4
    job = int(cluster.sql("SELECT max(id) FROM cox.job WHERE comment = 'once'")[0][0])
    cluster.wait_state(job, "FAILED")
    assert cluster.sql(f"SELECT exit_code FROM cox.job WHERE id = {job}") == [["4"]]


# ---- refusals ------------------------------------------------------------------------------------

REFUSED = [
    (["-a", "0-3", ":", "-n1"], "--array is given; a heterogeneous job cannot have it"),
    (["-n1", ":", "-a", "0-3"], '--array is given after a ":" or "hetjob"'),
    (["-n1", ":", "-d", "afterany:1"], '--dependency is given after a ":" or "hetjob"'),
    (["-N1-2", ":", "-n1"], "--nodes names a range; a heterogeneous job cannot have it"),
    (["-n1", ":", "-N1-2"], "names several numbers"),
    (["--switches=1", ":", "-n1"], "--switches or --topology is given"),
    (["-C", "[fast*1]", ":", "-n1"], "--constraint counts nodes with a feature"),
    (["-n1", ":", "-C", "[fast*1]"], "component 1 of the job: --constraint counts nodes"),
    (["-n1", ":", "-p", "main,aside"], "component 1 of the job: --partition=main,aside names"),
    (["-n1", ":", "-p", "nowhere"], "nowhere"),
    (["-n1", ":", "-n1", "-c9"], "9"),
    (["-N2", ":", "-N2"], "each component fits by itself, but not all of them together"),
    (["-n1", *[":", "-n1"] * 16], "16 components, the limit"),
]


def test_impossible_components_are_refused(login):
    for words, why in REFUSED:
        said = login.refused("sbatch", "--wrap=true", *words)
        assert said.startswith("sbatch: error: ") and why in said, f"{words}: {said}"
    gang = login.cluster.cox("submit", "-n1", ":", "-n1", "--", "true", check=False)
    assert gang.returncode != 0 and "a heterogeneous job has no command of its own" in gang.stderr
    (login.folder / "many.sh").write_text("#!/bin/sh\n" + "#SBATCH hetjob\n" * 16)
    assert "many.sh line 17: the script has more than 16" in login.refused("sbatch", "many.sh")
