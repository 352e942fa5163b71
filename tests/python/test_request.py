"""How a process hears that it is asked to save."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest
from conftest import ROOT
from coxswain.request import REASONS_TO_END, StopRequest, chosen_signals

ENDED_S = 30


def listening(**environment):
    request = StopRequest(environment)
    request.listen()
    return request


def send(number):
    os.kill(os.getpid(), number)  # handled before the call returns: this is the main thread


def test_nobody_asks():
    request = listening()
    assert not request and request.reason is None


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM])
def test_a_usual_signal_asks(number):
    request = listening()
    send(number)
    assert request and request.reason == number.name


def test_the_file_asks_without_a_signal_and_tells_why(tmp_path):
    file = tmp_path / "reason"
    request = listening(COX_STOP_REASON_FILE=str(file))
    assert not request
    file.write_text("preempt\n")
    assert request and request.reason == "preempt"
    file.unlink()  # the request stands
    assert request.reason == "preempt"


@pytest.mark.parametrize("reason", REASONS_TO_END)
def test_an_end_is_no_request(tmp_path, reason):
    (tmp_path / "reason").write_text(reason + "\n")
    request = listening(COX_STOP_REASON_FILE=str(tmp_path / "reason"))
    assert not request and request.reason == reason


def test_the_chosen_signal_is_handled_and_no_other():
    assert chosen_signals({"COX_CHECKPOINT_SIGNAL": "HUP,12"}) == [signal.SIGHUP, 12]
    assert chosen_signals({"COX_CHECKPOINT_SIGNAL": "nothing"}) == []
    request = listening(COX_CHECKPOINT_SIGNAL="HUP")
    assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    send(signal.SIGHUP)
    assert request.reason == "SIGHUP"


def test_a_handler_of_the_program_is_called_too():
    called = []
    signal.signal(signal.SIGTERM, lambda number, frame: called.append(number))
    request = listening()
    send(signal.SIGTERM)
    assert request and called == [signal.SIGTERM]


def test_a_signal_that_the_program_uses_is_left_to_it():
    called = []
    signal.signal(signal.SIGUSR1, lambda number, frame: called.append(number))
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    request = listening()
    send(signal.SIGUSR1)
    assert not request and called == [signal.SIGUSR1]
    assert signal.getsignal(signal.SIGUSR2) == signal.SIG_IGN


def test_the_program_shares_the_signal_that_the_job_chose():
    called = []
    signal.signal(signal.SIGUSR1, lambda number, frame: called.append(number))
    request = listening(COX_CHECKPOINT_SIGNAL="USR1")
    send(signal.SIGUSR1)
    assert request and called == [signal.SIGUSR1]


def test_a_second_run_of_one_process_hears_it_too():
    first, second = listening(), listening()
    send(signal.SIGUSR1)
    assert first and second


def test_a_thread_may_make_a_run():
    made = []
    thread = threading.Thread(target=lambda: made.append(listening()))
    thread.start()
    thread.join()
    assert made and signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL


def run_python(text, **variables):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], text=True, timeout=ENDED_S,
                          env=dict(os.environ, PYTHONPATH=str(ROOT / "python"), **variables),
                          capture_output=True, check=False)


def test_sigterm_ends_at_once_an_attempt_that_is_over(tmp_path):
    (tmp_path / "reason").write_text("rankfailed\n")
    done = run_python("""
        import os, signal, coxswain
        run = coxswain.Run()
        os.kill(os.getpid(), signal.SIGTERM)
        print("still here")
        """, COX_STOP_REASON_FILE=str(tmp_path / "reason"))
    assert done.returncode == -signal.SIGTERM and done.stdout == ""


def test_children_end_by_sigterm():
    """Pools and data loaders end their workers so."""
    done = run_python("""
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
        child.join(20)
        print(child.exitcode, run.asked)
        """)
    assert done.stdout == f"{-signal.SIGTERM} False\n", done.stderr
