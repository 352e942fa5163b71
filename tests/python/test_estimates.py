"""Tests of the part of ./dev bench --generalise for the order gittins: the logs and the choice."""

import gzip
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from estimates import GpuLog, Score, chosen, muri_logs, nodes_for, philly_logs  # noqa: E402


def test_the_candidate_is_chosen_without_all_logs_of_the_source():
    ours = [GpuLog("ours", name, "", 1) for name in ("cluster", "trace made from it")]
    theirs = GpuLog("theirs", "other", "", 1)
    scores = {"good on ours": {ours[0]: Score(0.1, 9), ours[1]: Score(0.1, 9),
                               theirs: Score(0.9, 1)},
              "good on theirs": {ours[0]: Score(0.8, 1), ours[1]: Score(0.8, 1),
                                 theirs: Score(0.7, 9)}}
    assert chosen(scores, "ours") == "good on theirs"
    assert chosen(scores, "theirs") == "good on ours"


def test_of_candidates_that_are_about_as_good_the_one_with_fewest_preemptions_is_chosen():
    logs = [GpuLog(str(number), str(number), "", 1) for number in range(4)]

    def scores_of(preemptions, *parts):
        return {log: Score(part, preemptions) for log, part in zip(logs, parts)}
    scores = {"best": scores_of(100, 0.5, 0.5, 0.5, 0.5),
              "a little worse, by chance": scores_of(50, 0.4, 0.6, 0.45, 0.6),
              "a little worse, always": scores_of(10, 0.52, 0.52, 0.53, 0.53)}
    assert chosen(scores, "none") == "a little worse, by chance"


def test_traces_of_muri_have_the_source_from_which_they_were_made():
    logs = {log.name: log for log in muri_logs()}
    assert {log.nodes for log in logs.values()} == {8}
    assert logs["muri trace3"].source == logs["muri cluster"].source == "2869ce"
    assert logs["muri trace1"].source == "7f04ca"


def test_a_cluster_is_busy_for_the_load_and_has_room_for_the_largest_job():
    assert nodes_for([(0, 100, 8), (50, 100, 8), (100, 26, 4)]) == 3, "17 GPUs are busy, of 18.9"
    assert nodes_for([(0, 1, 64), (1000, 1, 1)]) == 8


def test_each_virtual_cluster_with_enough_jobs_is_a_log(tmp_path, monkeypatch):
    (tmp_path / "gpu-jct").mkdir()
    with gzip.open(tmp_path / "gpu-jct" / "philly_all_jobs.csv.gz", "wt") as text:
        text.write("timestamp,duration,num_gpus,gpu_time,cluster\n")
        for minute in reversed(range(60)):
            text.write(f"2017-10-07 01:{minute:02}:00,90,2,180,large\n")
        text.write("2017-10-07 01:00:00,0,2,0,large\n2017-10-07 01:00:00,9,2,18,small\n")
    monkeypatch.setenv("COX_TRACES", str(tmp_path))
    monkeypatch.setattr("estimates.CLUSTER_JOBS_MIN", 50)
    monkeypatch.setattr("estimates.CLUSTER_JOBS_MAX", 55)
    (log,) = philly_logs(tmp_path)
    assert (log.source, log.nodes) == ("large", 1)
    lines = Path(log.trace).read_text().splitlines()
    assert len(lines) == 56 and lines[1:3] == ["1,2,0,90000", "2,2,60000,90000"]
