"""The rules of the source tree, as functions: (path, text) in, a list of complaints out.

Paths are relative to the root and have forward slashes. test_tidy.py applies them to every file,
and to bad samples.
"""

import re
import subprocess
from pathlib import Path

FILE_LINES_MAX = 500
LINE_COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70

# {folder: the folders of this project, with their rooms, that its files may include}. tests and
# bench may include all. A folder's main.cpp may include what its io/ may.
MAY_INCLUDE = {
    "common": ["common"],
    "common/io": ["common", "common/io"],
    "schedule": ["common", "schedule"],
    "controller": ["common", "schedule", "controller"],
    "controller/io": ["common", "common/io", "schedule", "controller", "controller/io"],
    "worker": ["common", "worker"],
    "worker/io": ["common", "common/io", "worker", "worker/io", "worker/supervisor",
                  "worker/supervisor/io"],  # worker/io finds, starts and adopts supervisors
    "worker/supervisor": ["common", "worker/supervisor"],
    "worker/stepd": ["common", "worker/stepd", "worker/supervisor"],
    "worker/stepd/io": ["common", "common/io", "worker/stepd", "worker/stepd/io",
                        "worker/supervisor", "worker/supervisor/io"],
    "worker/supervisor/io": ["common", "common/io", "worker/supervisor", "worker/supervisor/io"],
    "simulate": ["common", "schedule", "simulate"],
    "simulate/io": ["common", "common/io", "schedule", "simulate", "simulate/io"],
    "client": ["common", "client", "client/slurm"],
    "client/slurm": ["common", "client", "client/slurm"],
    "client/manual": ["common", "client", "client/slurm", "client/manual"],
    "client/manual/io": ["common", "client", "client/slurm", "client/manual"],  # its main.cpp
    "client/io": ["common", "common/io", "client", "client/slurm", "client/io"],
}

# {folder: its rooms, which are sub-folders that keep its rules, in lines from the lowest layer to
# the highest}. A room may include the rooms of its own line and of the lines before. "" stands for
# the folder's own files.
ROOMS = {
    "common": [["base"], ["resources"], ["syntax"], ["job"], ["cluster"], ["messages"]],
    "common/io": [["", "config"]],
    "schedule": [["model"], ["queue"], ["place"], ["engine"], ["pass"], ["explain"], ["top"]],
    "controller": [["limits"], ["change"], ["job"], ["state"], ["feed"], ["ledger"], ["admit"],
                   ["attempt"], ["scheduling"], ["answer"], ["accounting"], ["operate"], ["leader"],
                   ["turn"]],
    "controller/io": [["postgres"], ["records"], [""]],
    "simulate": [["trace"], ["run"], ["report"]],
    "client": [["text"], ["options"], ["submit"], ["step"], ["setup"], ["show"], [""]],
    "client/slurm": [["text"], ["list"], ["records"], ["control"], [""]],
    "client/io": [["", "private", "step"]],
    "worker/supervisor/io": [["files"], [""]],
}

# The supervisor is small and static: it never links ZeroMQ.
SUPERVISOR_NEVER = "common/io/link.h"

# {library header: the only files that may include it}
LIBRARY_HOME = {
    r"zmq\.h(pp)?": r"common/io/.*",
    r"msgpack.*": r"common/messages/codec\w*\.cpp",
    r"libpq-fe\.h": r"controller/io/.*|bench/sql\.cpp",
    r"spdlog/.*": r"common/io/.*",
    r"toml\+\+/.*|toml\.hpp": r"common/io/.*",
    r"CLI/.*": r".*/main\.cpp",
    r"nlohmann/.*": r"client/.*|simulate/\w+/(batsim|replay|report_json)\.cpp|"
                    r"schedule/top/snapshot_text\.cpp|controller/admit/submit_program_text\.cpp|"
                    r"controller/io/records/pg_components\.cpp",
    r"zlib\.h": r"simulate/io/.*",
    r"openssl/.*": r"controller/change/blob_key\.cpp",
}

WORLD_HEADERS = re.compile(
    r"fstream|iostream|filesystem|thread|mutex|shared_mutex|condition_variable|future|unistd\.h|"
    r"fcntl\.h|poll\.h|netdb\.h|pwd\.h|spawn\.h|sys/.*|netinet/.*|arpa/.*|linux/.*")
WORLD_WORDS = re.compile(
    r"\b(?:system_clock::now|steady_clock::now|high_resolution_clock|clock_gettime|gettimeofday|"
    r"getenv|random_device|std::thread|std::mutex|fopen|popen)\b")

README_LINES_MAX = 60
README_FROM_FILES = 5  # a folder with so many files or more has a README.md

# {folder: why it needs no README.md, however many files it has}
NO_README = {
    r"docs": "pages for people who use Coxswain; the root's README.md lists them",
    r"tests/(client|common|controller|schedule|simulate|worker)(/.*)?":
        "tests of the product's folder of the same name; tests/README.md",
    r"tests/python(/.*)?": "tests of python/coxswain and of bench/; tests/README.md",
    r"tests/fuzz/corpus/.*": "inputs; tests/fuzz/README.md",
    r"tests/system/(programs|scripts)": "inputs; tests/system/README.md",
    r"bench/traces/.*": "inputs; bench/traces/README.md",
    r"examples/(recipes|slurm)": "inputs; examples/README.md",
    r"sql/(migrations|views|functions|queries/.*)": "one object a file; sql/README.md",
}

# {README.md: why it may be longer than a page}
LONG_README = {
    "README.md": "the front page of the project, for people who do not know it",
    "bench/peers/README.md": "a report",
    "bench/traces/README.md": "origins and licences",
    "examples/README.md": "a page for people who use Coxswain",
    "sql/README.md": "a page for administrators too",
}

NAMED_FILE = re.compile(r"`(?!\S*(?:NAME|NNN))"
                        r"((?:[\w.*-]+/)*[\w*-]+\.(?:c|cmake|cpp|h|md|py|sh|sql|toml|txt)"
                        r"|(?:[\w.*-]+/)+)`")

BANNED_NAME = re.compile(r"Manager|Helper|Utils?(?![a-z])|Data(?![a-z])")
BANNED_FILE = re.compile(r"(?:^|_)(manager|helpers?|utils?|data)(?:_|\.|$)")
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:work|root|Users)/\w+")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def is_cpp(path):
    return path.endswith((".h", ".cpp"))


def place_of(path):
    """Returns (folder, room) of a product file, for the rules that hold for it; None if no rules
    are known."""
    folder = path.rpartition("/")[0]
    if path.split("/")[0] not in {name.split("/")[0] for name in MAY_INCLUDE}:
        return None
    if path.endswith("/main.cpp"):
        folder += "/io"
    home = next((name for name in sorted(MAY_INCLUDE, key=len, reverse=True)
                 if f"{folder}/".startswith(f"{name}/")), folder)
    return home, folder[len(home) + 1:]


def layer_of(folder, room):
    """Returns the index of the line of ROOMS that has the room; None if no line has it."""
    lines = ROOMS.get(folder, [[""]])
    return next((number for number, line in enumerate(lines) if room in line), None)


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def without_comments(text):
    """Returns the same lines without // comments and without the contents of string literals."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"//[^\n]*", "", text)


def check_folder(path):
    """Every product file is in a folder for which rules are known."""
    place = place_of(path)
    if place is None or (place[0] in MAY_INCLUDE and layer_of(*place) is not None):
        return []
    return [f"{path}: no rule is known for its folder: name it in MAY_INCLUDE or ROOMS "
            "(tests/tidy/rules.py)"]


def check_own_includes(path, text):
    place = place_of(path)
    if place is None:
        return []
    folder, room = place
    complaints = []
    for match in INCLUDE.finditer(text):
        kind, name = match.groups()
        included = place_of(name)
        if kind == "<" or "/" not in name or included is None:  # a library's
            continue
        where = f"{path}:{line_of(text, match)}: includes {name}, but"
        home, its_room = included
        if name == SUPERVISOR_NEVER and folder.startswith("worker/supervisor"):
            complaints.append(f"{where} the supervisor links no ZeroMQ")
        elif home not in MAY_INCLUDE.get(folder, []):
            allowed = ", ".join(MAY_INCLUDE.get(folder, []))
            complaints.append(f"{where} {folder}/ may include {allowed} alone")
        elif (home == folder and not path.endswith("/main.cpp")
              and (layer_of(folder, room) or 0) < (layer_of(folder, its_room) or 0)):
            complaints.append(f"{where} {folder}/{room} may not know {folder}/{its_room}")
    return complaints


def module_of(path):
    """Returns a file's module. A header and the .cpp of the same name are one module."""
    return re.sub(r"\.(h|cpp)$", "", path)


def module_graph(sources):
    """Returns {module of the product: the modules of the product that it includes}."""
    product = {folder.split("/")[0] for folder in MAY_INCLUDE}
    ours = [(path, text) for path, text in sources if path.split("/")[0] in product]
    graph = {module_of(path): set() for path, _ in ours}
    for path, text in ours:
        included = {module_of(match.group(2)) for match in INCLUDE.finditer(text)}
        graph[module_of(path)] |= included & graph.keys() - {module_of(path)}
    return graph


def shortest_way_back(start, graph):
    """Returns the modules of the shortest cycle of includes through `start`, in order; empty if
    there is none."""
    before = {}
    front = [start]
    while front and start not in before:
        beyond = []
        for module in front:
            for included in sorted(graph[module]):
                if included not in before:
                    before[included] = module
                    beyond.append(included)
        front = beyond
    if start not in before:
        return []
    cycle = [start, before[start]]
    while cycle[-1] != start:
        cycle.append(before[cycle[-1]])
    return cycle[::-1]


def reached_from(start, graph):
    reached = {start}
    left = [start]
    while left:
        new = graph[left.pop()] - reached
        reached |= new
        left.extend(new)
    return reached


def check_cycles(sources):
    """No module of the product includes itself, directly or through others. Modules that include
    each other in circles get one complaint together, with the shortest cycle."""
    graph = module_graph(sources)
    reached = {module: reached_from(module, graph) for module in graph}
    complaints = []
    done = set()
    for module in sorted(graph):
        knot = {other for other in reached[module] if module in reached[other]}
        if len(knot) == 1 or module in done:
            continue
        done |= knot
        cycle = min((shortest_way_back(one, graph) for one in sorted(knot)), key=len)
        complaints.append(" -> ".join(cycle) + ": these modules include each other in a circle: "
                          "move what they share into a module of its own")
    return complaints


def check_library_includes(path, text):
    complaints = []
    if path.startswith("tests/"):
        return complaints
    for match in INCLUDE.finditer(text):
        for header, home in LIBRARY_HOME.items():
            if re.fullmatch(header, match.group(2)) and not re.fullmatch(home, path):
                complaints.append(f"{path}:{line_of(text, match)}: includes {match.group(2)}, "
                                  f"which belongs into files like {home}")
    return complaints


def check_pure(path, text):
    """Files outside io/ use no clock, file, socket or thread."""
    place = place_of(path)
    if place is None or place[0].endswith("/io"):
        return []
    folder = place[0]
    complaints = []
    for match in INCLUDE.finditer(text):
        if match.group(1) == "<" and WORLD_HEADERS.fullmatch(match.group(2)):
            complaints.append(f"{path}:{line_of(text, match)}: includes <{match.group(2)}>, but "
                              f"{folder}/ is pure: only io/ and main.cpp touch the world")
    bare = without_comments(text)
    for match in WORLD_WORDS.finditer(bare):
        complaints.append(f"{path}:{line_of(bare, match)}: says {match.group(0)}, but {folder}/ is "
                          "pure: take it as a parameter")
    return complaints


def check_lengths(path, text):
    lines = text.splitlines()
    complaints = []
    if len(lines) > FILE_LINES_MAX:
        complaints.append(f"{path}: has {len(lines)} lines, and may have {FILE_LINES_MAX}: "
                          "split it")
    for number, line in enumerate(lines, start=1):
        if len(line) > LINE_COLUMNS_MAX:
            complaints.append(f"{path}:{number}: has {len(line)} columns, and may have "
                              f"{LINE_COLUMNS_MAX}")
    return complaints


def check_function_lengths(paths, root):
    """No function has more than FUNCTION_LINES_MAX lines, as universal-ctags finds them in these
    files."""
    output = subprocess.run(
        ["ctags", "-x", "--language-force=C++", "--kinds-C++=f", "--fields=+ne",
         "--_xformat=%F %n %{end} %N", "-L", "-"], input="\n".join(paths),
        cwd=root, capture_output=True, text=True, check=True).stdout
    complaints = []
    for line in output.splitlines():
        path, first, last, name = line.split(" ", 3)
        if not last.isdigit():
            continue
        length = int(last) - int(first) + 1
        if length > FUNCTION_LINES_MAX:
            complaints.append(f"{path}:{first}: {name} has {length} lines, and may have "
                              f"{FUNCTION_LINES_MAX}: split it")
    return complaints


def check_names(path, text):
    complaints = []
    if BANNED_FILE.search(Path(path).name):
        complaints.append(f"{path}: the file's name says nothing: name what it is")
    for match in re.finditer(r"\b(?:class|struct|enum class)\s+(\w+)", without_comments(text)):
        if BANNED_NAME.search(match.group(1)):
            complaints.append(f"{path}: the name {match.group(1)} says nothing: name what it is")
    return complaints


def check_header_opening(path, text):
    if not path.endswith(".h"):
        return []
    complaints = []
    if not text.startswith("// "):
        complaints.append(f"{path}:1: a header begins with a comment: what it is, how it fits, who "
                          "may call it")
    if "#pragma once" not in text:
        complaints.append(f"{path}: a header says #pragma once")
    return complaints


def check_page(path, text):
    """A Markdown page has one title, on its first line."""
    outside_code = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^# .+", outside_code, flags=re.MULTILINE)
    if len(titles) != 1 or not text.startswith("# "):
        return [f"{path}: has {len(titles)} titles (# ...): a page has one, on its first line"]
    return []


def check_folder_has_page(folder, names):
    """A room of the product, and any folder of README_FROM_FILES files or more, has a README.md.
    `names` are the folder's files."""
    is_room = place_of(f"{folder}/a.h") is not None and not check_folder(f"{folder}/a.h")
    is_exempt = any(re.fullmatch(pattern, folder) for pattern in NO_README)
    if "README.md" in names or is_exempt or (len(names) < README_FROM_FILES and not is_room):
        return []
    return [f"{folder}: has {len(names)} files and no README.md: say there what the folder is for, "
            "its words, what it may include, where to start reading"]


def check_readme_length(path, text):
    lines = len(text.splitlines())
    if lines <= README_LINES_MAX or path in LONG_README:
        return []
    return [f"{path}: has {lines} lines, and may have {README_LINES_MAX}: a page at most"]


def check_readme_names(path, text, root):
    """Each file or folder/ that a README.md names in backticks exists, seen from the README.md or
    from the root. A * stands for any part of a name, NAME and NNN for what somebody will add."""
    return [f"{path}:{line_of(text, match)}: names {match.group(1)}, which is neither beside it "
            "nor below the root"
            for match in NAMED_FILE.finditer(text)
            if not any(any(place.glob(match.group(1).rstrip("/")))
                       for place in (root / Path(path).parent, root))]


def check_rooms_are_named(folder, text):
    """The README.md of a folder with rooms names each of them, as `room/`."""
    rooms = [room for line in ROOMS.get(folder, []) for room in line if room]
    return [f"{folder}/README.md: does not name the room {room}/" for room in rooms
            if f"`{room}/`" not in text]


def check_stops(page, root):
    """In ARCHITECTURE.md each stop of a job's way names a file and functions that the file has."""
    complaints = []
    for number, path, functions in re.findall(r"^\| (\d+) \|.*\| `(\S+)` \| (.*) \|$", page,
                                              flags=re.MULTILINE):
        file = Path(root) / path
        source = file.read_text(encoding="utf-8") if file.is_file() else ""
        for name in re.findall(r"`(?:\w+::)?(\w+)[^`]*`", functions):
            if not re.search(rf"\b{name}\b", source):
                complaints.append(f"ARCHITECTURE.md: stop {number}: {path} has no {name}")
    return complaints


def check_machine_paths(path, text):
    return [f"{path}:{line_of(text, match)}: names {match.group(0)}, a path of somebody's machine"
            for match in MACHINE_PATH.finditer(text)]


def check_crash_points(page, sources):
    """HACKING.md lists the crash points that are in the code, and no others."""
    listed = set(re.findall(r"^\| `(\w+\.\w+)` \|", page, flags=re.MULTILINE))
    passed = {name for text in sources for name in re.findall(r'crash_point\("([^"]*)"', text)}
    absent = sorted(passed - listed)
    return ([f"HACKING.md: the crash point {name} is not listed" for name in absent]
            + [f"HACKING.md: no code passes the crash point {name}"
               for name in sorted(listed - passed)])


def check_apart(text, root):
    """Each file that cmake/unity.cmake keeps apart from others of its folder exists."""
    lists = re.findall(r"set\(cox_apart_\d\s(.*?)\)", text, re.DOTALL)
    named = [path for each in lists for path in each.split()]
    return [f"cmake/unity.cmake: names {path}, which is not there"
            for path in named if not (Path(root) / path).is_file()]
