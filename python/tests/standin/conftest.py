"""The scripted driver, which ``STRIDEVIEW_CUDA_DRIVER`` names; without it there is nothing to collect here."""

import ctypes as C
import gc
import os
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
PATH = os.environ.get("STRIDEVIEW_CUDA_DRIVER", "")
collect_ignore_glob = [] if "standin" in PATH else ["test_*.py"]


class Driver:
    """Calls of the stand-in: those of a driver, and those of its control."""

    def __init__(self):
        self.library = C.CDLL(PATH)
        self.library.standin_calls.restype = C.c_uint64
        self.library.standin_live.restype = C.c_size_t
        self.library.standin_waits.restype = C.c_uint64
        self.library.standin_waits.argtypes = [C.c_size_t]
        self.library.standin_fail.argtypes = [C.c_uint64, C.c_int]

    def call(self, name, *arguments):
        """A call of the driver; integers are passed as 64 bits."""
        function, found = C.c_void_p(), C.c_int()
        self.library.cuGetProcAddress_v2(name.encode(), C.byref(function), 12000, C.c_uint64(0), C.byref(found))
        passed = [C.c_uint64(each) if type(each) is int else each for each in arguments]
        status = C.CFUNCTYPE(C.c_int)(function.value)(*passed)
        assert status == 0, (name, status)

    def answer(self, name, *arguments):
        out = C.c_uint64()
        self.call(name, C.byref(out), *arguments)
        return out.value

    def calls(self, name):
        return self.library.standin_calls(name.encode())

    def waits(self, stream):
        return self.library.standin_waits(stream)

    def fail(self, nth, status=700):
        self.library.standin_fail(nth, status)

    def reset(self):
        self.library.standin_reset()


@pytest.fixture
def driver():
    import strideview

    driver = Driver()
    driver.reset()
    strideview.Device(0).set_current()
    yield driver
    driver.reset()
    gc.collect()
    # The package keeps pinned memory for later copies, which is about to be cleared.
    strideview.release_staging()
    driver.library.standin_clear()


@pytest.fixture
def device(driver):
    import strideview

    return strideview.Device(0)


SIZE = 64


@pytest.fixture
def memory(driver):
    """The address of memory of a kind."""

    def make(kind):
        if kind == "pinned":
            return driver.answer("cuMemHostAlloc", SIZE, C.c_uint(0))
        if kind == "managed":
            return driver.answer("cuMemAllocManaged", SIZE, C.c_uint(1))
        return driver.answer("cuMemAlloc", SIZE)

    return make
