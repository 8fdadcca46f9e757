"""Copies in several threads at once."""

import sys
import threading
import time

import numpy as np
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
