"""Comments, pages and texts for people keep the rules of prose; each rule finds a bad sample."""

import prose
from test_tidy import assert_none, complaints_of

ENDINGS = (".h", ".cpp", ".c", ".py", ".sh", ".sql", ".toml", ".cmake", ".txt", ".md", "dev")


def test_comments_begin_with_a_subject_or_a_verb():
    assert_none(complaints_of(prose.check_openings, *ENDINGS))


def test_comments_and_texts_use_plain_words():
    assert_none(complaints_of(prose.check_words, *ENDINGS))


def test_a_comment_that_begins_with_a_bad_word_is_found():
    complaint, = prose.check_openings("a.h", "int a;\n// Of one row.\nint b;\n")
    assert complaint == ('a.h:2: a comment begins with "Of": begin with what it does: '
                         '"Returns the nodes of ..."')
    for opening in prose.OPENINGS:
        assert prose.check_openings("a.cpp", f"int a;  // {opening} it is.\n")
        assert prose.check_openings("a.py", f'def a():\n    """{opening} it is."""\n')
        assert prose.check_openings("a.sql", f"-- {opening} it is.\n")
        assert prose.check_openings("dev", f"# {opening} it is.\n")


def test_only_the_first_line_of_a_comment_is_its_opening():
    assert not prose.check_openings("a.h", "// Returns the nodes\n// Of one job.\n")
    assert prose.check_openings("a.h", "// Returns the nodes.\n\n// Of one job.\n")
    assert prose.check_openings("a.h", "int a;  // the nodes\nint b;  // Of one job\n")
    assert not prose.check_openings("a.cpp", 'auto a = "// Of one job";\n')


def test_a_forbidden_word_in_a_comment_text_or_page_is_found():
    complaint, = prose.check_words("a.h", "// Returns what\n// the job was told.\n")
    assert complaint.startswith('a.h:2: says "told": write instead: shown, reported')
    for said in ("whoever", "whom", "told", "tells", "gives way", "stood still", "stands in line"):
        assert prose.check_words("a.cpp", f"// One that {said}\n")
        assert prose.check_words("client/a.cpp", f'say("a job that {said}");\n')
        assert prose.check_words("sql/a.sql", f"COMMENT ON TABLE a IS 'What {said}';\n")
        assert prose.check_words("docs/a.md", f"A job that {said}.\n")
    assert not prose.check_words("client/a.cpp", "int told = 0;\n")
    assert not prose.check_words("tests/a.cpp", 'assert_eq(said, "told");\n')
