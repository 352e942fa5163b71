"""The Python module `coxswain`: a job with its six lines is preempted and resumes, its ranks save
the same step, and its size changes. test_python_alone.py runs the same scripts without Coxswain."""

import re
import shutil

from patience import LONG_DEADLINE_S
import pytest
from cluster import PYTHON, ROOT
from lone_ranks import MODULE, TORCH, LoneRanks, weights

LOOP = ROOT / "examples/checkpoint_loop.py"
RECIPES = ROOT / "examples/recipes"
# An unbuffered print() writes a line and its end one after the other, and a line of another rank
# may come between.
CLUSTER = {"nodes": 2, "cpus": 4, "settings": {"kill_wait": "2s", "launch_retry_max": "1s"},
           "environment": {"PYTHONPATH": str(MODULE), "PYTHONUNBUFFERED": "", **TORCH}}


@pytest.fixture(autouse=True)
def srun(cluster):
    """Puts srun into the PATH of jobs, as an installation of Coxswain does."""
    names = cluster.work / "names"
    if not names.exists():
        names.mkdir()
        (names / "srun").symlink_to(cluster.bin / "cox")
        cluster.environment["PATH"] = f"{names}:{cluster.environment['PATH']}"


class Training:
    """A job with one output file for all attempts and ranks."""

    def __init__(self, cluster, folder, *words):
        self.cluster, self.folder, self.output = cluster, folder, folder / "output"
        self.id = cluster.submit("-D", folder, "-o", self.output, "--open-mode=append", *words)

    def text(self):
        return self.output.read_text(errors="replace") if self.output.exists() else ""

    def await_text(self, pattern):
        return self.cluster.wait_for(lambda: re.search(pattern, self.text(), re.MULTILINE),
                                     lambda: f"{pattern!r} in\n{self.text()}", LONG_DEADLINE_S)

    def saved(self):
        """Returns the committed steps."""
        return [int(step) for step, in self.cluster.sql(
            f"SELECT step FROM cox.checkpoint WHERE job_id = {self.id} ORDER BY step")]

    def stop_once(self, how="preempt"):
        """Stops the job, and waits until it runs again. Returns the last committed step."""
        before = self.cluster.attempt(self.id)
        self.cluster.cox(how, self.id)
        self.cluster.wait_for(lambda: self.cluster.attempt(self.id) > before,
                              lambda: f"another attempt of job {self.id}\n{self.text()}",
                              deadline_s=LONG_DEADLINE_S)
        assert self.saved(), f"no step was committed\n{self.text()}\n{self.cluster.logs()}"
        return self.saved()[-1]

    def end(self):
        self.cluster.wait_state(self.id, "COMPLETED", deadline_s=LONG_DEADLINE_S)
        whys = [event["why"] for event in self.cluster.history(self.id)]
        assert not [why for why in whys if "did not become a checkpoint" in why], whys
        return self.text()


SCRIPT = "#!/bin/sh\n#SBATCH {}\n{}\n"
LOOP_WORDS = ["--steps", "120", "--step-time", "0.05"]
LOOP_LINE = f"{PYTHON} {LOOP} {' '.join(LOOP_WORDS)}"
FORMS = {
    "gang": ["-n1", "--checkpoint-signal=USR1", "--", PYTHON, LOOP, *LOOP_WORDS],
    "gang-without-a-signal": ["-n1", "--", PYTHON, LOOP, *LOOP_WORDS],
    "gang-with-slurms-signal": ["-n1", "--signal=USR2@60", "--", PYTHON, LOOP, *LOOP_WORDS],
    "gang-with-another-signal": ["-n1", "--checkpoint-signal=HUP", "--", PYTHON, LOOP, *LOOP_WORDS],
    "script": SCRIPT.format("--checkpoint-signal=USR1", "exec " + LOOP_LINE),
    "script-that-ignores-it": SCRIPT.format("--checkpoint-signal=USR1",
                                            "trap '' USR1\n" + LOOP_LINE),
    "task": SCRIPT.format("--checkpoint-signal=USR1", "srun -n1 " + LOOP_LINE),
    "rank0": ["-n1", "--checkpoint-by=rank0", "--checkpoint-signal=USR2", "--", PYTHON, LOOP,
              *LOOP_WORDS],
}


@pytest.mark.parametrize("form", FORMS)
def test_a_preempted_job_with_the_python_module_repeats_no_step(cluster, folder, form):
    words = FORMS[form]
    if isinstance(words, str):
        (folder / "job.sh").write_text(words)
        words = [folder / "job.sh"]
    job = Training(cluster, folder, *words)
    job.await_text(r"^step 5$")
    step = job.stop_once()
    text = job.end()
    assert f"resumes after step {step}\n" in text
    assert text.endswith(f"total {sum(range(121))}\n")
    steps = [int(line) for line in re.findall(r"^step (\d+)$", text, re.MULTILINE)]
    assert steps == list(range(1, 121)), "a step was left out or repeated"


def test_the_python_module_saves_at_its_interval_without_being_asked(cluster, folder):
    job = Training(cluster, folder, "-n1", "--", PYTHON, "-c", "\n".join([
        "import coxswain, time", "run = coxswain.Run(every=0.2)", "step = run.step",
        "while step < 30:", "  step += 1; time.sleep(0.05)", "  if run.should_save():",
        "    with run.checkpoint(step) as folder: (folder / 'x').write_text(str(step))",
        "    run.stop()"]))
    job.end()
    assert len(job.saved()) >= 2, "the run saved less than twice in 1.5 s"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The weights of ddp.py after 200 steps of two ranks, without Coxswain."""
    alone = LoneRanks(tmp_path_factory.mktemp("alone"), 2, RECIPES / "ddp.py", "--steps", 200)
    return weights(alone.end())


DDP_WORDS = [RECIPES / "ddp.py", "--steps", "200", "--step-time", "0.05"]


def test_both_ranks_of_a_preempted_ddp_job_resume_from_the_same_step(cluster, folder, undisturbed):
    job = Training(cluster, folder, "-N2", "-n2", "--checkpoint-signal=USR1", "--", PYTHON,
                   *DDP_WORDS)
    job.await_text("^step 50 ")
    step = job.stop_once()
    ranks = cluster.sql(f"SELECT rank, exit_code, exit_signal FROM cox.rank WHERE job_id = {job.id}"
                        " AND attempt = 1 ORDER BY rank")
    assert ranks == [["0", "75", "0"], ["1", "75", "0"]]
    text = job.end()
    for rank in range(2):
        assert f"rank {rank} of 2 resumes after step {step}\n" in text
    assert weights(text) == undisturbed


def test_a_preempted_training_resumes_with_fewer_ranks(cluster, folder, undisturbed):
    job = Training(cluster, folder, "-N1-2", "-c4", "--checkpoint-signal=USR1", "--", PYTHON,
                   *DDP_WORDS)
    job.await_text("^step 50 ")
    assert len(cluster.nodes_of(job.id)) == 2
    urgent = cluster.submit("-N1", "--exclusive", "-q", "critical", "--", "sleep", "1000")
    job.await_text(r"^rank 0 of 1 resumes after step \d+$")
    text = job.end()
    cluster.cox("cancel", urgent)
    step = re.search(r"^rank 0 of 1 resumes after step (\d+)$", text, re.MULTILINE)
    assert int(step[1]) in job.saved(), text
    assert weights(text) == pytest.approx(undisturbed, rel=1e-5)  # sums in another order


def test_workers_of_torchrun_save_when_preempted_and_resume(cluster, folder):
    if shutil.which("torchrun") is None:
        pytest.fail("torchrun is not installed: ./dev test installs it (python3-torch)")
    for file in ("torchrun.sh", "ddp.py"):
        shutil.copy(RECIPES / file, folder)
    # torchrun repeats what its workers print, and would keep it in a buffer until it ends.
    job = Training(cluster, folder, "--export=ALL,PYTHONUNBUFFERED=1", folder / "torchrun.sh",
                   "--steps", "200", "--step-time", "0.05")
    job.await_text("step 50 of")
    step = job.stop_once()
    text = job.end()
    for rank in range(4):
        # If torchrun reads a line in parts, it writes its own words before the end of the line.
        assert re.search(rf"rank {rank} of 4 resumes after step {step}\b", text), text
    assert "finished, weights" in text
