"""The man pages and completions that the build writes are complete and valid."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from cluster import find_programs

BIN = find_programs(sanitized=True)
DAEMONS = ("cox-controller", "cox-worker")


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual")
    subprocess.run([BIN / "cox-manual", folder, *(BIN / name for name in DAEMONS)], check=True)
    return folder


def help_of(*words):
    return subprocess.run([BIN / words[0], *words[1:], "--help"], capture_output=True, text=True,
                          check=True).stdout


def commands():
    """Returns the commands that `cox --help` lists in groups, without the titles of these."""
    lines = help_of("cox").partition("\n\n  cox COMMAND --help")[0].splitlines()
    return [re.split(r"  +", line.strip())[0] for line in lines if line.startswith("  ")]


def options_in(help_text):
    lines = [line for line in help_text.splitlines() if line.startswith("  ")]
    heads = [re.split(r"  +", line.strip())[0] for line in lines]
    return {name for head in heads for name in re.findall(r"(?:^|[ ,])(--?[\w-]+)", head)}


def page_of(manual, name, section):
    path = manual / f"man/man{section}" / f"{name.replace(' ', '-')}.{section}"
    return path.read_text().replace("\\-", "-")


def test_each_command_has_a_man_page_with_each_of_its_options(manual):
    overview = page_of(manual, "cox", 1)
    assert len(commands()) > 15
    for command in commands():
        assert f"\\fBcox {command}\\fR" in overview
        options = options_in(help_of("cox", *command.split()))
        assert "--help" in options
        page = page_of(manual, f"cox {command}", 1)
        for option in options:
            assert f"\\fB{option}\\fR" in page, f"cox {command} {option}"
    for daemon in DAEMONS:
        options = options_in(help_of(daemon))
        assert "--config" in options
        for option in options:
            assert f"\\fB{option}\\fR" in page_of(manual, daemon, 8)


def test_man_accepts_every_man_page_without_warnings(manual):
    pages = sorted(manual.glob("man/man?/*"))
    assert {page.name for page in pages} >= {"sbatch.1", "srun.1", "squeue.1", "scancel.1",
                                              "sinfo.1"}
    for page in pages:
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", page], text=True,
                              capture_output=True, env=dict(os.environ, MANWIDTH="80",
                                                            LC_ALL="C.UTF-8"))
        assert done.returncode == 0 and done.stderr == "", f"{page}: {done.stderr}"
        assert "NAME" in done.stdout


def complete(manual, line, stubs=None):
    """Returns the words that bash offers at the end of the line."""
    words = re.findall(r"=|[^ =]+", line) + ([""] if line.endswith((" ", "=")) else [])
    if words[-2:] == ["=", ""]:
        words.pop()  # as readline passes it: the = is the last word
    script = (f"source {manual}/bash-completion/completions/cox\n"
              'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cox\n'
              'printf "%s\\n" "${COMPREPLY[@]}"')
    environment = dict(os.environ, PATH=f"{stubs}:{os.environ['PATH']}" if stubs else
                       os.environ["PATH"])
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True,
                          env=environment)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_options_and_values(manual):
    first_words = {command.split()[0] for command in commands()}
    assert set(complete(manual, "cox ")) >= first_words | {"--json"}
    assert complete(manual, "cox hist") == ["history"]
    assert complete(manual, "cox --json --config /x hist") == ["history"]
    assert set(complete(manual, "cox show ")) == {"job", "node", "licenses", "qos", "reservation",
                                                      "reservations", "partitions",
                                                      "accounts"}
    assert complete(manual, "cox queue --al") == ["--all"]
    assert complete(manual, "cox submit --checkpoint-s") == ["--checkpoint-signal"]
    assert complete(manual, "cox submit --qos cr") == ["critical"]
    assert complete(manual, "sbatch --qos=be") == ["besteffort"]
    assert complete(manual, "sbatch --checkpoint-by=") == ["all", "rank0"]
    assert "OUT_OF_MEMORY" in complete(manual, "squeue -t ")
    # Only names of files fit, which bash adds itself.
    assert complete(manual, "cox submit -N 2 -- tr") == []


def test_bash_completes_jobs_nodes_partitions_and_accounts_of_the_cluster(manual, tmp_path):
    stub = tmp_path / "cox"
    stub.write_text("#!/bin/sh\n[ $1 = queue ] && printf 'JOB NAME\\n17 a\\n18 b\\n'\n"
                    "[ $1 = nodes ] && printf 'NODE STATE\\nn1 idle\\n'\n"
                    "[ $2 = partitions ] && printf 'PARTITION STATE\\ngpu* UP\\ncpu UP\\n'\n"
                    "exit 0\n")
    stub.chmod(0o755)
    accounts = tmp_path / "sacctmgr"
    accounts.write_text("#!/bin/sh\nprintf 'physics\\nbiology\\n'\n")
    accounts.chmod(0o755)
    assert complete(manual, "cox cancel ", tmp_path) == ["17", "18"]
    assert complete(manual, "cox show job 1", tmp_path) == ["17", "18"]
    assert complete(manual, "cox drain ", tmp_path) == ["n1"]
    assert complete(manual, "scancel 18", tmp_path) == ["18"]
    assert complete(manual, "cox partition down ", tmp_path) == ["gpu", "cpu"]
    assert complete(manual, "sbatch -p g", tmp_path) == ["gpu"]
    assert complete(manual, "squeue --partitions=", tmp_path) == ["gpu", "cpu"]
    assert complete(manual, "salloc -A phy", tmp_path) == ["physics"]
    assert complete(manual, "sshare -A ", tmp_path) == ["physics", "biology"]
    assert complete(manual, "srun -w ", tmp_path) == ["n1"]
    assert complete(manual, "salloc -p gpu,c", tmp_path) == ["gpu,cpu"]
    assert complete(manual, "sattach 1", tmp_path) == ["17", "18"]
    assert complete(manual, "sprio -j 18", tmp_path) == ["18"]
    assert "--json" in complete(manual, "sdiag --")
    assert "--force" in complete(manual, "sbcast --")


def test_bash_completes_the_words_of_scontrol(manual, tmp_path):
    stub = tmp_path / "cox"
    stub.write_text("#!/bin/sh\n[ $1 = nodes ] && printf 'NODE STATE\\nn1 idle\\n'\nexit 0\n")
    stub.chmod(0o755)
    assert {"show", "update", "hold", "requeue"} <= set(complete(manual, "scontrol "))
    assert complete(manual, "scontrol -o show nod") == ["nodes"]
    assert complete(manual, "scontrol show node ", tmp_path) == ["n1"]
    assert complete(manual, "scontrol update Nod") == ["NodeName="]
    assert complete(manual, "scontrol update NodeName=", tmp_path) == ["n1"]
    assert complete(manual, "scontrol update NodeName=n", tmp_path) == ["n1"]


@pytest.mark.parametrize("shell, file", [("zsh", "zsh/vendor-completions/_cox"),
                                         ("fish", "fish/vendor_completions.d/cox.fish")])
def test_zsh_and_fish_can_parse_their_completion_files(manual, shell, file):
    done = subprocess.run([shell, "-n", manual / file], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
