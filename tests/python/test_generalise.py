"""Tests of ./dev bench --generalise: the drawn logs, and the choice of a candidate."""

import gzip
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from generalise import Log, Score, chosen  # noqa: E402
from synthetic import lublin, read_swf, scaled, write_swf  # noqa: E402


def log(source, name):
    return Log(source, name, 64, ())


def test_the_model_draws_the_same_log_from_a_seed_and_asks_for_the_load():
    jobs = lublin(64, 2_000, 0.7, 5)
    assert jobs == lublin(64, 2_000, 0.7, 5) != lublin(64, 2_000, 0.7, 6)
    work = sum(run * size for _, run, size, _ in jobs)
    assert abs(work / (64 * jobs[-1][0]) - 0.7) < 1e-9
    assert [at for at, *_ in jobs] == sorted(at for at, *_ in jobs)
    assert all(1 <= size <= 64 and 1 <= run <= limit for _, run, size, limit in jobs)
    assert len({size for _, _, size, _ in jobs}) > 10


def test_a_scaled_log_has_other_times_and_the_same_sizes():
    assert scaled([(100, 50, 8, 80)], 0.1) == [(10, 5, 8, 8)]
    assert scaled([(100, 5, 8, 80)], 0.01) == [(1, 1, 8, 1)], "a job runs for a second at least"


def test_a_log_is_read_as_it_was_written_without_jobs_that_do_not_fit(tmp_path):
    write_swf(tmp_path / "log.swf", [(0, 50, 8, 80), (7, 1, 65, 1), (9, 60, 64, 60)])
    with gzip.open(tmp_path / "log.swf.gz", "wt") as file:
        file.write("; a comment\n" + (tmp_path / "log.swf").read_text())
    assert read_swf(tmp_path / "log.swf.gz", 64) == [(0, 50, 8, 80), (9, 60, 64, 60)]


def test_the_candidate_is_chosen_on_the_logs_of_other_sources_only():
    ours, theirs, third = log("ours", "a"), log("theirs", "b"), log("theirs", "c")
    good, slow, late = Score(0.5, 1.2), Score(0.9, 1.0), Score(0.3, 1.6)
    scores = {"brave": {ours: good, theirs: late, third: late},
              "timid": {ours: slow, theirs: good, third: slow}}
    assert chosen(scores, "ours") == "timid", "brave meets no targets on the others"
    assert chosen(scores, "theirs") == "brave"


def test_of_candidates_that_meet_about_as_many_targets_the_fastest_is_chosen():
    """With 9 of 10 targets met, the standard error is 0.95."""
    logs = [log("ours", str(number)) for number in range(10)]

    def scores_with(met, slowdown):
        return {one: Score(slowdown, 1.2 if number < met else 1.6)
                for number, one in enumerate(logs)}
    scores = {"most": scores_with(9, 0.7), "one less": scores_with(8, 0.6),
              "half": scores_with(5, 0.1)}
    assert chosen(scores, "other") == "most", "8 is less than 9 - 0.95"
    scores["as many"] = scores_with(9, 0.65)
    assert chosen(scores, "other") == "as many"
    scores |= {"most": scores_with(7, 0.7), "as many": scores_with(7, 0.65)}
    scores["one less"] = scores_with(6, 0.6)
    assert chosen(scores, "other") == "one less", "6 is more than 7 - 1.45"
