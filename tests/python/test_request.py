"""Requests to save: how a process receives them."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest
from conftest import ROOT
from coxswain.request import REASONS_TO_END, StopRequest, chosen_signals
from patience import DEADLINE_S


def listening(**environment):
    request = StopRequest(environment)
    request.listen()
    return request


def send(number):
    os.kill(os.getpid(), number)  # its handler runs in the main thread before the call returns


def test_there_is_no_request_to_save_without_a_signal():
    request = listening()
    assert not request and request.reason is None


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM])
def test_sigusr1_sigusr2_and_sigterm_are_requests_to_save(number):
    request = listening()
    send(number)
    assert request and request.reason == number.name


def test_a_stop_reason_file_is_a_request_to_save_without_a_signal(tmp_path):
    file = tmp_path / "reason"
    request = listening(COX_STOP_REASON_FILE=str(file))
    assert not request
    file.write_text("preempt\n")
    assert request and request.reason == "preempt"
    file.unlink()  # the request remains
    assert request.reason == "preempt"


@pytest.mark.parametrize("reason", REASONS_TO_END)
def test_a_stop_reason_that_only_ends_the_attempt_is_no_request_to_save(tmp_path, reason):
    (tmp_path / "reason").write_text(reason + "\n")
    request = listening(COX_STOP_REASON_FILE=str(tmp_path / "reason"))
    assert not request and request.reason == reason


def test_only_the_signal_that_the_job_chose_is_handled():
    assert chosen_signals({"COX_CHECKPOINT_SIGNAL": "HUP,12"}) == [signal.SIGHUP, 12]
    assert chosen_signals({"COX_CHECKPOINT_SIGNAL": "nothing"}) == []
    request = listening(COX_CHECKPOINT_SIGNAL="HUP")
    assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    send(signal.SIGHUP)
    assert request.reason == "SIGHUP"


def test_an_earlier_sigterm_handler_of_the_program_is_called_too():
    called = []
    signal.signal(signal.SIGTERM, lambda number, frame: called.append(number))
    request = listening()
    send(signal.SIGTERM)
    assert request and called == [signal.SIGTERM]


def test_sigusr1_and_sigusr2_are_left_to_a_program_that_uses_them():
    called = []
    signal.signal(signal.SIGUSR1, lambda number, frame: called.append(number))
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    request = listening()
    send(signal.SIGUSR1)
    assert not request and called == [signal.SIGUSR1]
    assert signal.getsignal(signal.SIGUSR2) == signal.SIG_IGN


def test_the_signal_that_the_job_chose_also_reaches_the_programs_own_handler():
    called = []
    signal.signal(signal.SIGUSR1, lambda number, frame: called.append(number))
    request = listening(COX_CHECKPOINT_SIGNAL="USR1")
    send(signal.SIGUSR1)
    assert request and called == [signal.SIGUSR1]


def test_a_second_run_of_one_process_gets_the_request_to_save_too():
    first, second = listening(), listening()
    send(signal.SIGUSR1)
    assert first and second


def test_a_run_created_in_a_thread_installs_no_signal_handler():
    made = []
    thread = threading.Thread(target=lambda: made.append(listening()))
    thread.start()
    thread.join()
    assert made and signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL


def run_python(text, **variables):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], text=True,
                          env=dict(os.environ, PYTHONPATH=str(ROOT / "python"), **variables),
                          timeout=DEADLINE_S, capture_output=True, check=False)


def test_sigterm_after_the_failure_of_another_rank_ends_the_process_at_once(tmp_path):
    (tmp_path / "reason").write_text("rankfailed\n")
    done = run_python("""
        import os, signal, coxswain
        run = coxswain.Run()
        os.kill(os.getpid(), signal.SIGTERM)
        print("still here")
        """, COX_STOP_REASON_FILE=str(tmp_path / "reason"))
    assert done.returncode == -signal.SIGTERM and done.stdout == ""


def test_sigterm_ends_a_forked_child_process():
    """Pools and data loaders end their workers by SIGTERM."""
    done = run_python(f"""
        import multiprocessing, signal, time, coxswain
        run = coxswain.Run()
        ready = multiprocessing.get_context("fork").Event()

        def sleep():
            ready.set()
            while True:
                time.sleep(1)

        child = multiprocessing.get_context("fork").Process(target=sleep)
        child.start()
        ready.wait()
        child.terminate()
        child.join({DEADLINE_S / 2})
        print(child.exitcode, run.asked)
        """)
    assert done.stdout == f"{-signal.SIGTERM} False\n", done.stderr


def test_a_signal_that_comes_while_a_saved_rank_leaves_python_does_not_change_its_exit_code():
    """Other ranks may have been asked first: this one saves with them, and its own signal comes
    when Python has already given up its handlers."""
    leaving = textwrap.dedent("""
        import os
        import coxswain
        class Large:
            def __del__(self, os=os):  # Python has cleared the name in the module by then
                os.write(1, b"leaving\\n")
                os.read(0, 1)
        large = Large()
        run = coxswain.Run(group=lambda number: coxswain.run.STOP)  # another rank wants to stop
        run.should_save()
        run.stop()
        """)
    rank = subprocess.Popen([sys.executable, "-c", leaving], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE,
                            env=dict(os.environ, PYTHONPATH=str(ROOT / "python")))
    assert rank.stdout.readline() == b"leaving\n"
    rank.send_signal(signal.SIGUSR1)
    rank.communicate(timeout=DEADLINE_S)  # closes its standard input, so that it ends
    assert rank.returncode == 75
