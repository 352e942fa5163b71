"""Mutation testing: mutate.py [--seed N] [--count N]

Puts COUNT small faults (mutants) into the pure code at random places. One build has them all:
each sits behind is_mutant(NUMBER), which the variable COX_MUTANT turns on in one run of the tests.
Then runs the unit tests once per mutant and prints the mutants that no test noticed. The same seed
gives the same mutants for the same sources. Exits 1 if fewer than FOUND_MIN_PERCENT were found, or
if one that decides about permissions was not found.

A mutant is one of: a comparison replaced by another, an operand of && or || dropped, a condition
negated, + and - exchanged, a statement left out, true and false exchanged.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from clang import cindex
from clang.cindex import CursorKind

FOUND_MIN_PERCENT = 85
WHERE = Path("build/mutate")
SOURCE = WHERE / "source"
BUILD = WHERE / "build"
# The folders of pure code, each with the test programs that should notice its mutants, the
# likeliest first.
PROGRAMS = {
    "common": ["common", "client", "controller", "schedule", "worker"],
    "schedule": ["schedule", "controller", "sim"],
    "controller": ["controller", "sim"],
    "worker": ["worker", "sim"],
    "worker/supervisor": ["worker", "sim"],
    "worker/stepd": ["worker"],
    "client": ["client"],
    "client/slurm": ["client"],
}
LIBRARY = "/usr/lib/llvm-16/lib/libclang-16.so.1"
ARGUMENTS = ["-std=c++2b", "-I.", f"-I{WHERE}", '-DCOX_VERSION="0"',
             "-resource-dir", "/usr/lib/llvm-16/lib/clang/16"]
# Mutants in these lines are never active, or have no effect that a test could detect.
NOT_MUTATED = ("CHECK(", "static_assert", "constexpr", ".reserve(")
# Lines that decide about permissions. A mutant there that no test notices fails the run by itself.
DECIDES = re.compile(r"may_act_on|owner_uid|\bcaller\b|\buid\b")
ENVIRONMENT = {"COX_SIM_SEEDS": "30"}  # seeds that the simulator runs for each mutant
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SUMS = {"+": "-", "-": "+"}
HEADER = """#pragma once
#include <cstdlib>
#include <type_traits>
namespace cox {
inline int chosen_mutant() {
  static const int chosen = [] {
    const char* text = std::getenv("COX_MUTANT");
    return text == nullptr ? -1 : std::atoi(text);
  }();
  return chosen;
}
constexpr bool is_mutant(int number) {
  return std::is_constant_evaluated() ? false : chosen_mutant() == number;
}
}  // namespace cox
"""


@dataclass
class Site:
    """One possible mutant: `text` replaces the bytes from `begin` to `end`; % is its condition."""

    file: str
    begin: int
    end: int
    text: str
    what: str
    line: int
    decides: bool = False  # whether the mutant's line decides about permissions


def folder_of(file):
    """Returns the innermost folder of PROGRAMS that contains the file, or None."""
    if "/io/" in file or file.startswith("client/manual/"):
        return None
    return next((str(folder) for folder in Path(file).parents if str(folder) in PROGRAMS), None)


def pure_files():
    listed = subprocess.run(["git", "ls-files", "*.cpp"],
                            capture_output=True, text=True, check=True)
    return [file for file in listed.stdout.split()
            if folder_of(file) in PROGRAMS and Path(file).name != "main.cpp"]


def kind_of(cursor):
    """Returns the cursor's kind, or None if the Python module does not know it."""
    with suppress(ValueError):
        return cursor.kind
    return None


def operator_between(source, left, right):
    return source[left.extent.end.offset:right.extent.start.offset].decode().strip()


def binary_site(cursor, source, file):
    """Returns the mutant of a binary operator, or None."""
    operands = list(cursor.get_children())
    # An overloaded operator has the operands left, operator, right.
    if kind_of(cursor) == CursorKind.CALL_EXPR:
        if len(operands) != 3 or not operands[1].spelling.startswith("operator"):
            return None
        operands = [operands[0], operands[2]]
    if len(operands) != 2:
        return None
    left, right = operands
    sign = operator_between(source, left, right)
    a = source[left.extent.start.offset:left.extent.end.offset].decode()
    b = source[right.extent.start.offset:right.extent.end.offset].decode()
    if sign in ("&&", "||"):
        kept = "(% || ({}))" if sign == "&&" else "(!% && ({}))"
        text = f"({kept.format(a)} {sign} ({b}))"
        what = f"without '{a}'"
    elif sign in COMPARISONS:
        text = f"(% ? ({a}) {COMPARISONS[sign]} ({b}) : ({a}) {sign} ({b}))"
        what = f"{COMPARISONS[sign]} for {sign}: '{a} {sign} {b}'"
    elif sign in SUMS and kind_of(cursor) == CursorKind.BINARY_OPERATOR:
        text = f"(% ? ({a}) {SUMS[sign]} ({b}) : ({a}) {sign} ({b}))"
        what = f"{SUMS[sign]} for {sign}: '{a} {sign} {b}'"
    else:
        return None
    return Site(file, left.extent.start.offset, right.extent.end.offset, text, what,
                cursor.location.line)


def condition_site(cursor, source, file):
    """Returns the mutant of an `if` whose condition declares nothing, or None."""
    children = list(cursor.get_children())
    condition = children[0]
    if kind_of(condition) in (CursorKind.DECL_STMT, CursorKind.VAR_DECL):
        return None
    begin, end = condition.extent.start.offset, condition.extent.end.offset
    before = source[cursor.extent.start.offset:begin].decode()
    if not re.fullmatch(r"if\s*\(\s*", before):
        return None
    text = source[begin:end].decode()
    return Site(file, begin, end, f"% != static_cast<bool>({text})", f"not '{text}'",
                condition.extent.start.line)


def statement_site(cursor, source, file):
    """Returns the mutant that leaves a call or an assignment out, or None."""
    begin, end = cursor.extent.start.offset, cursor.extent.end.offset
    text = source[begin:end].decode()
    if source[end:end + 1] != b";" or text.startswith("CHECK"):
        return None
    return Site(file, begin, end, f"if (!%) {text}", f"left out: '{text}'",
                cursor.extent.start.line)


def literal_site(cursor, source, file):
    begin, end = cursor.extent.start.offset, cursor.extent.end.offset
    text = source[begin:end].decode()
    if text not in ("true", "false"):
        return None
    return Site(file, begin, end, f"(% != {text})", f"not {text}", cursor.extent.start.line)


def sites_below(cursor, source, file, sites):
    for child in cursor.get_children():
        if child.location.file is not None and child.location.file.name != file:
            continue
        site = None
        if kind_of(child) in (CursorKind.BINARY_OPERATOR, CursorKind.CALL_EXPR):
            site = binary_site(child, source, file)
        if kind_of(child) == CursorKind.IF_STMT:
            site = condition_site(child, source, file)
        if kind_of(child) == CursorKind.RETURN_STMT:
            for literal in child.get_children():
                if kind_of(literal) == CursorKind.CXX_BOOL_LITERAL_EXPR:
                    site = literal_site(literal, source, file)
        is_statement = kind_of(child) in (CursorKind.CALL_EXPR, CursorKind.BINARY_OPERATOR,
                                      CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
                                      # Clang gives this kind to a statement with temporary objects.
                                      CursorKind.UNEXPOSED_EXPR)
        if site is None and kind_of(cursor) == CursorKind.COMPOUND_STMT and is_statement:
            site = statement_site(child, source, file)
        if site is not None and site.begin < site.end:
            sites.append(site)
        sites_below(child, source, file, sites)


def parse(file, text=None):
    """Parses a file (or `text` in its place). Returns the translation unit and its errors."""
    unsaved = None if text is None else [(file, text.decode())]
    unit = cindex.Index.create().parse(file, ARGUMENTS, unsaved)
    return unit, [one for one in unit.diagnostics if one.severity >= cindex.Diagnostic.Error]


def sites_of(file):
    """Returns all possible mutants of a file."""
    unit, errors = parse(file)
    if errors:
        sys.exit(f"{file}: {errors[0].spelling}")
    source = Path(file).read_bytes()
    sites = []
    sites_below(unit.cursor, source, file, sites)
    lines = source.decode().splitlines()
    for site in sites:
        site.decides = DECIDES.search(lines[site.line - 1]) is not None
    return [site for site in sites
            if not any(word in lines[site.line - 1] for word in NOT_MUTATED)]


def choose(seed, count):
    """Draws COUNT mutants that do not overlap; larger files are drawn more often."""
    chance = random.Random(seed)
    files = pure_files()
    sizes = [Path(file).stat().st_size for file in files]
    found, chosen = {}, []
    for _ in range(count * 20):
        if len(chosen) == count:
            break
        file = chance.choices(files, sizes)[0]
        if file not in found:
            found[file] = sites_of(file)
        if not found[file]:
            continue
        site = chance.choice(found[file])
        apart = all(site.file != other.file or site.end <= other.begin or other.end <= site.begin
                    for other in chosen)
        if apart:
            chosen.append(site)
    return chosen


def with_mutants(source, numbered):
    """Returns the source with these mutants inserted, each active under its number."""
    for number, mutant in sorted(numbered, key=lambda one: -one[1].begin):
        text = mutant.text.replace("%", f"::cox::is_mutant({number})", 1)
        source = source[:mutant.begin] + text.encode() + source[mutant.end:]
    return b'#include "mutant.h"\n' + source


def that_compile(mutants):
    """Returns the mutants that compile. A type may define only some operators, for example."""
    kept = []
    for file in sorted({mutant.file for mutant in mutants}):
        own = [mutant for mutant in mutants if mutant.file == file]
        source = Path(file).read_bytes()
        if parse(file, with_mutants(source, list(enumerate(own))))[1]:
            own = [one for one in own if not parse(file, with_mutants(source, [(0, one)]))[1]]
        kept += own
    return kept


def write_sources(mutants):
    """Copies the tree and inserts the mutants. Unchanged files keep their modification time."""
    SOURCE.mkdir(parents=True, exist_ok=True)
    copy = f"git ls-files -z | rsync -rlp --from0 --files-from=- --checksum . {SOURCE}"
    subprocess.run(copy, shell=True, check=True)
    (SOURCE / "mutant.h").write_text(HEADER)
    by_file = {}
    for number, mutant in enumerate(mutants):
        by_file.setdefault(mutant.file, []).append((number, mutant))
    for file, of_file in by_file.items():
        (SOURCE / file).write_bytes(with_mutants((SOURCE / file).read_bytes(), of_file))


def build():
    programs = sorted({f"test_{name}" for names in PROGRAMS.values() for name in names})
    subprocess.run(["cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", "--log-level=WARNING",
                    "-DCMAKE_BUILD_TYPE=Debug", "-DCOX_UNITY=8",
                    "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g0", "-DCMAKE_CXX_FLAGS=-w -Wno-error"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "-j", str(os.cpu_count()), *programs], check=True)


def run(program, mutant, limit):
    """Returns whether the program's tests pass within the limit, in seconds."""
    environment = dict(os.environ, COX_MUTANT=str(mutant), **ENVIRONMENT)
    process = subprocess.Popen([BUILD.absolute() / "bin" / f"test_{program}", "--gtest_brief=1",
                                "--gtest_fail_fast"], env=environment, cwd=SOURCE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        return process.wait(limit) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def time_limits():
    """Returns each program's time limit: three times its run without mutants, plus 10 s."""
    limits = {}
    for program in sorted({name for names in PROGRAMS.values() for name in names}):
        begun = time.monotonic()
        if not run(program, -1, None):
            sys.exit(f"test_{program} fails without a mutant")
        limits[program] = 10 + 3 * (time.monotonic() - begun)
    return limits


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.split("\n\n")[1])
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    cindex.Config.set_library_file(LIBRARY)
    WHERE.mkdir(parents=True, exist_ok=True)
    (WHERE / "mutant.h").write_text(HEADER)
    mutants = that_compile(choose(options.seed, options.count))
    write_sources(mutants)
    build()
    limits = time_limits()

    def is_found(number):
        programs = PROGRAMS[folder_of(mutants[number].file)]
        return any(not run(program, number, limits[program]) for program in programs)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = list(pool.map(is_found, range(len(mutants))))
    decides = 0
    for number, mutant in enumerate(mutants):
        if found[number]:
            continue
        note = " (decides who may do what)" if mutant.decides else ""
        decides += mutant.decides
        print(f"survived: {mutant.file}:{mutant.line}: {' '.join(mutant.what.split())}{note}")
    percent = 100 * sum(found) // max(1, len(mutants))
    print(f"{sum(found)} of {len(mutants)} mutants found ({percent} %)")
    return 0 if percent >= FOUND_MIN_PERCENT and not decides else 1


sys.exit(main())
