"""docs/configuration.md is made from etc/coxswain.toml, and explains each key."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import make_configuration  # noqa: E402

TABLES = {"controller": "[controller]", "scheduling": "[scheduling]", "worker": "[worker]",
          "client": "[client]", "partition": "[[partition]]", "topology": "[topology]",
          "switch": "[[switch]]", "block": "[[block]]", "submit_rule": "[[submit_rule]]"}
READS = re.compile(r'table\.(?:text|texts|duration|integer|boolean|time_limit|word|word<\w+>)\('
                   r'"(\w+)"')


def tables():
    return make_configuration.read_tables(make_configuration.SOURCE.read_text(encoding="utf-8"))


def keys_of(source, function):
    """Returns the keys that a function of config_reader.cpp reads, also through functions to which
    it passes the table."""
    body = re.search(rf"^void {function}\(.*?^}}", source, re.MULTILINE | re.DOTALL).group()
    keys = READS.findall(body)
    for helper in re.findall(r"\b(read_\w+)\(table", body):
        keys += keys_of(source, helper)
    return keys


def test_the_configuration_page_is_what_its_generator_makes():
    made = make_configuration.page(tables())
    assert make_configuration.PAGE.read_text(encoding="utf-8") == made, \
        "run docs/make_configuration.py"


def test_the_configuration_page_explains_every_key_that_is_read_and_no_other():
    source = "".join((ROOT / "common/io/config" / name).read_text(encoding="utf-8")
                     for name in ("config_reader.cpp", "config_partition.cpp",
                                  "config_submit.cpp", "config_topology.cpp"))
    explained = {table.title: [key for paragraph in table.paragraphs
                               for key, _, _ in paragraph.keys] for table in tables()[1:]}
    assert set(explained) == set(TABLES.values()) | {"[hours]"}  # [hours] has keys of free choice
    for name, title in TABLES.items():
        keys = keys_of(source, f"read_{name}")
        assert len(keys) > 1, f"read_{name} is not understood here any more"
        assert sorted(explained[title]) == sorted(keys)


def test_every_paragraph_of_the_configuration_page_explains_keys():
    for table in tables()[1:]:
        for paragraph in table.paragraphs:
            assert paragraph.keys and paragraph.text, (table.title, paragraph.text, paragraph.keys)


def test_the_man_page_of_the_configuration_has_every_paragraph():
    page = make_configuration.man_page(tables())
    for table in tables()[1:]:
        for paragraph in table.paragraphs:
            assert all(key in page for key, _, _ in paragraph.keys), (table.title, paragraph.keys)
    assert page.count("\n.TP\n") == sum(len(table.paragraphs) for table in tables()[1:])
    assert not re.search(r"^['.](?!TH|SH|PP|TP|TQ|BR )", page, re.MULTILINE)
