"""Engines: what makes a copy, opened for one case and then timed.

`open` of each returns a function that copies a number of times and returns the nanoseconds of all
of them together, or None where the engine has no way to make that copy.
"""

import contextlib
import ctypes
import itertools
import pathlib
import time
from collections.abc import Callable
from typing import Any

import numpy
from suite import GUARD, Case, Memory

Timed = Callable[[int], float]
Open = Callable[[Case, Memory], Timed | None]


def timed(function: Callable[..., Any], *arguments: Any) -> Timed:
    """The loop around a Python call."""

    def loop(iterations: int) -> float:
        start = time.perf_counter_ns()
        for _ in itertools.repeat(None, iterations):
            function(*arguments)
        return time.perf_counter_ns() - start

    return loop


class RawCase(ctypes.Structure):
    """`RawCase` of bench/peers/src/case.rs."""

    _fields_ = [
        ("rank", ctypes.c_size_t),
        ("itemsize", ctypes.c_size_t),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("dst_strides", ctypes.POINTER(ctypes.c_int64)),
        ("src_strides", ctypes.POINTER(ctypes.c_int64)),
        ("dst", ctypes.c_void_p),
        ("src", ctypes.c_void_p),
        ("dst_base", ctypes.c_void_p),
        ("src_base", ctypes.c_void_p),
        ("dst_len", ctypes.c_size_t),
        ("src_len", ctypes.c_size_t),
    ]


def raw_case(case: Case, memory: Memory) -> RawCase:
    numbers = ctypes.c_int64 * len(case.shape)
    dst, src = memory.arrays(case)
    return RawCase(
        len(case.shape),
        case.itemsize,
        numbers(*case.shape),
        numbers(*case.dst_strides),
        numbers(*case.src_strides),
        dst.ctypes.data,
        src.ctypes.data,
        memory.destination[GUARD:].ctypes.data,
        memory.source.ctypes.data,
        case.dst_len,
        case.src_len,
    )


class Native:
    """The engines of the Rust library."""

    def __init__(self, path: pathlib.Path, threads: int) -> None:
        self.threads = threads
        self.library = ctypes.CDLL(str(path))
        self.library.copy_engines_open.restype = ctypes.c_void_p
        self.library.copy_engines_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(RawCase), ctypes.c_size_t]
        self.library.copy_engines_time.restype = ctypes.c_uint64
        self.library.copy_engines_time.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
        self.library.copy_engines_close.restype = None
        self.library.copy_engines_close.argtypes = [ctypes.c_void_p]

    def names(self) -> list[str]:
        text = ctypes.create_string_buffer(4096)
        self.library.copy_engines_names(text, ctypes.c_size_t(len(text)))
        return text.value.decode().split(",")

    def opener(self, name: str) -> Open:
        return lambda case, memory: self.open(name, case, memory)

    def open(self, name: str, case: Case, memory: Memory) -> Timed | None:
        raw = raw_case(case, memory)
        engine = self.library.copy_engines_open(name.encode(), ctypes.byref(raw), self.threads)
        return NativeTimed(self.library, engine) if engine else None


class NativeTimed:
    """An opened engine of the Rust library, closed with this object."""

    def __init__(self, library: ctypes.CDLL, engine: int) -> None:
        self.library, self.engine = library, engine

    def __call__(self, iterations: int) -> float:
        return self.library.copy_engines_time(self.engine, iterations)

    def __del__(self) -> None:
        self.library.copy_engines_close(self.engine)


def numpy_copyto(case: Case, memory: Memory) -> Timed:
    return timed(numpy.copyto, *memory.arrays(case))


def from_python() -> Open:
    """`strideview.copy` on kept views, of the wheel that is installed."""
    import strideview

    def opened(case: Case, memory: Memory) -> Timed:
        dst, src = memory.arrays(case)
        views = [strideview.StridedMemoryView.from_array_interface(array) for array in (dst, src)]
        return timed(strideview.copy, *views)

    return opened


def python_peers(threads: int) -> dict[str, Open]:
    """Those of the peers called from Python that are installed."""
    found: dict[str, Open] = {}
    for name, opener in (("torch", torch_copy), ("opencv", opencv_transpose)):
        try:
            found[name] = opener(threads)
        except ImportError:
            print(f"{name} is not installed: nothing is said of it")
    return found


def torch_copy(threads: int) -> Open:
    import torch

    torch.set_num_threads(threads)

    def opened(case: Case, memory: Memory) -> Timed | None:
        if min(case.src_strides) < 0:
            return None
        dst, src = (torch.from_numpy(array) for array in memory.arrays(case))
        return timed(dst.copy_, src)

    return opened


def opencv_transpose(threads: int) -> Open:
    """`transpose` of matrices, `transposeND` of dense permutations."""
    import cv2

    cv2.setNumThreads(threads)

    def opened(case: Case, memory: Memory) -> Timed | None:
        dst, src = memory.arrays(case)
        order = permutation(case)
        if order is None or not dst.flags.c_contiguous:
            return None
        dense = src.transpose(numpy.argsort(order))
        if order == (1, 0):
            return timed(cv2.transpose, as_matrix(dense), as_matrix(dst))
        if case.itemsize > 8:
            return None
        try:
            cv2.transposeND(dense, order, dst)
        except cv2.error:
            return None
        return timed(cv2.transposeND, dense, order, dst)

    return opened


def as_matrix(array: numpy.ndarray) -> numpy.ndarray:
    """Items of 16 bytes as two channels, which OpenCV has in place of complex numbers."""
    if array.dtype == numpy.complex128:
        return array.view("f8").reshape(*array.shape, 2)
    return array


def permutation(case: Case) -> tuple[int, ...] | None:
    """The axes of a dense source in the order of the case; none if the source is not dense."""
    by_stride = sorted(range(len(case.shape)), key=lambda axis: -case.src_strides[axis])
    dense = 1
    for axis in reversed(by_stride):
        if case.src_strides[axis] != dense:
            return None
        dense *= case.shape[axis]
    return tuple(by_stride.index(axis) for axis in range(len(case.shape)))


def versions() -> list[str]:
    """What was compared with, by name and version."""
    from importlib import metadata

    found = [f"numpy {numpy.__version__}"]
    for name, distribution in (("torch", "torch"), ("opencv", "opencv-python-headless")):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append(f"{name} {metadata.version(distribution)}")
    return found
