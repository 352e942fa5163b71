"""Checks the claims of the demo against facts: job details, trace files and the weights."""

import hashlib


class NotProven(Exception):
    """A claim that the facts contradict."""


def nodes_of(attempt):
    return [node["grant"]["node"] for node in attempt["nodes"]]


def read_trace(folder, ranks):
    """Returns for every rank the list of (attempt, step, loss) as written."""
    traces = []
    for rank in range(ranks):
        lines = (folder / f"rank-{rank}").read_text().splitlines()
        words = [line.split() for line in lines]
        traces.append([(int(attempt), int(step), loss) for attempt, step, loss in words])
    return traces


def claim(true, sentence):
    if not true:
        raise NotProven(f"not true: {sentence}")
    return sentence


def prove(detail, traces, reference_traces, weights, reference_weights, steps):
    """Returns the claims that were proven. Raises NotProven at the first that is false."""
    first, last = [attempt for attempt in detail["attempts"] if attempt["went"]]
    step = last["resume"]["step"]
    saved = [{saved["step"] for saved in rank["saved"]} for rank in first["ranks"]]
    committed = max(checkpoint["step"] for checkpoint in detail["checkpoints"])
    repeated = [trace for trace in traces for attempt, done, _ in trace
                if attempt == last["key"]["attempt"] and done <= step]
    complete = all([done for _, done, _ in trace] == list(range(1, steps + 1)) for trace in traces)
    same_losses = all([loss for *_, loss in trace] == [loss for *_, loss in reference]
                      for trace, reference in zip(traces, reference_traces))
    digests = [hashlib.sha256(blob).hexdigest() for blob in (weights, reference_weights)]
    return [
        claim(nodes_of(first) == ["n1", "n2"] and nodes_of(last) == ["n3", "n4"],
              "attempt 1 ran on n1 and n2, the attempt after the preemption on n3 and n4"),
        claim(len(saved) == 4 and all(step in steps_saved for steps_saved in saved)
              and committed == step, f"all four ranks saved step {step}; the gang's checkpoint "
              "was committed, and the training resumed from it"),
        claim(not repeated and complete,
              f"every rank did each of the {steps} steps once: none up to {step} was repeated"),
        claim(same_losses, "every loss of every rank is that of the uninterrupted run"),
        claim(digests[0] == digests[1],
              f"so are the final weights, bit for bit: sha256 {digests[0]}"),
    ]
