"""Import, export and drop, over and over from eight threads: memory and reference counts stay where they were.

``STRIDEVIEW_CYCLES=1000000`` runs a million cycles of each protocol; by default it is enough to see a leak of an object a
cycle.
"""

import gc
import os
import pathlib
import sys
import threading

import numpy as np
import pytest
from strideview import StridedMemoryView

THREADS = 8
CYCLES = int(os.environ.get("STRIDEVIEW_CYCLES", "16000"))
ARRAY = np.arange(92.0).reshape(23, 4)
VIEW = StridedMemoryView(ARRAY, -1)

PROTOCOLS = {
    "dlpack": lambda: StridedMemoryView.from_dlpack(ARRAY, -1),
    "exchange table": lambda: StridedMemoryView(VIEW, -1),
    "buffer protocol": lambda: StridedMemoryView.from_buffer_protocol(ARRAY),
    "array interface": lambda: StridedMemoryView.from_array_interface(ARRAY),
    "dlpack capsule": lambda: VIEW.__dlpack__(max_version=(1, 3)),
    "legacy capsule": lambda: VIEW.__dlpack__(),
    "dlpack to numpy": lambda: np.from_dlpack(VIEW),
    "memoryview": lambda: memoryview(VIEW).release(),
    "derived view": lambda: VIEW.T[1:, ::2],
}


def resident_kib() -> int:
    """Memory of the process that is in use now; 0 where the system does not say."""
    statm = pathlib.Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024 if statm.exists() else 0


def run(cycle, count: int) -> None:
    def work() -> None:
        for _ in range(count // THREADS):
            cycle()

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nothing_is_left_over(protocol):
    cycle = PROTOCOLS[protocol]
    # Allocators take memory for each thread until they have enough; the second round shows what is lost.
    run(cycle, CYCLES)
    gc.collect()
    counts = sys.getrefcount(ARRAY), sys.getrefcount(VIEW)
    before = resident_kib()
    run(cycle, CYCLES)
    gc.collect()
    grown_kib = resident_kib() - before
    assert (sys.getrefcount(ARRAY), sys.getrefcount(VIEW)) == counts
    # Less than half a byte for each cycle, and some room for the allocator.
    assert grown_kib < 8192 + CYCLES / 2048
