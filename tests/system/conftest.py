"""Clusters for the tests. The tests of a module share one; the module sets its options by CLUSTER =
{...} (arguments of Cluster). After a failed test the cluster is ended, so that no other test gets
it."""

import os
import tempfile
import zlib
from pathlib import Path

import history
import pytest
from allocation import Allocation
from cluster import FINAL_STATES, Cluster

# On a machine whose name server does not reply, each look-up of a host name takes 10 s or more, and
# torchrun makes seven. The variable limits a look-up of any program to 1 s.
os.environ["RES_OPTIONS"] = "timeout:1 attempts:1"

# Modules that would take longer than others and keep one worker busy at the end, and into how many
# parts they are split; each part has its own clusters. They begin first.
PARTS = {"test_bench.py": 16, "test_faults_transitions.py": 2, "test_examples.py": 3,
         "test_faults_node.py": 2, "test_pages.py": 2, "test_steps.py": 2}

# Modules about commands, supervisors and stepds: sanitizers watch these programs there. In the
# others only the daemons have sanitizers (build_for_tests in dev.d/check.sh).
SANITIZED = ("test_allocations.py", "test_attach.py", "test_bad_input.py",
             "test_client_commands.py", "test_hostile_input.py", "test_output_bound.py",
             "test_sacct.py", "test_scontrol.py", "test_scripts.py", "test_srun.py",
             "test_steps.py", "test_suspend.py")

live_clusters = []  # of the test that runs, and of its module


def part_of(test):
    """Returns the name of the part to which a test belongs: all its tests run in one worker."""
    module = test.partition("::")[0]
    part = zlib.crc32(test.encode()) % PARTS.get(Path(module).name, 1)
    return f"{module} {part}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class LoadPartScheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return part_of(nodeid)

    return LoadPartScheduling(config, log)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in PARTS)


ENDED = "('" + "','".join(FINAL_STATES) + "')"


def settle(cluster):
    """Cancels the jobs that a test left, and checks that no process is left and that the history is
    legal."""
    def ended():
        left = [job for job, in cluster.sql(f"SELECT id FROM cox.job WHERE state NOT IN {ENDED}")]
        if left:  # cancelled repeatedly: a controller that has just restarted may refuse it
            cluster.cox("cancel", *left, check=False)
        return not left

    cluster.wait_for(ended, "cancelled jobs to end")
    cluster.wait_for(lambda: not cluster.own_processes(),
                     lambda: f"processes of jobs to end: {cluster.own_processes()}")
    newest = cluster.sql("SELECT max(sequence) FROM cox.job_event"), len(cluster.accepted)
    if newest != cluster.last_judged:
        history.check(cluster, after=cluster.judged)
    cluster.last_judged = newest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when == "call":
        item.test_failed = report.failed
    if report.failed:  # a test that ran out of time names no log in its message
        for cluster in live_clusters:
            report.sections.append((f"logs of {cluster.dir}", logs_of(cluster)))


def logs_of(cluster):
    try:
        return cluster.logs()
    except Exception as error:  # it must not hide why the test failed
        return f"cannot be read: {error}"


@pytest.fixture(scope="module")
def module_clusters():
    """The module's cluster, in a list; the list is empty while there is none."""
    clusters = []
    yield clusters
    for cluster in clusters:
        take_down(cluster)


def bring_up(clusters, request, **options):
    folder = request.getfixturevalue("tmp_path_factory").mktemp("cox")
    cluster = Cluster(folder, sanitized=request.path.name in SANITIZED, **options)
    clusters.append(cluster)  # before up(): if that fails halfway, the cluster must be ended too
    live_clusters.append(cluster)
    return cluster.up()


def take_down(cluster):
    cluster.down()
    live_clusters.remove(cluster)


def end(clusters, cluster):
    take_down(cluster)
    clusters.remove(cluster)


@pytest.fixture
def cluster(request, module_clusters):
    """The module's cluster, without live jobs. After the test its history is checked."""
    if not module_clusters:
        try:
            bring_up(module_clusters, request, **getattr(request.module, "CLUSTER", {}))
        except BaseException:
            for cluster in list(module_clusters):
                end(module_clusters, cluster)
            raise
    cluster = module_clusters[0]
    yield cluster
    try:
        settle(cluster)
    except BaseException:
        end(module_clusters, cluster)
        raise
    if getattr(request.node, "test_failed", True):
        end(module_clusters, cluster)


@pytest.fixture
def folder(cluster):
    """A folder in which the ranks of one test write."""
    return new_folder(cluster)


def new_folder(cluster):
    return Path(tempfile.mkdtemp(dir=cluster.work))


@pytest.fixture
def make_cluster(request):
    """make_cluster(nodes=2, ...) returns a cluster that only this test uses."""
    clusters = []
    yield lambda **options: bring_up(clusters, request, **options)
    try:
        for cluster in clusters:
            settle(cluster)
    finally:
        for cluster in clusters:
            take_down(cluster)


@pytest.fixture
def allocation(cluster, folder):
    made = []

    def allocate(**options):
        made.append(Allocation(cluster, folder, **options))
        return made[-1]
    yield allocate
    for each in made:
        each.cluster.cox("cancel", each.job, check=False)
