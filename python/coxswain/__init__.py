"""Makes a training checkpointable under Coxswain, in about six lines.

    import coxswain

    run = coxswain.Run()
    step, total = run.step, 0
    if run.resume_folder:
        total = int((run.resume_folder / "total").read_text())
    while step < 300:
        step, total = step + 1, total + step  # the work
        if run.should_save():
            with run.checkpoint(step) as folder:
                (folder / "total").write_text(str(total))
            run.stop()

Without Coxswain the same script saves into the folder `checkpoints` and resumes from there.
docs/checkpointing.md explains the protocol behind it. The module needs only the standard library.
"""

from coxswain.run import Run
from coxswain.store import CheckpointError

__all__ = ["CheckpointError", "Run"]
