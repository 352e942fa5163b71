"""Pages of docs/ that show sessions: each command prints the output on the page. The page's own
`cox up` makes a private cluster."""

import os
import re

import page
import pytest
from cluster import ROOT, Cluster, find_programs

PAGES = ("your-first-job", "my-job-failed")
NAMES = ("sbatch", "srun", "salloc", "squeue", "scancel", "sinfo", "sacct", "scontrol", "seff")
INSTALLED = "/usr/share/coxswain/examples"


class OwnCluster(Cluster):
    """The cluster that `cox up` makes in the home folder of its user."""

    def __init__(self, home):
        super().__init__(home)
        self.work = home
        self.dir = home / ".local/state/coxswain"
        self.config = self.dir / "coxswain.toml"

    def down(self):
        if self.dir.exists():
            self.read_layout()
            super().down()


@pytest.fixture
def session(tmp_path):
    tmp_path.chmod(0o755)
    names = tmp_path / "bin"
    names.mkdir()
    for name in NAMES:
        (names / name).symlink_to(find_programs() / "cox")
    home = tmp_path / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("COX_", "SLURM_", "SBATCH_"))}
    environment.update(HOME=str(home), PYTHONPATH=str(ROOT / "python"),
                       PATH=f"{names}:{find_programs()}:{os.environ['PATH']}")
    yield page.Session(home, environment)
    OwnCluster(home).down()


def read(name):
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    return page.read_page(text.replace(INSTALLED, str(ROOT / "examples")))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_its_commands_print(session, name):
    commands, complaints = read(name)
    assert not complaints, complaints
    assert commands[0].words.startswith("cox up ") and commands[-1].words == "cox down --purge"
    for command in commands:
        complaint = session.check(command)
        assert not complaint, f"docs/{name}.md, {complaint}"


def test_a_difference_between_page_and_program_is_found():
    text = "# Page\n\n    $ cox queue\n    JOB  TIME\n      1  for 3 s ...\n    ...\n    end\n"
    (command,), complaints = page.read_page(text)
    pattern = page.pattern_of(command.output)
    assert not complaints and command.words == "cox queue"
    assert pattern.fullmatch("JOB TIME\n1 for AMOUNT on n1\nmore\nend\n")
    for other in ("JOB TIME\n2 for AMOUNT on n1\nend\n", "JOB TIME\n1 for AMOUNT on n1\n"):
        assert not pattern.fullmatch(other)
    assert page.masked("ended now") == page.masked("ended 2 s ago")
    assert page.masked("4 h 3 min ago  (2026-11-26 03:24:31), 17 of 4 GiB") == \
        "AGO (TIME), 17 of AMOUNT"
    assert page.read_page("# Page\n\n    cox queue\n")[1]


def test_a_page_has_no_other_commands_than_those():
    """Code blocks in another form would not be tested."""
    for name in PAGES:
        text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert not re.search(r"^(```|\t)", text, re.MULTILINE), f"{name}: code has four columns"
        assert len(read(name)[0]) > 20
