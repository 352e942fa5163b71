"""The traces that ranks write, as the tests read them."""

from ranks import CounterJob


def test_a_line_that_a_rank_is_writing_is_not_read_yet(tmp_path):
    job = CounterJob(None, tmp_path, submit=False)
    job.id = 7
    (tmp_path / "trace.7").write_text("1 0 5 1.5 42\n1 0 6")
    assert [line.what for line in job.trace()] == ["5"]
