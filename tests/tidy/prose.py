"""The rules of prose: which words comments, pages and texts for people do not use, and what to
write instead. Each rule takes a path and a text and returns a list of complaints.
"""

import ast
import re

# {a word with which no comment begins: what to write instead}
OPENINGS = {
    "Of": "begin with what it does: \"Returns the nodes of ...\"",
    "Who": "name the person: \"The user ...\", \"The job's owner ...\"",
    "Whom": "name the person or the job",
    "Whose": "name the thing: \"The job's owner ...\"",
    "As": "begin with the subject: \"Follows Slurm: ...\", \"The same as ...\"",
    "Those": "name the things: \"The jobs that ...\"",
    "Nor": "a sentence of its own: \"Also does not ...\"",
}

# {a pattern that comments and texts for people do not contain: what to write instead}
WORDS = {
    r"whoever": "any user, the caller, the reader: name the person",
    r"whom": "name the person or the job",
    r"told": "shown, reported, recorded, informed: what is done",
    r"tells": "shows, reports, returns, explains: what it does",
    r"(?:give|gives|gave|given|giving) way": "is preempted",
    r"(?:stand|stands|stood|standing) still": "is suspended",
    r"(?:stand|stands|stood|standing) in line": "is queued, waits in the queue",
}

# {(pattern of the path, the word that is allowed there): the reason}
EXCEPTIONS = {}

_ANY_WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
_STRING = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)\'', re.DOTALL)
_MARKS = {".h": "//", ".cpp": "//", ".c": "//", ".py": "#", ".sh": "#", ".cmake": "#",
          ".toml": "#", ".txt": "#", ".sql": "--", "dev": "#"}


def mark_of(path):
    """Returns what begins a comment in this file, such as "//"; None if its comments are not
    checked."""
    name = path.rpartition("/")[2]
    return _MARKS.get(name if "." not in name else "." + name.rpartition(".")[2])


def comment_in(line, mark):
    """Returns the column at which the comment of a line begins; -1 if it has none. A mark within a
    string does not count."""
    if mark not in line:
        return -1
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', lambda text: "x" * len(text.group()),
                  line)
    found = re.search(rf"(?:^|(?<=\s)){re.escape(mark)}(?!!)", bare)
    return found.start() if found else -1


def comments(path, text):
    """Returns the comment blocks of a file, as (number of the first line, text). Comments on
    consecutive lines that begin in the same column are one block. A docstring of Python is a block
    too."""
    mark = mark_of(path)
    blocks = []
    before = None  # (line, column) of the last line of the block that is open
    for number, line in enumerate(text.splitlines(), start=1):
        column = comment_in(line, mark) if mark else -1
        words = line[column + len(mark):].lstrip("/#").strip() if column >= 0 else ""
        if not words.strip("-="):  # a ruled line
            words = ""
        if not words:
            before = None
        elif before == (number - 1, column) and not line[:column].strip():
            blocks[-1][1] += "\n" + words
            before = (number, column)
        else:
            blocks.append([number, words])
            before = (number, column)
    if path.endswith(".py"):
        blocks += docstrings(text)
    return [(number, words) for number, words in blocks]


def docstrings(text):
    """Returns the docstrings of a Python file, as (number of the first line, text)."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            if words := ast.get_docstring(node):
                found.append((node.body[0].lineno, words))
    return found


def texts_for_people(path, text):
    """Returns the texts of a page or a program for people, as (line, text)."""
    if path.endswith(".md"):
        return list(enumerate(text.splitlines(), start=1))
    if path.startswith("tests/") or not path.endswith((".h", ".cpp", ".sql", ".py")):
        return []
    if path.endswith(".sql"):
        return [(text.count("\n", 0, found.start()) + 1, found.group(1))
                for found in re.finditer(r"'((?:[^']|'')*)'", text)]
    return [(text.count("\n", 0, found.start()) + 1, found.group(2) or found.group(3))
            for found in _STRING.finditer(text) if found.group(2) or found.group(3)]


def is_exempt(path, said):
    return any(re.fullmatch(pattern, path) and said.lower() == word
               for pattern, word in EXCEPTIONS)


def check_openings(path, text):
    """A comment begins with a subject or a verb."""
    complaints = []
    for number, words in comments(path, text):
        first = re.match(r"\w+", words)
        if first and first.group() in OPENINGS and not is_exempt(path, first.group()):
            complaints.append(f"{path}:{number}: a comment begins with \"{first.group()}\": "
                              f"{OPENINGS[first.group()]}")
    return complaints


def instead_of(said):
    """Returns what to write instead of this word, which a pattern of WORDS matches."""
    return next(instead for word, instead in WORDS.items()
                if re.fullmatch(word, said, re.IGNORECASE))


def check_words(path, text):
    """Comments and texts for people use plain words and the terms of the field."""
    complaints = set()
    for number, words in comments(path, text) + texts_for_people(path, text):
        for found in _ANY_WORD.finditer(words):
            line = number + words.count("\n", 0, found.start())
            if not is_exempt(path, found.group()):
                complaints.add(f"{path}:{line}: says \"{found.group()}\": write instead: "
                               f"{instead_of(found.group())}")
    return sorted(complaints)
