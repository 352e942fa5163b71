"""scontrol, sprio, sshare and sdiag as tools and jobs call them, with real daemons."""

import json
import signal
import socket
import subprocess

from patience import DEADLINE_S
import pytest
from cluster import PYTHON, toml_value

CLUSTER = {"nodes": 2, "cpus": 2, "settings": {"kill_wait": "15s"}}
NAMES = ("scontrol", "sprio", "sshare", "sdiag", "salloc", "sbatch", "srun")


@pytest.fixture
def slurm(cluster, folder):
    """slurm("scontrol", WORD...): runs cox by this name, which PATH has after an installation."""
    for name in NAMES:
        (folder / name).symlink_to(cluster.bin / "cox")

    def run(*words, check=True, data=""):
        done = subprocess.run([folder / words[0], *map(str, words[1:])], text=True, cwd=folder,
                              env=cluster.environment, capture_output=True, timeout=DEADLINE_S,
                              input=data)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    return run


def tokens(text):
    return dict(word.partition("=")[::2] for word in text.split() if "=" in word)


RENDEZVOUS = """#!/bin/sh
#SBATCH -N2 -t 10 -o rendezvous.out
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
getent ahosts "$MASTER_ADDR" > /dev/null && echo "it resolves"
srun -N1 -n1 -w "$MASTER_ADDR" sh -c 'echo "a step on $SLURMD_NODENAME"'
srun -N1 -n1 sh -c 'scontrol show hostnames | wc -l'
"""


def test_hostnames_in_a_job_of_a_private_cluster_resolve_and_are_nodes_for_srun(
        cluster, slurm, folder):
    (folder / "rendezvous.sh").write_text(
        RENDEZVOUS.replace("\nMASTER", f"\nPATH={folder}:$PATH\nMASTER"))
    job = int(slurm("sbatch", "rendezvous.sh").stdout.split()[-1])
    cluster.accepted.add(job)
    cluster.wait_state(job, "COMPLETED")
    assert (folder / "rendezvous.out").read_text() == "it resolves\na step on n1\n2\n"
    assert slurm("scontrol", "show", "hostnames", "n[1-2]").stdout == "n1\nn2\n", "not in a job"
    in_shell = slurm("salloc", "-Q", "-N2", folder / "scontrol", "show", "hostnames").stdout
    assert [line.startswith("127.") for line in in_shell.splitlines()] == [True, True], in_shell


def test_scontrol_shows_the_users_accounts_and_qos_of_the_controller(cluster, slurm):
    shown = slurm("scontrol", "show", "assoc_mgr").stdout
    assert shown.startswith("Current Association Manager state\n"), shown
    assert "\nQOS Records\n\nQOS=" in shown
    assert "\n    PreemptMode=" in shown
    only = slurm("scontrol", "-o", "show", "assoc_mgr", "flags=qos", "qos=standard").stdout
    assert "QOS=standard GrpJobs=N " in only and "Association" not in only.splitlines()[1]


def test_scontrol_shows_and_updates_a_job_and_writes_its_script(cluster, slurm, folder):
    script = "#!/bin/sh\n#SBATCH -J first\nexec sleep 1000\n"
    (folder / "job.sh").write_text(script)
    job = cluster.submit("-n2", "-t", "10", "-D", folder, folder / "job.sh")
    cluster.wait_state(job, "RUNNING")
    shown = tokens(slurm("scontrol", "-o", "show", "job", job).stdout)
    assert (shown["JobState"], shown["TimeLimit"], shown["NumCPUs"]) == ("RUNNING", "00:10:00", "2")
    assert shown["NodeList"] == cluster.nodes_of(job)[0]
    slurm("scontrol", "update", f"JobId={job}", "TimeLimit=1-0", "JobName=second")
    shown = tokens(slurm("scontrol", "show", "jobid", job).stdout)
    assert (shown["TimeLimit"], shown["JobName"]) == ("1-00:00:00", "second")
    seconds = "echo $((SLURM_JOB_END_TIME - SLURM_JOB_START_TIME))"
    step = slurm("srun", "--overlap", "-N1", "-n1", f"--jobid={job}", "sh", "-c", seconds)
    assert step.stdout == "86400\n"  # a new step gets the changed limit
    cluster.kill("controller")
    cluster.start("controller")
    cluster.await_nodes()
    assert tokens(slurm("scontrol", "show", "job", job).stdout)["TimeLimit"] == "1-00:00:00"
    assert slurm("scontrol", "write", "batch_script", job, "-").stdout == script
    assert slurm("scontrol", "write", "batch_script", job).stdout == (
        f"batch script for job {job} written to slurm-{job}.sh\n")
    assert (folder / f"slurm-{job}.sh").read_text() == script
    pids = slurm("scontrol", "listpids", job).stdout.splitlines()
    assert pids[0].split() == ["PID", "JOBID", "STEPID", "LOCALID", "GLOBALID"]
    # Lists the processes of the script, and no daemon of the node, even if one starts or ends at
    # that moment.
    assert {tuple(line.split()[1:]) for line in pids[1:]} == {(str(job), "batch", "0", "0")}
    refused = slurm("scontrol", "update", f"JobId={job}", "NumNodes=2", check=False)
    assert refused.returncode == 1
    assert refused.stderr.startswith("Job is no longer pending execution")


def test_a_suspended_job_is_stopped_until_it_is_resumed(cluster, slurm, folder):
    job = cluster.submit("-n2", "-D", folder, "--wrap",
                         f"exec {PYTHON} -c 'import time\nwhile True: time.sleep(0.05); "
                         "open(\"beats\", \"a\").write(\".\")'")
    beats = folder / "beats"
    cluster.wait_for(beats.exists, "the job to run")
    slurm("scontrol", "suspend", job)
    cluster.wait_for(lambda: cluster.job(job)["attempts"][-1]["nodes"][0]["suspension"] == 1,
                     "the node to suspend the job")
    still = beats.stat().st_size
    other = cluster.submit("-n2", "-w", cluster.nodes_of(job)[0], "--", "true")
    cluster.wait_state(other, "COMPLETED")
    assert cluster.state(job) == "SUSPENDED", "the job resumed when its CPUs were free"
    assert beats.stat().st_size == still
    slurm("scontrol", "resume", job)
    cluster.wait_for(lambda: beats.stat().st_size > still, "the job to resume")


def test_a_job_requeues_itself_with_scontrol(cluster, folder, slurm):
    (folder / "self.sh").write_text(
        "#!/bin/sh\n"
        'if [ -n "$SLURM_RESTART_COUNT" ]; then echo again > second; exit 0; fi\n'
        "trap '' TERM\n"
        f"{folder}/scontrol requeue $SLURM_JOB_ID; echo $? > status\n")
    job = cluster.submit("-n1", "-D", folder, folder / "self.sh")
    cluster.wait_state(job, "COMPLETED")
    assert (folder / "second").read_text() == "again\n"
    assert (folder / "status").read_text() == "0\n"


def test_a_job_requeued_after_its_end_waits_for_its_begin_time(cluster, folder, slurm):
    job = cluster.submit("-n1", "-D", folder, "--wrap", 'echo "$SLURM_RESTART_COUNT" >> ran; false')
    cluster.wait_state(job, "FAILED")
    slurm("scontrol", "requeue", "incomplete", job)
    assert cluster.state(job) == "FAILED"
    # One program sends both commands, because the job waits only 1 s.
    shown = tokens(slurm("scontrol", data=f"requeue {job}\nshow job {job}\n").stdout)
    assert (shown["JobState"], shown["Reason"]) == ("PENDING", "BeginTime")
    slurm("scontrol", "requeue", "incomplete", job)
    cluster.wait_for(lambda: (folder / "ran").read_text() == "\n1\n", "the job to run again")


def test_scontrol_reads_commands_from_standard_input(cluster, slurm):
    done = slurm("scontrol", data="show hostnames n[1-2]\nping\nfrob\nquit\n", check=False)
    assert done.stdout.startswith("scontrol: n1\nn2\nscontrol: Slurmctld(primary) at ")
    assert "is UP" in done.stdout
    assert done.stderr.startswith("invalid keyword: frob\n")
    assert done.returncode == 1


def test_scontrol_shows_and_changes_nodes_and_reservations(cluster, slurm):
    slurm("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=bad fan")
    shown = slurm("scontrol", "-o", "show", "node", "n2").stdout
    assert tokens(shown)["State"] == "IDLE+DRAIN"
    assert "Reason=bad fan [" in shown
    slurm("scontrol", "update", "NodeName=n2", "State=RESUME")
    assert tokens(slurm("scontrol", "show", "node", "n2").stdout)["State"] == "IDLE"
    assert slurm("scontrol", "show", "node", "n9", check=False).stdout == "Node n9 not found\n"
    for line in slurm("scontrol", "-o", "show", "partition").stdout.splitlines():
        assert all(value for value in tokens(line).values())
        assert " Default=YES " in line
    made = slurm("scontrol", "create", "reservation", "starttime=now+3600", "duration=10",
                 "users=root", "nodes=n1", "flags=maint").stdout
    assert made == "Reservation created: root_1\n"
    assert tokens(slurm("scontrol", "show", "reservation").stdout)["Nodes"] == "n1"
    slurm("scontrol", "delete", "ReservationName=root_1")
    assert slurm("scontrol", "show", "res").stdout == "No reservations in the system\n"
    config = slurm("scontrol", "show", "config").stdout
    assert "\nMaxArraySize            = 100000\n" in config
    assert "\nMinJobAge               = 300 sec\n" in config


def test_scontrol_reconfigure_applies_a_changed_setting_or_refuses_it(cluster, folder, slurm):
    def pid_of_controller():
        status = cluster.cox_json("status", "--dir", cluster.dir)
        return next(one["pid"] for one in status["processes"] if one["name"] == "controller")

    def shows(line):
        return f"\nMinJobAge               = {line}\n" in slurm("scontrol", "show", "config",
                                                                check=False).stdout

    before, pid = cluster.config.read_text(), pid_of_controller()
    # The configuration of the command, which otherwise reads the controller's file.
    own = folder / "own.toml"
    own.write_text(before)
    job = cluster.submit("--", "sleep", "1000")
    cluster.wait_state(job, "RUNNING")
    try:
        cluster.config.write_text(before.replace("[controller]\n",
                                                 '[controller]\nmin_job_age = "200s"\n', 1))
        slurm("scontrol", "reconfigure")
        assert shows("200 sec"), "the command has waited until the new term answers"
        assert cluster.state(job) == "RUNNING" and pid_of_controller() == pid

        cluster.config.write_text(before.replace("[controller]\n",
                                                 '[controller]\nmin_job_age = "soon"\n', 1))
        refused = subprocess.run([folder / "scontrol", "reconfigure"], text=True,
                                 timeout=DEADLINE_S,
                                 env=dict(cluster.environment, COX_CONFIG=str(own)),
                                 capture_output=True)
        assert refused.returncode == 1
        assert refused.stderr.startswith("slurm_reconfigure error: ")
        assert 'min_job_age in [controller] is "soon"' in refused.stderr
        cluster.config.write_text(before)
        assert shows("200 sec")
    finally:
        cluster.config.write_text(before)
        slurm("scontrol", "reconfigure")
    assert shows("300 sec")
    cluster.cox("cancel", job)


def changed(text, key, value):
    """Returns the settings with this line in [controller]."""
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith(f"{key} = ")]
    line = f"{key} = {json.dumps(value)}\n"
    return "".join(kept).replace("[controller]\n", f"[controller]\n{line}", 1)


def unusable_settings(before, work, port):
    """Yields settings that no controller can start with, and the words of the refusal."""
    database = toml_value(before, "database")
    yield (changed(before, "database", database.replace("dbname", "dbnme")),
           "invalid connection option")
    yield (changed(before, "database", database + " port=1"),
           "database in [controller] cannot be used")
    tcp = changed(before, "listen_tcp", f"tcp://127.0.0.1:{port}")
    yield changed(tcp, "key_dir", str(work / "no-keys")), "no-keys/controller.key"
    yield changed(tcp, "key_dir", str(work)), "Address already in use"
    yield changed(tcp, "listen_tcp", "tcp://127.0.0.1:99999"), "with a port from 1 to 65535"
    yield (changed(before, "mail_program", str(work / "none")),
           "mail_program in [controller]: cannot run")
    yield (before + '[[partition]]\nname = "x"\nallow_groups = ["no-such-group"]\n',
           "which this host lacks")


def test_reconfigure_refuses_what_no_controller_can_start_with(cluster, slurm, folder):
    before, pid = cluster.config.read_text(), cluster.pid("controller")
    cluster.cox("key", "make", "controller", "--dir", folder)
    own = folder / "own.toml"
    own.write_text(before)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        try:
            for text, words in unusable_settings(before, folder, taken.getsockname()[1]):
                cluster.config.write_text(text)
                refused = subprocess.run([folder / "scontrol", "reconfigure"], text=True,
                                         timeout=DEADLINE_S, capture_output=True, check=False,
                                         env=dict(cluster.environment, COX_CONFIG=str(own)))
                assert refused.returncode == 1 and words in refused.stderr, refused.stderr
                assert refused.stderr.startswith("slurm_reconfigure error: ")
        finally:
            cluster.config.write_text(before)
    assert cluster.pid("controller") == pid
    assert slurm("scontrol", "show", "config").returncode == 0


def test_the_command_after_reconfigure_is_carried_out_at_once(cluster, slurm):
    names = [f"after{number}" for number in range(3)]
    for name in names:
        slurm("scontrol", "reconfigure")
        added = cluster.slurm("sacctmgr", "-i", "add", "qos", name)
        assert added.returncode == 0, added.stdout + added.stderr
        assert "has not answered" not in added.stderr
    assert cluster.slurm("sacctmgr", "-i", "delete", "qos", ",".join(names)).returncode == 0


def test_the_next_controller_carries_out_a_change_that_an_ending_one_turned_away(cluster, slurm,
                                                                                 folder):
    job = cluster.submit("--hold", "--", "true")
    said = folder / "said"
    with said.open("w") as out:
        session = subprocess.Popen([folder / "scontrol"], text=True, env=cluster.environment,
                                   stdin=subprocess.PIPE, stdout=out, stderr=out)
    session.stdin.write(f"show job {job}\n")
    session.stdin.flush()
    cluster.wait_for(lambda: f"JobId={job}" in said.read_text(), "the session to connect")
    cluster.kill("controller", signal.SIGSTOP)
    try:
        session.stdin.write(f"update JobId={job} Comment=turned\n")
        session.stdin.close()
        cluster.wait_for(lambda: "still waiting" in said.read_text(), "the request to be sent")
    finally:
        cluster.process("controller").kill(signal.SIGTERM)
        cluster.kill("controller", signal.SIGCONT)
    cluster.wait_for(lambda: not cluster.runs("controller"), "the controller to end")
    cluster.start("controller")
    assert session.wait(DEADLINE_S) == 0, said.read_text()
    assert tokens(slurm("scontrol", "show", "job", job).stdout)["Comment"] == "turned"
    cluster.cox("cancel", job)


def test_a_group_of_the_settings_admits_its_members_right_after_a_restart(cluster, slurm):
    before = cluster.config.read_text()
    assert "[[partition]]" not in before
    cluster.config.write_text(before + '[[partition]]\nname = "main"\n'
                              '[[partition]]\nname = "admins"\nallow_groups = ["root"]\n')
    try:
        slurm("scontrol", "reconfigure")
        job = cluster.submit("-p", "admins", "--", "true")
        cluster.wait_state(job, "COMPLETED")
    finally:
        cluster.config.write_text(before)
        slurm("scontrol", "reconfigure")


def test_scontrol_creates_updates_and_deletes_a_partition(cluster, slurm):
    assert slurm("scontrol", "create", "partition", "PartitionName=night", "Nodes=n2",
                 "MaxTime=60").stdout == ""
    assert tokens(slurm("scontrol", "show", "partition", "night").stdout)["MaxTime"] == "01:00:00"
    job = cluster.submit("-p", "night", "--", "sleep", "1000")
    cluster.wait_state(job, "RUNNING")
    assert cluster.nodes_of(job) == ["n2"]
    slurm("scontrol", "update", "PartitionName=night", "AllowGroups=root", "MaxTime=30",
          "TRESBillingWeights=CPU=2,Mem=-0.5G")
    shown = tokens(slurm("scontrol", "show", "partition", "night").stdout)
    assert (shown["AllowGroups"], shown["MaxTime"]) == ("root", "00:30:00")
    assert shown["TRESBillingWeights"] == "CPU=2,Mem=-0.5G"
    refused = slurm("scontrol", "update", "PartitionName=night", "AllowGroups=no_such_group",
                    check=False)
    assert refused.returncode == 1 and "has no group" in refused.stderr
    refused = slurm("scontrol", "delete", "PartitionName=night", check=False)
    assert refused.returncode == 1
    assert refused.stderr.startswith("delete_partition PartitionName=night: Partition is in use\n")
    cluster.kill("controller")
    cluster.start("controller")
    cluster.await_nodes()
    assert cluster.state(job) == "RUNNING"
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")
    slurm("scontrol", "delete", "PartitionName=night")
    gone = slurm("sbatch", "-p", "night", "--wrap", "true", check=False)
    assert gone.returncode == 1 and "invalid partition specified: night" in gone.stderr
    assert cluster.sql("SELECT 1 FROM cox.partition WHERE name = 'night'") == []


def test_a_node_that_is_set_down_ends_its_jobs(cluster, slurm):
    once = cluster.submit("-w", "n2", "--no-requeue", "--", "sleep", "1000")
    again = cluster.submit("-w", "n2", "--", "sleep", "1000")
    cluster.wait_state(once, "RUNNING")
    cluster.wait_state(again, "RUNNING")
    refused = slurm("scontrol", "update", "NodeName=n2", "State=DOWN", check=False)
    assert refused.returncode == 1 and "You must specify a reason" in refused.stderr
    slurm("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=bad fan")
    cluster.wait_state(once, "NODE_FAIL")
    cluster.wait_state(again, "PENDING")
    shown = slurm("scontrol", "-o", "show", "node", "n2").stdout
    assert tokens(shown)["State"] == "DOWN" and "Reason=bad fan [" in shown
    assert cluster.sql("SELECT state FROM cox.nodes WHERE name = 'n2'") == [["DOWN"]]
    cluster.kill("controller")
    cluster.start("controller")
    cluster.await_nodes()
    assert tokens(slurm("scontrol", "show", "node", "n2").stdout)["State"] == "DOWN"
    assert cluster.state(again) == "PENDING"
    slurm("scontrol", "update", "NodeName=n2", "State=RESUME")
    cluster.wait_state(again, "RUNNING")


def test_scontrol_update_of_an_array_names_its_ended_tasks(cluster, slurm, folder):
    (folder / "job.sh").write_text('#!/bin/sh\n[ "$SLURM_ARRAY_TASK_ID" = 1 ] || sleep 1000\n')
    array = cluster.submit("--array=1-3", "-D", folder, folder / "job.sh")
    cluster.wait_for(lambda: cluster.sql("SELECT 1 FROM cox.job WHERE state = 'COMPLETED'"
                                         f" AND array_job = {array} AND array_task = 1"),
                     "task 1 to end")
    done = slurm("scontrol", "update", f"JobId={array}", "TimeLimit=9", check=False)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == f"{array}_1: Job has already finished"
    assert lines[-1] == f"{array}_[2-3]: No error"
    alone = slurm("scontrol", "update", f"JobId={array}_1", "TimeLimit=9", check=False)
    assert alone.returncode == 1
    assert alone.stderr.startswith(f"{array}_1: Job has already finished\n")


def test_sprio_sshare_and_sdiag_print_figures(cluster, slurm):
    job = cluster.submit("-N2", "--exclusive", "--", "sleep", "1000")
    waits = cluster.submit("-N2", "--exclusive", "--", "true")
    cluster.wait_state(job, "RUNNING")
    assert slurm("sprio", "-h", "-o", "%i").stdout == f"{waits}\n"
    assert slurm("sshare", "-n", "-P", "-o", "account,fairshare").stdout == "root|\n"
    lines = dict(line.partition(":")[::2] for line in slurm("sdiag").stdout.splitlines())
    assert int(lines["Jobs started"]) >= 1
    assert int(lines["\tLast cycle"]) > 0
