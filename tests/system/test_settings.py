"""Commands of administrators: the log as JSON, its level changed live, cox config check, cox
doctor, cox key make."""

import json
import re
import shutil
import signal
import subprocess

from patience import DEADLINE_S, repeat_until
import pytest
from cluster import find_programs

CLUSTER = {"nodes": 1, "settings": {"log_format": "json"}}


def change(cluster, name, **settings):
    """Changes lines of the daemon's own table and sends SIGHUP. Returns the log's length before."""
    file = cluster.config if name == "controller" else cluster.dir / "workers" / f"{name}.toml"
    table = "[controller]" if name == "controller" else "[worker]"
    kept = [line for line in file.read_text().splitlines(keepends=True)
            if line.partition(" = ")[0] not in settings]
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    file.write_text("".join(kept).replace(f"{table}\n", f"{table}\n{lines}"))
    before = len(cluster.log_text(name))
    cluster.kill(name, signal.SIGHUP)
    cluster.wait_for(lambda: "settings" in cluster.log_text(name)[before:],
                     f"{name} to log its settings")
    return before


def json_lines(cluster, name, since=0):
    """Returns the lines of a log that are JSON, as objects."""
    return [json.loads(line) for line in cluster.log_text(name)[since:].splitlines()
            if line.startswith("{")]


def test_every_line_of_a_json_log_has_program_level_and_time(cluster, folder):
    job = cluster.submit("-N1", "-n1", "--", "/bin/sh", "-c", 'echo "it runs"')
    cluster.wait_state(job, "COMPLETED")
    lines = cluster.log_text("controller").splitlines()
    started = next(i for i, line in enumerate(lines) if line.startswith("{"))
    said = [json.loads(line) for line in lines[started:]]  # before that line the log was text
    for line in said:
        assert line["program"] == "controller" and line["level"] in ("info", "warning")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
    states = [line["state"] for line in said
              if line.get("job") == job and line.get("what") == "state"]
    assert states == ["PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "COMPLETED"]
    assert all("attempt" in line for line in said if "job" in line)


@pytest.mark.parametrize("name", ["controller", "n1"])
def test_sighup_changes_level_and_format_of_the_log_of_a_running_daemon(cluster, folder, name):
    process = cluster.process(name)
    change(cluster, name, log_level="error", log_format="json")
    said = json_lines(cluster, name)[-1]
    assert said["fact"] == "log settings read again" and said["log_level"] == "error"
    quiet_since = len(cluster.log_text(name))
    job = cluster.submit("-N1", "-n1", "--", "/bin/true")
    cluster.wait_state(job, "COMPLETED")
    assert cluster.log_text(name)[quiet_since:] == ""

    since = change(cluster, name, log_level="debug")
    cluster.submit("-N1", "-n1", "--", "/bin/true")
    cluster.wait_for(lambda: any(line["level"] == "debug"
                                 for line in json_lines(cluster, name, since)), "a debug line")
    change(cluster, name, log_level="info", log_format="text")
    assert " info " in cluster.log_text(name).splitlines()[-1]
    assert process.is_alive() and cluster.pid(name) == process.pid


def test_sighup_with_an_invalid_configuration_is_logged_and_changes_nothing(cluster, folder):
    file = cluster.config
    text = file.read_text()
    pid = cluster.pid("controller")
    file.write_text(text.replace("[controller]\n", "[controller]\nlog_levl = \"debug\"\n"))
    before = len(cluster.log_text("controller"))
    cluster.kill("controller", signal.SIGHUP)
    def logged():
        return cluster.log_text("controller")[before:]
    cluster.wait_for(lambda: "the settings are unchanged" in logged(),
                     "the complaint in the log")
    assert "did you mean" in logged()
    file.write_text(text)
    cluster.cox("nodes")
    assert cluster.pid("controller") == pid


@pytest.mark.parametrize("program", ["worker", "controller"])
def test_a_daemon_refuses_a_configuration_without_its_table(tmp_path, program):
    file = tmp_path / "client.toml"
    file.write_text('[client]\ncontroller = "ipc:///run/nobody.socket"\n')
    done = subprocess.run([find_programs() / f"cox-{program}", "--config", file], check=False,
                          capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 2
    assert done.stderr.startswith(f"cox-{program}: {file} has no [{program}]\n")


def test_config_check_shows_every_problem(cluster, tmp_path):
    good = cluster.cox_json("config", "check")
    values = {(value["table"], value["key"]): value for value in good["values"]}
    assert good["problems"] == []
    assert good["programs_can_run"] == {"cox-controller": True, "cox-worker": False, "cox": True}
    assert values["[controller]", "lease_margin"]["value"] == ["5s"]
    assert not values["[controller]", "lease_margin"]["given"]
    assert "cox-worker: the file has no [worker]" in cluster.cox("config", "check").stdout

    bad = tmp_path / "bad.toml"
    bad.write_text('[controller]\ndatabase = 7\nheartbet = "1s"\n[client]\ncontroler = "x"\n')
    done = cluster.cox("config", "check", bad, check=False)
    assert done.returncode == 1
    for line, words in ((2, "database"), (3, "did you mean 'heartbeat'"),
                        (5, "did you mean 'controller'")):
        assert re.search(rf"bad\.toml:{line}: .*{re.escape(words)}", done.stdout)
    assert done.stdout.endswith("3 problems\n")


def test_config_check_warns_of_names_that_nothing_has(cluster, tmp_path):
    assert cluster.cox_json("config", "check")["warnings"] == []
    odd = tmp_path / "odd.toml"
    text = cluster.config.read_text()
    odd.write_text(text.replace("[controller]\n", '[controller]\nmail_program = "/no/mail"\n', 1) +
                   '[[partition]]\nname = "x"\nnodes = "n7"\nqos = "hgih"\n'
                   'allow_groups = ["no-such-group"]\n'
                   '[[partition]]\nname = "y"\nnodes = ""\n')
    done = cluster.cox("config", "check", odd)
    for words in (": this host cannot run /no/mail: No such file or directory",
                  '"no-such-group", which this host lacks',
                  '[[partition]] "y" has nodes = ""',
                  'qos in [[partition]] "x" names the QOS "hgih", which does not exist',
                  '[[partition]] "x" has no node: no host has registered as n7',
                  "the cluster has partition main, and the file does not"):
        assert f"warning: {odd}: " in done.stdout and words in done.stdout, done.stdout
    assert done.stdout.endswith(f"{odd}: no problems, 6 warnings\n")


def test_config_check_refuses_a_word_that_libpq_does_not_know(cluster, tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text(cluster.config.read_text().replace("dbname", "dbnme"))
    done = cluster.cox("config", "check", bad, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith(f'{bad}: database in [controller] cannot be used: '
                                  'invalid connection option "dbnme"\n')


def test_a_controller_program_that_crashes_has_checked_nothing(cluster, tmp_path):
    shutil.copy(find_programs() / "cox", tmp_path)
    program = tmp_path / "cox-controller"
    program.write_text("#!/bin/sh\nkill -SEGV $$\n")
    program.chmod(0o755)
    done = subprocess.run([tmp_path / "cox", "config", "check", cluster.config], text=True,
                          capture_output=True, timeout=DEADLINE_S)
    assert done.returncode == 1
    assert f"{program} --check-config failed\n" in done.stdout


def findings(cluster, *words, returncode=0):
    done = cluster.cox("doctor", "--json", *words, check=False)
    assert done.returncode == returncode, done.stdout + done.stderr
    return [(each["health"], each["check"], each["fact"], each["hint"])
            for each in json.loads(done.stdout)["findings"]]


def test_doctor_finds_no_problem_in_a_healthy_cluster(cluster):
    # It warns if the controller takes 1 s to answer, as on a busy machine.
    found = repeat_until(lambda: findings(cluster),
                         lambda found: {health for health, *_ in found} == {"ok"})
    assert {health for health, *_ in found} == {"ok"}, found
    assert {"configuration", "database", "clocks", "keys", "shared folder", "mail", "ports",
            "controller", "nodes"} == {check for _, check, *_ in found}
    worker = findings(cluster, "--config", cluster.dir / "workers/n1.toml")
    assert "problem" not in {health for health, *_ in worker}, worker
    assert "cgroups" in {check for _, check, *_ in worker}


def test_doctor_shows_problems_with_hints(cluster):
    marker = cluster.dir / "checkpoints/.coxswain-cluster"
    key = cluster.dir / "keys/controller.key"
    kept = marker.read_text()
    marker.write_text("another\n")
    key.chmod(0o644)
    try:
        found = findings(cluster, returncode=1)
    finally:
        marker.write_text(kept)
        key.chmod(0o600)
    problems = {check: (fact, hint) for health, check, fact, hint in found if health == "problem"}
    assert set(problems) == {"keys", "shared folder"}
    assert problems["keys"][1].startswith("chmod 600")
    assert 'belongs to cluster "another"' in problems["shared folder"][0]

    cluster.kill("n1", signal.SIGKILL)
    cluster.kill("controller", signal.SIGKILL)
    try:
        found = findings(cluster, returncode=1)
    finally:
        cluster.start("controller")
        cluster.start("n1")
    problems = {check for health, check, *_ in found if health == "problem"}
    assert problems == {"controller"}
    assert any(check == "ports" and fact.endswith("is free") for _, check, fact, _ in found)
    cluster.wait_for(lambda: cluster.responding() == ["n1"], "the node to respond")


def problems_of(cluster, text, tmp_path):
    """Returns the problems that doctor finds in a worker's configuration."""
    file = tmp_path / "worker.toml"
    file.write_text(text)
    found = findings(cluster, "--config", file, returncode=1)
    return [fact for health, _, fact, _ in found if health == "problem"]


def test_doctor_shows_which_key_is_wrong(cluster, tmp_path):
    cluster.cox("key", "make", "worker-n9", "--dir", tmp_path)
    key, public = tmp_path / "worker-n9.key", (tmp_path / "worker-n9.pub").read_text().split()[1]
    good = (cluster.dir / "workers/n1.toml").read_text()

    def with_line(name, value):
        lines = [f'{name} = "{value}"' if line.startswith(f"{name} = ") else line
                 for line in good.splitlines()]
        return "\n".join(lines) + "\n"

    endpoint = re.search(r'^controller = "(tcp:.*)"', good, re.M).group(1)
    wrong_key = problems_of(cluster, with_line("key_file", key), tmp_path)
    assert f"[worker] key_file {key} is the key of node n9, and this node is n1" in wrong_key
    assert f"{endpoint} rejects the key of [worker]: {key}" in wrong_key
    wrong_server = problems_of(cluster, with_line("controller_key", public), tmp_path)
    assert f"{endpoint} has another key than controller_key in [worker]" in wrong_server
    nobody = problems_of(cluster, with_line("controller", "tcp://127.0.0.1:9"), tmp_path)
    assert nobody == ["no program listens at tcp://127.0.0.1:9"]


def test_doctor_reports_a_folder_lost_while_the_controller_runs(cluster):
    folder = cluster.dir / "checkpoints"
    folder.rename(cluster.dir / "away")
    try:
        found = findings(cluster, returncode=1)
    finally:
        (cluster.dir / "away").rename(folder)
    facts = [fact for health, _, fact, _ in found if health == "problem"]
    assert facts == [f"{folder} is not there, though the controller runs"], found


def test_doctor_shows_an_example_where_there_is_no_configuration(cluster, tmp_path):
    environment = {name: value for name, value in cluster.environment.items()
                   if name != "COX_CONFIG"}
    environment["HOME"] = str(tmp_path)
    done = subprocess.run([cluster.bin / "cox", "doctor"], env=environment, text=True,
                          capture_output=True, timeout=DEADLINE_S, check=False)
    assert done.returncode == 1
    assert "there is no configuration" in done.stdout and "copy the example" in done.stdout
    assert "[client]\n    controller = " in done.stdout


def test_cox_key_make_makes_a_pair_of_keys_and_replaces_none(cluster, tmp_path):
    made = cluster.cox_json("key", "make", "client-anna", "--dir", tmp_path)
    assert (tmp_path / "client-anna.key").stat().st_mode & 0o777 == 0o600
    assert made["public_key"] in (tmp_path / "client-anna.pub").read_text()
    done = cluster.cox("key", "make", "client-anna", "--dir", tmp_path, check=False)
    assert done.returncode == 1 and "exists" in done.stderr
