"""Launchers of programs on several nodes, which are hosts of their own: each has a network, a name
and processes of its own, so only real communication between hosts works. MPI by srun itself (PMIx,
PMI) and by its launchers, PyTorch, Ray and Lightning under Slurm, and workflows."""

import re
import shutil
import subprocess

import history
import hosts
from patience import DEADLINE_S
import pytest
from cluster import PROGRAMS, PYTHON, ROOT
from real_cluster import RealCluster, SharedFolder

EXAMPLES = ROOT / "examples" / "slurm"
CPUS = 4


class Site:
    """The shell of the cluster's user on ctl, in the folder that all hosts share."""

    def __init__(self, cluster):
        self.cluster, self.folder = cluster, SharedFolder(cluster)

    def put(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def built(self, compiler):
        """Compiles ring.c with this compiler, and returns the program."""
        if shutil.which(compiler) is None:
            pytest.fail(f"{compiler} is not installed")
        if not (self.folder / compiler).exists():
            subprocess.run([compiler, "-o", self.folder / compiler, PROGRAMS / "ring.c"],
                           check=True, timeout=DEADLINE_S, capture_output=True)
        return f"./{compiler}"

    def run(self, *words, timeout_s=DEADLINE_S):
        host = self.cluster.hosts["ctl"]
        return host.run("env", "-C", self.folder, *words, user=hosts.ACCOUNT, check=False,
                        timeout_s=timeout_s)

    def batch(self, script, *options):
        """Runs a script that must succeed. Returns its output and its job's id."""
        self.put("job.sh", "#!/bin/bash\n" + script)
        done = self.run("sbatch", "-W", "-o", "%j.txt", *options, "job.sh")
        found = re.fullmatch(r"Submitted batch job (\d+)\n", done.stdout)
        text = (self.folder / f"{found[1]}.txt").read_text() if found else ""
        assert done.returncode == 0, f"{done.stdout}{done.stderr}{text}\n{self.cluster.logs()}"
        return text, int(found[1])

    def step_names(self, job):
        rows = self.cluster.sql(f"SELECT name FROM cox.step WHERE job_id = {job} ORDER BY number")
        return [name for name, in rows]


@pytest.fixture(scope="module")
def whole_site():
    reason = hosts.why_not()
    if reason:
        pytest.skip(reason)
    cluster = RealCluster(cpus=CPUS, times='kill_wait = "2s"\n')
    try:
        yield Site(cluster.up())
    finally:
        cluster.down()


@pytest.fixture
def site(whole_site):
    yield whole_site
    history.check(whole_site.cluster, resting=False)


def is_ring(text, size=4, per_node=2):
    """Returns whether each rank was on its node and received the number of the previous rank."""
    total = sum(range(size))
    return sorted(text.splitlines()) == [
        f"rank {rank} of {size} on n{rank // per_node + 1}: {(rank - 1) % size} before it, "
        f"the sum is {total}" for rank in range(size)]


# ---- MPI ----------------------------------------------------------------------------------------

BY_SRUN = (("mpicc.openmpi", "pmix"), ("mpicc.mpich", "pmi2"))
BY_LAUNCHER = (("mpicc.openmpi", "mpirun.openmpi", "orted"),
               ("mpicc.mpich", "mpiexec.hydra", "hydra_pmi_proxy"))


@pytest.mark.parametrize("compiler,kind", BY_SRUN)
def test_mpi_ranks_started_by_srun_find_each_other(site, compiler, kind):
    done = site.run("srun", f"--mpi={kind}", "-N2", "--ntasks-per-node=2", site.built(compiler))
    assert done.returncode == 0, done.stderr
    assert is_ring(done.stdout), done.stdout + done.stderr


@pytest.mark.parametrize("compiler,kind", BY_SRUN)
def test_srun_fails_if_an_mpi_rank_aborts(site, compiler, kind):
    done = site.run("srun", f"--mpi={kind}", "-N2", "--ntasks-per-node=2", site.built(compiler),
                    "abort")
    assert done.returncode != 0, done.stdout + done.stderr


@pytest.mark.parametrize("compiler,launcher,daemon", BY_LAUNCHER)
def test_mpirun_in_a_script_starts_its_daemons_by_srun(site, compiler, launcher, daemon):
    text, job = site.batch(f"{launcher} {site.built(compiler)}\n", "-N2", "--ntasks-per-node=2")
    assert is_ring(text), text
    assert site.step_names(job) == [daemon]


@pytest.mark.parametrize("compiler,launcher,daemon", BY_LAUNCHER)
def test_mpirun_on_the_host_of_salloc_starts_its_daemons_by_srun(site, compiler, launcher, daemon):
    """salloc runs its shell on ctl, where none of the ranks is."""
    done = site.run("salloc", "-Q", "-N3", "--ntasks-per-node=1", "sh", "-c",
                    f"echo $SLURM_JOB_ID; {launcher} {site.built(compiler)}")
    assert done.returncode == 0, done.stderr
    job, _, text = done.stdout.partition("\n")
    assert is_ring(text, size=3, per_node=1), text + done.stderr
    assert site.step_names(job) == [daemon]


# ---- PyTorch, Ray, Lightning --------------------------------------------------------------------

def test_torchrun_starts_ranks_of_pytorch(site):
    """-r 1 -t 1: the distribution's torchrun needs them with its Python."""
    text, _ = site.batch(f"""export OMP_NUM_THREADS=1
srun bash -c 'exec torchrun -r 1 -t 1 --nnodes=$SLURM_NNODES --node_rank=$SLURM_NODEID \
  --nproc_per_node=2 --master_addr=$SLURM_LAUNCH_NODE_IPADDR --master_port=29500 \
  {site.cluster.programs}/ddp.py'
""", "-N2", "--ntasks-per-node=1")
    assert "4 ranks on n1 n1 n2 n2, the sum of all is 6" in text


def test_srun_starts_ranks_of_pytorch(site):
    text, _ = site.batch(f"""
export OMP_NUM_THREADS=1 MASTER_PORT=29501
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun {PYTHON} {site.cluster.programs}/ddp.py
""", "-N3", "--ntasks-per-node=1")
    assert text == "3 ranks on n1 n2 n3, the sum of all is 3\n"


RAY = """#SBATCH --job-name=ray
#SBATCH --nodes=3
#SBATCH --exclusive
#SBATCH --tasks-per-node=1
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=10MB
nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
nodes_array=($nodes)
head_node=${nodes_array[0]}
head_node_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address)
export ip_head=$head_node_ip:6379
echo "Starting HEAD at $head_node, $ip_head"
srun --nodes=1 --ntasks=1 -w "$head_node" \\
  RAY start --head --node-ip-address="$head_node_ip" --port=6379 \\
  --num-cpus "${SLURM_CPUS_PER_TASK}" --block &
worker_num=$((SLURM_JOB_NUM_NODES - 1))
for ((i = 1; i <= worker_num; i++)); do
  node_i=${nodes_array[$i]}
  echo "Starting WORKER $i at $node_i"
  srun --nodes=1 --ntasks=1 -w "$node_i" \\
    RAY start --address "$ip_head" --num-cpus "${SLURM_CPUS_PER_TASK}" --block &
done
RAY wait 3
"""


def test_the_template_of_ray_starts_a_cluster(site):
    """The head and the workers of Ray are steps that run at the same time; the job ends with its
    driver."""
    text, job = site.batch(RAY.replace("RAY", f"{PYTHON} {site.cluster.programs}/ray.py"))
    address = site.cluster.hosts["n1"].address
    assert text.splitlines()[:3] == [f"Starting HEAD at n1, {address}:6379",
                                     "Starting WORKER 1 at n2", "Starting WORKER 2 at n3"]
    assert "the cluster has n1 n2 n3" in text
    assert len(site.step_names(job)) == 4


def test_lightning_finds_its_ranks_and_requeues_itself(site):
    """The signal comes 90 s before the time limit: here 1 s after the start."""
    program = f"{site.cluster.programs}/lightning.py"
    text, job = site.batch(f"srun {PYTHON} {program} weights\n", "-J", "fit", "-N2",
                           "--ntasks-per-node=2", "--signal=SIGUSR1@90", "-t", "1:31",
                           "--open-mode=append", "--requeue")
    port = int(str(job)[-4:]) + 15000
    for what in ("begins", "resumes"):
        for rank in range(4):
            line = f"rank {rank} of 4, {rank % 2} on node {rank // 2}, to n1:{port}, {what}\n"
            assert text.count(line) == 1, text
    assert text.rindex("begins") < text.index("resumes")


# ---- workflows ----------------------------------------------------------------------------------

def test_gnu_parallel_spreads_steps_over_the_nodes(site):
    site.put("one.sh", "#!/bin/sh\necho $1 on $(hostname)\n[ $1 -gt 3 ] || sleep 1\n")
    text, job = site.batch("""seq 12 | parallel --will-cite --jobs "$SLURM_NTASKS" \
  srun --exact -N1 -n1 --input=none ./one.sh
""", "-N3", "--ntasks-per-node=1")
    done = [line.split(" on ") for line in text.splitlines()]
    assert sorted(int(number) for number, _ in done) == list(range(1, 13)), text
    assert {host for _, host in done} == {"n1", "n2", "n3"}
    assert len(site.step_names(job)) == 12


def test_snakemake_submits_its_rules(site):
    """snakemake --slurm submits with sbatch and watches with sacct, and srun runs the rules."""
    site.put("Snakefile", (EXAMPLES / "Snakefile").read_text())
    done = site.run("snakemake", "--slurm", "--default-resources", "slurm_partition=main",
                    "runtime=5", "mem_mb=50", "--jobs", "2", "--latency-wait", "20",
                    "--max-status-checks-per-second", "1",
                    "--snakefile", "Snakefile")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (site.folder / "report.txt").read_text().endswith("report of 2 parts\n")
    states = site.cluster.sql("SELECT state FROM cox.job WHERE name LIKE 'snakejob%'")
    assert [state for state, in states] == ["COMPLETED"] * 3
