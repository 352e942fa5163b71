"""The demo's proof accepts a true record of a run, and rejects each false one."""

import copy
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo"))

from proof import NotProven, prove  # noqa: E402

STEPS, SAVED = 6, 4


def attempt(number, nodes, ranks=(), resume=None):
    return {"key": {"job": 2, "attempt": number}, "went": "2026-01-01T00:00:00Z",
            "nodes": [{"grant": {"node": node}} for node in nodes],
            "ranks": [{"saved": [{"step": step}]} for step in ranks], "resume": resume}


def the_truth():
    """Returns the arguments of prove() for a training that went as it should."""
    detail = {"attempts": [attempt(1, ["n1", "n2"], ranks=[SAVED] * 4),
                           attempt(2, ["n3", "n4"], resume={"attempt": 1, "step": SAVED})],
              "checkpoints": [{"step": SAVED}]}
    traces = [[(1 if step <= SAVED else 2, step, f"0.{step}") for step in range(1, STEPS + 1)]
              for _rank in range(4)]
    reference = [[(1, step, loss) for _, step, loss in trace] for trace in traces]
    return [detail, traces, reference, b"weights", b"weights", STEPS]


def test_the_proof_of_the_demo_accepts_a_true_record():
    assert len(prove(*the_truth())) == 5


def resumed_on_the_old_nodes(facts):
    facts[0]["attempts"][1]["nodes"] = copy.deepcopy(facts[0]["attempts"][0]["nodes"])


def one_rank_saved_another_step(facts):
    facts[0]["attempts"][0]["ranks"][3]["saved"] = [{"step": SAVED + 1}]


def the_checkpoint_was_of_another_step(facts):
    facts[0]["checkpoints"] = [{"step": SAVED - 1}]


def a_step_was_repeated(facts):
    facts[1][2].insert(SAVED, (2, SAVED, "0.4"))
    facts[2][2].insert(SAVED, (1, SAVED, "0.4"))


def a_step_was_left_out(facts):
    del facts[1][1][STEPS - 1], facts[2][1][STEPS - 1]


def a_loss_differs(facts):
    facts[1][0][5] = (2, 6, "0.7")


def a_weight_differs(facts):
    facts[3] = b"weightz"


@pytest.mark.parametrize("lie", [
    resumed_on_the_old_nodes, one_rank_saved_another_step, the_checkpoint_was_of_another_step,
    a_step_was_repeated, a_step_was_left_out, a_loss_differs, a_weight_differs])
def test_the_proof_of_the_demo_rejects_each_false_record(lie):
    facts = the_truth()
    lie(facts)
    with pytest.raises(NotProven):
        prove(*facts)
