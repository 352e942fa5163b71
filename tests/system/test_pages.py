"""Pages of docs/ that show sessions: each command prints the output on the page. The page's own
`cox up` makes a private cluster."""

import os
import re

import page
import pytest
from cluster import ROOT, Cluster, find_programs

PAGES = ("your-first-job", "my-job-failed", "user-guide")
NAMES = ("sbatch", "srun", "salloc", "squeue", "scancel", "sinfo", "sacct", "scontrol", "seff",
         "scrontab", "strigger")
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
    assert page.masked("R 0:05 1 n1") == page.masked("R 12:40 1 n1") != page.masked("R 0:5 1 n1")
    assert page.masked("4 h 3 min ago  (2026-11-26 03:24:31), 17 of 4 GiB") == \
        "AGO (TIME), 17 of AMOUNT"
    assert page.read_page("# Page\n\n    cox queue\n")[1]


def test_settings_and_assignments_are_no_session():
    for block in ("[client]", '[[node]]\n    nodes = "n1"', "mine = saved[rank::2]"):
        assert page.read_page(f"# Page\n\n    {block}\n") == ([], [])
    for block in ("[[node]]\n    cox queue", "saved = 1\n\n    print(saved)"):
        assert page.read_page(f"# Page\n\n    {block}\n")[1]
    # After a command, the same lines are its output.
    (command,), complaints = page.read_page("    $ cat a.toml\n    [client]\n    keep = 1\n")
    assert not complaints and command.output == ["[client]", "keep = 1"]


def test_a_hidden_command_is_run_and_its_output_is_not_compared(tmp_path):
    text = "# Page\n\n<!-- $ echo made > made; cat made -->\n\n    $ cat made\n    made\n"
    commands, complaints = page.read_page(text)
    session = page.Session(tmp_path, dict(os.environ))
    assert not complaints and [command.is_hidden for command in commands] == [True, False]
    assert [session.check(command) for command in commands] == ["", ""]
    assert page.read_page("Text <!-- $ true -->\n")[1]


def test_a_hidden_command_that_fails_is_reported_with_its_line(tmp_path):
    (command,), _ = page.read_page("# Page\n\n<!-- $ echo gone; exit 3 -->\n")
    complaint = page.Session(tmp_path, dict(os.environ)).check(command)
    assert complaint == "line 3: $ echo gone; exit 3\nexited with 3 and printed\ngone\n"


def test_a_hidden_command_that_changes_nothing_is_repeated(tmp_path):
    """So a page can wait for a state."""
    text = "<!-- $ (sleep 1; touch made) > log 2>&1 & -->\n<!-- $ cat made -->\n<!-- $ cat no -->\n"
    start, wait, fail = page.read_page(text)[0]
    session = page.Session(tmp_path, dict(os.environ))
    assert session.check(start) == "" and session.check(wait) == ""
    assert session.check(fail, 0).startswith("line 3: $ cat no\nexited with 1")


def test_a_page_has_no_commands_in_another_form():
    """Code blocks in another form would not be tested."""
    for name in PAGES:
        text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert not re.search(r"^(```|\t)", text, re.MULTILINE), f"{name}: indent code by four"
        assert len(read(name)[0]) > 20
