"""How long tests wait before they fail. A deadline is a bound against hanging and costs nothing if
it is met, so no test has one of its own. COX_PATIENCE, a factor, makes all of them longer on a
slow or busy machine."""

import os
import sys
import time

PATIENCE_MAX = 20


def factor_of(text):
    """Returns the factor of COX_PATIENCE. A test with a wrong one would have no limit, or fail."""
    try:
        factor = float(text)
    except ValueError:
        factor = 0
    if not 1 <= factor <= PATIENCE_MAX:
        sys.exit(f"COX_PATIENCE is '{text}', and must be a number from 1 to {PATIENCE_MAX}")
    return factor


PATIENCE = factor_of(os.environ.get("COX_PATIENCE", "1"))
DEADLINE_S = 120 * PATIENCE
LONG_DEADLINE_S = 240 * PATIENCE  # for what takes minutes on a slow machine, such as PyTorch
TEST_LIMIT_S = 600 * PATIENCE  # of each test; longer than two of the longest waits
LOOK_AGAIN_S = 0.05
LOOK_AGAIN_MAX_S = 0.5  # most conditions start a program, which takes 0.1 s on a slow machine


def repeat_until(run, is_wanted, deadline_s=DEADLINE_S):
    """Repeats run() until is_wanted(result), at most until the deadline. The longer it waits, the
    less often it runs. Returns the last result, wanted or not."""
    began = time.monotonic()
    while True:
        result, waited = run(), time.monotonic() - began
        if is_wanted(result) or waited >= deadline_s:
            return result
        time.sleep(min(max(LOOK_AGAIN_S, waited / 8), LOOK_AGAIN_MAX_S))


def wait_for(condition, what, deadline_s=DEADLINE_S, details=lambda: ""):
    """Returns the first true value of condition(). After the deadline it fails with `what`, which
    may be a function too, and details()."""
    value = repeat_until(condition, bool, deadline_s)
    if value:
        return value
    shown = what() if callable(what) else what
    raise AssertionError(f"waited {deadline_s:g} s in vain for {shown}\n{details()}")
