"""Copies in several threads at once."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import strideview
from arrays import numbers


def run(work, count):
    errors = []

    def guarded(index):
        try:
            work(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_each_thread_its_own_target():
    source = numbers((300, 400))
    targets = [np.zeros((400, 300)) for _ in range(6)]

    def work(index):
        for _ in range(20):
            strideview.copy(targets[index], source.T)

    run(work, len(targets))
    assert all(np.array_equal(target, source.T) for target in targets)


def test_small_copies():
    source = numbers((3, 4))
    targets = [np.zeros((3, 4)) for _ in range(8)]

    def work(index):
        for _ in range(3000):
            strideview.copy(targets[index], source[::-1])

    run(work, len(targets))
    assert all(np.array_equal(target, source[::-1]) for target in targets)


def test_threads_that_share_a_target():
    """Each writes its own part; the parts interleave and the gaps belong to the others."""
    target = np.zeros((1000, 8))
    view = strideview.StridedMemoryView(target, -1)

    def work(index):
        column = view[:, index]
        source = np.full(1000, index + 1.0)
        for _ in range(50):
            column.copy_from(source)

    run(work, 8)
    assert (target == np.arange(1, 9)).all()


def test_a_large_copy_lets_others_run():
    """The GIL is given up: no switch is forced here, so another thread can only count while the copy is under way."""
    source, target = np.ones((3000, 3000)), np.zeros((3000, 3000))
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.0001)

    thread = threading.Thread(target=count)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)
    try:
        thread.start()
        before = counted[0]
        strideview.copy(target, source.T)
        after = counted[0]
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        thread.join()
    assert after > before
    assert (target == 1).all()


IN_A_CHILD = """
import os, sys, time
import numpy as np
import strideview

source = np.arange(1500 * 1600, dtype=np.int32).reshape(1500, 1600)

def is_copied():
    target = np.zeros((1600, 1500), np.int32)
    strideview.copy(target, source.T)
    return np.array_equal(target, source.T)

assert is_copied()  # creates the threads that a child does not have
child = os.fork()
if child == 0:
    os._exit(0 if is_copied() and is_copied() else 1)
for _ in range(600):
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        sys.exit(os.waitstatus_to_exitcode(status) or not is_copied())
    time.sleep(0.1)
os.kill(child, 9)
sys.exit("the copy in the child does not end")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_large_copies_in_a_forked_child():
    """Threads of the parent do not exist there; a copy neither waits for them nor goes wrong."""
    command = [sys.executable, "-W", "ignore", "-c", IN_A_CHILD]
    environment = os.environ | {"STRIDEVIEW_THREADS": "4"}
    done = subprocess.run(command, env=environment, timeout=120, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_large_copies_at_once():
    """Large enough that each is shared among threads, which they then compete for."""
    source = np.arange(1500 * 1600, dtype=np.int32).reshape(1500, 1600)
    targets = [np.zeros((1600, 1500), np.int32) for _ in range(2)]

    def work(index):
        for _ in range(5):
            targets[index][...] = 0
            strideview.copy(targets[index], source.T)
            assert np.array_equal(targets[index], source.T)

    run(work, len(targets))
