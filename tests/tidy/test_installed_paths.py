"""Pages that name paths of the packages say what they are below another prefix. README.md says it
for all of them, and agrees with cmake/install.cmake."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"/usr/(?:share|libexec|lib/systemd)/\S*")
SAYS_SO = "(../README.md#installing-it)"
# Made from etc/coxswain.toml, whose text gives the default relative to the program.
GENERATED = {"configuration.md"}
PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in GENERATED]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_that_names_a_path_of_the_packages_says_what_it_is_below_another_prefix(page):
    text = page.read_text()
    assert not NAMED.search(text) or SAYS_SO in text, NAMED.search(text)[0]


def test_the_readme_names_the_folders_that_an_installation_has_below_its_prefix():
    readme = (ROOT / "README.md").read_text()
    assert "\n## Installing it\n" in readme
    install = (ROOT / "cmake/install.cmake").read_text()
    for folder, rule in (("bin", "${CMAKE_INSTALL_BINDIR}"),
                         ("share/man", "${CMAKE_INSTALL_MANDIR}"),
                         ("share/coxswain", "${share}/coxswain"),
                         ("lib/python3/dist-packages", "lib/python3/dist-packages"),
                         ("share", "${share}/bash-completion/completions"),
                         ("lib/systemd/system", "lib/systemd/system")):
        assert f"DIR/{folder}" in readme, folder
        assert f"DESTINATION {rule}" in re.sub(r"\s+", " ", install), rule
