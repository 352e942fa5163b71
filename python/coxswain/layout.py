"""The names below a checkpoint folder: `step-N/rank-T` for task T. If the task is a launcher that
started several ranks R, this folder has a folder `worker-R` for each. Incomplete parts end in
`.part`."""

import re

STEP = re.compile(r"step-(\d{1,18})")
RANK = re.compile(r"rank-(\d{1,9})")
WORKER = re.compile(r"worker-(\d{1,9})")
MARKER = re.compile(r"rank-(\d{1,9})\.done")
PART = re.compile(r"rank-(\d{1,9})(\.done)?\.part")


def step_name(step):
    return f"step-{step}"


def rank_name(rank):
    return f"rank-{rank}"


def part_name(rank):
    return f"rank-{rank}.part"


def manifest_name(rank):
    return f"rank-{rank}.manifest"


def worker_name(rank):
    return f"worker-{rank}"


def marker_name(rank):
    return f"rank-{rank}.done"


def marker_part_name(rank):
    return f"rank-{rank}.done.part"


def is_name_of_ours(name):
    return any(pattern.fullmatch(name) for pattern in (RANK, MARKER, PART))


def is_ours(step_folder):
    """Returns whether this module, and no other program, began the incomplete step."""
    return any(numbered(step_folder, pattern) for pattern in (MARKER, PART))


def numbered(folder, pattern):
    """Returns {number: path} for the names in the folder; empty if the folder is missing."""
    try:
        found = [(pattern.fullmatch(path.name), path) for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {int(match[1]): path for match, path in sorted(found, key=lambda one: one[1])
            if match}


def parts_of(step_folder):
    """Returns {rank: path of its part}, sorted, for the ranks that saved a part."""
    tasks = numbered(step_folder, RANK)
    workers = {}
    for folder in tasks.values():
        workers.update(numbered(folder, WORKER))
    parts = workers or tasks
    return {rank: parts[rank] for rank in sorted(parts)}
