"""MPI programs by srun itself (PMIx, PMI) and by their own launchers, across nodes."""

import shutil
import subprocess

import pytest

CLUSTER = {"nodes": 2, "cpus": 4, "settings": {"kill_wait": "2s"}}

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d on %s: sum %d\n", rank, size, getenv("SLURMD_NODENAME"), sum);
  fflush(stdout);
  if (argc > 1 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
  MPI_Finalize();
  return 0;
}
"""


class Site:
    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        # No network but this host's own, and as root, as tests are. Nor shared memory: Open MPI
        # names it after the host, and both nodes are on one.
        self.environment = dict(
            cluster.environment, PATH=f"{folder}:{cluster.environment['PATH']}",
            OMPI_MCA_btl="self,tcp", OMPI_MCA_pml="ob1", OMPI_MCA_btl_tcp_if_include="lo",
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
            UCX_TLS="tcp,self,sm", UCX_NET_DEVICES="lo", HYDRA_IFACE="lo")
        for name in ("srun", "sbatch", "salloc", "scontrol"):
            (folder / name).symlink_to(cluster.bin / "cox")
        (folder / "program.c").write_text(PROGRAM)

    def built(self, compiler):
        if shutil.which(compiler) is None:
            pytest.fail(f"{compiler} is not installed")
        program = self.folder / compiler
        subprocess.run([compiler, "-o", program, self.folder / "program.c"], check=True,
                       timeout=120, capture_output=True)
        return program

    def run(self, *words, timeout_s=150):
        return subprocess.run([self.folder / words[0], *map(str, words[1:])], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=timeout_s)


@pytest.fixture
def site(cluster, tmp_path):
    return Site(cluster, tmp_path)


def ranks(text, of=4, per_node=2):
    return sorted(text.splitlines()) == [
        f"rank {rank} of {of} on n{rank // per_node + 1}: sum {sum(range(of))}"
        for rank in range(of)]


def test_open_mpi_by_srun_through_pmix(site):
    program = site.built("mpicc.openmpi")
    done = site.run("srun", "--mpi=pmix", "-N2", "-n4", "--ntasks-per-node=2", program)
    assert done.returncode == 0, done.stderr
    assert ranks(done.stdout), done.stdout + done.stderr


def test_mpich_by_srun_through_pmi(site):
    program = site.built("mpicc.mpich")
    done = site.run("srun", "--mpi=pmi2", "-N2", "-n4", "--ntasks-per-node=2", program)
    assert done.returncode == 0, done.stderr
    assert ranks(done.stdout), done.stdout + done.stderr


def test_an_abort_of_one_rank_ends_them_all(site):
    for compiler, kind in (("mpicc.openmpi", "pmix"), ("mpicc.mpich", "pmi2")):
        done = site.run("srun", f"--mpi={kind}", "-N2", "-n4", site.built(compiler), "abort")
        assert done.returncode != 0, (kind, done.stdout, done.stderr)


def test_mpirun_of_open_mpi_starts_its_daemons_by_srun(site):
    program = site.built("mpicc.openmpi")
    done = site.run("salloc", "-Q", "-N2", "-n4", "--ntasks-per-node=2", "mpirun.openmpi", program)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4, done.stdout + done.stderr
    assert "rank 3 of 4 on n2: sum 6" in done.stdout


def test_mpiexec_of_mpich_starts_its_proxies_by_srun(site):
    program = site.built("mpicc.mpich")
    done = site.run("salloc", "-Q", "-N2", "-n4", "--ntasks-per-node=2", "mpiexec.hydra", program)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4, done.stdout + done.stderr
    assert "rank 3 of 4 on n2: sum 6" in done.stdout
