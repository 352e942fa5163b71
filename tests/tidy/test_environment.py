"""docs/environment.md lists the COX_* variables that the code sets or reads, and no others."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("bench", "client", "common", "controller", "demo", "dev.d", "examples", "python",
           "schedule", "simulate", "worker")
# Tests set some variables only for their own programs, so only variables that they read count.
READ = re.compile(r'(?:getenv|environ\.get|environ|number_from|text_from|faults_from|words_from)'
                  r'[(\[]"(COX_\w+)"')
# In C++ a name outside of a string is a macro.
IN_CPP = re.compile(r'"(COX_[A-Z_]+)[="]')
# In a script "-DCOX_..." is a macro or an option of CMake.
IN_SCRIPT = re.compile(r"(?<![D\w])(COX_[A-Z_]*[A-Z])(?![A-Z_*])")
ROW = re.compile(r"^\| `(COX_\w+)` \| (.+) \|$", re.MULTILINE)
CPP = (".h", ".cpp", ".c")


def names_in(path, text):
    """Returns the variables that a file of the code uses."""
    if path.startswith("tests/"):
        return set(READ.findall(text))
    return set((IN_CPP if path.endswith(CPP) else IN_SCRIPT).findall(text))


def code():
    files = [ROOT / "dev"]
    for folder in (*FOLDERS, "tests"):
        files += [file for file in (ROOT / folder).rglob("*")
                  if file.is_file() and "__pycache__" not in file.parts
                  and file.suffix in (*CPP, ".py", ".sh") and file != Path(__file__).resolve()]
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_the_environment_page_lists_every_cox_variable_and_no_other():
    named = {}
    for path, text in code().items():
        for name in names_in(path, text):
            named.setdefault(name, path)
    rows = ROW.findall((ROOT / "docs/environment.md").read_text(encoding="utf-8"))
    listed = {name for name, _ in rows}
    missing = [f"{path} names {name}: docs/environment.md has no row for it"
               for name, path in sorted(named.items()) if name not in listed]
    gone = [f"docs/environment.md lists {name}, which no code sets or reads"
            for name in sorted(listed - set(named))]
    assert not missing + gone, "\n" + "\n".join(missing + gone)
    assert len(rows) == len(listed), "a variable has two rows"


@pytest.mark.parametrize("path, text, names", [
    ("worker/a.cpp", 'getenv("COX_NEW")', {"COX_NEW"}),
    ("worker/a.cpp", 'words.push_back("COX_NEW=" + value);', {"COX_NEW"}),
    ("worker/a.cpp", '#ifdef COX_MACRO\nputs("cox " COX_VERSION "\\n"); is("COX_")', set()),
    ("python/coxswain/a.py", "environment['COX_NEW']", {"COX_NEW"}),
    ("demo/a.py", "dict(os.environ, COX_NEW=folder)", {"COX_NEW"}),
    ("dev.d/a.sh", 'cmake -DCOX_OPTION=ON; export COX_NEW=1 ${COX_OLD:-}', {"COX_NEW", "COX_OLD"}),
    ("bench/a.py", 'name.startswith("COX_")  # COX_* of others', set()),
    ("tests/system/a.py", 'os.environ.get("COX_NEW"); dict(COX_OWN=1)', {"COX_NEW"}),
    ("tests/sim/a.cpp", 'text_from("COX_NEW")', {"COX_NEW"}),
])
def test_cox_variables_are_found_in_code_of_each_language(path, text, names):
    assert names_in(path, text) == names
