"""The output of ranks is bounded on disk: the beginning and the newest lines of a file stay."""

import re

import pytest

MIB = 1 << 20
TURNS = 8
CLUSTER = {"nodes": 1, "cpus": 2, "settings": {"log_size_max_mb": 2}}
GAP = re.compile(rb"\n\[coxswain: (\d+) bytes of output were removed here\. log_size_max_mb in"
                 rb" \[controller\] is 2: [^\n]*\]\n\0+")


def bytes_on_disk(path):
    return path.stat().st_blocks * 512


def write(cluster, folder, turn):
    (folder / f"write-{turn}").touch()
    cluster.wait_for((folder / f"wrote-{turn}").exists, "a mebibyte to be written")


@pytest.mark.parametrize("options, files", [((), ("out",)), (("-e", "err"), ("out", "err"))])
def test_output_files_are_bounded_and_keep_their_beginning_and_end(cluster, folder, options, files):
    job = cluster.submit_python("writer.py", ["-n1", "-D", folder, "-o", "out", *options])
    paths = [folder / name for name in files]
    # writer.py writes 1 MiB to each of its two streams in a turn: 2 MiB if both go to one file,
    # otherwise 1 MiB to each file.
    each = MIB * 2 // len(paths)
    for turn in range(TURNS):
        write(cluster, folder, turn)
        cluster.wait_for(lambda: all(bytes_on_disk(path) <= 2 * MIB for path in paths),
                         "the files to be shortened")
    shown = cluster.cox("logs", job).stdout
    assert shown.startswith("line 0 ") and "\0" * 4096 not in shown, "cox logs shows the gap"
    assert shown.rstrip().endswith(f"line {TURNS * 16384 - 1}")
    (folder / "end").touch()
    cluster.wait_state(job, "COMPLETED")
    for path in paths:
        text = path.read_bytes()
        assert len(text) == TURNS * each, "the offsets of writers and readers have changed"
        gaps = list(GAP.finditer(text))
        assert len(gaps) == 1
        before, after = text[:gaps[0].start()].splitlines(), text[gaps[0].end():].splitlines()
        assert before[0].split() == [b"line", b"0"] and len(before) > 1000
        assert after[-1].split() == [b"line", b"%d" % (TURNS * 16384 - 1)] and len(after) > 1000
        assert int(gaps[0][1]) == gaps[0].end() - gaps[0].start()


def test_cox_logs_names_a_file_that_is_not_there(cluster, folder):
    job = cluster.submit("-n1", "-D", folder, "-o", "out", "--", "true")
    cluster.wait_state(job, "COMPLETED")
    assert cluster.cox("logs", job).stdout == "", "a file without a line"
    (folder / "out").unlink()
    missing = cluster.cox("logs", job, check=False)
    assert missing.returncode == 1
    assert f"there is no file {folder}/out on n" in missing.stderr
