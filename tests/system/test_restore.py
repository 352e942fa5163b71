"""The administrator guide's steps to restore the database, and what must hold after them."""

import json
import signal
import subprocess

from cluster import toml_value

CLUSTER = {"nodes": 2, "settings": {"node_timeout": "5s", "kill_wait": "1s"}}
JOBS = 4


def database_of(cluster, name=None):
    """Returns the connection string, with another database of the same server if `name` is
    given."""
    words = toml_value(cluster.config.read_text(), "database").split()
    return " ".join(f"dbname={name}" if name and word.startswith("dbname=") else word
                    for word in words)


def dump(cluster, file):
    subprocess.run(["pg_dump", "--format=custom", f"--file={file}", database_of(cluster)],
                   check=True, env=cluster.environment)


def restore(cluster, file):
    """Stops the controller, restores the database from the dump, and starts the controller."""
    words = database_of(cluster).split()
    name = next(word.partition("=")[2] for word in words if word.startswith("dbname="))
    cluster.kill("controller", signal.SIGTERM)
    other = database_of(cluster, "postgres")
    cluster.sql(f"DROP DATABASE {name}", database=other)
    cluster.sql(f"CREATE DATABASE {name}", database=other)
    subprocess.run(["pg_restore", "--dbname", database_of(cluster), file], check=True,
                   env=cluster.environment)
    cluster.start("controller")
    cluster.await_nodes()


def run_and_save(cluster, folder, step):
    """Runs a job that saves a step, and cancels it. Returns its id and the folder of its
    checkpoints."""
    folder.mkdir()
    folder.chmod(0o777)
    job = cluster.submit_python("obedient.py", ["-N1", "-n1", "-D", folder,
                                                "--checkpoint-signal=USR1"], "save")
    begun = folder / "begin.1.0"
    cluster.wait_for(begun.exists, f"job {job} to begin")
    (folder / f"save-{step}").touch()
    saved = f"SELECT 1 FROM cox.checkpoint WHERE job_id = {job} AND step = {step}"
    cluster.wait_for(lambda: cluster.sql(saved), f"step {step} of job {job} to be committed")
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")
    return job, cluster.job(job)["job_checkpoint_dir"]


def begin_anew(cluster, folder):
    """Runs a new job. Returns its id, the checkpoint it resumed from, and the folder of its
    checkpoints."""
    folder.mkdir()
    folder.chmod(0o777)
    job = cluster.submit_python("obedient.py", ["-N1", "-n1", "-D", folder], "save")
    begun = []

    def has_begun():
        begun[:] = folder.glob("begin.*.0")
        return begun

    cluster.wait_for(has_begun, f"job {job} to begin")
    resumed_from = json.loads(begun[0].read_text())["resume_from"]
    folder_of_it = cluster.job(job)["job_checkpoint_dir"]
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")
    return job, resumed_from, folder_of_it


def test_a_restore_loses_changes_from_the_last_commit_before_the_dump_on(cluster, tmp_path):
    tmp_path.chmod(0o755)
    kept = cluster.submit("-N1", "-n1", "--", "true")
    cluster.wait_state(kept, "COMPLETED")
    dump(cluster, tmp_path / "coxswain.dump")
    dumped_at, = cluster.sql("SELECT clock_timestamp()")[0]
    lost = cluster.submit("-N1", "-n1", "--", "true")
    cluster.wait_state(lost, "COMPLETED")
    cluster.accepted.clear()  # the restored database lacks the last job
    restore(cluster, tmp_path / "coxswain.dump")
    assert cluster.sql(f"SELECT lost_from >= (SELECT max(ended_at) FROM cox.job), "
                       f"lost_from <= '{dumped_at}' FROM cox.failover") == [["t", "t"]]
    for words in (["history", lost], ["show", "job", lost], ["cancel", lost]):
        refused = cluster.cox(*words, check=False)
        assert refused.returncode != 0
        assert f"there is no job {lost}: it may have been lost" in refused.stderr
        assert "submit it again" in refused.stderr
    assert "COMPLETED" in cluster.cox("history", kept).stdout
    assert "there never was a job 99999999" in cluster.cox("history", 99999999, check=False).stderr


def test_a_restored_database_repeats_no_job_id_and_mixes_no_checkpoints(cluster, tmp_path):
    tmp_path.chmod(0o755)
    cluster.wait_state(cluster.submit("-N1", "-n1", "--", "true"), "COMPLETED")
    before = int(cluster.sql("SELECT count(*) FROM cox.failover")[0][0])  # of other tests
    dump(cluster, tmp_path / "coxswain.dump")
    used, folders = set(), set()
    for number in range(JOBS):
        job, folder = run_and_save(cluster, tmp_path / f"before-{number}", 40)
        used.add(job)
        folders.add(folder)
    # Restores twice: ids issued after the first restore do not come again either.
    for again in range(2):
        cluster.accepted.clear()  # the restored database lacks the jobs of these ids
        restore(cluster, tmp_path / "coxswain.dump")
        for number in range(JOBS):
            job, resumed_from, folder = begin_anew(cluster, tmp_path / f"after-{again}-{number}")
            assert resumed_from is None
            assert job not in used
            assert folder not in folders
            used.add(job)
            folders.add(folder)
        assert cluster.sql("SELECT count(*) FROM cox.failover") == [[str(before + 1)]]
