"""The cases of copies, the memory that all engines share, and the bytes that must come out."""

import dataclasses
import json
import math
import mmap
from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided
from report import HERE

GUARD = 4096
"""Bytes on either side of the destination that no engine may touch."""
SLACK = 1 << 16
"""Bytes after the source that an engine may be told of, as the rest of its last row."""
UNTOUCHED = 0xA5
"""What the destination is filled with; never a byte of the source."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One copy. Strides and offsets are in elements; lengths too, from the lowest to the highest."""

    name: str
    group: str
    dtype: str
    itemsize: int
    shape: tuple[int, ...]
    src_strides: tuple[int, ...]
    src_offset: int
    src_len: int
    dst_strides: tuple[int, ...]
    dst_offset: int
    dst_len: int

    @property
    def is_small(self) -> bool:
        return self.group == "small"

    @property
    def written(self) -> int:
        """The bytes that the copy writes, which are those that memcpy moves beside it."""
        return math.prod(self.shape) * self.itemsize

    @property
    def useful(self) -> int:
        """The bytes read and written, each element of the source counted once."""
        axes = zip(self.shape, self.src_strides, strict=True)
        return math.prod(n for n, stride in axes if stride) * self.itemsize + self.written


def cases(only: str = "") -> list[Case]:
    """The cases whose name contains `only`."""
    found = json.loads((HERE / "cases" / "copy_suite.json").read_text())
    return [case_of(entry) for entry in found if only in entry["name"]]


def case_of(entry: dict[str, Any]) -> Case:
    if entry["src_shape"] != entry["dst_shape"]:
        raise ValueError(f"{entry['name']}: the shapes differ")
    values = {field.name: entry.get(field.name) for field in dataclasses.fields(Case)}
    values["shape"] = tuple(entry["dst_shape"])
    values["src_strides"], values["dst_strides"] = tuple(entry["src_strides"]), tuple(entry["dst_strides"])
    return Case(**values)


def anchors(threads: int) -> dict[str, tuple[float, str]]:
    """The best peer of an earlier run, as a fraction of memcpy, and its name, by case."""
    found = json.loads((HERE / "cases" / "copy_anchors.json").read_text())["anchors"]
    return {name: (entry[str(threads)]["best"], entry[str(threads)]["peer"]) for name, entry in found.items()}


class Memory:
    """Three blocks large enough for every case: source, destination, and what is expected."""

    def __init__(self, chosen: list[Case], huge_pages: bool = False) -> None:
        written = max(case.dst_len * case.itemsize for case in chosen)
        # memcpy reads as many bytes as it writes, also where a source is broadcast.
        read = max(written, *(case.src_len * case.itemsize for case in chosen))
        self.source = block(read + SLACK, huge_pages)
        # Bytes 1 to 63 make finite floating-point numbers, and differ from `UNTOUCHED`.
        self.source[:] = numpy.frombuffer(numpy.random.default_rng(7).bytes(read + SLACK), "u1")
        self.source &= 63
        self.source |= 1
        self.destination = block(written + 2 * GUARD, huge_pages)
        self.expected = block(written + 2 * GUARD, huge_pages)

    def arrays(self, case: Case) -> tuple[numpy.ndarray, numpy.ndarray]:
        """The destination and the source of a case, as NumPy arrays."""
        return destination_of(case, self.destination), source_of(case, self.source)

    def expect(self, case: Case) -> None:
        """Prepares `check` for a case."""
        expected = self.expected[: case.dst_len * case.itemsize + 2 * GUARD]
        expected.fill(UNTOUCHED)
        numpy.copyto(destination_of(case, expected), source_of(case, self.source))

    def clear(self, case: Case) -> None:
        self.destination[: case.dst_len * case.itemsize + 2 * GUARD].fill(UNTOUCHED)

    def check(self, case: Case) -> bool:
        """Whether every byte of the destination is right, also those that no copy may touch."""
        end = case.dst_len * case.itemsize + 2 * GUARD
        return numpy.array_equal(self.destination[:end], self.expected[:end])


def block(size: int, huge_pages: bool) -> numpy.ndarray:
    """Zeroed memory of its own pages, all of them present."""
    pages = mmap.mmap(-1, max(size, 1))
    if huge_pages:
        pages.madvise(mmap.MADV_HUGEPAGE)
    memory = numpy.frombuffer(pages, "u1")
    memory.fill(0)
    return memory


def source_of(case: Case, memory: numpy.ndarray) -> numpy.ndarray:
    return strided(memory, case, case.src_offset, case.src_strides, case.src_len)


def destination_of(case: Case, memory: numpy.ndarray) -> numpy.ndarray:
    return strided(memory[GUARD:], case, case.dst_offset, case.dst_strides, case.dst_len)


def strided(
    memory: numpy.ndarray, case: Case, offset: int, strides: tuple[int, ...], length: int
) -> numpy.ndarray:
    items = memory[: length * case.itemsize].view(case.dtype)
    in_bytes = tuple(stride * case.itemsize for stride in strides)
    return as_strided(items[offset:], case.shape, in_bytes)
