"""Every file of the tree keeps the rules; and every rule complains about a bad sample."""

import re
from pathlib import Path

import rules

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {"build", ".git", "__pycache__", ".pytest_cache"}


def files(*endings):
    """(path, text) of every file of the project with one of these endings."""
    found = []
    for file in sorted(ROOT.rglob("*")):
        path = file.relative_to(ROOT)
        if path.parts[0].startswith("build") or SKIPPED & set(path.parts) or not file.is_file():
            continue
        if file.name.endswith(endings):
            found.append((path.as_posix(), file.read_text(encoding="utf-8")))
    assert found, f"there are no {endings} files: is the root {ROOT}?"
    return found


def complaints_of(check, *endings):
    return [complaint for path, text in files(*endings) for complaint in check(path, text)]


def assert_none(complaints):
    assert not complaints, "\n" + "\n".join(complaints)


# ---- the tree --------------------------------------------------------------------------------


def test_every_folder_of_code_has_rules():
    assert_none([complaint for path, _ in files(".h", ".cpp")
                 for complaint in rules.check_folder(path)])


def test_folders_include_only_headers_that_they_may():
    assert_none(complaints_of(rules.check_own_includes, ".h", ".cpp"))


def test_no_modules_include_each_other():
    assert_none(rules.check_cycles(files(".h", ".cpp")))


def test_libraries_are_included_only_where_they_may_be():
    assert_none(complaints_of(rules.check_library_includes, ".h", ".cpp"))


def test_pure_folders_use_no_clock_file_or_system_call():
    assert_none(complaints_of(rules.check_pure, ".h", ".cpp"))


def test_files_and_lines_are_short():
    assert_none(complaints_of(rules.check_lengths, ".h", ".cpp", ".py", ".sh", ".cmake"))


def test_functions_are_short():
    assert_none(rules.check_function_lengths([path for path, _ in files(".h", ".cpp")], ROOT))


def test_names_of_files_and_classes_are_not_vague():
    assert_none(complaints_of(rules.check_names, ".h", ".cpp"))


def test_headers_open_with_a_comment():
    assert_none(complaints_of(rules.check_header_opening, ".h"))


def test_pages_have_one_title():
    assert_none(complaints_of(rules.check_page, ".md"))


def test_folders_have_a_page():
    names = {}
    for file in sorted(ROOT.rglob("*")):
        path = file.relative_to(ROOT)
        skipped = path.parts[0].startswith("build") or SKIPPED & set(path.parts)
        if file.is_file() and not skipped:
            names.setdefault(path.parent.as_posix(), []).append(path.name)
    assert_none([complaint for folder, here in names.items()
                 for complaint in rules.check_folder_has_page(folder, here)])


def test_readmes_are_a_page_at_most():
    assert_none(complaints_of(rules.check_readme_length, "README.md"))


def test_readmes_name_files_that_exist():
    assert_none([complaint for path, text in files("README.md")
                 for complaint in rules.check_readme_names(path, text, ROOT)])


def test_readmes_name_all_subfolders():
    assert_none([complaint for folder in rules.ROOMS for complaint in rules.check_rooms_are_named(
        folder, (ROOT / folder / "README.md").read_text(encoding="utf-8"))])


def test_no_file_names_a_path_of_the_developers_machine():
    assert_none(complaints_of(rules.check_machine_paths, ".h", ".cpp", ".py", ".sh", ".md", ".sql",
                              ".toml", ".cmake", ".txt"))


def test_crash_points_are_listed_in_hacking_md():
    sources = [text for path, text in files(".cpp") if not path.startswith("tests/")]
    page = (ROOT / "HACKING.md").read_text(encoding="utf-8")
    assert_none(rules.check_crash_points(page, sources))


def test_files_and_functions_that_architecture_md_names_exist():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert 10 <= len(re.findall(r"^\| \d+ \|", page, flags=re.MULTILINE)) <= 15
    assert_none(rules.check_stops(page, ROOT))


def test_files_compiled_apart_from_their_folder_exist():
    assert_none(rules.check_apart((ROOT / "cmake/unity.cmake").read_text(encoding="utf-8"), ROOT))


# ---- the rules -------------------------------------------------------------------------------


def test_an_unknown_folder_is_found():
    complaint, = rules.check_folder("controller/cellar/job.cpp")
    assert complaint.startswith("controller/cellar/job.cpp: no rule is known for its folder")
    assert rules.check_folder("controller/io/cellar/job.cpp")
    assert rules.check_folder("worker/cellar/job.cpp")
    assert rules.check_folder("schedule/job.cpp")  # all files of this folder belong in its rooms
    assert not rules.check_folder("controller/state/job.cpp")
    assert not rules.check_folder("controller/main.cpp")
    assert not rules.check_folder("tests/cellar/job.cpp")


def test_an_include_that_a_subfolder_may_not_have_is_found():
    complaint, = rules.check_own_includes("common/base/a.h", '#include "common/job/job.h"\n')
    assert complaint == ("common/base/a.h:1: includes common/job/job.h, but common/base may not "
                         "know common/job")
    assert not rules.check_own_includes("common/job/a.h", '#include "common/base/text.h"\n')
    assert not rules.check_own_includes("client/show/a.h", '#include "client/step/a.h"\n')


def test_subfolders_keep_the_rules_of_their_folder():
    assert rules.check_pure("controller/state/cluster.cpp", "#include <thread>\n")
    assert not rules.check_pure("controller/io/postgres/schema.cpp", "#include <thread>\n")
    assert rules.check_own_includes("client/show/a.cpp", '#include "controller/state/arrays.h"\n')
    assert rules.check_own_includes("controller/state/a.h",
                                    '#include "controller/io/records/pg_jobs.h"\n')


def test_an_include_of_io_by_a_pure_folder_is_found():
    complaint, = rules.check_own_includes("worker/worker.cpp", '#include "worker/io/process.h"\n')
    assert complaint.startswith("worker/worker.cpp:1: includes worker/io/process.h")
    assert "common, worker alone" in complaint


def test_an_include_of_another_program_is_found():
    assert rules.check_own_includes("client/submit/submit.cpp",
                                    '\n#include "controller/change/change.h"\n')
    assert rules.check_own_includes("schedule/model/plan.cpp",
                                    '#include "controller/change/change.h"\n')
    assert rules.check_own_includes("common/job/job.cpp", '#include "schedule/model/plan.h"\n')
    complaint, = rules.check_own_includes(
        "worker/supervisor/io/rank.cpp", '#include "common/io/link.h"\n')
    assert complaint.endswith("but the supervisor links no ZeroMQ")


def test_a_cycle_of_modules_is_found():
    sources = [("client/a.h", '#include "client/b.h"\n'),
               ("client/b.h", '#include "common/base/text.h"\n'),
               ("client/b.cpp", '#include "client/b.h"\n#include "client/slurm/c.h"\n'),
               ("client/slurm/c.h", '#include "client/b.h"\n#include "client/a.h"\n'),
               ("common/base/text.h", "#include <string>\n")]
    complaint, = rules.check_cycles(sources)
    assert complaint.startswith("client/b -> client/slurm/c -> client/b: ")
    longer = [(path, text.replace('"client/b.h"\n#include "client/a.h"', '"client/a.h"'))
              for path, text in sources]
    complaint, = rules.check_cycles(longer)
    assert complaint.startswith("client/a -> client/b -> client/slurm/c -> client/a: ")


def test_includes_without_a_cycle_are_accepted():
    assert not rules.check_cycles([("client/a.cpp", '#include "client/a.h"\n'),
                                   ("client/a.h", '#include "client/b.h"\n'),
                                   ("client/b.h", "")])
    assert not rules.check_cycles([("tests/sim/a.h", '#include "tests/sim/b.h"\n'),
                                   ("tests/sim/b.h", '#include "tests/sim/a.h"\n')])


def test_main_and_io_may_include_io():
    assert not rules.check_own_includes("worker/main.cpp", '#include "worker/io/process.h"\n')
    assert not rules.check_own_includes("worker/io/process.cpp", '#include "common/io/log.h"\n')


def test_zmq_outside_common_io_is_found():
    complaint, = rules.check_library_includes("controller/io/store.cpp", "#include <zmq.hpp>\n")
    assert "controller/io/store.cpp:1: includes zmq.hpp" in complaint
    assert rules.check_library_includes("controller/state/cluster.cpp", "#include <libpq-fe.h>\n")
    assert rules.check_library_includes("common/job/job.cpp", "#include <msgpack.hpp>\n")
    assert not rules.check_library_includes("common/messages/codec.cpp", "#include <msgpack.hpp>\n")


def test_a_clock_in_a_pure_folder_is_found():
    complaint, = rules.check_pure("schedule/plan.cpp", "\nauto t = system_clock::now();")
    assert complaint.startswith("schedule/plan.cpp:2: says system_clock::now")
    assert rules.check_pure("client/submit/submit.cpp", "#include <fstream>\n")
    assert rules.check_pure("worker/worker.cpp", "#include <sys/socket.h>\n")
    assert rules.check_pure("common/config.cpp", 'auto home = getenv("HOME");')


def test_comments_strings_and_io_folders_may_name_system_calls():
    assert not rules.check_pure("schedule/plan.cpp", "// never getenv here\n")
    assert not rules.check_pure("schedule/plan.cpp", 'CHECK(false, "getenv");')
    assert not rules.check_pure("worker/io/process.cpp", "#include <unistd.h>\n")
    assert not rules.check_pure("controller/main.cpp", "#include <unistd.h>\n")


def test_long_files_and_lines_are_found():
    complaint, = rules.check_lengths("a.cpp", "x\n" * 501)
    assert complaint == "a.cpp: has 501 lines, and may have 500: split it"
    complaint, = rules.check_lengths("a.cpp", "\n" + "x" * 101)
    assert complaint == "a.cpp:2: has 101 columns, and may have 100"
    assert not rules.check_lengths("a.cpp", ("x" * 100 + "\n") * 500)


def test_a_long_function_is_found(tmp_path):
    body = "  run();\n" * 69
    (tmp_path / "a.cpp").write_text("void brief() {\n}\nvoid endless() {\n" + body + "}\n")
    complaint, = rules.check_function_lengths(["a.cpp"], tmp_path)
    assert complaint == "a.cpp:3: endless has 71 lines, and may have 70: split it"


def test_vague_names_of_files_and_classes_are_found():
    assert rules.check_names("client/job_utils.cpp", "")
    assert rules.check_names("client/a.h", "class JobManager {")
    assert rules.check_names("client/a.h", "struct NodeData {")
    assert not rules.check_names("client/a.h", "struct Database {")


def test_a_header_without_a_comment_at_its_beginning_is_found():
    complaint, = rules.check_header_opening("common/a.h", "#pragma once\n")
    assert complaint.startswith("common/a.h:1: a header begins with a comment")
    assert not rules.check_header_opening("common/a.h", "// What it is.\n#pragma once\n")


def test_a_page_with_two_titles_is_found():
    complaint, = rules.check_page("README.md", "# One\n\n# Two\n")
    assert complaint.startswith("README.md: has 2 titles")
    assert not rules.check_page("README.md", "# One\n```\n# a shell comment\n```\n")


def test_a_folder_without_a_page_is_found():
    sources = ["a.cpp", "a.h", "b.cpp", "b.h", "c.h"]
    complaint, = rules.check_folder_has_page("bench", sources)
    assert complaint.startswith("bench: has 5 files and no README.md")
    # A room needs a README.md, however small.
    assert rules.check_folder_has_page("controller/leader", sources[:1])
    assert not rules.check_folder_has_page("bench", sources + ["README.md"])
    assert not rules.check_folder_has_page("bench", sources[:4])
    assert not rules.check_folder_has_page("tests/controller/state", sources)


def test_a_readme_that_is_too_long_is_found():
    complaint, = rules.check_readme_length("worker/README.md", "x\n" * 61)
    assert complaint == "worker/README.md: has 61 lines, and may have 60: a page at most"
    assert not rules.check_readme_length("worker/README.md", "x\n" * 60)
    assert not rules.check_readme_length("README.md", "x\n" * 61)


def test_a_readme_that_names_an_absent_file_is_found(tmp_path):
    (tmp_path / "worker/io").mkdir(parents=True)
    (tmp_path / "worker/term.h").write_text("")
    text = "# Worker\n\n`term.h`, `worker/term.h`, `t*.h`, `io/`, `NAME.cpp` and `Term` are fine.\n"
    assert not rules.check_readme_names("worker/README.md", text, tmp_path)
    for name in ("gone.h", "worker/gone.cpp", "g*.py", "gone/", "io/term.h"):
        complaint, = rules.check_readme_names("worker/README.md", f"# A\n`{name}`\n", tmp_path)
        assert complaint.startswith(f"worker/README.md:2: names {name}, which is neither")


def test_a_readme_that_lacks_a_subfolder_is_found():
    complaint, = rules.check_rooms_are_named("simulate", "`trace/` and `run/`, then report/")
    assert complaint == "simulate/README.md: does not name the room report/"


def test_a_path_of_a_machine_is_found():
    complaint, = rules.check_machine_paths("a.py", "\nopen('/" + "root/x')")
    assert complaint.startswith("a.py:2: names /" + "root/x")


def test_crash_points_that_are_missing_are_found():
    page = "| `worker.before_send` | it is not sent |\n| `worker.old` | gone |\n"
    source = 'crash_point("worker.before_send");\ncrash_point("worker.after_send", words);\n'
    assert rules.check_crash_points(page, [source]) == [
        "HACKING.md: the crash point worker.after_send is not listed",
        "HACKING.md: no code passes the crash point worker.old"]


def test_a_missing_file_or_function_of_architecture_md_is_found(tmp_path):
    (tmp_path / "pass.cpp").write_text("void Pass::judge() {}\n")
    assert not rules.check_stops("| 6 | a pass | `pass.cpp` | `Pass::judge` |\n", tmp_path)
    assert rules.check_stops("| 6 | a pass | `pass.cpp` | `Pass::run`, `judge` |\n", tmp_path) == [
        "ARCHITECTURE.md: stop 6: pass.cpp has no run"]
    assert rules.check_stops("| 6 | a pass | `gone.cpp` | `judge` |\n", tmp_path) == [
        "ARCHITECTURE.md: stop 6: gone.cpp has no judge"]


def test_a_missing_file_compiled_apart_from_its_folder_is_found(tmp_path):
    (tmp_path / "a.cpp").write_text("")
    assert rules.check_apart("set(cox_apart_1\n    a.cpp)\nset(cox_apart_2 b.cpp)\n", tmp_path) == [
        "cmake/unity.cmake: names b.cpp, which is not there"]
