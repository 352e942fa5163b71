#!/usr/bin/python3
"""Makes the reference of the configuration from etc/coxswain.toml, which explains every key.

    docs/make_configuration.py              writes docs/configuration.md
    docs/make_configuration.py --man FILE   writes the man page coxswain.toml(5)

A paragraph of that file is an explanation followed by its keys, each set or commented out.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "etc/coxswain.toml"
PAGE = ROOT / "docs/configuration.md"

TABLE = re.compile(r"(?:# )?(\[\[?\w+\]\]?)$")
KEY = re.compile(r"(?P<off># )?(?P<key>[a-z_]+) = (?P<value>.+)$")


class Paragraph:
    """text: the explanation as one string. keys: (name, value, whether it is commented out)."""

    def __init__(self, lines):
        self.text, self.keys = [], []
        for line in lines:
            match = KEY.match(line)
            if match:
                self.keys.append((match["key"], match["value"], bool(match["off"])))
            else:
                self.text.append(line.removeprefix("#").strip())
        self.text = " ".join(self.text)


class Table:
    """title: such as "[worker]"; empty for the text before the first table. about: the text of its
    head."""

    def __init__(self, title, about=""):
        self.title, self.about, self.paragraphs = title, about, []


def read_tables(text):
    tables = [Table("")]
    for block in re.split(r"\n(?:#?\n)+", text.strip()):
        lines = block.splitlines()
        if title := TABLE.match(lines[-1]):
            tables.append(Table(title[1], Paragraph(lines[:-1]).text))
            continue
        tables[-1].paragraphs.append(Paragraph(lines))
    return tables


def sentence(paragraph):
    """Returns the explanation, followed by the default if the file shows one."""
    has_words = re.search(r"\b[Dd]efaults?\b", paragraph.text)
    is_shown = all(is_off for _, _, is_off in paragraph.keys) and not has_words
    if not is_shown:
        return paragraph.text
    values = ", ".join(value for _, value, _ in paragraph.keys)
    return f"{paragraph.text} Default: {values}."


# ---- Markdown --------------------------------------------------------------------------------


def page(tables):
    lines = ["# Configuration", "",
             "docs/make_configuration.py makes this page from etc/coxswain.toml: change that.", ""]
    for paragraph in tables[0].paragraphs:
        lines += [paragraph.text, ""]
    lines += ["`cox config check` lists all errors in a file. If there are none, it shows the "
              "values that Coxswain's programs use, and warns of probable mistakes: programs "
              "and groups that the host lacks, nodes that no host or no partition has, and, if "
              "the controller answers, QOS that do not exist.", ""]
    for table in tables[1:]:
        lines += [f"## {table.title}", ""]
        if table.about:
            lines += [table.about, ""]
        for paragraph in table.paragraphs:
            names = ", ".join(f"`{name}`" for name, _, _ in paragraph.keys)
            lines += [f"### {names}", "", sentence(paragraph), ""]
            lines += [f"    {name} = {value}" for name, value, _ in paragraph.keys] + [""]
    return "\n".join(wrapped(lines)).rstrip() + "\n"


def wrapped(lines):
    for line in lines:
        while len(line) > 100 and not line.startswith("    "):
            cut = line.rindex(" ", 0, 100)
            yield line[:cut]
            line = line[cut + 1:]
        yield line


# ---- man -------------------------------------------------------------------------------------


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    return "\\&" + text if text.startswith((".", "'")) else text


def man_page(tables):
    lines = ['.TH COXSWAIN.TOML 5 "" Coxswain "File formats"', ".SH NAME",
             "coxswain.toml \\- the configuration of a Coxswain cluster", ".SH DESCRIPTION"]
    for paragraph in tables[0].paragraphs:
        lines += [".PP", roff(paragraph.text)]
    for table in tables[1:]:
        lines += [f".SH {roff(table.title)}"]
        if table.about:
            lines += [roff(table.about)]
        for paragraph in table.paragraphs:
            tags = [f"\\fB{roff(name)}\\fP = {roff(value)}" for name, value, _ in paragraph.keys]
            lines += [".TP", "\n.TQ\n".join(tags), roff(sentence(paragraph))]
    lines += [".SH SEE ALSO", ".BR cox (1)"]
    return "\n".join(lines) + "\n"


def main(words):
    tables = read_tables(SOURCE.read_text(encoding="utf-8"))
    if not words:
        PAGE.write_text(page(tables), encoding="utf-8")
    elif len(words) == 2 and words[0] == "--man":
        Path(words[1]).write_text(man_page(tables), encoding="utf-8")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
